package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"kind4/decode/session"
	"kind4/decode/ws"
)

func TestBackoff(t *testing.T) {
	for _, test := range []struct {
		attempt int
		random  float64
		want    time.Duration
	}{
		{0, 0, 250 * time.Millisecond},
		{0, 0.5, 187500 * time.Microsecond},
		{1, 0, 500 * time.Millisecond},
		{6, 0, 16 * time.Second},
		{7, 0, 30 * time.Second},
		{7, 0.999999, 15000015 * time.Microsecond},
		{1 << 40, 0, 30 * time.Second},
	} {
		if got := backoff(test.attempt, test.random); got != test.want {
			t.Errorf("backoff(%d, %v) = %v, want %v", test.attempt, test.random, got, test.want)
		}
	}
}

// Attempts that fail come later and later, and the end of the context ends the waiting.
func TestReconnectBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		var attempts []time.Duration
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		o := ProviderOptions{Addr: "proxy:1", Reconnect: true, Repeat: 1, random: func() float64 { return 0 }}
		o.netDial = func(context.Context, string, string) (net.Conn, error) {
			attempts = append(attempts, time.Since(started))
			return nil, errors.New("nobody there")
		}
		result := NewProvider(o).Run(ctx)
		want := []time.Duration{0, 250, 750, 1750, 3750, 7750, 15750, 31750, 61750, 91750}
		for i := range want {
			want[i] *= time.Millisecond
		}
		if !slices.Equal(attempts, want) {
			t.Errorf("attempts at %v, want %v", attempts, want)
		}
		if took := time.Since(started); took != 100*time.Second {
			t.Errorf("ended after %v", took)
		}
		var failure *DialError
		if !errors.As(result.Dial, &failure) || failure.Path != requestsPath || failure.Error() != "/requests: nobody there" {
			t.Errorf("result %+v", result)
		}
	})
}

func TestPacer(t *testing.T) {
	now := time.Unix(1000, 0)
	clock := func() time.Time { return now }
	for _, test := range []struct {
		name  string
		pacer pacer
		times []int64
		want  []time.Duration
	}{
		{"as recorded", pacer{speed: 1}, []int64{5e6, 5e6, 6e6, 8e6}, []time.Duration{0, 0, time.Second, 3 * time.Second}},
		{"twice as fast", pacer{speed: 2}, []int64{5e6, 6e6}, []time.Duration{0, time.Second / 2}},
		{"no times", pacer{speed: 1}, []int64{0, 0}, []time.Duration{0, 0}},
		{"backwards", pacer{speed: 1}, []int64{6e6, 5e6}, []time.Duration{0, -time.Second}},
		{"max", pacer{}, []int64{5e6, 9e6}, []time.Duration{0, 0}},
		{"rate", pacer{speed: 1, rate: 4}, []int64{5e6, 0, 9e6}, []time.Duration{0, time.Second / 4, time.Second / 2}},
		{"centuries", pacer{speed: 1e-9}, []int64{1, 1e18}, []time.Duration{0, 100 * 365 * 24 * time.Hour}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i, at := range test.times {
				if got := test.pacer.wait(at, clock); got != test.want[i] {
					t.Errorf("message %d: %v, want %v", i, got, test.want[i])
				}
			}
		})
	}
	p := pacer{speed: 1}
	p.wait(5e6, clock)
	p.restart()
	if got := p.wait(1e6, clock); got != 0 {
		t.Errorf("the first of another session: %v", got)
	}
}

// sliceSource yields messages in batches of three.
type sliceSource struct {
	messages []string
	fail     error // in place of io.EOF
}

func (s *sliceSource) Next(b *session.Batch) error {
	for range 3 {
		if len(s.messages) == 0 {
			if s.fail != nil {
				return s.fail
			}
			return io.EOF
		}
		b.Events = append(b.Events, session.Event{Kind: session.Message, Data: []byte(s.messages[0])})
		s.messages = s.messages[1:]
	}
	return nil
}

func (s *sliceSource) Close() error { return nil }

func opens(messages ...string) func() (Source, error) {
	return func() (Source, error) { return &sliceSource{messages: messages}, nil }
}

