package live

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kind4/decode/session"
)

const (
	askOn1  = "\x00\x00\x00\x01\x04"
	askOn2  = "\x00\x00\x00\x02\x04"
	askOn3  = "\x00\x00\x00\x03\x04"
	firstOn = "\x00\x00\x00\x01\x00null"
)

func TestEndings(t *testing.T) {
	fin := func(c *peer) { c.socket.CloseWrite() }
	reset := (*peer).reset
	answered := func(payload string) func(*peer) {
		return func(c *peer) { c.wantClose(payload); c.eof() }
	}
	broken := func(section string, offset int64, code uint16) session.End {
		return session.End{Kind: session.EndBroken, Sent: code, Violation: &session.Violation{Section: section, Offset: offset}}
	}
	const eof, rst = session.EndEOF, session.EndReset
	tests := []struct {
		name  string
		bytes []byte
		end   func(*peer)
		want  session.End
	}{
		{"close 1000", closing("\x03\xe8"), answered("\x03\xe8"), session.End{Kind: session.EndClose, Code: 1000, Sent: 1000}},
		{"close with a reason", closing("\x0f\xa0so"), answered("\x0f\xa0"), session.End{Kind: session.EndClose, Code: 4000, Reason: "so", Sent: 4000}},
		{"close without a code", closing(""), answered(""), session.End{Kind: session.EndClose}},
		{"close after a message", join(message("\x00{}"), closing("\x03\xe9")), answered("\x03\xe9"), session.End{Kind: session.EndClose, Code: 1001, Sent: 1001}},
		{"close, then a reset", closing("\x03\xe8"), func(c *peer) { c.wantClose("\x03\xe8"); c.reset() }, session.End{Kind: session.EndClose, Code: 1000, Sent: 1000}},
		{"close, then more bytes", join(closing("\x03\xe8"), message("late")), answered("\x03\xe8"), session.End{Kind: session.EndClose, Code: 1000, Sent: 1000}},

		{"end at once", nil, fin, session.End{Kind: eof}},
		{"end after a message", message("\x00{}"), fin, session.End{Kind: eof}},
		{"end in a header", message("\x00{}")[:1], fin, session.End{Kind: eof, Where: session.InHeader, Partial: 1}},
		{"end before a payload", message("\x00{}")[:6], fin, session.End{Kind: eof, Where: session.InPayload, Partial: 6}},
		{"end in a payload", message("\x00{}")[:8], fin, session.End{Kind: eof, Where: session.InPayload, Partial: 8}},
		{"end between fragments", masked(0x02, "\x00{}"), fin, session.End{Kind: eof, Where: session.BetweenFragments, Partial: 9}},
		{"end in a close", closing("\x03\xe8")[:7], fin, session.End{Kind: eof, Where: session.InControl, Partial: 7}},
		{"end in a ping's header", join(message("\x00{}"), masked(0x89, "p")[:1]), fin, session.End{Kind: eof, Where: session.InControl, Partial: 1}},
		{"end in a ping inside a message", join(masked(0x02, "\x00{}"), masked(0x89, "p")[:6]), fin, session.End{Kind: eof, Where: session.BetweenFragments, Partial: 9}},

		{"reset at once", nil, reset, session.End{Kind: rst, Error: "connection reset"}},
		{"reset after a message", message("\x00{}"), reset, session.End{Kind: rst, Error: "connection reset"}},
		{"reset in a header", message("\x00{}")[:2], reset, session.End{Kind: rst, Error: "connection reset", Where: session.InHeader, Partial: 2}},
		{"reset in a payload", message("\x00{}")[:8], reset, session.End{Kind: rst, Error: "connection reset", Where: session.InPayload, Partial: 8}},
		{"reset between fragments", masked(0x02, "\x00{}"), reset, session.End{Kind: rst, Error: "connection reset", Where: session.BetweenFragments, Partial: 9}},

		{"unmasked", []byte("\x82\x01a"), answered("\x03\xea"), broken("5.1", 0, 1002)},
		{"reserved bit after a message", join(message("abc"), masked(0xC2, "a")), answered("\x03\xea"), broken("5.2", 9, 1002)},
		{"continuation of nothing", masked(0x80, "a"), answered("\x03\xea"), broken("5.4", 0, 1002)},
		{"close inside a message", join(masked(0x02, "a"), closing("")), answered("\x03\xea"), broken("5.4", 7, 1002)},
		{"illegal close code", closing("\x03\xed"), answered("\x03\xea"), broken("7.4", 0, 1002)},
		{"bad reason", closing("\x03\xe8\xff"), answered("\x03\xef"), broken("8.1", 0, 1007)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, Options{})
			openAsk(t, p, askOn1)
			c := open(t, p, "/mcp/notifications/1")
			c.send(test.bytes)
			test.end(c)
			e := &events{t: t, p: p}
			closed := e.until(session.Closed)
			if closed.Path != "/mcp/notifications/1" || !closed.HasChannel || closed.Channel != 1 {
				t.Errorf("closed: %+v", closed)
			}
			if v := closed.End.Violation; v != nil {
				v.Message = ""
			}
			if diff := cmp.Diff(test.want, *closed.End); diff != "" {
				t.Error(diff)
			}
			e.note(session.NoteNoPath)
		})
	}
}

// scripted is a socket of which every read and write is given.
type scripted struct {
	net.Conn
	reads [][]byte // then EOF
	wrote error
}

func (s *scripted) Read(b []byte) (int, error) {
	if len(s.reads) == 0 {
		return 0, io.EOF
	}
	n := copy(b, s.reads[0])
	s.reads = s.reads[1:]
	return n, nil
}

