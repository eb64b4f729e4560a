package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kind4/decode/capture/capturetest"
	"kind4/decode/capture/packet"
	"kind4/decode/session"
	"kind4/decode/ws"
)

const (
	dialer = "10.0.0.5:51000" // the provider
	listen = "10.0.0.9:14979" // the proxy
)

// newPath is a connection that the provider opened, its SYN seen.
func newPath() *packet.Conn { return &packet.Conn{Client: dialer, Server: listen, Certain: true} }

const switching = capturetest.Switching

func upgrade(path string) string { return capturetest.Upgrade(path) }

var mask = [4]byte{0x37, 0xfa, 0x21, 0x3d}

// fromProvider and fromProxy are frames with one message each.
func fromProvider(opcode uint8, payload string) string {
	return capturetest.Frame(packet.Client, opcode, payload)
}

func fromProxy(opcode uint8, payload string) string {
	return capturetest.Frame(packet.Server, opcode, payload)
}

// note is a notification that says which.
func note(name string) string { return "\x00{\"method\":\"" + name + "\"}" }

func closing(code uint16, m *[4]byte) string { return string(ws.AppendClose(nil, code, "", m)) }

// step is a piece that a test has one side send.
type step struct {
	from    packet.Side
	data    string
	missing int64
	end     packet.End
}

func client(data string) step { return step{from: packet.Client, data: data} }
func server(data string) step { return step{from: packet.Server, data: data} }

// lost is a step behind which so many bytes are missing, or packet.Unknown.
func lost(s step, n int64) step { s.missing = n; return s }

func ended(s step, how packet.End) step { s.end = how; return s }

// opening opens a path.
func opening(path string) []step { return []step{client(upgrade(path)), server(switching)} }

// run gives the steps of one connection, data in pieces of at most size bytes, and returns what comes of them.
func run(o Options, conn *packet.Conn, steps []step, size int) (lines []string, counts Counts) {
	set := New(o)
	now := int64(0)
	for _, s := range steps {
		now++
		data := []byte(s.data)
		for first := true; first || len(data) > 0; first = false {
			n := min(size, len(data))
			p := packet.Piece{Conn: conn, From: s.from, Time: now, Data: append([]byte(nil), data[:n]...)}
			if first {
				p.Missing = s.missing
			}
			if data = data[n:]; len(data) == 0 {
				p.End = s.end
			}
			b := session.NewBatch()
			set.Take(b, &p)
			for i := range b.Events {
				lines = append(lines, line(&b.Events[i]))
			}
			b.Release()
		}
	}
	return lines, set.Counts()
}

// line is an event in words.
func line(e *session.Event) string {
	words := []string{e.Kind.String()}
	if e.Kind == session.Note {
		words = append(words, e.Note.String())
	}
	words = append(words, e.Path)
	if e.From != 0 {
		words = append(words, "from the "+e.From.String())
	}
	if e.Kind == session.Message || e.Kind == session.Asked || e.Kind == session.Control {
		words = append(words, fmt.Sprintf("%d %q", e.Opcode, e.Data))
		if e.Fragments > 1 {
			words = append(words, fmt.Sprintf("in %d frames", e.Fragments))
		}
		if e.Size != int64(len(e.Data)) {
			words = append(words, fmt.Sprintf("of %d", e.Size))
		}
	} else if e.Size > 0 {
		words = append(words, fmt.Sprint(e.Size))
	}
	if e.Status > 0 {
		words = append(words, e.Method, fmt.Sprint(e.Status))
	}
	if e.Reason != "" {
		words = append(words, e.Reason)
	}
	if end := e.End; end != nil {
		words = append(words, end.Kind.String())
		if end.Code > 0 {
			words = append(words, fmt.Sprint(end.Code))
		}
		if end.Error != "" {
			words = append(words, end.Error)
		}
		if end.Violation != nil {
			words = append(words, "section "+end.Violation.Section)
		}
		if end.Where != 0 {
			words = append(words, fmt.Sprintf("in %s %d", end.Where, end.Partial))
		}
	}
	return strings.Join(words, " ")
}

