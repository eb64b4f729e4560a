package live

import (
	"testing"

	"kind4/decode/session"
)

// Asks that were announced on a /requests that ended are lost, and go out again on the next.
func TestAsksLost(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	e := &events{t: t, p: p}
	c := openAsk(t, p, firstOn, askOn2)
	c.socket.CloseWrite()
	for range 3 {
		e.next()
	}
	if end := e.want(session.Closed, "/requests").End; end.Kind != session.EndEOF {
		t.Errorf("end %+v", end)
	}
	for channel := uint32(1); channel <= 2; channel++ {
		if got := e.note(session.NoteAskLost); got.Channel != channel || !got.HasChannel {
			t.Errorf("lost: %+v", got)
		}
	}
	lost := connect(t, p)
	lost.send([]byte(upgradeRequest("/mcp/notifications/2")))
	if r, body := lost.response(); r.StatusCode != 404 || body != "no kind-4 ask on channel 2 any more\n" {
		t.Errorf("%d %q", r.StatusCode, body)
	}
	e.want(session.Refused, "/mcp/notifications/2")
	openAsk(t, p, "\x00\x00\x00\x03\x00null", "\x00\x00\x00\x04\x04")
}

// The first exchange goes out once; a path that ended is asked for again on the next /requests, not on
// the one that is open.
func TestAsksAgain(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	e := &events{t: t, p: p}
	requests := openAsk(t, p, firstOn, askOn2)
	answer := open(t, p, "/mcp/list-tools/1")
	answer.socket.Close()
	if got := e.until(session.Note); got.Note != session.NoteFirstAnswer || got.End.Kind != session.EndEOF {
		t.Errorf("first answer: %+v", got)
	}
	c := open(t, p, "/mcp/notifications/2")
	e.want(session.Opened, "/mcp/notifications/2")
	requests.send(closing("\x03\xe8"))
	requests.wantClose("\x03\xe8")
	requests.eof()
	e.want(session.Closed, "/requests")

	requests = openAsk(t, p) // while the path lives on: no ask
	e.want(session.Opened, "/requests")
	e.note(session.NoteNoAsk)
	c.send(closing(""))
	c.wantClose("")
	e.want(session.Closed, "/mcp/notifications/2")
	e.note(session.NoteNoPath)
	requests.send(closing(""))
	requests.wantClose("")
	e.want(session.Closed, "/requests")

	openAsk(t, p, askOn3)
	e.want(session.Opened, "/requests")
	e.want(session.Asked, "/requests")
	open(t, p, "/mcp/notifications/3")
}

// Slot and channel are free when the answer to a Close arrives.
func TestFreeAtOnce(t *testing.T) {
	p := start(t, Options{})
	for range 20 {
		c := open(t, p, "/requests")
		c.frame()
		c.send(closing(""))
		c.wantClose("")
		defer c.socket.Close() // which stays half open meanwhile
	}
}

func TestMessageOnRequests(t *testing.T) {
	p := start(t, Options{})
	e := &events{t: t, p: p}
	c := openAsk(t, p, askOn1)
	c.send(join(message("\x00hi"), message("\x00again")))
	c.wantClose("\x03\xea")
	c.eof()
	e.want(session.Opened, "/requests")
	e.want(session.Asked, "/requests")
	if got := e.want(session.Message, "/requests"); string(got.Data) != "\x00hi" || got.FromKind4 || got.HasChannel {
		t.Errorf("message: %+v", got)
	}
	if end := e.want(session.Closed, "/requests").End; end.Kind != session.EndOurs || end.Sent != 1002 {
		t.Errorf("end: %+v", end)
	}
	e.note(session.NoteAskLost)
	if got := p.Received(); got != 0 {
		t.Errorf("%d messages received", got)
	}
}

// An answer of any size is read, counted, and not kept.
func TestLargeFirstAnswer(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	openAsk(t, p, firstOn, askOn2)
	c := open(t, p, "/mcp/list-tools/1")
	big := make([]byte, 3<<20)
	c.send(join(message(string(big)), message("x"), closing("\x03\xe8")))
	c.wantClose("\x03\xe8")
	e := &events{t: t, p: p}
	if got := e.until(session.Note); got.Note != session.NoteFirstAnswer || got.Size != 3<<20+1 || got.End.Code != 1000 {
		t.Errorf("got %+v", got)
	}
}
