package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// tapped is a tap, a proxy made by hand behind it, and what the tap yields.
type tapped struct {
	t     *testing.T
	tap   *Tap
	proxy net.Listener
	*events
}

// startTap taps a proxy of the test's own.
func startTap(t *testing.T, o TapOptions) *tapped {
	t.Helper()
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	o.Listen, o.Proxy = "127.0.0.1:0", proxy.Addr().String()
	return tapped{t: t, proxy: proxy}.listen(o)
}

func (tt tapped) listen(o TapOptions) *tapped {
	tt.t.Helper()
	tap, err := ListenTap(o)
	if err != nil {
		tt.t.Fatal(err)
	}
	tt.t.Cleanup(func() { tap.Shutdown(tt.t.Context()) })
	tt.tap, tt.events = tap, &events{t: tt.t, p: tap.Proxy}
	return &tt
}

// accept takes the tap's next connection, as the proxy.
func (tt *tapped) accept() *peer {
	tt.t.Helper()
	socket, err := tt.proxy.Accept()
	if err != nil {
		tt.t.Fatal(err)
	}
	return testPeer(tt.t, socket)
}

const accepted = "HTTP/1.1 101 Switching Protocols\r\nUPGRADE: websocket\r\nConnection:   Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nX-Odd:  \t yes\r\n\r\n"

// opened opens a path through the tap, both ends made by hand.
func (tt *tapped) opened(path string) (provider, proxy *peer) {
	tt.t.Helper()
	provider = connect(tt.t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest(path)))
	proxy = tt.accept()
	proxy.expect(upgradeRequest(path))
	proxy.send([]byte(accepted))
	provider.expect(accepted)
	return provider, proxy
}

// expect reads exactly these bytes.
func (c *peer) expect(want string) {
	c.t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(c.in, got); err != nil || string(got) != want {
		c.t.Fatalf("got %.200q (%d of %d bytes) and %v, want %.200q", got[:n], n, len(want), err, want)
	}
}

// drip sends one byte at a time.
func (c *peer) drip(b []byte) {
	c.t.Helper()
	for i := range b {
		c.send(b[i : i+1])
	}
}

// isReset expects an RST.
func (c *peer) isReset() {
	c.t.Helper()
	if _, err := io.ReadAll(c.in); !errors.Is(err, syscall.ECONNRESET) {
		c.t.Fatalf("got %v, want a reset", err)
	}
}

const notifications = "/mcp/notifications/2"

// A provider and a proxy that know nothing of the tap: gorilla/websocket on both sides.
func TestTapBetweenIndependentPeers(t *testing.T) {
	var asked sync.WaitGroup
	asked.Add(1)
	var upgrader websocket.Upgrader
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		if r.URL.Path == requestsPath {
			c.WriteMessage(websocket.BinaryMessage, []byte("\x00\x00\x00\x01\x05secret"))
			c.WriteMessage(websocket.BinaryMessage, []byte("\x00\x00\x00\x02\x04"))
			asked.Done()
		}
		for {
			if _, _, err := c.ReadMessage(); err != nil {
				return
			}
		}
	}))
	defer proxy.Close()
	tt := tapped{t: t}.listen(TapOptions{Listen: "127.0.0.1:0", Proxy: proxy.Listener.Addr().String()})
	requests := dialGorilla(t, tt.tap, requestsPath)
	for _, want := range []string{"\x00\x00\x00\x01\x05secret", "\x00\x00\x00\x02\x04"} {
		if _, got, err := requests.ReadMessage(); err != nil || string(got) != want {
			t.Fatalf("ask %q, %v", got, err)
		}
	}
	asked.Wait()
	tt.want(session.Opened, requestsPath)
	for range 2 {
		if ask := tt.want(session.Asked, requestsPath); ask.From != session.Proxy || ask.FromKind4 {
			t.Errorf("ask %+v", ask)
		}
	}
	stream := dialGorilla(t, tt.tap, notifications)
	big := "\x00" + strings.Repeat("x", 200_000)
	for _, message := range []string{"\x00{}", big, ""} {
		if err := stream.WriteMessage(websocket.BinaryMessage, []byte(message)); err != nil {
			t.Fatal(err)
		}
	}
	if opened := tt.want(session.Opened, notifications); opened.Channel != 2 || !opened.HasChannel || !strings.Contains(opened.Header, "Sec-WebSocket-Key: ") {
		t.Errorf("opened %+v", opened)
	}
	for _, message := range []string{"\x00{}", big, ""} {
		if got := tt.want(session.Message, notifications); string(got.Data) != message || got.From != session.Provider || got.Channel != 2 {
			t.Errorf("message %.80q from %v", got.Data, got.From)
		}
	}
	handshake(t, stream)
	if end := tt.want(session.Closed, notifications); end.End.Kind != session.EndClose || end.End.Code != 1000 || end.From != session.Provider {
		t.Errorf("end %+v", end.End)
	}
	handshake(t, requests)
	if end := tt.want(session.Closed, requestsPath); end.End.Kind != session.EndReceiver || end.End.Code != 1000 || end.From != session.Provider {
		t.Errorf("end of /requests %+v by %v", end.End, end.From)
	}
	if n := tt.tap.Received(); n != 3 {
		t.Errorf("%d messages received", n)
	}
}

