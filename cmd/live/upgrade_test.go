package live

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"kind4/decode/session"
)

func TestUpgradeSpellings(t *testing.T) {
	request := func(lines ...string) string {
		return "GET /requests HTTP/1.1\r\nHost: h\r\n" + strings.Join(lines, "\r\n") + "\r\nSec-WebSocket-Key: " + testKey + "\r\n\r\n"
	}
	const version = "Sec-WebSocket-Version: 13"
	tests := map[string]string{
		"connection list":      request("Upgrade: websocket", "Connection: keep-alive, Upgrade", version),
		"two connection lines": request("Connection: keep-alive", "Upgrade: websocket", "Connection: Upgrade", version),
		"any case":             request("UPGRADE: WebSocket", "connection: upgrade", "sec-WEBSOCKET-version: 13"),
		"offers not taken":     request("Upgrade: websocket", "Connection: Upgrade", version, "Sec-WebSocket-Extensions: permessage-deflate", "Sec-WebSocket-Protocol: mcp"),
		"bare line feeds":      strings.ReplaceAll(upgradeRequest("/requests"), "\r", ""),
		"empty lines ahead":    "\r\n\r\n" + upgradeRequest("/requests"),
		"a query":              upgradeRequest("/requests?token=x"),
		"absolute form":        upgradeRequest("http://127.0.0.1/requests"),
		"a long head":          request("X-Long: "+strings.Repeat("x", 60_000), "Upgrade: websocket", "Connection: Upgrade", version),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			p := start(t, Options{})
			c := connect(t, p)
			c.send([]byte(text))
			c.upgraded()
			e := &events{t: t, p: p}
			opened := e.want(session.Opened, "/requests")
			sent := strings.SplitN(strings.ReplaceAll(strings.TrimLeft(text, "\r\n"), "\r\n", "\n"), "\n", 2)[1]
			sent = strings.TrimSuffix(sent, "\n")
			if opened.Header != sent[:min(len(sent), maxHeader)] {
				t.Errorf("header: %q, want %q", opened.Header, sent)
			}
			if opened.Remote != c.socket.LocalAddr().String() {
				t.Errorf("opened by %s", opened.Remote)
			}
		})
	}
}

func TestBytesWithTheUpgrade(t *testing.T) {
	p := start(t, Options{})
	openAsk(t, p, askOn1)
	c := connect(t, p)
	c.send(join([]byte(upgradeRequest("/mcp/notifications/1")), message("\x00one"), message("\x00two")[:7]))
	c.upgraded()
	e := &events{t: t, p: p}
	if got := e.until(session.Message); string(got.Data) != "\x00one" {
		t.Errorf("got %q", got.Data)
	}
	c.send(join(message("\x00two")[7:], closing("")))
	if got := e.until(session.Message); string(got.Data) != "\x00two" {
		t.Errorf("got %q", got.Data)
	}
	c.wantClose("")
}

func TestOneByteAtATime(t *testing.T) {
	p := start(t, Options{})
	openAsk(t, p, askOn1)
	c := connect(t, p)
	for _, b := range join([]byte(upgradeRequest("/mcp/notifications/1")), message("\x00one"), masked(0x02, "\x00t"), masked(0x89, "p"), masked(0x80, "wo"), closing("\x03\xe8")) {
		c.send([]byte{b})
	}
	c.upgraded()
	if opcode, got := c.frame(); opcode != 0xA || string(got) != "p" {
		t.Errorf("pong: %x %q", opcode, got)
	}
	c.wantClose("\x03\xe8")
	e := &events{t: t, p: p}
	if got := e.until(session.Message); string(got.Data) != "\x00one" || got.Fragments != 1 || got.MaxFrame != 4 {
		t.Errorf("got %+v", got)
	}
	if got := e.until(session.Control); string(got.Data) != "p" || got.Opcode != session.OpPing {
		t.Errorf("got %+v", got)
	}
	if got := e.until(session.Message); string(got.Data) != "\x00two" || got.Fragments != 2 || got.MaxFrame != 2 || got.Size != 4 {
		t.Errorf("got %+v", got)
	}
	if end := e.until(session.Closed).End; end.Kind != session.EndClose {
		t.Errorf("end %+v", end)
	}
}

