package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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
	e.want(session.Closed, "/mcp/list-tools/1")
	again := connect(t, p)
	again.send([]byte(upgradeRequest("/mcp/list-tools/1")))
	if r, body := again.response(); r.StatusCode != 404 || body != "no kind-0 ask on channel 1 any more\n" {
		t.Errorf("%d %q", r.StatusCode, body)
	}
	e.want(session.Refused, "/mcp/list-tools/1")
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

// How the first exchange's path ended is in its Note, and where no Close ended it, in a Closed too.
func TestFirstAnswerEndings(t *testing.T) {
	answered := func(payload string) func(*peer) { return func(c *peer) { c.wantClose(payload); c.eof() } }
	text := masked(0x81, noTools)
	tests := []struct {
		name  string
		bytes []byte
		end   func(*peer)
		want  session.End
	}{
		{"answered", join(message(noTools), closing("\x03\xe8")), answered("\x03\xe8"),
			session.End{Kind: session.EndClose, Code: 1000, Sent: 1000, Outcome: session.Complete, Messages: 1}},
		{"an empty answer", join(message(""), closing("")), answered(""),
			session.End{Kind: session.EndClose, Outcome: session.Complete, Messages: 1}},
		{"no answer", closing("\x03\xe8"), answered("\x03\xe8"),
			session.End{Kind: session.EndClose, Code: 1000, Sent: 1000, Outcome: session.NotServed}},
		{"text only", join(text, closing("")), answered(""),
			session.End{Kind: session.EndClose, Outcome: session.NotServed, Messages: 1}},
		{"broken", masked(0xC3, "x"), answered("\x03\xea"),
			session.End{Kind: session.EndBroken, Sent: 1002, Violation: &session.Violation{Section: "5.2"}, Outcome: session.Died}},
		{"broken after an answer", join(message("abc"), masked(0xC2, "x")), answered("\x03\xea"),
			session.End{Kind: session.EndBroken, Sent: 1002, Violation: &session.Violation{Section: "5.2", Offset: 9}, Outcome: session.Died, Messages: 1}},
		{"reset", message("abc")[:8], (*peer).reset,
			session.End{Kind: session.EndReset, Error: "connection reset", Where: session.InPayload, Partial: 8, Outcome: session.Died}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, Options{FirstExchange: true})
			openAsk(t, p, firstOn, askOn2)
			e := &events{t: t, p: p}
			for range 3 {
				e.next()
			}
			c := open(t, p, "/mcp/list-tools/1")
			c.send(test.bytes)
			test.end(c)
			if v := test.want.Violation; v != nil {
				v.Message = "reserved"
			}
			check := func(got session.Event) {
				t.Helper()
				end := *got.End
				if v := end.Violation; v != nil {
					end.Violation = &session.Violation{Section: v.Section, Offset: v.Offset, Message: v.Message[:8]}
				}
				if diff := cmp.Diff(test.want, end); diff != "" || got.Path != "/mcp/list-tools/1" || got.Channel != 1 {
					t.Errorf("on %q, channel %d: %s", got.Path, got.Channel, diff)
				}
			}
			check(e.note(session.NoteFirstAnswer))
			if test.want.Kind != session.EndClose {
				check(e.want(session.Closed, "/mcp/list-tools/1"))
			}
			shutdown(p)
			e.want(session.Closed, "/requests")
		})
	}
}