func dialGorilla(t *testing.T, tap *Tap, path string) *websocket.Conn {
	t.Helper()
	c, _, err := websocket.DefaultDialer.Dial("ws://"+tap.Addr()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetReadDeadline(time.Now().Add(patience))
	return c
}

// handshake closes from the provider's side, to the end.
func handshake(t *testing.T, c *websocket.Conn) {
	t.Helper()
	c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(patience))
	var closed *websocket.CloseError
	if _, _, err := c.ReadMessage(); !errors.As(err, &closed) {
		t.Fatalf("no Close came: %v", err)
	}
}

// header64 is a frame's header with a 64-bit length, masked with zeros.
func header64(first byte, length uint64, masked bool) []byte {
	b := []byte{first, 127}
	if masked {
		b[1] |= 0x80
	}
	b = binary.BigEndian.AppendUint64(b, length)
	if masked {
		b = append(b, 0, 0, 0, 0)
	}
	return b
}

// Every byte arrives as it was sent, both ways, whatever it is, however it is split, on every path.
func TestTapIsByteExact(t *testing.T) {
	streams := map[string]struct{ provider, proxy []byte }{
		"good":      {join(message("\x00{}"), masked(0x89, "ping"), closing("\x03\xe8")), ws.AppendClose(nil, 1000, "", nil)},
		"fragments": {join(masked(0x02, "\x00{"), masked(0x89, "in between"), masked(0x80, "}")), []byte("\x8a\x00")},
		"another mask, long lengths": {join(header64(0x82, 3, true), []byte("abc"), message("\x00{}")),
			[]byte("\x82\x7e\x00\x05\x00\x00\x00\x02\x04")},
		"64-bit length":       {join(header64(0x82, 70_000, true), bytes.Repeat([]byte("z"), 70_000)), header64(0x82, 1<<62, false)},
		"reserved bits":       {join(masked(0xF2, "abc"), message("\x00{}")), []byte("\xf2\x03abc\x82\x00")},
		"unmasked, masked":    {ws.AppendFrame(nil, ws.OpBinary, []byte("\x00{}"), nil), message("\x00\x00\x00\x01\x04")},
		"a Close, and more":   {join(closing("\x03\xe8"), message("late"), []byte("\xff\x00\r\n")), []byte("\x88\x02\x03\xe8GET / HTTP/1.1\r\n\r\n")},
		"no WebSocket at all": {bytes.Repeat([]byte("\x00\xff\r\n\r\n"), 50_000), bytes.Repeat([]byte("HTTP/1.1 200 OK\r\n\r\n"), 10_000)},
		"asks":                {nil, join(ws.AppendFrame(nil, ws.OpBinary, []byte("\x00\x00\x00\x01\x04"), nil), ws.AppendFrame(nil, ws.OpBinary, []byte("\x00"), nil))},
	}
	for _, path := range []string{requestsPath, notifications, toolPath, "/postgres/3"} {
		for name, stream := range streams {
			t.Run(path+" "+name, func(t *testing.T) {
				tt := startTap(t, TapOptions{MaxSize: 1 << 20})
				go tt.discard()
				provider, proxy := tt.opened(path)
				exchange(t, provider, proxy, stream.provider, stream.proxy, (*peer).send)
				if len(stream.provider)+len(stream.proxy) < 1000 {
					provider, proxy = tt.opened(path)
					exchange(t, provider, proxy, stream.provider, stream.proxy, (*peer).drip)
				}
			})
		}
	}
}