// otherProxy is a proxy made with another WebSocket library. It announces asks on each /requests, and keeps what
// comes on each other path.
type otherProxy struct {
	t      *testing.T
	server *httptest.Server
	asks   [][]byte
	onPath func(path string, c *websocket.Conn) // nil: read to the end

	mu       sync.Mutex
	requests int
	got      map[string][]string // by path: messages, then how it ended
	done     chan string         // a path that has ended
	ended    map[string]bool     // those taken from done; the test's own
}

func newOtherProxy(t *testing.T, asks ...string) *otherProxy {
	p := &otherProxy{t: t, got: map[string][]string{}, ended: map[string]bool{}, done: make(chan string, 100)}
	for _, ask := range asks {
		p.asks = append(p.asks, []byte(ask))
	}
	p.server = httptest.NewServer(p)
	t.Cleanup(func() { p.server.CloseClientConnections(); p.server.Close() })
	return p
}

func (p *otherProxy) addr() string { return p.server.Listener.Addr().String() }

func (p *otherProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		p.t.Errorf("%s: %v", r.URL.Path, err)
		return
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(patience))
	if r.URL.Path == requestsPath {
		p.mu.Lock()
		p.requests++
		p.mu.Unlock()
		for _, ask := range p.asks {
			c.WriteMessage(websocket.BinaryMessage, ask)
		}
	} else if p.onPath != nil {
		p.onPath(r.URL.Path, c)
	}
	p.read(r.URL.Path, c)
	p.done <- r.URL.Path
}

