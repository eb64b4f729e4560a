package live

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// serveEach is a proxy made by hand that takes one connection after the other, reads the request's head, and plays.
func serveEach(t *testing.T, play func(c *peer, head string)) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			socket, err := l.Accept()
			if err != nil {
				return
			}
			c := testPeer(t, socket)
			if head, err := c.head(); err == nil {
				play(c, head)
			}
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return &url.URL{Scheme: "ws", Host: l.Addr().String(), Path: toolPath}
}

// head reads a request's head.
func (c *peer) head() (string, error) {
	var head strings.Builder
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		b, err := c.in.ReadByte()
		if err != nil {
			return "", err
		}
		head.WriteByte(b)
	}
	return head.String(), nil
}

// keyOf is the key in a request.
func keyOf(head string) string {
	_, rest, _ := strings.Cut(head, "Sec-WebSocket-Key: ")
	key, _, _ := strings.Cut(rest, "\r\n")
	return key
}

func answerTo(head string) string {
	return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: " +
		acceptOf(keyOf(head)) + "\r\n\r\n"
}

// dialed is what a Dialed yields.
func dialed(t *testing.T, o DialOptions) (*Dialed, *events) {
	t.Helper()
	d, err := Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Shutdown(canceled()) })
	return d, &events{t: t, p: &Proxy{queue: d.queue}}
}

// canceled is a context that is done.
func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// What comes with the answer, one byte at a time, with 64-bit lengths and in fragments, is all there.
func TestDialed(t *testing.T) {
	server := func(first byte, payload string) []byte {
		b := ws.AppendFrame(nil, ws.OpBinary, []byte(payload), nil)
		b[0] = first
		return b
	}
	long := strings.Repeat("y", 70_000)
	played := make(chan struct{})
	play := func(c *peer, head string) {
		defer close(played)
		c.send(join([]byte(answerTo(head)), server(0x82, "early")))
		c.drip(join(server(0x02, "fr"), server(0x89, "ping"), server(0x80, "ag")))
		c.send(join(binary.BigEndian.AppendUint64([]byte{0x82, 127}, uint64(len(long))), []byte(long)))
		frame := make([]byte, 2+4+4)
		if _, err := io.ReadFull(c.in, frame); err != nil || frame[0] != 0x8A || frame[1] != 0x84 {
			c.t.Errorf("pong % x, %v", frame, err)
		}
		c.send(ws.AppendClose(nil, 1001, "bye", nil))
		closed := make([]byte, 2+4+2)
		if _, err := io.ReadFull(c.in, closed); err != nil || closed[0] != 0x88 || closed[1] != 0x82 {
			c.t.Errorf("close % x, %v", closed, err)
		}
		c.socket.Close()
	}
	d, e := dialed(t, DialOptions{URL: serveEach(t, play)})
	if opened := e.want(session.Opened, toolPath); !opened.FromKind4 || opened.Remote == "" {
		t.Errorf("opened %+v", opened)
	}
	for _, want := range []string{"early", "frag", long} {
		if got := e.until(session.Message); string(got.Data) != want || got.Path != toolPath {
			t.Errorf("message %.60q, want %.60q", got.Data, want)
		}
	}
	if end := e.want(session.Closed, toolPath).End; end.Kind != session.EndClose || end.Code != 1001 || end.Reason != "bye" || end.Sent != 1001 {
		t.Errorf("end %+v", end)
	}
	if n := d.Received(); n != 3 {
		t.Errorf("%d received", n)
	}
	<-played
}

func TestDialedShutdown(t *testing.T) {
	ended := make(chan string, 1)
	play := func(c *peer, head string) {
		c.send(join([]byte(answerTo(head)), []byte("\x82\x01x")))
		frame := make([]byte, 2+4+2)
		io.ReadFull(c.in, frame)
		ended <- string(frame[:2])
		c.send([]byte("\x88\x02\x03\xe8"))
		c.socket.Close()
	}
	d, e := dialed(t, DialOptions{URL: serveEach(t, play)})
	e.until(session.Message)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	d.Shutdown(ctx)
	if frame := <-ended; frame != "\x88\x82" {
		t.Errorf("sent % x, want a masked Close", frame)
	}
	if end := e.want(session.Closed, toolPath).End; end.Kind != session.EndOurs || end.Sent != 1000 {
		t.Errorf("end %+v", end)
	}
	for range d.Ready() { // until it is closed
	}
}

func TestDialErrors(t *testing.T) {
	answers := map[string]struct{ answer, want string }{
		"refused":        {"HTTP/1.1 409 Conflict\r\nContent-Length: 5\r\n\r\nbusy\n", "refused: 409 busy"},
		"without a body": {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "refused: 404 Not Found"},
		"interim":        {"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Length: 4\r\n\r\nbusy", "refused: 409 busy"},
		"redirect":       {"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n", "refused: 301 Moved Permanently (to /x; redirects are not followed)"},
		"nothing":        {"", "the connection ended before the answer to the upgrade"},
		"cut off":        {"HTTP/1.1 101 Switch", "its answer is not HTTP"},
		"endless":        {"HTTP/1.1 101 X\r\nA: " + strings.Repeat("a", 2*maxHead), "its answer's head is longer than 64 KiB"},
		"garbage":        {"hello\r\n\r\n", "its answer is not HTTP"},
		"TLS":            {"\x15\x03\x01\x00\x02\x02\x46", "TLS"},
		"another key":    {answerTo("Sec-WebSocket-Key: x\r\n"), "Sec-WebSocket-Accept"},
		"no connection":  {strings.Replace(answerTo("Sec-WebSocket-Key: x\r\n"), "Connection: upgrade\r\n", "", 1), "Connection: Upgrade"},
		"no upgrade":     {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "Upgrade: websocket"},
	}
	for name, test := range answers {
		t.Run(name, func(t *testing.T) {
			u := serveEach(t, func(c *peer, head string) {
				if strings.Contains(head, "Origin") || !strings.Contains(head, "\r\nX-A: b\r\n") || !strings.Contains(head, "\r\nHost: other\r\n") {
					c.t.Errorf("request %q", head)
				}
				c.send([]byte(test.answer))
				c.socket.Close()
			})
			_, err := Dial(t.Context(), DialOptions{URL: u, Header: []string{"X-A: b", "Host: other"}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	_, err := Dial(t.Context(), DialOptions{URL: &url.URL{Scheme: "ws", Host: "127.0.0.1:1"}})
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("error %v, want ECONNREFUSED", err)
	}
}

// A dial that gets no answer ends with its context.
func TestDialGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	u := serveEach(t, func(c *peer, _ string) {
		cancel()
		c.in.ReadByte()
		close(gone)
	})
	if _, err := Dial(ctx, DialOptions{URL: u}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-gone
}

func TestDialTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "over TLS", http.StatusTeapot)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	u := &url.URL{Scheme: "wss", Host: server.Listener.Addr().String(), Path: toolPath}
	var refused *RefusedError
	if _, err := Dial(t.Context(), DialOptions{URL: u, Insecure: true}); !errors.As(err, &refused) || refused.Status != http.StatusTeapot {
		t.Errorf("error %v", err)
	}
	if _, err := Dial(t.Context(), DialOptions{URL: u}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("error %v", err)
	}
}