// exchange sends both ways at the same time, ends both ways in order, and compares what came.
func exchange(t *testing.T, provider, proxy *peer, fromProvider, fromProxy []byte, send func(*peer, []byte)) {
	t.Helper()
	var both sync.WaitGroup
	for _, way := range []struct {
		name     string
		from, to *peer
		bytes    []byte
	}{{"provider to proxy", provider, proxy, fromProvider}, {"proxy to provider", proxy, provider, fromProxy}} {
		both.Go(func() {
			send(way.from, way.bytes)
			way.from.socket.CloseWrite()
		})
		both.Go(func() {
			got, err := io.ReadAll(way.to.in)
			if err != nil || !bytes.Equal(got, way.bytes) {
				t.Errorf("%s: %d bytes (%.60q) and %v, want %d (%.60q)", way.name, len(got), got, err, len(way.bytes), way.bytes)
			}
		})
	}
	both.Wait()
}

// discard takes everything until nothing more comes.
func (tt *tapped) discard() {
	for range tt.tap.Ready() {
		for b, _ := tt.tap.Take(); b != nil; b, _ = tt.tap.Take() {
			b.Release()
		}
	}
}

// What came with the request head is relayed and decoded behind the answer, and a half-close goes its own way.
func TestTapRelaysEarlyBytesAndHalfClose(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	early := message("\x00{}")
	provider.send(join([]byte(upgradeRequest(notifications)), early))
	proxy := tt.accept()
	proxy.expect(upgradeRequest(notifications))
	provider.socket.CloseWrite()
	proxy.send([]byte(accepted))
	provider.expect(accepted)
	proxy.expect(string(early))
	proxy.eof()
	proxy.send([]byte("\x89\x00"))
	provider.expect("\x89\x00")
	proxy.socket.Close()
	provider.eof()
	tt.want(session.Opened, notifications)
	for range 3 {
		switch e := tt.next(); e.Kind {
		case session.Message:
			if string(e.Data) != "\x00{}" {
				t.Errorf("message %q", e.Data)
			}
		case session.Closed:
			if e.End.Kind != session.EndEOF || e.From != session.Provider {
				t.Errorf("end %+v by %v", e.End, e.From)
			}
		case session.Control:
			if e.From != session.Proxy {
				t.Errorf("ping from %v", e.From)
			}
		default:
			t.Errorf("event %+v", e)
		}
	}
}

// What came before the answer is decoded when the answer is there, whether more comes or not.
func TestTapDecodesEarlyBytesAtOnce(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest(notifications)))
	proxy := tt.accept()
	proxy.expect(upgradeRequest(notifications))
	early := message("\x00{}")
	provider.send(early)
	proxy.send([]byte(accepted))
	proxy.expect(string(early))
	tt.want(session.Opened, notifications)
	tt.want(session.Message, notifications)
}

// An end of the provider's before the answer is passed on at once where nothing stands before it.
func TestTapHalfCloseBeforeTheAnswer(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest(notifications)))
	proxy := tt.accept()
	proxy.expect(upgradeRequest(notifications))
	provider.socket.CloseWrite()
	proxy.eof()
	proxy.send([]byte(accepted))
	provider.expect(accepted)
	tt.want(session.Opened, notifications)
}

// Of a connection one request reaches the proxy: what stands behind it waits for the answer, and behind one that opens
// no path the connection ends.
func TestTapRelaysOneRequest(t *testing.T) {
	evil := strings.Replace(upgradeRequest(notifications), "\r\n\r\n", "\r\nOrigin: http://evil\r\n\r\n", 1)
	const post = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"
	get, head := upgradeRequest("/x"), strings.Replace(upgradeRequest("/x"), "GET", "HEAD", 1)
	long := strings.Repeat("l", 300_000)
	for name, test := range map[string]struct{ request, answer string }{
		"a length":       {get, "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n"},
		"no body":        {get, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
		"a long one":     {get, "HTTP/1.1 404 Not Found\r\nContent-Length: 300000\r\n\r\n" + long},
		"chunks":         {get, "HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno\n\r\n0\r\nX: y\r\n\r\n"},
		"HEAD":           {head, "HTTP/1.1 404 Not Found\r\nContent-Length: 300\r\n\r\n"},
		"a request body": {post, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"},
		"no refusal":     {get, "HTTP/1.1 204 No Content\r\n\r\n"},
		"behind interim": {get, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"},
	} {
		for _, pipelined := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, pipelined %v", name, pipelined), func(t *testing.T) {
				tt := startTap(t, TapOptions{})
				provider := connect(t, tt.tap.Proxy)
				if pipelined {
					provider.send([]byte(test.request + evil))
				} else {
					provider.send([]byte(test.request))
				}
				proxy := tt.accept()
				proxy.expect(test.request)
				proxy.send([]byte(test.answer))
				provider.expect(test.answer)
				if !pipelined {
					provider.send([]byte(evil))
				}
				provider.eof()
				if b, _ := io.ReadAll(proxy.in); len(b) > 0 {
					t.Errorf("%q reached the proxy", b)
				}
				provider.socket.Close()
				e := tt.next()
				for ; e.Note != session.NoteUnrelayed; e = tt.next() {
				}
				if e.Size != int64(len(evil)) {
					t.Errorf("%d bytes are told, want %d", e.Size, len(evil))
				}
			})
		}
	}
}