func (p *otherProxy) read(path string, c *websocket.Conn) {
	for {
		kind, message, err := c.ReadMessage()
		text := string(message)
		var closed *websocket.CloseError
		switch {
		case errors.As(err, &closed):
			text = fmt.Sprint("close ", closed.Code)
		case err != nil:
			text = "died"
		case kind == websocket.TextMessage:
			text = "text " + text
		}
		p.mu.Lock()
		p.got[path] = append(p.got[path], text)
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// want waits for a path to end and compares what came on it.
func (p *otherProxy) want(path string, messages ...string) {
	p.t.Helper()
	timeout := time.After(patience)
	for !p.ended[path] {
		select {
		case ended := <-p.done:
			p.ended[ended] = true
		case <-timeout:
			p.t.Fatalf("%s has not ended", path)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.got[path], messages) {
		p.t.Errorf("%s got %q, want %q", path, p.got[path], messages)
	}
}

const ask4 = "\x00\x00\x00\x07\x04"

func run(t *testing.T, o ProviderOptions) (*ProvideResult, []PathEnd) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return runWith(ctx, o)
}

func runWith(ctx context.Context, o ProviderOptions) (*ProvideResult, []PathEnd) {
	var ends []PathEnd
	o.Ended = func(end PathEnd) { ends = append(ends, end) }
	return NewProvider(o).Run(ctx), ends
}

func TestProviderAnswersEveryKind(t *testing.T) {
	p := newOtherProxy(t, "\x00\x00\x00\x01\x00null", "\x00\x00\x00\x02\x01null", "\x00\x00\x00\x03\x02{}", "\x00\x00\x00\x04\x03{}",
		"\x00\x00\x00\x05\x05key", "\x00\x00", "\x00\x00\x00\x06\xff", ask4)
	o := ProviderOptions{Addr: p.addr(), Open: opens("a", "b", "c", "d"), Repeat: 2}
	o.Answers[1] = "\x00[1]"
	result, ends := run(t, o)
	p.want("/mcp/list-tools/1", "\x00"+`{"tools":[]}`, "close 1000")
	p.want("/mcp/list-resources/2", "\x00[1]", "close 1000")
	p.want("/mcp/call-tool/3", "\x00"+`{"content":[]}`, "close 1000")
	p.want("/mcp/read-resource/4", "\x00"+`{"contents":[]}`, "close 1000")
	p.want("/mcp/notifications/7", "a", "b", "c", "d", "a", "b", "c", "d", "close 1000")
	p.want(requestsPath, "close 1000")
	if result.Unanswered != 3 || result.Asked != 1 || result.Ended != 1 || result.Sent != 8 || result.Err(t.Context()) != nil {
		t.Errorf("result %+v", result)
	}
	if len(ends) != 1 || ends[0].How != AsAsked || ends[0].Sent != 8 {
		t.Errorf("ends %+v", ends)
	}
}

func TestProviderEndings(t *testing.T) {
	for _, test := range []struct {
		name string
		o    ProviderOptions
		want []string
	}{
		{"error", ProviderOptions{End: EndWithError, Error: "\x01{}"}, []string{"a", "\x01{}", "close 1000"}},
		{"abort", ProviderOptions{End: EndWithAbort}, []string{"a", "died"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newOtherProxy(t, ask4)
			test.o.Addr, test.o.Open, test.o.Repeat = p.addr(), opens("a"), 1
			_, ends := run(t, test.o)
			p.want("/mcp/notifications/7", test.want...)
			if len(ends) != 1 || ends[0].How != AsAsked {
				t.Errorf("ends %+v", ends)
			}
		})
	}
}

// Nothing that was sent is lost in a reset.
func TestProviderAbortsBehindEverything(t *testing.T) {
	p := newOtherProxy(t, ask4)
	many := slices.Repeat([]string{strings.Repeat("x", 10_000)}, 2000)
	_, ends := run(t, ProviderOptions{Addr: p.addr(), Open: opens(many...), Repeat: 1, End: EndWithAbort})
	p.want("/mcp/notifications/7", append(many, "died")...)
	if len(ends) != 1 || ends[0].How != AsAsked || ends[0].Sent != 2000 {
		t.Errorf("ends %+v", ends)
	}
}

// What is open when the context is done is closed: 1000 says that everything was sent, 1001 that it was not.
func TestProviderIsStopped(t *testing.T) {
	for _, test := range []struct {
		name string
		o    ProviderOptions
		want []string // behind the first message, where the proxy stops it there
		how  How
	}{
		{"hold", ProviderOptions{End: EndWithHold, Repeat: 1}, []string{"a", "b", "close 1000"}, AsAsked},
		{"half sent", ProviderOptions{Rate: 0.001, Repeat: 1}, []string{"close 1001"}, Interrupted},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newOtherProxy(t, ask4)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			test.o.Addr, test.o.Open = p.addr(), opens("a", "b")
			test.o.holding = cancel
			if test.how == Interrupted {
				p.onPath = func(path string, c *websocket.Conn) {
					c.ReadMessage()
					cancel()
				}
			}
			_, ends := runWith(ctx, test.o)
			p.want("/mcp/notifications/7", test.want...)
			if len(ends) != 1 || ends[0].How != test.how {
				t.Errorf("ends %+v", ends)
			}
		})
	}
}

func TestProviderMeetsProxiesThatEndEarly(t *testing.T) {
	many := make([]string, 1000)
	for _, test := range []struct {
		name   string
		onPath func(c *websocket.Conn)
		kind   session.EndKind
		stray  uint64
	}{
		{"close", func(c *websocket.Conn) {
			c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(patience))
		}, session.EndClose, 0},
		{"end", func(c *websocket.Conn) { c.NetConn().(*net.TCPConn).CloseWrite() }, session.EndEOF, 0},
		{"reset", func(c *websocket.Conn) { c.NetConn().(*net.TCPConn).SetLinger(0); c.NetConn().Close() }, session.EndReset, 0},
		{"broken", func(c *websocket.Conn) { c.NetConn().Write([]byte{0xF0, 0}) }, session.EndBroken, 0},
		{"message", func(c *websocket.Conn) {
			c.WriteMessage(websocket.BinaryMessage, []byte("stray"))
			c.NetConn().Write([]byte{0x83, 0})
		}, session.EndBroken, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newOtherProxy(t, ask4)
			p.onPath = func(path string, c *websocket.Conn) { test.onPath(c) }
			result, ends := run(t, ProviderOptions{Addr: p.addr(), Open: opens(many...), Repeat: 1, Rate: 10})
			if result.Early != 1 || result.Stray != test.stray || result.Err(t.Context()) != errGone {
				t.Errorf("result %+v", result)
			}
			if len(ends) != 1 || ends[0].How != Early || ends[0].End.Kind != test.kind {
				t.Errorf("ends %+v", ends)
			}
		})
	}
}