const path7 = "/mcp/notifications/7"

func message(name string) string {
	return fmt.Sprintf("message %s from the provider 2 %q", path7, note(name))
}

func TestConversation(t *testing.T) {
	opened := []string{"opened " + path7}
	tests := []struct {
		name  string
		steps []step
		want  []string
	}{
		{"messages and a closing handshake", append(opening(path7),
			client(fromProvider(2, note("a"))+fromProvider(2, note("b"))),
			client(closing(1000, &mask)), server(closing(1000, nil)), ended(client(""), packet.FIN), ended(server(""), packet.FIN)),
			append(opened, message("a"), message("b"), "closed "+path7+" from the provider close 1000")},
		{"frames right behind the request, before the answer", []step{
			client(upgrade(path7) + fromProvider(2, note("a"))), server(switching), client(fromProvider(2, note("b"))), ended(client(""), packet.EndCapture)},
			append(opened, message("a"), message("b"), "closed "+path7+" capture")},
		{"asks", append(opening("/requests"),
			server(fromProxy(2, "\x00\x00\x00\x01\x00null")+fromProxy(2, "\x00\x00\x00\x02\x04")),
			client(fromProvider(2, "no")), ended(server(""), packet.EndCapture), ended(client(""), packet.EndCapture)),
			[]string{"opened /requests", `asked /requests from the proxy 2 "\x00\x00\x00\x01\x00null"`, `asked /requests from the proxy 2 "\x00\x00\x00\x02\x04"`,
				`message /requests from the provider 2 "no"`, "closed /requests capture"}},
		{"the container's own server", append(opening("/tool/notifications"), server(fromProxy(2, note("a"))+closing(1000, nil))),
			[]string{"opened /tool/notifications", fmt.Sprintf("message /tool/notifications from the proxy 2 %q", note("a")), "closed /tool/notifications from the proxy close 1000"}},
		{"the wrong way", append(opening(path7), server(fromProxy(2, note("a")))),
			append(opened, "note wrong-way "+path7+" from the proxy 15")},
		{"pings", append(opening(path7), server(fromProxy(9, "x")), client(fromProvider(10, "x"))),
			append(opened, "control "+path7+` from the proxy 9 "x"`, "control "+path7+` from the provider 10 "x"`)},
		{"fragments", append(opening(path7), client("\x02\x82\x00\x00\x00\x00\x00{\x80\x81\x00\x00\x00\x00}")),
			append(opened, "message "+path7+` from the provider 2 "\x00{}" in 2 frames`)},
		{"the receiver's close first", append(opening(path7), client(fromProvider(2, note("a"))), server(closing(1001, nil)), client(closing(1001, &mask))),
			append(opened, message("a"), "closed "+path7+" from the proxy receiver 1001")},
		{"no close", append(opening(path7), client(fromProvider(2, note("a"))), ended(client("\x82"), packet.FIN)),
			append(opened, message("a"), "closed "+path7+" from the provider eof in header 1")},
		{"reset by the provider", append(opening(path7), ended(client(fromProvider(2, note("a"))[:9]), packet.RST), ended(server(""), packet.RST)),
			append(opened, "closed "+path7+" from the provider reset connection reset in payload 9")},
		{"reset by the proxy", append(opening(path7), ended(server(""), packet.RST), ended(client(""), packet.RST)),
			append(opened, "closed "+path7+" from the proxy reset connection reset")},
		{"a broken frame", append(opening(path7), client("\xf2")),
			append(opened, "closed "+path7+" from the provider broken section 5.2")},
		{"an unmasked frame of the provider's", append(opening(path7), client(fromProxy(2, note("a")))),
			append(opened, "closed "+path7+" from the provider broken section 5.1")},
		{"the capture ends inside a message", append(opening(path7), ended(client(fromProvider(2, note("a"))[:9]), packet.EndCapture), ended(server(""), packet.EndCapture)),
			append(opened, "closed "+path7+" capture in payload 9")},
		{"another connection in its place", append(opening(path7), ended(client(""), packet.Reused)),
			append(opened, "closed "+path7+" capture "+whyOpen[packet.Reused])},
		{"an interim answer", []step{client(upgrade(path7)), server("HTTP/1.1 102 Processing\r\n\r\n" + switching)}, opened},
		{"refused, and asked for again", []step{client(upgrade(path7)),
			server("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n11\r\nno such channel\r\n\r\n0\r\n\r\n"),
			client(upgrade(path7)), server(switching)},
			append([]string{"refused " + path7 + " from the proxy GET 404 no such channel"}, opened...)},
		{"refused without a body", []step{client(upgrade("/requests")), ended(server("HTTP/1.1 409 Conflict\r\n\r\n"), packet.FIN)},
			[]string{"refused /requests from the proxy GET 409 Conflict"}},
		{"requests with bodies before it", []step{
			client("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nGET GET /b HTTP/1.1\r\nHost: x\r\n\r\n" + upgrade(path7)),
			server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" + switching), client(fromProvider(2, note("a")))},
			append(opened, message("a"))},
		{"a plain request to a path", []step{client("GET /requests HTTP/1.1\r\nHost: x\r\n\r\n"), server("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n")},
			[]string{"refused /requests from the proxy GET 426 Upgrade Required"}},
		{"plain HTTP", []step{client("GET /index.html HTTP/1.1\r\nHost: x\r\n\r\n"), server("HTTP/1.1 404 Not Found\r\n\r\nno")}, nil},
		{"no answer", []step{client(upgrade(path7)), ended(client(""), packet.FIN), ended(server(""), packet.FIN)},
			[]string{"note unanswered " + path7 + " from the proxy no answer"}},
		{"an answer cut off", []step{client(upgrade(path7)), ended(server("HTTP/1.1 101 Swi"), packet.EndCapture)},
			[]string{"note unanswered " + path7 + " from the proxy an answer that is cut off"}},
		{"an answer that opens nothing", []step{client(upgrade(path7)), server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")},
			[]string{"note unanswered " + path7 + " from the proxy an answer of 200, which opens nothing"}},
		{"another path", append(opening("/vault/get/3"), client("abc"), server("de"), ended(client(""), packet.FIN), ended(server("f"), packet.FIN)),
			[]string{"note carried /vault/get/3 6 3 bytes from the provider, 3 bytes from the proxy"}},
		{"an extension", []step{client(upgrade(path7)), server(strings.Replace(switching, "\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", 1)),
			client("\xc2"), ended(client(""), packet.FIN), ended(server(""), packet.FIN)},
			[]string{"note undecoded " + path7 + ` provider and proxy agreed on the extension "permessage-deflate"`, "note carried " + path7 + " 1 1 byte from the provider, 0 bytes from the proxy"}},
		{"TLS", []step{client("\x16\x03\x01\x02\x00\x01"), server("\x16\x03\x03")}, nil},
		{"SSH", []step{server("SSH-2.0-OpenSSH_9.6\r\n"), client("SSH-2.0-x\r\n"), ended(client(""), packet.FIN), ended(server(""), packet.FIN)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, size := range []int{1 << 20, 1, 2, 3, 7, 50} {
				got, _ := run(Options{MaxSize: 1 << 20}, newPath(), test.steps, size)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("in pieces of %d: (-want +got)\n%s", size, diff)
				}
			}
		})
	}
}

// behind is an opened path with a message, and what comes behind it.
func behind(steps ...step) []step {
	return append(append(opening(path7), client(fromProvider(2, note("a")))), steps...)
}

func TestGap(t *testing.T) {
	frame := fromProvider(2, note("lost"))
	next := fromProvider(2, note("b"))
	noise := strings.Repeat("noise ", maxSearch/5)
	noted := func(n int, reason string) string {
		if n == 0 {
			return "note gap " + path7 + " from the provider " + reason
		}
		return fmt.Sprintf("note gap %s from the provider %d %s", path7, n, reason)
	}
	const goesOn = "reading goes on at the next frame"
	tests := []struct {
		name  string
		steps []step
		want  []string
	}{
		{"inside a payload", behind(client(frame[:9]), lost(client(frame[12:]+next), 3)),
			[]string{noted(3, "in the middle of a message, 9 bytes into it; "+goesOn), message("b")}},
		{"whole frames, and faulty ones behind it", behind(lost(client(fromProvider(2, `{"method":"x"}`)+fromProvider(2, "")+next), 50)),
			[]string{noted(50, "from the end of a message on; "+goesOn), "message " + path7 + ` from the provider 2 "{\"method\":\"x\"}"`, "message " + path7 + ` from the provider 2 ""`, message("b")}},
		{"a message of anything between two gaps", behind(lost(client(fromProvider(2, "\x09")), 50), lost(client(next), 20)),
			[]string{noted(50, "from the end of a message on; "+goesOn), "message " + path7 + ` from the provider 2 "\t"`, noted(20, "from the end of a message on; "+goesOn), message("b")}},
		{"whole frames", behind(lost(client(next), 50)), []string{noted(50, "from the end of a message on; "+goesOn), message("b")}},
		{"into the middle of another", behind(client(frame[:9]), lost(client(frame[3:]+next), int64(len(frame)-6))),
			[]string{noted(len(frame)-6, fmt.Sprintf("in the middle of a message, 9 bytes into it; reading goes on %d bytes later, at the first frame that can be told", len(frame)-3)), message("b")}},
		{"twice before a frame", behind(lost(client(frame[4:9]), 4), lost(client(frame[12:]+next), 3)),
			[]string{noted(7, fmt.Sprintf("from the end of a message on; reading goes on %d bytes later, at the first frame that can be told", len(frame)-12+5)), message("b")}},
		{"twice, what is between them like a frame", behind(lost(client("\x00\x8amaskx"), 4), lost(client(next), 3)),
			[]string{noted(7, "from the end of a message on; reading goes on 7 bytes later, at the first frame that can be told"), message("b")}},
		{"of unknown size", behind(client(frame[:9]), lost(client(next), packet.Unknown)),
			[]string{noted(0, "in the middle of a message, 9 bytes into it; "+goesOn), message("b")}},
		{"nothing but a Close behind it", behind(lost(client(closing(1000, &mask)), 9)),
			[]string{noted(9, "from the end of a message on; "+goesOn), "closed " + path7 + " from the provider close 1000"}},
		{"nothing but a Close without a code behind it, and the end", behind(lost(client(closing(0, &mask)), 9), ended(client(""), packet.FIN)),
			[]string{noted(9, "from the end of a message on; "+goesOn), "closed " + path7 + " from the provider close"}},
		{"no frame behind it", behind(lost(client(noise), 9), client(next)),
			[]string{"note gap", "closed " + path7 + " capture bytes are missing"}},
		{"the capture ends behind it", behind(lost(ended(client("noise"), packet.FIN), 9)),
			[]string{noted(9, "from the end of a message on; the path is left here, since no frame can be told in the 5 bytes behind it"),
				"closed " + path7 + " capture bytes are missing, and no frame can be told in the 5 bytes behind it"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := append([]string{"opened " + path7, message("a")}, test.want...)
			got, _ := run(Options{MaxSize: 1 << 20}, newPath(), test.steps, 1<<20)
			for i := range min(len(got), len(want)) {
				if test.name == "no frame behind it" && i > 1 {
					got[i] = got[i][:min(len(got[i]), len(want[i]))]
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestGapOnRequests(t *testing.T) {
	steps := append(opening("/requests"), lost(server(fromProxy(2, "\x00\x00\x00\x09\x04")), 7), ended(server(""), packet.EndCapture))
	got, _ := run(Options{MaxSize: 1 << 20}, newPath(), steps, 1<<20)
	want := []string{"opened /requests", "note gap /requests from the proxy 7 from the end of a message on; reading goes on at the next frame",
		`asked /requests from the proxy 2 "\x00\x00\x00\t\x04"`, "closed /requests capture"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMidStream(t *testing.T) {
	a, b := fromProvider(2, note("a")), fromProvider(2, note("b"))
	some := func(name string) string {
		return fmt.Sprintf("message %s from the provider 2 %q", session.SomeChannel, note(name))
	}
	uncertain := func(swapped bool) *packet.Conn {
		if swapped {
			return &packet.Conn{Client: listen, Server: dialer}
		}
		return &packet.Conn{Client: dialer, Server: listen}
	}
	untagged := "message " + session.SomeChannel + ` from the provider 2 "{\"method\": \"notifications/a\"}"`
	odd7 := "message " + path7 + ` from the provider 2 "\t\b"`
	fromFrames := "note mid-stream " + session.SomeChannel + " begins mid-stream; taken for a notification path, from its frames"
	tests := []struct {
		name    string
		options Options
		conn    *packet.Conn
		steps   []step
		want    []string
	}{
		{"between frames", Options{}, uncertain(false), []step{lost(client(a+b), packet.Unknown)}, []string{fromFrames, some("a"), some("b")}},
		{"inside one", Options{}, uncertain(false), []step{lost(client(a[5:]), packet.Unknown), client(b)}, []string{fromFrames, some("b")}},
		{"--channel", Options{Channel: 7, HasChannel: true}, uncertain(false), []step{lost(client(a), packet.Unknown), client(closing(1000, &mask))},
			[]string{"note mid-stream " + path7 + " begins mid-stream; taken for " + path7 + ", as --channel says", message("a"), "closed " + path7 + " from the provider close 1000"}},
		{"the other side is the client", Options{}, uncertain(true), []step{lost(server(a), packet.Unknown)}, []string{fromFrames, some("a")}},
		{"the container's own server", Options{}, uncertain(false), []step{lost(server(fromProxy(2, note("a"))), packet.Unknown)},
			[]string{"note mid-stream /tool/notifications begins mid-stream; taken for /tool/notifications, from its frames", fmt.Sprintf("message /tool/notifications from the proxy 2 %q", note("a"))}},
		{"asks", Options{}, uncertain(false), []step{lost(server(fromProxy(2, "\x00\x00\x00\x02\x04")), packet.Unknown)},
			[]string{"note mid-stream /requests begins mid-stream; taken for /requests, from its frames", `asked /requests from the proxy 2 "\x00\x00\x00\x02\x04"`}},
		{"a request without a SYN", Options{}, uncertain(true), []step{server(upgrade(path7)[:30]), server(upgrade(path7)[30:]), client(switching), server(a)},
			[]string{"opened " + path7, message("a")}},
		{"from the answer on", Options{}, uncertain(false), []step{lost(server(switching), packet.Unknown), lost(client(a), packet.Unknown)}, []string{fromFrames, some("a")}},
		{"the answer is missing", Options{}, newPath(), []step{client(upgrade(path7) + a), ended(lost(server(""), int64(len(switching))), packet.None)},
			[]string{"note mid-stream " + path7 + " lacks a part of its upgrade; taken for " + path7 + ", as its request says", message("a")}},
		{"a hole in the request", Options{Channel: 7, HasChannel: true}, newPath(), []step{client("GET /mcp/no"), lost(client(upgrade(path7)[20:]), 9), server(switching), client(a)},
			[]string{"note mid-stream " + path7 + " lacks its upgrade request; taken for " + path7 + ", as --channel says", message("a")}},
		{"without tags", Options{}, uncertain(false), []step{lost(client(strings.Repeat(fromProvider(2, `{"method": "notifications/a"}`), 2)), packet.Unknown)},
			[]string{fromFrames, untagged, untagged}},
		{"JSON of others", Options{}, uncertain(false), []step{lost(client(strings.Repeat(fromProvider(2, `{"type":"notifications/a"}`), 9)), packet.Unknown)}, nil},
		{"anything, and --channel", Options{Channel: 7, HasChannel: true}, uncertain(false), []step{lost(client(strings.Repeat(fromProvider(2, "\x09\x08"), 3)), packet.Unknown)},
			[]string{"note mid-stream " + path7 + " begins mid-stream; taken for " + path7 + ", as --channel says", odd7, odd7, odd7}},
		{"nothing but a Close, and --channel", Options{Channel: 7, HasChannel: true}, uncertain(false), []step{lost(client(closing(1000, &mask)), packet.Unknown)}, nil},
		{"an answer to an ask, and --channel", Options{Channel: 7, HasChannel: true}, uncertain(false),
			[]step{lost(client(fromProvider(2, "\x00{\"tools\":[]}")+closing(1000, &mask)), packet.Unknown), ended(client(""), packet.FIN), ended(server(""), packet.FIN)},
			[]string{"note carried /mcp/list-tools/? 27 27 bytes from the provider, 0 bytes from the proxy; it begins mid-stream, and is taken for that path, from its frames"}},
		{"the server's SYN is missing", Options{}, newPath(), []step{client(upgrade(path7)), lost(server(switching), packet.Unknown), client(a)}, []string{"opened " + path7, message("a")}},
		{"the server's SYN is missing, and its answer", Options{}, newPath(), []step{client(upgrade(path7) + a), ended(lost(server(""), packet.Unknown), packet.EndCapture)},
			[]string{"note mid-stream " + path7 + " lacks a part of its upgrade; taken for " + path7 + ", as its request says", message("a")}},
		{"SSH", Options{Channel: 7, HasChannel: true}, uncertain(false), []step{lost(client(strings.Repeat("\x00\x00\x01\x2c\x0a\x14", 60)), packet.Unknown), ended(client(""), packet.FIN)}, nil},
		{"TLS", Options{Channel: 7, HasChannel: true}, uncertain(false), []step{lost(client("\x17\x03\x03\x00\x05"+a), packet.Unknown)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.options.MaxSize = 1 << 20
			got, counts := run(test.options, test.conn, test.steps, 1<<20)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if taken := len(got) > 0 && strings.Contains(got[0], "mid-stream"); taken != (counts.MidStream == 1) {
				t.Errorf("counts %+v", counts)
			}
		})
	}
}

func TestOversize(t *testing.T) {
	steps := append(opening(path7), client(fromProvider(2, note(strings.Repeat("x", 300)))+fromProvider(2, note("b"))))
	for _, size := range []int{1 << 20, 1, 100} {
		got, _ := run(Options{MaxSize: 100}, newPath(), steps, size)
		if len(got) != 3 || !strings.HasSuffix(got[1], " of 314") || got[2] != message("b") {
			t.Errorf("in pieces of %d: %q", size, got)
		}
	}
}

// What all connections hold together is bounded; one that would need more is not followed to its end.
func TestMaxHeld(t *testing.T) {
	set := New(Options{MaxSize: 1 << 20, MaxHeld: 1 << 20})
	b := session.NewBatch()
	large := fromProvider(2, note(strings.Repeat("x", 900<<10)))
	var last *session.Event
	for range 3 {
		conn := newPath()
		for _, s := range append(opening(path7), client(large[:600<<10])) {
			set.Take(b, &packet.Piece{Conn: conn, From: s.from, Data: []byte(s.data)})
		}
		last = &b.Events[len(b.Events)-1]
	}
	if set.held > 1<<20 || last.Kind != session.Closed || last.End.Kind != session.EndCapture || !strings.Contains(last.End.Error, "1 MiB") {
		t.Errorf("%d bytes held, last %s", set.held, line(last))
	}
}

// Of a side that sends no messages only that side is left: the path goes on.
func TestMaxHeldOfReceiver(t *testing.T) {
	set := New(Options{MaxSize: 4 << 20, MaxHeld: 1 << 20})
	b := session.NewBatch()
	large := fromProxy(2, strings.Repeat("x", 3<<20))
	conns := []*packet.Conn{newPath(), {Client: dialer, Server: "10.0.0.8:14979", Certain: true}}
	for _, conn := range conns {
		for _, s := range append(opening(path7), server(large[:600<<10])) {
			set.Take(b, &packet.Piece{Conn: conn, From: s.from, Data: []byte(s.data)})
		}
	}
	set.Take(b, &packet.Piece{Conn: conns[1], From: packet.Client, Data: []byte(fromProvider(2, note("a")))})
	var got []string
	for i := range b.Events[len(b.Events)-2:] {
		got = append(got, line(&b.Events[len(b.Events)-2+i]))
	}
	want := []string{"note gap " + path7 + " from the proxy from the end of a message on; what it sends is not read from here on, " +
		"since more than 1 MiB of unfinished messages would have to be held", message("a")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOpenAgain(t *testing.T) {
	set := New(Options{MaxSize: 1 << 20})
	first, second := newPath(), &packet.Conn{Client: "10.0.0.5:52000", Server: listen, Certain: true}
	b := session.NewBatch()
	for _, conn := range []*packet.Conn{first, second} {
		for _, s := range append(opening(path7), client(fromProvider(2, note("a")))) {
			set.Take(b, &packet.Piece{Conn: conn, From: s.from, Data: []byte(s.data)})
		}
	}
	var got []string
	for i := range b.Events {
		got = append(got, line(&b.Events[i])+" "+b.Events[i].Remote)
	}
	want := []string{"opened " + path7 + " " + dialer, message("a") + " ", "opened " + path7 + " 10.0.0.5:52000", "note open-again " + path7 + " 10.0.0.5:52000", message("a") + " 10.0.0.5:52000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What stands behind a gap may come after what the other side answered to it.
func TestLateClose(t *testing.T) {
	set := New(Options{MaxSize: 1 << 20})
	conn, b := newPath(), session.NewBatch()
	for _, p := range []packet.Piece{
		{From: packet.Client, Time: 1, Data: []byte(upgrade(path7))},
		{From: packet.Server, Time: 2, Data: []byte(switching)},
		{From: packet.Server, Time: 5, Data: []byte(closing(1000, nil))},
		{From: packet.Client, Time: 4, Data: []byte(closing(1000, &mask)), Missing: 9},
	} {
		p.Conn = conn
		set.Take(b, &p)
	}
	if last := line(&b.Events[len(b.Events)-1]); last != "closed "+path7+" from the provider close 1000" {
		t.Error(last)
	}
}

// The same path of another proxy is another path: 409 is due for neither.
func TestTwoProxies(t *testing.T) {
	set := New(Options{MaxSize: 1 << 20})
	b := session.NewBatch()
	conns := []*packet.Conn{newPath(), {Client: "10.0.0.5:51001", Server: "10.0.0.8:14979", Certain: true},
		{Client: "10.0.0.8:14980", Server: "10.0.0.5:51002"}} // of the last, a guess says that the proxy dialled
	for i, conn := range conns {
		from, data := packet.Client, opening(path7)
		if i == 2 {
			from = packet.Server
		}
		for _, s := range append(data, client(fromProvider(session.OpBinary, note("a")))) {
			set.Take(b, &packet.Piece{Conn: conn, From: s.from ^ from, Data: []byte(s.data)})
		}
	}
	var got []string
	for _, e := range b.Events {
		got = append(got, fmt.Sprintf("%v %s of %s, remote %q", e.Kind, e.Path, e.Proxy, e.Remote))
	}
	want := []string{
		"opened " + path7 + " of 10.0.0.9:14979, remote \"10.0.0.5:51000\"", "message " + path7 + " of 10.0.0.9:14979, remote \"\"",
		"opened " + path7 + " of 10.0.0.8:14979, remote \"10.0.0.5:51001\"", "message " + path7 + " of 10.0.0.8:14979, remote \"\"",
		"opened " + path7 + " of 10.0.0.8:14980, remote \"10.0.0.5:51002\"", "message " + path7 + " of 10.0.0.8:14980, remote \"\"",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCounts(t *testing.T) {
	set := New(Options{MaxSize: 1 << 20})
	b := session.NewBatch()
	for _, steps := range [][]step{
		opening(path7), opening(path7), opening("/requests"), {client("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}, {client("\x16\x03\x01")}, {server("SSH-2.0-x\r\n")}, {client("QUIT\r\n")},
	} {
		conn := newPath()
		for _, s := range steps {
			set.Take(b, &packet.Piece{Conn: conn, From: s.from, Data: []byte(s.data)})
		}
	}
	want := Counts{Conns: 7, Upgraded: 3, HTTP: 1, TLS: 1, Other: 2, Paths: []string{path7, "/requests"}, Proxies: []string{listen}}
	if diff := cmp.Diff(want, set.Counts()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// An ask on /requests names the path of a connection that lacks its upgrade, where it is the only one without an answer
// that the frames can be of.
func TestAskNamesPath(t *testing.T) {
	list, four, five := "\x00\x00\x00\x01\x00null", "\x00\x00\x00\x02\x04", "\x00\x00\x00\x03\x04"
	answer, odd := "\x00{\"tools\":[]}", "\x09\x08"
	for _, test := range []struct {
		name   string
		asks   []string
		opened string // a path that is open
		sent   string
		want   string
	}{
		{"the only ask of kind 4", []string{list, four}, "", note("a"), "/mcp/notifications/2"},
		{"two of kind 4", []string{four, five}, "", note("a"), session.SomeChannel},
		{"two, and one is answered", []string{four, five}, "/mcp/notifications/2", note("a"), "/mcp/notifications/3"},
		{"the only ask is answered", []string{four}, "/mcp/notifications/2", note("a"), session.SomeChannel},
		{"/requests is opened again", []string{four}, "/requests", note("a"), session.SomeChannel},
		{"a list of tools", []string{list, four}, "", answer, "/mcp/list-tools/1"},
		{"anything, and nothing else is asked", []string{four}, "", odd, "/mcp/notifications/2"},
		{"anything, and something else is asked", []string{list, four}, "", odd, ""},
	} {
		set, b := New(Options{MaxSize: 1 << 20}), session.NewBatch()
		conn := newPath()
		give := func(steps ...step) {
			for _, s := range steps {
				set.Take(b, &packet.Piece{Conn: conn, From: s.from, Data: []byte(s.data), Missing: s.missing, End: s.end})
			}
		}
		give(opening("/requests")...)
		for _, ask := range test.asks {
			give(server(fromProxy(2, ask)))
		}
		if test.opened != "" {
			conn = newPath()
			give(opening(test.opened)...)
		}
		conn = &packet.Conn{Client: listen, Server: dialer} // a wrong guess
		b.Events = b.Events[:0]
		frames := strings.Repeat(fromProvider(2, test.sent), 3)
		give(lost(server(frames), packet.Unknown), ended(server(""), packet.FIN), ended(client(""), packet.FIN))
		got := ""
		if len(b.Events) > 0 {
			got = b.Events[0].Path
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