// Where an answer ends with its connection, or cannot be read, nothing else of the provider's is relayed either.
func TestTapRelaysNothingBehindARefusalWithoutEnd(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 404 Not Found\r\n\r\nno", "HTTP/1.1 404 Not Found\r\nBad Header\r\n\r\n", "hello\r\n"} {
		tt := startTap(t, TapOptions{})
		go tt.discard()
		provider := connect(t, tt.tap.Proxy)
		provider.send([]byte(upgradeRequest("/x")))
		proxy := tt.accept()
		proxy.expect(upgradeRequest("/x"))
		proxy.send([]byte(answer))
		provider.expect(answer)
		provider.send([]byte(upgradeRequest(notifications)))
		provider.socket.CloseWrite()
		proxy.eof()
		proxy.send([]byte("more"))
		provider.expect("more")
		proxy.socket.Close()
		provider.eof()
	}
}

// An answer of 101 that cannot be read otherwise opens the path for both sides.
func TestTapRelaysBehindAnOddAnswer(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest(notifications)))
	proxy := tt.accept()
	proxy.expect(upgradeRequest(notifications))
	odd := "HTTP/1.1 101 Switching Protocols\r\nBad Header\r\n\r\n"
	proxy.send([]byte(odd))
	provider.expect(odd)
	provider.send(message("\x00{}"))
	proxy.expect(string(message("\x00{}")))
	tt.note(session.NoteNoAnswer)
}