func (s *scripted) Write([]byte) (int, error)        { return 0, s.wrote }
func (s *scripted) Close() error                     { return nil }
func (s *scripted) SetReadDeadline(time.Time) error  { return nil }
func (s *scripted) SetWriteDeadline(time.Time) error { return nil }

// The kernel tells of a reset once: where the pong met it, the read behind it sees an end in order.
func TestResetSeenByAWrite(t *testing.T) {
	opError := func(err error) error { return &net.OpError{Op: "write", Net: "tcp", Err: err} }
	tests := []struct {
		wrote error
		want  session.End
	}{
		{opError(syscall.ECONNRESET), session.End{Kind: session.EndReset, Error: "connection reset"}},
		{opError(syscall.EPIPE), session.End{Kind: session.EndEOF}},
		{nil, session.End{Kind: session.EndEOF}},
	}
	for _, test := range tests {
		p := start(t, Options{})
		c := &conn{proxy: p, socket: &scripted{reads: [][]byte{masked(0x89, "p")}, wrote: test.wrote}, path: "/mcp/notifications/1",
			ask: &ask{channel: 1, kind: 4}}
		newReader(c, nil).run()
		e := &events{t: t, p: p}
		if diff := cmp.Diff(test.want, *e.until(session.Closed).End); diff != "" {
			t.Errorf("pong met %v: %s", test.wrote, diff)
		}
	}
}

func TestShutdown(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	requests := openAsk(t, p, firstOn, askOn2)
	c := open(t, p, "/mcp/notifications/2")
	c.send(message("\x00{}"))
	e := &events{t: t, p: p}
	e.until(session.Message)
	idle := connect(t, p)
	done := make(chan struct{})
	go func() { defer close(done); shutdown(p) }()
	c.wantClose("\x03\xe8")
	c.send(join(message("late"), closing("\x03\xe8")))
	c.eof()
	requests.wantClose("\x03\xe8")
	requests.socket.Close() // without an answer
	<-done
	if _, err := io.ReadAll(idle.in); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	if got := e.until(session.Message); string(got.Data) != "late" {
		t.Errorf("got %q", got.Data)
	}
	want := map[string]session.End{
		"/mcp/notifications/2": {Kind: session.EndOurs, Code: 1000, Sent: 1000},
		"/requests":            {Kind: session.EndOurs, Sent: 1000},
	}
	for range want {
		closed := e.until(session.Closed)
		if diff := cmp.Diff(want[closed.Path], *closed.End); diff != "" {
			t.Errorf("%s: %s", closed.Path, diff)
		}
	}
	if b, more := p.Take(); b != nil || more {
		t.Errorf("more events: %+v", b)
	}
	if _, err := net.Dial("tcp", p.Addr()); err == nil {
		t.Error("still listening")
	}
}

// Peers that do not answer the Close are cut when the context is done. How every path ended is queued when
// Shutdown returns, and nothing comes after that.
func TestShutdownCuts(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	openAsk(t, p, firstOn, askOn2)
	open(t, p, "/mcp/list-tools/1")
	c := open(t, p, "/mcp/notifications/2")
	c.send(join(message("\x00{}"), message("\x00{}")[:8]))
	e := &events{t: t, p: p}
	e.until(session.Message)
	shutdown(p)
	ends := make(map[string]session.End)
	for b, _ := p.Take(); b != nil; b, _ = p.Take() {
		for _, event := range b.Events {
			if event.Kind == session.Closed {
				ends[event.Path] = *event.End
			}
		}
	}
	want := map[string]session.End{
		"/requests":            {Kind: session.EndOurs, Sent: 1000},
		"/mcp/list-tools/1":    {Kind: session.EndOurs, Sent: 1000, Outcome: session.Ended},
		"/mcp/notifications/2": {Kind: session.EndOurs, Sent: 1000, Where: session.InPayload, Partial: 8},
	}
	if diff := cmp.Diff(want, ends); diff != "" {
		t.Error(diff)
	}
	for range 2 { // a token may be left
		<-p.Ready()
	}
	if b, _ := p.Take(); b != nil {
		t.Errorf("more events: %+v", b)
	}
}

// Where nothing can be sent any more, that is said once, and no Close is claimed.
func TestNotReading(t *testing.T) {
	p := start(t, Options{})
	c := &conn{proxy: p, path: "/mcp/notifications/1", ask: &ask{channel: 1, kind: 4}, socket: &scripted{
		reads: [][]byte{masked(0x89, "p"), masked(0x89, "p"), closing("\x03\xe8")}, wrote: os.ErrDeadlineExceeded}}
	p.mu.Lock()
	p.open[c] = struct{}{}
	p.mu.Unlock()
	newReader(c, nil).run()
	c.done()
	e := &events{t: t, p: p}
	e.want(session.Control, "/mcp/notifications/1")
	if got := e.note(session.NoteNotReading); got.Path != "/mcp/notifications/1" || got.Channel != 1 || got.Reason != "nothing was taken for 5s" {
		t.Errorf("note: %+v", got)
	}
	e.want(session.Control, "/mcp/notifications/1")
	want := session.End{Kind: session.EndClose, Code: 1000}
	if diff := cmp.Diff(want, *e.want(session.Closed, "/mcp/notifications/1").End); diff != "" {
		t.Error(diff)
	}
}

func TestListenError(t *testing.T) {
	p := start(t, Options{})
	_, err := Listen(Options{Listen: p.Addr()})
	if !errors.Is(err, syscall.EADDRINUSE) || err.Error() != "address already in use" {
		t.Errorf("got %v", err)
	}
	if _, err := Listen(Options{Listen: "127.0.0.1"}); err == nil || !strings.Contains(err.Error(), "missing port") {
		t.Errorf("got %v", err)
	}
}