// A path lives on when /requests ends.
func TestProviderOutlivesRequests(t *testing.T) {
	p := newOtherProxy(t, ask4)
	opened, closed := make(chan struct{}), make(chan struct{})
	p.onPath = func(path string, c *websocket.Conn) { close(opened); <-closed }
	inner := p.server.Config.Handler
	p.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != requestsPath {
			inner.ServeHTTP(w, r)
			return
		}
		c, _ := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		c.WriteMessage(websocket.BinaryMessage, []byte(ask4))
		<-opened
		c.Close()
	})
	o := ProviderOptions{Addr: p.addr(), Open: opens("a", "b"), Repeat: 1, Rate: 20}
	o.Report = func(events []session.Event) {
		if events[0].Kind == session.Closed && events[0].Path == requestsPath {
			close(closed)
		}
	}
	result, _ := run(t, o)
	p.want("/mcp/notifications/7", "a", "b", "close 1000")
	if result.Err(t.Context()) != nil || result.Early != 0 {
		t.Errorf("result %+v", result)
	}
}

func TestProviderReconnects(t *testing.T) {
	p := newOtherProxy(t, ask4)
	result, ends := run(t, ProviderOptions{Addr: p.addr(), Open: opens("a"), Repeat: 1, Reconnect: true, Paths: 3,
		random: func() float64 { return 1 }})
	if p.requests != 3 || len(ends) != 3 || result.Ended != 3 || result.Err(t.Context()) != nil {
		t.Errorf("%d /requests, ends %+v, result %+v", p.requests, ends, result)
	}
}

func TestProviderIsRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "it is open already\nand more", http.StatusConflict)
	}))
	defer server.Close()
	result, _ := run(t, ProviderOptions{Addr: server.Listener.Addr().String(), Open: opens(), Repeat: 1})
	var failure *DialError
	if !errors.As(result.Dial, &failure) || failure.Status != 409 || failure.Body != "it is open already" {
		t.Errorf("result %+v", result)
	}
}

// What stands before the fault of a source is sent, and the path says that it is not complete.
func TestProviderSourceFails(t *testing.T) {
	p := newOtherProxy(t, ask4)
	bad := errors.New("line 3 is broken")
	open := func() (Source, error) { return &sliceSource{messages: []string{"a", "b"}, fail: bad}, nil }
	result, ends := run(t, ProviderOptions{Addr: p.addr(), Open: open, Repeat: 1})
	p.want("/mcp/notifications/7", "a", "b", "close 1011")
	if result.Source != bad || len(ends) != 1 || ends[0].How != Unread {
		t.Errorf("result %+v, ends %+v", result, ends)
	}
}

// Messages of every length of a length field arrive as they were, and what is reported of them is what was sent.
func TestProviderSendsEveryLength(t *testing.T) {
	p := newOtherProxy(t, ask4)
	var want, reported []string
	for _, n := range []int{0, 1, 125, 126, 65535, 65536, 3 << 20} {
		want = append(want, strings.Repeat("x", n))
	}
	o := ProviderOptions{Addr: p.addr(), Open: opens(want...), Repeat: 1, Messages: true}
	o.Report = func(events []session.Event) {
		for _, ev := range events {
			if ev.Kind == session.Message && ev.FromKind4 {
				reported = append(reported, string(ev.Data))
			}
		}
	}
	run(t, o)
	p.want("/mcp/notifications/7", append(slices.Clone(want), "close 1000")...)
	if !slices.Equal(reported, want) {
		t.Errorf("%d messages reported", len(reported))
	}
}