// A body whose end the tap would have to look for is refused.
func TestTapRefusesABodyOfUnknownLength(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	provider.send([]byte("POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
	if r, _ := provider.response(); r.StatusCode != http.StatusLengthRequired {
		t.Errorf("status %d", r.StatusCode)
	}
	if e := tt.want(session.Refused, "/x"); !e.FromKind4 || e.Status != http.StatusLengthRequired {
		t.Errorf("refused %+v", e)
	}
}

func TestTapEndings(t *testing.T) {
	tests := []struct {
		name string
		play func(provider, proxy *peer)
		kind session.EndKind
		by   session.Side
	}{
		{"the provider closes", func(provider, proxy *peer) {
			provider.send(closing("\x03\xe8"))
			proxy.expect(string(closing("\x03\xe8")))
		}, session.EndClose, session.Provider},
		{"the proxy closes, and a message was on its way", func(provider, proxy *peer) {
			proxy.send([]byte("\x88\x02\x03\xe9"))
			provider.expect("\x88\x02\x03\xe9")
			provider.send(join(message("\x00{}"), closing("\x03\xe9")))
		}, session.EndReceiver, session.Proxy},
		{"the provider ends", func(provider, proxy *peer) { provider.socket.Close(); proxy.eof() }, session.EndEOF, session.Provider},
		{"the provider resets", func(provider, proxy *peer) { provider.reset(); proxy.isReset() }, session.EndReset, session.Provider},
		{"the proxy resets", func(provider, proxy *peer) { proxy.reset(); provider.isReset() }, session.EndReset, session.Proxy},
		{"the proxy ends, and the provider follows", func(provider, proxy *peer) {
			proxy.socket.CloseWrite()
			provider.eof()
			provider.send(closing("\x03\xe8"))
		}, session.EndEOF, session.Proxy},
		{"the proxy closes and is gone", func(provider, proxy *peer) {
			proxy.send([]byte("\x88\x02\x03\xe8"))
			provider.expect("\x88\x02\x03\xe8")
			proxy.reset()
			provider.isReset()
		}, session.EndReceiver, session.Proxy},
		{"the provider breaks RFC 6455", func(provider, proxy *peer) {
			provider.send(masked(0xF2, "x"))
			proxy.expect(string(masked(0xF2, "x")))
		}, session.EndBroken, session.Provider},
		{"the proxy breaks RFC 6455", func(provider, proxy *peer) {
			proxy.send([]byte("\xf2\x00"))
			provider.expect("\xf2\x00")
			provider.send(closing("\x03\xe8"))
		}, session.EndBroken, session.Proxy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tt := startTap(t, TapOptions{})
			provider, proxy := tt.opened(notifications)
			provider.send(message("\x00{}"))
			proxy.expect(string(message("\x00{}")))
			test.play(provider, proxy)
			tt.until(session.Message)
			end := tt.until(session.Closed)
			if end.End.Kind != test.kind || end.From != test.by {
				t.Errorf("end %+v by %v, want %v by %v", end.End, end.From, test.kind, test.by)
			}
		})
	}
}

func TestTapRefusals(t *testing.T) {
	refusal := "HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\nContent-Length: 17\r\n\r\n"
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest("/mcp/notifications/9?a=b")))
	proxy := tt.accept()
	proxy.expect(upgradeRequest("/mcp/notifications/9?a=b"))
	proxy.drip([]byte(refusal + "no ask"))
	provider.expect(refusal + "no ask")
	proxy.drip([]byte(" on it\nx..."))
	provider.expect(" on it\nx...")
	proxy.socket.Close()
	provider.eof()
	e := tt.want(session.Refused, "/mcp/notifications/9?a=b")
	if e.From != session.Proxy || e.FromKind4 || e.Status != 404 || e.Method != "GET" || e.Reason != "no ask on it" {
		t.Errorf("refused %+v", e)
	}

	browser := connect(t, tt.tap.Proxy)
	browser.send([]byte(strings.Replace(upgradeRequest(requestsPath), "\r\n\r\n", "\r\nOrigin: http://x\r\n\r\n", 1)))
	if r, _ := browser.response(); r.StatusCode != 403 {
		t.Errorf("status %d for an Origin", r.StatusCode)
	}
	if e := tt.want(session.Refused, requestsPath); !e.FromKind4 || e.From != 0 {
		t.Errorf("refused %+v", e)
	}

	tt.proxy.Close()
	provider = connect(t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest(requestsPath)))
	if r, body := provider.response(); r.StatusCode != 502 || !strings.Contains(body, "connection refused") || strings.Count(body, "\n") != 1 {
		t.Errorf("%d %q without a proxy", r.StatusCode, body)
	}
	if e := tt.want(session.Refused, requestsPath); !e.FromKind4 || e.Status != 502 {
		t.Errorf("refused %+v", e)
	}
}

// Answers that open no path that can be decoded.
func TestTapAnswers(t *testing.T) {
	tests := []struct {
		name, answer string
		note         session.NoteKind
		reason       string
	}{
		{"garbage", "SSH-2.0-x\r\n", session.NoteNoAnswer, "not HTTP"},
		{"nothing", "", session.NoteNoAnswer, "no answer"},
		{"cut off", "HTTP/1.1 101 Swi", session.NoteNoAnswer, "cut off"},
		{"a plain answer", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", session.NoteRelayed, "0 bytes from the provider, 2 bytes from the proxy"},
		{"an extension", strings.Replace(accepted, "X-Odd", "Sec-WebSocket-Extensions: permessage-deflate\r\nX-Odd", 1), session.NoteUndecoded, "permessage-deflate"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tt := startTap(t, TapOptions{})
			provider := connect(t, tt.tap.Proxy)
			provider.send([]byte(upgradeRequest(notifications)))
			proxy := tt.accept()
			proxy.expect(upgradeRequest(notifications))
			proxy.send([]byte(test.answer))
			provider.expect(test.answer)
			proxy.socket.Close()
			provider.eof()
			provider.socket.Close()
			if e := tt.note(test.note); !strings.Contains(e.Reason, test.reason) {
				t.Errorf("reason %q", e.Reason)
			}
		})
	}
}

// An interim answer is passed over, and the path is decoded behind the real one.
func TestTapInterimAnswer(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider := connect(t, tt.tap.Proxy)
	provider.send([]byte(upgradeRequest(notifications)))
	proxy := tt.accept()
	proxy.expect(upgradeRequest(notifications))
	both := "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + accepted
	proxy.drip([]byte(both))
	provider.expect(both)
	tt.want(session.Opened, notifications)
}

