package ws

import (
	"bufio"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// goodKey and its answer are the example of RFC 6455 section 1.3.
const goodKey = "dGhlIHNhbXBsZSBub25jZQ=="

func request(t testing.TB, text string) *http.Request {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n") + "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func known(path string) string {
	if path == "/requests" {
		return ""
	}
	return "no such path"
}

func TestCheck(t *testing.T) {
	const (
		host    = "Host: h\n"
		upgrade = "Upgrade: websocket\nConnection: Upgrade\n"
		version = "Sec-WebSocket-Version: 13\n"
		key     = "Sec-WebSocket-Key: " + goodKey + "\n"
		get     = "GET /requests HTTP/1.1\n" + host
		all     = upgrade + version + key
	)
	tests := []struct {
		name, request string
		status        int
		reason        string // a part of it
	}{
		{"good", get + all, 0, ""},
		{"query", "GET /requests?token=a%20b HTTP/1.1\n" + host + all, 0, ""},
		{"connection list", get + "Upgrade: websocket\nConnection: keep-alive, Upgrade\n" + version + key, 0, ""},
		{"two connection lines", get + "Upgrade: websocket\nConnection: keep-alive\nConnection: Upgrade\n" + version + key, 0, ""},
		{"any case", get + "uPGRADE: WebSocket\ncONNECTION: upGRADE\nSEC-WEBSOCKET-VERSION: 13\nsec-websocket-key: " + goodKey + "\n", 0, ""},
		{"extensions", get + all + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\nSec-WebSocket-Protocol: mcp\n", 0, ""},

		{"origin", get + all + "Origin: http://evil.example\n", 403, "browser"},
		{"empty origin", get + all + "Origin:\n", 403, "browser"},
		{"origin before path", "GET /other HTTP/1.1\n" + host + "Origin: null\n", 403, "browser"},
		{"path", "GET /other HTTP/1.1\n" + host + all, 404, "no such path"},
		{"path before method", "POST /other HTTP/1.1\n" + host, 404, "no such path"},
		{"percent-encoded", "GET /%72equests HTTP/1.1\n" + host + all, 404, "no such path"},
		{"dots", "GET /x/../requests HTTP/1.1\n" + host + all, 404, "no such path"},
		{"slash", "GET /requests/ HTTP/1.1\n" + host + all, 404, "no such path"},
		{"double slash", "GET //requests HTTP/1.1\n" + host + all, 404, "no such path"},
		{"absolute form", "GET http://h/requests?a=b HTTP/1.1\n" + host + all, 0, ""},
		{"absolute form, another path", "GET http://h/other HTTP/1.1\n" + host + all, 404, "no such path"},
		{"absolute form, no path", "GET http://h HTTP/1.1\n" + host + all, 404, "no such path"},
		{"another scheme", "GET ftp://h/requests HTTP/1.1\n" + host + all, 404, "no such path"},
		{"no host", "GET /requests HTTP/1.1\n" + all, 400, "no Host header"},
		{"no host before path", "GET /other HTTP/1.1\n" + all, 400, "no Host header"},
		{"origin before host", "GET /requests HTTP/1.1\nOrigin: null\n", 403, "browser"},
		{"asterisk", "OPTIONS * HTTP/1.1\n" + host, 404, "no such path"},
		{"method", "POST /requests HTTP/1.1\n" + host + all, 405, "GET"},
		{"method before upgrade", "HEAD /requests HTTP/1.1\n" + host, 405, "GET"},
		{"plain", get, 426, "Upgrade: websocket"},
		{"another upgrade", get + "Upgrade: h2c\nConnection: Upgrade\n" + version + key, 426, "Upgrade: websocket"},
		{"no connection", get + "Upgrade: websocket\n" + version + key, 426, "Connection: Upgrade"},
		{"no version", get + upgrade + key, 426, "Sec-WebSocket-Version"},
		{"version 8", get + upgrade + "Sec-WebSocket-Version: 8\n" + key, 426, "Sec-WebSocket-Version"},
		{"version 8 before the key", get + upgrade + "Sec-WebSocket-Version: 8\n", 426, "Sec-WebSocket-Version"},
		{"HTTP/1.0", "GET /requests HTTP/1.0\n" + host + all, 426, "HTTP/1.0"},
		{"HTTP/2.0", "GET /requests HTTP/2.0\n" + host + all, 505, "HTTP/2.0"},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\n", 505, "HTTP/2.0"},
		{"origin before the version", "PRI * HTTP/2.0\nOrigin: null\n", 403, "browser"},
		{"no key", get + upgrade + version, 400, "no Sec-WebSocket-Key"},
		{"short key", get + upgrade + version + "Sec-WebSocket-Key: dGhlIHNhbXBsZQ==\n", 400, "16 bytes"},
		{"key not base64", get + upgrade + version + "Sec-WebSocket-Key: !!!!IHNhbXBsZSBub25jZQ==\n", 400, "16 bytes"},
		{"two keys", get + all + key, 400, "more than one"},
		{"body", get + all + "Content-Length: 3\n", 400, "body"},
		{"chunked body", get + all + "Transfer-Encoding: chunked\n", 400, "body"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refusal := Check(request(t, test.request), known)
			if refusal == nil {
				refusal = &Refusal{}
			}
			if refusal.Status != test.status || !strings.Contains(refusal.Reason, test.reason) {
				t.Errorf("got %d %q, want %d …%s…", refusal.Status, refusal.Reason, test.status, test.reason)
			}
			if strings.ContainsAny(refusal.Reason, "\r\n") {
				t.Errorf("more than one line: %q", refusal.Reason)
			}
			if test.status == 405 && !slices.Equal(refusal.Header, []string{"Allow: GET"}) {
				t.Errorf("405 with header %v", refusal.Header)
			}
			if test.status == 426 && !slices.Equal(refusal.Header, []string{"Upgrade: websocket", "Sec-WebSocket-Version: 13"}) {
				t.Errorf("426 with header %v", refusal.Header)
			}
		})
	}
}

func TestAppendAccept(t *testing.T) {
	r := request(t, "GET /requests HTTP/1.1\nHost: h\nSec-WebSocket-Key: "+goodKey+"\nSec-WebSocket-Extensions: permessage-deflate\nSec-WebSocket-Protocol: mcp\n")
	const want = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
	if got := AppendAccept(nil, r); string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is granted meets every condition of RFC 6455 section 4.2.1, by another reading of the request.
func FuzzCheck(f *testing.F) {
	f.Add("GET /requests HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + goodKey + "\r\n\r\n")
	f.Add("GET /requests?a HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: a\r\nConnection: b,Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + goodKey + "\r\n\r\n")
	f.Add("POST http://h/%2e HTTP/1.0\r\nOrigin: null\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil {
			return
		}
		refusal := Check(r, known)
		if refusal != nil {
			if http.StatusText(refusal.Status) == "" || refusal.Reason == "" || strings.ContainsAny(refusal.Reason, "\r\n\x00") {
				t.Errorf("refusal %+v", refusal)
			}
			return
		}
		lower := strings.ToLower(text)
		for _, needed := range []string{"get ", "/requests", "upgrade:", "websocket", "connection:", "13", "sec-websocket-key:"} {
			if !strings.Contains(lower, needed) {
				t.Errorf("granted without %q", needed)
			}
		}
		if r.Header.Get("Origin") != "" {
			t.Error("granted to a browser page")
		}
	})
}
