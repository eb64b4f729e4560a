package live

import (
	"context"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kind4/decode/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// start listens on a free port; the proxy is shut down with the test.
func start(t *testing.T, o Options) *Proxy {
	t.Helper()
	o.Listen = "127.0.0.1:0"
	if o.QueueBytes > 0 { // what tests before left in the pool would fill a small queue at once
		runtime.GC()
		runtime.GC()
	}
	p, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutdown(p) })
	return p
}

func shutdown(p *Proxy) {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	p.Shutdown(ctx)
}

// events takes what p yields, copied, one event after the other.
type events struct {
	t       *testing.T
	p       *Proxy
	waiting []session.Event
	drained bool
}

// next returns the next event, waiting for it.
func (e *events) next() session.Event {
	e.t.Helper()
	timeout := time.After(patience)
	for len(e.waiting) == 0 {
		b, _ := e.p.Take()
		if b == nil {
			if e.drained {
				e.t.Fatal("no more events")
			}
			select {
			case _, ok := <-e.p.Ready():
				e.drained = !ok
			case <-timeout:
				e.t.Fatal("no event came")
			}
			continue
		}
		for _, event := range b.Events {
			event.Data = append([]byte(nil), event.Data...)
			e.waiting = append(e.waiting, event)
		}
		b.Release()
	}
	event := e.waiting[0]
	if event.Time == 0 {
		e.t.Errorf("an event without a time: %+v", event)
	}
	e.waiting = e.waiting[1:]
	return event
}

// until returns the next event of that kind, passing over others.
func (e *events) until(kind session.Kind) session.Event {
	e.t.Helper()
	for {
		if event := e.next(); event.Kind == kind {
			return event
		}
	}
}

func (e *events) want(kind session.Kind, path string) session.Event {
	e.t.Helper()
	event := e.next()
	if event.Kind != kind || event.Path != path {
		e.t.Fatalf("got event kind %d on %q (%+v), want kind %d on %q", event.Kind, event.Path, event, kind, path)
	}
	return event
}

func (e *events) note(note session.NoteKind) session.Event {
	e.t.Helper()
	event := e.next()
	if event.Kind != session.Note || event.Note != note {
		e.t.Fatalf("got %+v, want note %d", event, note)
	}
	return event
}

func TestDemo(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	started := time.Now()
	done := make(chan error, 1)
	go func() { done <- Provide(t.Context(), p.Addr(), Demo()) }()
	e := &events{t: t, p: p}
	e.want(session.Opened, "/requests")
	if ask := e.want(session.Asked, "/requests"); string(ask.Data) != "\x00\x00\x00\x01\x00null" {
		t.Errorf("first ask %q", ask.Data)
	}
	if ask := e.want(session.Asked, "/requests"); string(ask.Data) != "\x00\x00\x00\x02\x04" {
		t.Errorf("second ask %q", ask.Data)
	}
	answer := e.note(session.NoteFirstAnswer)
	if answer.Size != int64(len(noTools)) || answer.Path != "/mcp/list-tools/1" {
		t.Errorf("first answer: %+v", answer)
	}
	opened := e.want(session.Opened, "/mcp/notifications/2")
	if !opened.HasChannel || opened.Channel != 2 {
		t.Errorf("opened: %+v", opened)
	}
	for i, step := range Demo().steps {
		got := e.want(session.Message, "/mcp/notifications/2")
		if string(got.Data) != string(step.message) || got.Opcode != session.OpBinary || got.Fragments != 1 ||
			got.Size != int64(len(step.message)) || got.Channel != 2 {
			t.Errorf("message %d: %+v, want %q", i, got, step.message)
		}
	}
	if end := e.want(session.Closed, "/mcp/notifications/2").End; end.Kind != session.EndClose || end.Code != 1000 || end.Sent != 1000 {
		t.Errorf("end: %+v", end)
	}
	e.note(session.NoteNoPath)
	if end := e.want(session.Closed, "/requests").End; end.Kind != session.EndClose || end.Code != 1000 {
		t.Errorf("end of /requests: %+v", end)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("the demo took %v", took)
	}
	if got, want := p.Received(), int64(len(Demo().steps)); got != want {
		t.Errorf("%d messages received, want %d", got, want)
	}
}