// Pings are answered while messages are sent.
func TestProviderAnswersPings(t *testing.T) {
	p := newOtherProxy(t, ask4)
	pong := make(chan string, 1)
	p.onPath = func(path string, c *websocket.Conn) {
		c.SetPongHandler(func(data string) error {
			pong <- data
			return c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(patience))
		})
		c.WriteControl(websocket.PingMessage, []byte("hi"), time.Now().Add(patience))
	}
	result, _ := run(t, ProviderOptions{Addr: p.addr(), Open: opens("a"), Rate: 1000})
	if got := <-pong; got != "hi" || result.Early != 0 {
		t.Errorf("pong %q, result %+v", got, result)
	}
}

// Every fault has a name of its own and says what it does and what comes of it.
func TestFaultTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Faults() {
		found, ok := FindFault(f.Name)
		if seen[f.Name] || !ok || found != f || !strings.HasSuffix(f.Does, ".") || f.Sees() == "" {
			t.Errorf("fault %+v", f)
		}
		seen[f.Name] = true
	}
	if _, ok := FindFault("no such"); ok {
		t.Error("found what there is not")
	}
}

// A frame made in parts is the frame made whole.
func TestLargeFrame(t *testing.T) {
	for _, size := range []int{70, 65536, 65537, 1<<20 + 3} {
		var whole []byte
		next := largeFrame(size)
		for part := next(); len(part) > 0; part = next() {
			whole = append(whole, part...)
		}
		if size < 65536 {
			continue // the length stands in its longest form, which a parser refuses
		}
		parser := ws.Parser{Masked: true}
		item := parser.Next(whole)
		want := largeHead + strings.Repeat("x", size-len(largeHead)-len(largeTail)) + largeTail
		if item == nil || item.Kind != ws.Message || !bytes.Equal(item.Data, []byte(want)) {
			t.Errorf("%d bytes: not read as it was sent", size)
		}
	}
}

