package live

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// opening is a request for the upgrade of a path that is announced, and what answers it.
type opening struct {
	name   string // begins with the section of RFC 6455, or of another RFC that is named
	head   string // PATH stands for the path
	status int    // 101: granted
}

// goodHead is a request that lacks nothing, a line each.
var goodHead = []string{"GET PATH HTTP/1.1", "Host: h", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
	"Sec-WebSocket-Key: " + testKey}

// headOf is a head of these lines.
func headOf(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n\r\n" }

// instead is the good request with other lines in place of those that begin with a name, or behind the others where none
// does.
func instead(name string, lines ...string) string {
	at := slices.IndexFunc(goodHead, func(line string) bool { return strings.HasPrefix(line, name) })
	if at < 0 {
		return headOf(slices.Concat(goodHead, lines)...)
	}
	return headOf(slices.Concat(goodHead[:at], lines, goodHead[at+1:])...)
}

// and is the good request and other lines.
func and(lines ...string) string { return instead("\n", lines...) }

// target is the good request for another target.
func target(target string) string { return instead("GET", "GET "+target+" HTTP/1.1") }

func openings() []opening {
	key := func(key string) string { return instead("Sec-WebSocket-Key", "Sec-WebSocket-Key:"+key) }
	version := func(lines ...string) string { return instead("Sec-WebSocket-Version", lines...) }
	upper := make([]string, len(goodHead))
	odd := make([]string, len(goodHead))
	for i, line := range goodHead {
		name, value, _ := strings.Cut(line, ":")
		upper[i], odd[i] = line, line
		if i > 0 {
			upper[i], odd[i] = strings.ToUpper(name)+":"+value, strings.ToLower(name[:2])+strings.ToUpper(name[2:])+": \t"+value+" \t"
		}
	}
	good := headOf(goodHead...)
	list := []opening{
		{"4.2.1 nothing wrong", good, 101},
		{"4.2.1 names in upper case", headOf(upper...), 101},
		{"4.2.1 names in odd case, blanks around values", headOf(odd...), 101},
		{"4.2.1 values in odd case", instead("Upgrade", "Upgrade: WebSOCKET", "Connection: UPgrade"), 101},
		{"4.2.1 the lines in reverse order", headOf(append([]string{goodHead[0]}, reversed(goodHead[1:])...)...), 101},

		{"RFC 9112 3.2 no Host", instead("Host"), 400},
		{"RFC 9112 3.2 two Hosts", instead("Host", "Host: h", "Host: i"), 400},
		{"RFC 9112 3.2 the same Host twice", and("host: h"), 400},
		{"RFC 9112 3.2 an empty Host", instead("Host", "Host:"), 400},

		{"4.2.1 no Upgrade", instead("Upgrade"), 426},
		{"4.2.1 Upgrade twice", and("Upgrade: websocket"), 101},
		{"4.2.1 an empty Upgrade", instead("Upgrade", "Upgrade:"), 426},
		{"4.2.1 Upgrade to h2c", instead("Upgrade", "Upgrade: h2c"), 426},
		{"4.2.1 Upgrade to h2c or websocket", instead("Upgrade", "Upgrade: h2c, websocket"), 101},
		{"4.2.1 Upgrade to websockets", instead("Upgrade", "Upgrade: websockets"), 426},

		{"4.2.1 no Connection", instead("Connection"), 426},
		{"4.2.1 Connection twice", and("Connection: Upgrade"), 101},
		{"4.2.1 Connection: close", instead("Connection", "Connection: close"), 426},
		{"4.2.1 Connection: keep-alive, Upgrade", instead("Connection", "Connection: keep-alive, Upgrade"), 101},
		{"4.2.1 Connection with empty items", instead("Connection", "Connection: , ,upgrade,"), 101},
		{"4.2.1 Connection in two lines", instead("Connection", "Connection: keep-alive", "Connection: Upgrade"), 101},
		{"4.2.1 Connection: upgrade;q=1", instead("Connection", "Connection: upgrade;q=1"), 426},

		{"4.4 no version", version(), 426},
		{"4.4 version 8", version("Sec-WebSocket-Version: 8"), 426},
		{"4.4 version 013", version("Sec-WebSocket-Version: 013"), 426},
		{"4.4 versions 13, 8 in one line", version("Sec-WebSocket-Version: 13, 8"), 426},
		{"4.4 versions 8 and 13 in two lines", version("Sec-WebSocket-Version: 8", "Sec-WebSocket-Version: 13"), 426},
		{"11.3.5 version 13 twice", version("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 13"), 426},

		{"4.2.1 no key", instead("Sec-WebSocket-Key"), 400},
		{"11.3.1 two keys", and("Sec-WebSocket-Key: " + testKey), 400},
		{"4.2.1 an empty key", key(""), 400},
		{"4.2.1 a key of 15 bytes", key(" AAAAAAAAAAAAAAAAAAAA"), 400},
		{"4.2.1 a key of 17 bytes", key(" AAAAAAAAAAAAAAAAAAAAAAA="), 400},
		{"4.2.1 a key without its padding", key(" " + strings.TrimRight(testKey, "=")), 400},
		{"4.2.1 a key not in base64", key(" !!!!IHNhbXBsZSBub25jZQ=="), 400},
		{"4.2.1 a key in base64 for URLs", key(" -_hlIHNhbXBsZSBub25jZQ=="), 400},
		{"4.2.1 a blank in a key", key(" dGhlIHNhbXBs ZSBub25jZQ=="), 400},
		{"4.2.1 blanks around a key", key(" \t " + testKey + "\t  "), 101},

		{"4.1 extensions offered", and("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits", "Sec-WebSocket-Extensions: x"), 101},
		{"4.1 subprotocols offered", and("Sec-WebSocket-Protocol: mcp, chat"), 101},
		{"4.1 what belongs into an answer", and("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), 101},

		{"10.2 an Origin", and("Origin: http://h"), 403},
		{"10.2 an empty Origin", and("Origin:"), 403},
		{"10.2 Origin: null", and("oRIGIN: null"), 403},
		{"10.2 two Origins", and("Origin:", "Origin: null"), 403},
		{"10.2 an Origin and nothing else that is right", headOf("POST /nope HTTP/1.1", "Origin: http://h"), 403},
		{"10.2 an Origin under HTTP/1.0", headOf("GET PATH HTTP/1.0", "Origin: x"), 403},

		{"RFC 9112 2.2 bare line feeds", strings.ReplaceAll(good, "\r\n", "\n"), 101},
		{"RFC 9112 2.2 bare line feeds among others", strings.Replace(good, "\r\n", "\n", 2), 101},
		{"RFC 9112 2.2 empty lines ahead", "\r\n\n\r\n" + good, 101},
		{"RFC 9112 2.2 bare carriage returns", strings.ReplaceAll(good, "\r\n", "\r") + "\n\n", 400},
		{"RFC 9112 2.2 a carriage return in a value", and("X: a\rb"), 400},
		{"RFC 9112 2.2 two carriage returns at a line's end", and("X: a\r"), 400},
		{"RFC 9112 2.2 a blank ahead of the first field", instead("Host", " Host: h"), 400},
		{"RFC 9110 5.5 a NUL in a value", and("X: a\x00b"), 400},
		{"RFC 9110 5.5 a NUL in the key", key(" dGhlIHNhbXBs\x00SBub25jZQ=="), 400},
		{"RFC 9110 5.5 bytes beyond ASCII in a value", and("X: caf\xe9 \xff\xfe \u20ac"), 101},
		{"RFC 9110 5.6.2 bytes beyond ASCII in a name", and("caf\xe9: x"), 400},
		{"RFC 9110 5.6.2 an empty name", and(": x"), 400},
		{"RFC 9112 5 a line without a colon", and("no colon"), 400},
		{"RFC 9112 5.1 a blank ahead of a colon", instead("Host", "Host : h"), 400},
		{"RFC 9112 5.2 a folded field", and("X: a", " b", "\tc"), 101},
		{"RFC 9112 5.2 a folded key", key("\r\n " + testKey), 101},

		{"RFC 9112 3 tabs in the request line", instead("GET", "GET\tPATH\tHTTP/1.1"), 400},
		{"RFC 9112 3 two blanks in the request line", instead("GET", "GET  PATH HTTP/1.1"), 400},
		{"RFC 9112 3 a blank ahead of the method", instead("GET", " GET PATH HTTP/1.1"), 400},
		{"RFC 9112 3 a blank behind the version", instead("GET", "GET PATH HTTP/1.1 "), 400},
		{"RFC 9112 3 no target", instead("GET", "GET HTTP/1.1"), 400},
		{"RFC 9112 3 an empty target", target(""), 400},
		{"RFC 9112 3 no version", instead("GET", "GET PATH"), 400},
		{"RFC 9112 3 a NUL in the target", target("PATH\x00"), 400},
		{"RFC 9112 3 bytes beyond ASCII in the target", target("PATH\xff"), 404},
		{"RFC 9112 3.1 a method in lower case", instead("GET", "get PATH HTTP/1.1"), 405},
		{"RFC 9112 3.1 another method", instead("GET", "POST PATH HTTP/1.1"), 405},
		{"RFC 9112 3.1 HEAD", instead("GET", "HEAD PATH HTTP/1.1"), 405},
		{"RFC 9112 3.1 a method that is no token", instead("GET", "G{T PATH HTTP/1.1"), 400},

		{"RFC 9112 2.3 HTTP/1.0", instead("GET", "GET PATH HTTP/1.0"), 426},
		{"RFC 9112 2.3 HTTP/1.2", instead("GET", "GET PATH HTTP/1.2"), 101},
		{"RFC 9112 2.3 HTTP/2.0", instead("GET", "GET PATH HTTP/2.0"), 505},
		{"RFC 9112 2.3 HTTP/0.9", instead("GET", "GET PATH HTTP/0.9"), 505},
		{"RFC 9112 2.3 http/1.1", instead("GET", "GET PATH http/1.1"), 400},
		{"RFC 9112 2.3 HTTP/1.10", instead("GET", "GET PATH HTTP/1.10"), 400},
		{"RFC 9113 3.4 the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},

		{"RFC 9112 3.2.1 a query", target("PATH?a=b&/c"), 101},
		{"RFC 9112 3.2.1 an empty query", target("PATH?"), 101},
		{"RFC 9112 3.2.1 a fragment", target("PATH#x"), 404},
		{"RFC 9112 3.2.1 percent-encoded", target("/%6dcp/notifications/2"), 404},
		{"RFC 9112 3.2.1 dots", target("/x/..PATH"), 404},
		{"RFC 9112 3.2.1 a dot", target("/.PATH"), 404},
		{"RFC 9112 3.2.1 two slashes", target("/PATH"), 404},
		{"RFC 9112 3.2.1 a slash behind", target("PATH/"), 404},
		{"RFC 9112 3.2.1 no slash ahead", target("requests"), 400},
		{"RFC 9112 3.2.2 the absolute form", target("http://elsewhere:80PATH"), 101},
		{"RFC 9112 3.2.2 the absolute form, https", target("HTTPS://hPATH?x"), 101},
		{"RFC 9112 3.2.2 the absolute form, ws", target("ws://hPATH"), 404},
		{"RFC 9112 3.2.2 the absolute form without a path", target("http://h"), 404},
		{"RFC 9112 3.2.3 the authority form", instead("GET", "CONNECT h:80 HTTP/1.1"), 404},
		{"RFC 9112 3.2.4 the asterisk form", instead("GET", "OPTIONS * HTTP/1.1"), 404},

		{"RFC 9112 6.2 a body of no bytes", and("Content-Length: 0"), 101},
		{"RFC 9112 6.2 a body", and("Content-Length: 5"), 400},
		{"RFC 9112 6.2 two lengths", and("Content-Length: 0", "Content-Length: 5"), 400},
		{"RFC 9112 6.2 two lengths in one line", and("Content-Length: 0, 5"), 400},
		{"RFC 9112 6.2 a length below 0", and("Content-Length: -1"), 400},
		{"RFC 9112 6.2 a length with a sign", and("Content-Length: +0"), 400},
		{"RFC 9112 6.1 a body in chunks", and("Transfer-Encoding: chunked"), 400},
		{"RFC 9112 6.1 chunks and a length", and("Content-Length: 5", "Transfer-Encoding: chunked"), 400},
		{"RFC 9112 6.1 an unknown coding", and("Transfer-Encoding: xchunked"), 400},
		{"RFC 9112 6.1 two codings", and("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), 400},
		{"RFC 9110 10.1.1 an expectation", and("Expect: 100-continue"), 101},

		{"RFC 9112 9.3.2 refused, and a second request behind it", headOf("GET /nope HTTP/1.1", "Host: h") + good, 404},
		{"RFC 6585 5 a field of a megabyte", and("X: " + strings.Repeat("x", 1<<20)), 431},
		{"RFC 6585 5 a request line of a megabyte", target("/" + strings.Repeat("x", 1<<20)), 431},
		{"RFC 6585 5 a megabyte of empty fields", and(slices.Repeat([]string{"X:"}, 1<<18)...), 431},
		{"RFC 6585 5 ten thousand fields", and(slices.Repeat([]string{"X:"}, 10_000)...), 101},
	}
	for i := 1; i < len(goodHead); i++ {
		name, value, _ := strings.Cut(goodHead[i], ":")
		list = append(list, opening{"RFC 9112 5.1 a tab ahead of the colon of " + name, instead(name, name+"\t:"+value), 400})
	}
	return list
}

func reversed(lines []string) []string {
	lines = slices.Clone(lines)
	slices.Reverse(lines)
	return lines
}

// Every request is answered as RFC 6455 and RFC 9112 have it, at once and byte by byte, once; what is refused is said,
// and a path beside it goes on.
func TestHandshakes(t *testing.T) {
	list := openings()
	b := besiege(t, 2*len(list))
	channel := b.first
	for _, h := range list {
		for _, bytewise := range []bool{false, true} {
			path := decode.KindNotifications.Path(channel)
			channel++
			head := strings.ReplaceAll(h.head, "PATH", path)
			if bytewise && len(head) > 1000 {
				continue
			}
			t.Run(fmt.Sprintf("%s bytewise=%v", h.name, bytewise), func(t *testing.T) {
				c := connect(t, b.p)
				if bytewise {
					for i := range len(head) {
						c.socket.Write([]byte(head[i : i+1])) // fails where it was refused before its end
					}
				} else {
					c.socket.Write([]byte(head))
				}
				b.deliver()
				if h.status == http.StatusSwitchingProtocols {
					c.upgraded()
					c.send(closing("\x03\xe8"))
					c.wantClose("\x03\xe8")
				} else if answer, err := io.ReadAll(c.in); err != nil || !isRefusal(string(answer), h.status, !strings.HasPrefix(head, "HEAD")) {
					t.Errorf("answer %q and %v, want %d", answer, err, h.status)
				}
				c.eof()
				b.said(t, path, h.status)
			})
		}
	}
}

// isRefusal reports whether an answer is one, with that status and, where it has a body, one line of text.
func isRefusal(answer string, status int, body bool) bool {
	head, text, whole := strings.Cut(answer, "\r\n\r\n")
	line := strings.TrimSuffix(text, "\n")
	return whole && strings.HasPrefix(head, fmt.Sprintf("HTTP/1.1 %d %s\r\n", status, http.StatusText(status))) &&
		(body && line != text && line != "" && !strings.ContainsAny(line, "\r\n") || !body && text == "")
}

// said expects that the events say what became of a request, and that the message sent meanwhile was delivered.
func (b *besieged) said(t *testing.T, path string, status int) {
	t.Helper()
	delivered, told := false, false
	for !delivered || !told {
		e := b.next()
		switch {
		case e.Kind == session.Message && string(e.Data) == b.sent[len(b.sent)-1]:
			delivered = true
		case e.Kind == session.Opened && e.Path == path && status == http.StatusSwitchingProtocols:
		case e.Kind == session.Closed && e.Path == path && e.End.Kind == session.EndClose:
			told = true
		case e.Kind == session.Refused && e.Status == status:
			told = true
		case e.Kind == session.Note && e.Note == session.NoteBadRequest && (status == 400 || status == 431):
			told = true
		default:
			t.Fatalf("status %d, event %+v", status, e)
		}
	}
}

// A head that breaks off anywhere is one line, and none of it is answered but with 400.
func TestHeadCutOff(t *testing.T) {
	head := upgradeRequest("/mcp/notifications/2")
	b := besiege(t, 1)
	for n := range len(head) {
		for _, reset := range []bool{false, true} {
			c := connect(t, b.p)
			c.send([]byte(head[:n]))
			how, remote := "it ended", c.socket.LocalAddr().String()
			if reset {
				how = "connection reset"
				c.reset()
			} else {
				c.socket.CloseWrite()
				answer, err := io.ReadAll(c.in)
				if want := "HTTP/1.1 400 "; err != nil || !strings.HasPrefix(string(answer), want[:min(n, 1)*len(want)]) || n == 0 && len(answer) > 0 {
					t.Errorf("%d bytes: answer %q, %v", n, answer, err)
				}
			}
			if n > 0 {
				how += fmt.Sprintf(", after %d bytes of one", n)
			}
			if note := b.note(session.NoteNoRequest); note.Reason != how || note.Remote != remote {
				t.Errorf("%d bytes: %q by %s, want %q by %s", n, note.Reason, note.Remote, how, remote)
			}
		}
	}
	b.deliver()
	b.collect(nil)
}

// A request behind one that was granted is no frame (RFC 6455 section 5.2: G is 0x47, a reserved bit).
func TestPipelinedRequest(t *testing.T) {
	b := besiege(t, 1)
	path := decode.KindNotifications.Path(b.first)
	c := connect(t, b.p)
	c.send([]byte(strings.Repeat(upgradeRequest(path), 2)))
	c.upgraded()
	c.wantClose("\x03\xea")
	c.eof()
	b.want(session.Opened, path)
	if end := b.want(session.Closed, path).End; end.Kind != session.EndBroken || end.Violation.Section != "5.2" || end.Violation.Offset != 0 {
		t.Errorf("end %+v", end)
	}
	b.deliver()
	b.collect(nil)
}