func TestRefusals(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	openAsk(t, p, firstOn, askOn2)
	open(t, p, "/mcp/notifications/2")
	get := func(path string) string { return upgradeRequest(path) }
	with := func(request, line string) string {
		return strings.Replace(request, "\r\n\r\n", "\r\n"+line+"\r\n\r\n", 1)
	}
	tests := []struct {
		request, path string
		status        int
		reason        string
	}{
		{with(get("/requests"), "Origin: http://x"), "/requests", 403, "browser"},
		{"GET /requests HTTP/1.1\r\nOrigin: null\r\n\r\n", "/requests", 403, "browser"},
		{strings.Replace(get("/nope"), "Host: h\r\n", "", 1), "/nope", 400, "no Host header"},
		{get("/"), "/", 404, "no such path"},
		{get("/mcp/notifications"), "/mcp/notifications", 404, "no such path"},
		{get("/mcp/notifications/9"), "/mcp/notifications/9", 404, "no kind-4 ask on channel 9"},
		{get("/mcp/notifications/0"), "/mcp/notifications/0", 404, "no kind-4 ask on channel 0"},
		{get("/mcp/notifications/1"), "/mcp/notifications/1", 404, "no kind-4 ask on channel 1: the ask on it is of kind 0"},
		{get("/mcp/notifications/02"), "/mcp/notifications/02", 404, "no such path"},
		{get("/mcp/notifications/2/"), "/mcp/notifications/2/", 404, "no such path"},
		{get("/mcp/notifications/4294967298"), "/mcp/notifications/4294967298", 404, "no such path"},
		{get("/mcp/list-tools/2"), "/mcp/list-tools/2", 404, "no kind-0 ask on channel 2: the ask on it is of kind 4"},
		{get("/mcp/list-tools/9"), "/mcp/list-tools/9", 404, "no kind-0 ask on channel 9"},
		{get("/mcp/call-tool/1"), "/mcp/call-tool/1", 404, "no such path"},
		{get("/%72equests"), "/%72equests", 404, "no such path"},
		{get("/x/../requests"), "/x/../requests", 404, "no such path"},
		{get("http://h/nope"), "http://h/nope", 404, "no such path"},
		{get("http://h/requests"), "http://h/requests", 409, "open already"},
		{strings.Replace(get("/requests"), "GET", "POST", 1), "/requests", 405, "GET"},
		{"GET /requests?a=b HTTP/1.1\r\nHost: h\r\n\r\n", "/requests?a=b", 426, "Upgrade: websocket"},
		{strings.Replace(get("/requests"), "13", "12", 1), "/requests", 426, "Sec-WebSocket-Version"},
		{strings.Replace(get("/requests"), testKey, "short", 1), "/requests", 400, "Sec-WebSocket-Key"},
		{get("/requests"), "/requests", 409, "open already"},
		{get("/mcp/notifications/2"), "/mcp/notifications/2", 409, "open already"},
	}
	e := &events{t: t, p: p}
	e.want(session.Opened, "/requests")
	e.want(session.Asked, "/requests")
	e.want(session.Asked, "/requests")
	e.want(session.Opened, "/mcp/notifications/2")
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, " ", test.path), func(t *testing.T) {
			c := connect(t, p)
			c.send([]byte(test.request))
			r, body := c.response()
			if r.StatusCode != test.status || !strings.Contains(body, test.reason) || strings.Count(body, "\n") != 1 ||
				r.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("answer: %d %v %q", r.StatusCode, r.Header, body)
			}
			if test.status == 405 && r.Header.Get("Allow") != "GET" ||
				test.status == 426 && (r.Header.Get("Upgrade") != "websocket" || r.Header.Get("Sec-Websocket-Version") != "13") {
				t.Errorf("header: %v", r.Header)
			}
			c.eof()
			got := e.want(session.Refused, test.path)
			if got.Status != test.status || got.Reason+"\n" != body || got.Remote != c.socket.LocalAddr().String() ||
				got.Method != test.request[:strings.Index(test.request, " ")] {
				t.Errorf("event: %+v", got)
			}
		})
	}
	c := open(t, p, "/mcp/list-tools/1") // still there
	c.send(join(message(noTools), closing("")))
	if got := e.note(session.NoteFirstAnswer); got.Size != int64(len(noTools)) || got.Channel != 1 || got.End.Kind != session.EndClose {
		t.Errorf("first answer: %+v", got)
	}
	over := connect(t, p)
	over.send([]byte(get("/mcp/notifications/1")))
	if _, body := over.response(); body != "no kind-4 ask on channel 1: the ask on it was of kind 0\n" {
		t.Errorf("after the first exchange: %q", body)
	}
}