// BenchmarkProvide sends as fast as the stand-in proxy's machine reads: bytes are thrown away.
func BenchmarkProvide(b *testing.B) {
	for _, size := range []int{100, 1000, 60_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			near, far := net.Pipe()
			defer near.Close()
			go io.Copy(io.Discard, far)
			c := &client{socket: near, gone: make(chan struct{})}
			s := &sending{p: NewProvider(ProviderOptions{}), c: c, begun: true}
			batch := &session.Batch{}
			for range max(1, (64<<10)/size) {
				batch.Events = append(batch.Events, session.Event{Kind: session.Message, Data: make([]byte, size)})
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for sent := 0; sent < b.N; sent += len(batch.Events) {
				if err := s.batch(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A repetition is the source again, whether it was kept or is read once more, and so many times.
func TestFeedRepeats(t *testing.T) {
	for _, test := range []struct {
		name   string
		size   int
		times  int
		opened int
	}{{"once", 10, 1, 1}, {"small", 10, 5, 1}, {"small, often", 10, 10_000, 1}, {"large", maxRepeated / 3, 4, 4}} {
		t.Run(test.name, func(t *testing.T) {
			opened := 0
			f := newFeed(func() (Source, error) {
				opened++
				return opens("a", "b", strings.Repeat("c", test.size), strings.Repeat("d", test.size), strings.Repeat("e", 2*test.size))()
			}, test.times)
			defer f.end()
			passes, messages := 0, 0
			for b := range f.batches {
				for _, ev := range b.Events {
					if ev.Kind == session.Begun {
						passes++
					} else if messages++; ev.Data[0] != "abcde"[(messages-1)%5] {
						t.Fatalf("message %d is %.10q", messages, ev.Data)
					}
				}
				b.Release()
			}
			if passes != test.times || messages != 5*test.times || opened != test.opened || f.err != nil {
				t.Errorf("%d passes, %d messages, opened %d times, %v", passes, messages, opened, f.err)
			}
		})
	}
}

// A proxy that lets a broken frame pass is told apart from one that ends the path.
func TestProviderMeetsAProxyThatIgnoresFaults(t *testing.T) {
	p := newOtherProxy(t, ask4)
	p.onPath = func(path string, c *websocket.Conn) { io.Copy(io.Discard, c.NetConn()) }
	f, _ := FindFault("unmasked")
	result, ends := run(t, ProviderOptions{Addr: p.addr(), Open: opens("a"), Repeat: 1, Faults: []*Fault{f}, closeTimeout: 20 * time.Millisecond})
	if len(ends) != 1 || ends[0].How != Ignored || ends[0].Fault != f || result.LetPass != 1 {
		t.Errorf("ends %+v, result %+v", ends, result)
	}
}

// Where the context is done while the proxy still has time to end the path, nobody can say whether it let the fault pass.
func TestProviderEndsBeforeAFaultIsJudged(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := newOtherProxy(t, ask4)
	p.onPath = func(path string, c *websocket.Conn) {
		io.ReadFull(c.NetConn(), make([]byte, 2+4+len("a")+2)) // into the frame behind the first
		cancel()
		io.Copy(io.Discard, c.NetConn())
	}
	f, _ := FindFault("unmasked")
	result, ends := runWith(ctx, ProviderOptions{Addr: p.addr(), Open: opens("a"), Repeat: 1, Faults: []*Fault{f}, closeTimeout: time.Hour})
	if len(ends) != 1 || ends[0].How != Unsettled || result.LetPass != 0 || result.Cut != 1 {
		t.Errorf("ends %+v, result %+v", ends, result)
	}
}

// A proxy that opens what it has to refuse lets the fault pass.
func TestProviderMeetsAProxyThatRefusesNothing(t *testing.T) {
	for name, path := range map[string]string{"second-opening": "/mcp/notifications/7", "second-requests": requestsPath,
		"unknown-channel": "/mcp/notifications/4294967288"} {
		p := newOtherProxy(t, ask4)
		f, _ := FindFault(name)
		var missed []string
		o := ProviderOptions{Addr: p.addr(), Open: opens("a"), Repeat: 1, Faults: []*Fault{f}}
		o.Missed = func(path string, fault *Fault) { missed = append(missed, path+" "+fault.Name) }
		result, _ := run(t, o)
		if result.LetPass != 1 || !slices.Equal(missed, []string{path + " " + name}) {
			t.Errorf("missed %q, result %+v", missed, result)
		}
	}
}

// A Close that the proxy does not answer is told of, on whatever path.
func TestProviderMeetsAProxyThatAnswersNoClose(t *testing.T) {
	p := newOtherProxy(t, "\x00\x00\x00\x01\x00null", ask4)
	deaf := func(c *websocket.Conn) { io.Copy(io.Discard, c.NetConn()) }
	p.onPath = func(path string, c *websocket.Conn) { deaf(c) }
	inner := p.server.Config.Handler
	p.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != requestsPath {
			inner.ServeHTTP(w, r)
			return
		}
		c, _ := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		for _, ask := range p.asks {
			c.WriteMessage(websocket.BinaryMessage, ask)
		}
		deaf(c)
		c.Close()
	})
	var missed []string
	o := ProviderOptions{Addr: p.addr(), Open: opens("a"), Repeat: 1, closeTimeout: 20 * time.Millisecond}
	o.Missed = func(path string, _ *Fault) { missed = append(missed, path) }
	result, ends := run(t, o)
	if len(ends) != 1 || ends[0].How != Early || !ends[0].Unanswered || ends[0].End.Sent != 1000 || result.Early != 1 {
		t.Errorf("ends %+v, result %+v", ends, result)
	}
	if !slices.Equal(missed, []string{"/mcp/list-tools/1", requestsPath}) {
		t.Errorf("missed %q", missed)
	}
}

// A proxy that reads nothing holds up neither memory nor the end.
func TestProviderIsStoppedWhileTheProxyDoesNotRead(t *testing.T) {
	p := newOtherProxy(t, ask4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan struct{})
	p.onPath = func(path string, c *websocket.Conn) { <-over; c.Close() }
	var sent int
	o := ProviderOptions{Addr: p.addr(), Open: opens(strings.Repeat("x", 1<<20)), Messages: true}
	o.Report = func(events []session.Event) {
		if events[0].Kind == session.Message {
			sent++
		}
		if sent == 1 {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}
	started := time.Now()
	result, _ := runWith(ctx, o)
	close(over)
	if took := time.Since(started); took > 10*time.Second || result.Ended != 1 {
		t.Errorf("ended after %v: %+v", took, result)
	}
}