// What the side sends that should send nothing is told.
func TestTapWrongWay(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider, proxy := tt.opened(notifications)
	proxy.send([]byte("\x82\x03abc"))
	provider.expect("\x82\x03abc")
	tt.want(session.Opened, notifications)
	if e := tt.note(session.NoteWrongWay); e.From != session.Proxy || e.Size != 3 || e.Data != nil {
		t.Errorf("note %+v", e)
	}
	provider, proxy = tt.opened(requestsPath)
	provider.send(message("abc"))
	proxy.expect(string(message("abc")))
	tt.want(session.Opened, requestsPath)
	if e := tt.want(session.Message, requestsPath); e.From != session.Provider {
		t.Errorf("message %+v", e)
	}
}

// Where nobody takes what comes, a path that is decoded waits, and another does not.
func TestTapBackPressure(t *testing.T) {
	tt := startTap(t, TapOptions{QueueBytes: 1 << 20})
	provider, proxy := tt.opened(notifications)
	frame := message("\x00" + strings.Repeat("m", 60_000))
	const count = 1000
	stuck := make(chan struct{})
	var sending sync.WaitGroup
	sending.Go(func() {
		for range count {
			provider.send(frame)
		}
	})
	sending.Go(func() {
		for i := range count {
			proxy.expect(string(frame))
			if i == 8 {
				close(stuck)
			}
		}
	})
	<-stuck
	data := bytes.Repeat([]byte("d"), 32<<20)
	client, server := tt.opened("/postgres/7")
	exchange(t, client, server, data, data, (*peer).send)
	if n := tt.tap.Received(); n >= count {
		t.Errorf("%d messages came through without anybody taking them", n)
	}
	for n := 0; n < count; {
		if e := tt.next(); e.Kind == session.Message {
			n++
		}
	}
	sending.Wait()
}

func TestTapShutdown(t *testing.T) {
	tt := startTap(t, TapOptions{})
	provider, proxy := tt.opened(notifications)
	provider.send(message("\x00{}"))
	proxy.expect(string(message("\x00{}")))
	other, _ := tt.opened("/fuse/read/4")
	tt.want(session.Opened, notifications)
	tt.want(session.Message, notifications)
	tt.tap.Shutdown(t.Context())
	if end := tt.until(session.Closed); end.End.Kind != session.EndOurs {
		t.Errorf("end %+v", end.End)
	}
	for _, c := range []*peer{provider, other} {
		if b, _ := io.ReadAll(c.in); len(b) > 0 {
			t.Errorf("kind4 sent %q", b)
		}
	}
}

// Many connections at a time, each with its own bytes.
func TestTapManyAtOnce(t *testing.T) {
	tt := startTap(t, TapOptions{})
	go tt.discard()
	var all sync.WaitGroup
	for i := range 40 {
		provider, proxy := tt.opened(fmt.Sprintf("/fuse/read/%d", i))
		all.Go(func() {
			data := bytes.Repeat([]byte{byte(i)}, 100_000)
			exchange(t, provider, proxy, data, data[:i], (*peer).send)
		})
	}
	all.Wait()
}

// Where the proxy lets a path in a second time, that is told, and each message and end says which opening it is of; not
// where the first one is about to end.
func TestTapOpenedAgain(t *testing.T) {
	tt := startTap(t, TapOptions{})
	first, firstProxy := tt.opened(notifications)
	first.send(message("\x001"))
	firstProxy.expect(string(message("\x001")))
	opened := tt.want(session.Opened, notifications)
	if e := tt.want(session.Message, notifications); e.Remote != "" {
		t.Errorf("message %+v", e)
	}
	second, secondProxy := tt.opened(notifications)
	again := tt.want(session.Opened, notifications)
	if e := tt.note(session.NoteOpenAgain); e.Path != notifications || e.Remote != again.Remote {
		t.Errorf("note %+v", e)
	}
	second.send(message("\x002"))
	secondProxy.expect(string(message("\x002")))
	if e := tt.want(session.Message, notifications); e.Remote != again.Remote || e.Opening() == e.Opening().First() {
		t.Errorf("message %+v, want of %s", e, again.Remote)
	}
	first.send(closing("\x03\xe8"))
	if e := tt.want(session.Closed, notifications); e.Remote != opened.Remote {
		t.Errorf("%s ended, want %s", e.Remote, opened.Remote)
	}
	secondProxy.send([]byte("\x88\x02\x03\xe8"))
	second.expect("\x88\x02\x03\xe8")
	tt.opened(notifications)
	tt.want(session.Opened, notifications)
	second.send(closing("\x03\xe8"))
	if e := tt.want(session.Closed, notifications); e.Remote != again.Remote {
		t.Errorf("%s ended, want %s", e.Remote, again.Remote)
	}
}