// Header names go out as the RFCs spell them.
func TestUpgradeRequired(t *testing.T) {
	p := start(t, Options{})
	c := connect(t, p)
	c.send([]byte("GET /requests HTTP/1.1\r\nHost: h\r\n\r\n"))
	const want = "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Connection: close, Upgrade\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 48\r\n\r\n" +
		"no Upgrade: websocket; this path is a WebSocket\n"
	if got, err := io.ReadAll(c.in); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestNoRequest(t *testing.T) {
	tests := []struct {
		name, bytes string
		note        session.NoteKind
		reason      string
		answer      int
	}{
		{"nothing", "", session.NoteNoRequest, "it ended", 0},
		{"cut off", "GET /requests HT", session.NoteNoRequest, "it ended, after 16 bytes of one", 400},
		{"TLS", "\x16\x03\x01\x02\x00\x01\x00", session.NoteTLS, "", 0},
		{"garbage", "\x00\xff\x01hello\n", session.NoteBadRequest, `"\x00\xff\x01hello" is no request line of HTTP`, 400},
		{"another protocol", "SSH-2.0-OpenSSH_9.9\r\n", session.NoteBadRequest, `"SSH-2.0-OpenSSH_9.9" is no request line of HTTP`, 400},
		{"bad header", "GET /requests HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", session.NoteBadRequest, `malformed MIME header: missing colon: "no colon"`, 400},
		{"a huge head", "GET /requests HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 70_000), session.NoteBadRequest, "the request's head is longer than 64 KiB", 431},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, Options{})
			c := connect(t, p)
			c.send([]byte(test.bytes))
			c.socket.CloseWrite()
			if test.answer != 0 {
				if r, body := c.response(); r.StatusCode != test.answer || body != test.reason+"\n" {
					t.Errorf("answer: %d %q", r.StatusCode, body)
				}
			}
			e := &events{t: t, p: p}
			if got := e.note(test.note); got.Reason != test.reason || got.Remote == "" {
				t.Errorf("got %+v, want reason %q", got, test.reason)
			}
		})
	}
}

// Connections that send no request, or one that never ends, are bounded in time, and nobody waits for them.
func TestSlowHeads(t *testing.T) {
	p := start(t, Options{headTimeout: 100 * time.Millisecond})
	silent, slow := connect(t, p), connect(t, p)
	slow.send([]byte("GET /requests HTTP/1.1\r\n"))
	open(t, p, "/requests")
	if r, _ := slow.response(); r.StatusCode != 408 {
		t.Errorf("status %d", r.StatusCode)
	}
	silent.response()
	e := &events{t: t, p: p}
	e.want(session.Opened, "/requests")
	e.want(session.Asked, "/requests")
	reasons := map[string]bool{
		"no whole request within 100ms": true, "no whole request within 100ms, after 24 bytes of one": true}
	for range 2 {
		if got := e.note(session.NoteNoRequest); !reasons[got.Reason] {
			t.Errorf("reason %q", got.Reason)
		}
	}
}

// Of more than 256 idle connections the oldest give way, and a provider that dials meanwhile is served.
func TestIdleConnections(t *testing.T) {
	p := start(t, Options{headTimeout: time.Minute})
	var idle []*peer
	for range 200 {
		idle = append(idle, connect(t, p))
	}
	openAsk(t, p, askOn1)
	e := &events{t: t, p: p}
	e.want(session.Opened, "/requests")
	e.want(session.Asked, "/requests")
	for range 60 {
		idle = append(idle, connect(t, p))
	}
	c := open(t, p, "/mcp/notifications/1")
	var gone []string
	for range 5 { // 260 and the provider's own, when it came
		gone = append(gone, e.note(session.NoteTooMany).Remote)
	}
	for i, remote := range gone {
		if want := idle[i].socket.LocalAddr().String(); remote != want {
			t.Errorf("%s gave way, want %s", remote, want)
		}
		if _, err := io.ReadAll(idle[i].in); err != nil {
			t.Error(err)
		}
	}
	e.want(session.Opened, "/mcp/notifications/1")
	c.send(message("\x00{}"))
	e.want(session.Message, "/mcp/notifications/1")
}
