package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"kind4/decode/session"
)

// describeEvent words an event as far as an archive can make one.
func describeEvent(ev *session.Event) string {
	s := fmt.Sprintf("%d %v %s", ev.Time, ev.Kind, ev.Path)
	if ev.From != 0 {
		s += " " + ev.From.String()
	}
	switch ev.Kind {
	case session.Message, session.Asked, session.Control:
		s += fmt.Sprintf(" %d %q", ev.Opcode, ev.Data)
	case session.Note:
		s += fmt.Sprintf(" %v %d %s", ev.Note, ev.Size, ev.Reason)
	case session.Refused:
		s += fmt.Sprintf(" %s %d %s", ev.Method, ev.Status, ev.Reason)
	case session.Closed:
		s += fmt.Sprintf(" %v %d %s", ev.End.Kind, ev.End.Code, ev.End.Error)
	case session.Opened:
		s += " " + strings.ReplaceAll(strings.TrimSuffix(ev.Header, "\n"), "\n", "; ")
	}
	return strings.TrimSpace(s)
}

// events reads an archive to its end.
func events(t *testing.T, src io.Reader, o Options) (events []string, err error) {
	t.Helper()
	o.Format, o.Name = HAR, "x.har"
	r := NewReader(src, o)
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for i := range b.Events {
			events = append(events, describeEvent(&b.Events[i]))
		}
		b.Release()
		if err == io.EOF {
			return events, nil
		}
		if err != nil {
			return events, err
		}
	}
}

// TestHAR reads archives in the shapes of Chrome's network panel, which has the messages before the request, of a proxy's
// export, and of Playwright. 1796040000 is 2026-11-30T12:00:00Z.
func TestHAR(t *testing.T) {
	for name, want := range map[string][]string{
		"chrome": {
			"1796040001000000 opened /mcp/notifications/2 Origin: https://gateway.example; Sec-WebSocket-Version: 13",
			`1796040001250000 message /mcp/notifications/2 provider 2 "\x00{\"method\":\"notifications/tools/list_changed\"}"`,
			"1796040001500000 note /mcp/notifications/2 proxy wrong-way 9",
			`1796040002000001 message /mcp/notifications/2 provider 2 "\x01{\"code\":-32603,\"message\":\"upstream gone\"}"`,
			"1796040002100000 note /mcp/notifications/2 provider gap 0 byte 2009 of x.har: its data is no base64, which that of a binary message is",
			"1796040002100000 closed /mcp/notifications/2 capture 0",
			"1796040003000000 note /chat carried 8 5 bytes sent, 3 bytes received",
		},
		"playwright": { // written by Playwright 1.65 with Chromium 156; its times are milliseconds
			"1796075755383000 opened /mcp/notifications/2 HEADER",
			`1796075755393303 message /mcp/notifications/2 provider 2 "\x00{\"method\":\"notifications/tools/list_changed\"}"`,
			`1796075755393899 message /mcp/notifications/2 provider 2 "\x00{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"t\",\"progress\":1}}"`,
			`1796075755394027 message /mcp/notifications/2 provider 1 "text"`,
			"1796075755394089 note /mcp/notifications/2 proxy wrong-way 3",
			"1796075755394089 closed /mcp/notifications/2 capture 0",
		},
		"proxied": {
			"1796040000500000 opened /requests Upgrade: websocket",
			`1796040000600000 asked /requests proxy 2 "\x00\x00\x00\x02\x04"`,
			`1796040000700000 message /requests provider 2 "\x00"`,
			"1796040000700000 closed /requests capture 0",
			"1796040001000000 opened /mcp/notifications/2",
			`1796040001100000 message /mcp/notifications/2 provider 2 "\x00{\"method\":\"notifications/tools/list_changed\"}"`,
			"1796040001200000 note /mcp/notifications/2 proxy wrong-way 4",
			`1796040001300000 control /mcp/notifications/2 provider 9 ""`,
			"1796040001400000 closed /mcp/notifications/2 provider close 1001",
			"1796040002000000 refused /mcp/notifications/2 proxy GET 404 Not Found",
			"1796040003000000 opened /tool/notifications",
			`1796040003500000 message /tool/notifications proxy 2 "\x00{}"`,
			`1796040003600000 closed /tool/notifications reset 0 Invalid \u001b[31mUTF-8`,
		},
	} {
		archive, err := os.ReadFile("testdata/har/" + name + ".har")
		if err != nil {
			t.Fatal(err)
		}
		for how, src := range map[string]io.Reader{"whole": bytes.NewReader(archive), "byte by byte": iotest.OneByteReader(bytes.NewReader(archive))} {
			got, err := events(t, src, Options{})
			if name == "playwright" && len(got) > 0 {
				line, header, _ := strings.Cut(got[0], " Upgrade: websocket; ")
				if got[0] = line + " HEADER"; !strings.Contains(header, "; Sec-WebSocket-Version: 13; ") {
					t.Errorf("header %q", header)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s, %s: %v\n%s", name, how, err, diff)
			}
		}
	}
}

// TestHARAsks leaves the asks of an archive alone, as messages.
func TestHARAsks(t *testing.T) {
	archive, _ := os.ReadFile("testdata/har/proxied.har")
	got, err := events(t, bytes.NewReader(archive), Options{Asks: true})
	if want := []string{`1796040000600000 message /requests proxy 2 "\x00\x00\x00\x02\x04"`}; err != nil || !equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestHARTime(t *testing.T) {
	for n, want := range map[float64]int64{
		1796040001.25: 1796040001250000, 1666255720.899063: 1666255720899063, 1796040001250: 1796040001250000,
		1796040001250001: 1796040001250001, 0: 0, -1: 0, 1e300: 0,
	} {
		if got := harTime(n); got != want {
			t.Errorf("%f: %d, want %d", n, got, want)
		}
	}
}

// oneSocket is an archive of one WebSocket, with the members given.
func oneSocket(messages, before, behind string) string {
	return `{"log":{"version":"1.2","entries":[{` + before + `"_webSocketMessages":[` + messages + `]` + behind + `}]}}`
}

const toolRequest = `"request":{"url":"ws://h/tool/notifications"}`

func harMessageOf(data string) string {
	return `{"type":"receive","time":1,"opcode":2,"data":"` + data + `"}`
}

// TestBrokenHAR keeps what came before, and says where.
func TestBrokenHAR(t *testing.T) {
	good := oneSocket(harMessageOf("AHt9"), toolRequest+",", "")
	message := `1000000 message /tool/notifications proxy 2 "\x00{}"`
	for _, c := range []struct {
		input string
		want  string
		torn  bool
		shown bool // the message
	}{
		{good, "", false, true},
		{good + "\n ", "", false, true},
		{good + "x", fmt.Sprintf(`byte %d of x.har: "x" where the archive needs nothing`, len(good)), false, true},
		{good[:len(good)-2], fmt.Sprintf("byte %d of x.har: the archive ends before its end", len(good)-2), true, true},
		{good[:len(good)-5], fmt.Sprintf("byte %d of x.har: the archive ends before its end", len(good)-5), true, true},
		{strings.Replace(good, "]}]}}", "]]]}}", 1), fmt.Sprintf(`byte %d of x.har: "]" where the archive needs "," or an end`, len(good)-4), false, true},
		{strings.Replace(good, `"version":"1.2"`, `"version":nul`, 1), `byte 18 of x.har: "nul" where the archive needs a value`, false, false},
		{strings.Replace(good, `"version":"1.2"`, `"version":"\x"`, 1), `byte 19 of x.har: no escape: "\\x"`, false, false},
		{strings.Replace(good, `"version":"1.2"`, `"version":"\u00g0"`, 1), `byte 19 of x.har: no escape: "\\u00g0"`, false, false},
		{strings.Replace(good, `"version":"1.2"`, `"version""1.2"`, 1), `byte 17 of x.har: "\"" where the archive needs ":"`, false, false},
		{`{"log":` + strings.Repeat("[", 2000), "byte 1006 of x.har: more than 1000 arrays and objects deep", false, false},
	} {
		got, err := events(t, strings.NewReader(c.input), Options{})
		var e *Error
		if text := errorText(t, err); text != c.want || errors.As(err, &e) && e.Torn != c.torn {
			t.Errorf("%s: %v, want %s", c.input[:min(len(c.input), 200)], err, c.want)
		}
		if (strings.Contains(strings.Join(got, "\n"), message)) != c.shown {
			t.Errorf("%s: %q", c.input[:min(len(c.input), 200)], got)
		}
	}
}

// TestEveryCutOfHAR cuts an archive anywhere: what is whole of its messages is there, with a path or without.
func TestEveryCutOfHAR(t *testing.T) {
	for name, archive := range map[string]string{
		"request first":  oneSocket(harMessageOf("AHt9")+","+harMessageOf("AXt9"), toolRequest+",", ""),
		"messages first": oneSocket(harMessageOf("AHt9")+","+harMessageOf("AXt9"), "", ","+toolRequest),
	} {
		for n := range archive {
			got, err := events(t, strings.NewReader(archive[:n]), Options{})
			if n > 0 && err == nil {
				t.Errorf("%s, cut at %d: no error", name, n)
			}
			whole := strings.Count(archive[:n], `"}`) - strings.Count(archive[:n], `notifications"}`)
			messages := 0
			for _, ev := range got {
				if strings.Contains(ev, " message ") {
					messages++
				}
			}
			if messages != whole {
				t.Errorf("%s, cut at %d: %d messages, %d are whole: %q", name, n, messages, whole, got)
			}
		}
	}
}

// TestHARIsCut reads messages over the cap, binary and text, and what is in other strings that are long.
func TestHARIsCut(t *testing.T) {
	long := strings.Repeat("AHt9", 5000) // 15,000 bytes of base64
	archive := oneSocket(harMessageOf(long)+","+harMessageOf(long[:len(long)-1]+"=")+`,{"type":"receive","time":1,"opcode":1,"data":"`+
		strings.Repeat(`\u20ac`, 1000)+`"},`+harMessageOf("AHt9"), `"comment":"`+strings.Repeat("x", 200<<10)+`",`, ","+toolRequest)
	r := NewReader(strings.NewReader(archive), Options{Format: HAR, MaxSize: 1024})
	var sizes []int64
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for _, ev := range b.Events {
			if ev.Kind == session.Message {
				sizes = append(sizes, ev.Size)
				if want := min(ev.Size, headSize); ev.Size > 1024 && int64(len(ev.Data)) != want {
					t.Errorf("%d bytes of %d", len(ev.Data), ev.Size)
				}
			}
		}
		b.Release()
		if err != nil {
			break
		}
	}
	if want := []int64{15000, 14999, 3000, 3}; fmt.Sprint(sizes) != fmt.Sprint(want) {
		t.Errorf("sizes %v, want %v", sizes, want)
	}
}

// TestHAROfNoMessages says what is missing.
func TestHAROfNoMessages(t *testing.T) {
	for archive, hint := range map[string]bool{
		`{"log":{"version":"1.2","entries":[]}}`:                                          true,
		`{"log":{"version":"1.2","entries":[{"request":{"url":"ws://h/requests"}}]}}`:     true,
		oneSocket("", "", ","+toolRequest):                                                false,
		`{"log":{"comment":"\"_webSocketMessages\":[]","_webSocketMessages":[{}]}}`:       true,
		`{"log":{"entries":[{"comment":{"_webSocketMessages":[]},"request":{"url":3}}]}}`: true,
	} {
		g := read(Auto, archive)
		if g.format != HAR || g.err != nil || (g.hint != "") != hint || hint && !strings.HasPrefix(g.hint, "no entry has _webSocketMessages") {
			t.Errorf("%s: %v, %v, hint %q", archive, g.format, g.err, g.hint)
		}
	}
}

// harSource is a large archive, made as it is read.
type harSource struct {
	begin, part, end string
	parts            int
	rest             string
}

func (s *harSource) Read(p []byte) (int, error) {
	for s.rest == "" {
		switch {
		case s.begin != "":
			s.rest, s.begin = s.begin, ""
		case s.parts > 0:
			s.rest, s.parts = s.part, s.parts-1
		case s.end != "":
			s.rest, s.end = s.end, ""
		default:
			return 0, io.EOF
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// TestHARWithoutURL reads a WebSocket whose URL the end of the archive cut off: it is what its messages look like, or what
// --channel says, and otherwise it is counted.
func TestHARWithoutURL(t *testing.T) {
	const (
		notification = `{"type":"send","time":1,"opcode":2,"data":"AHt9"}` // 00 {}
		ask          = `{"type":"receive","time":1,"opcode":2,"data":"AAAAAgQ="}`
		chat         = `{"type":"send","time":1,"opcode":1,"data":"{\"chat\":1}"}`
		lacks        = "the archive lacks its URL"
	)
	for name, c := range map[string]struct {
		messages string
		channel  bool // 7
		want     []string
	}{
		"sent": {chat + "," + notification, false, []string{
			"1000000 note /mcp/notifications/? mid-stream 0 a WebSocket taken for a notification path, from its messages: " + lacks,
			`1000000 message /mcp/notifications/? provider 1 "{\"chat\":1}"`,
			`1000000 message /mcp/notifications/? provider 2 "\x00{}"`,
			"1000000 closed /mcp/notifications/? capture 0"}},
		"sent, named": {notification, true, []string{
			"1000000 note /mcp/notifications/7 mid-stream 0 a WebSocket taken for /mcp/notifications/7, as --channel says: " + lacks,
			`1000000 message /mcp/notifications/7 provider 2 "\x00{}"`,
			"1000000 closed /mcp/notifications/7 capture 0"}},
		"asks": {ask, true, []string{
			"1000000 note /requests mid-stream 0 a WebSocket taken for /requests, from its messages: " + lacks,
			`1000000 asked /requests proxy 2 "\x00\x00\x00\x02\x04"`,
			"1000000 closed /requests capture 0"}},
		"others": {chat + "," + chat, false, []string{
			"0 note  carried 20 20 bytes sent, 0 bytes received in 2 messages, none of which begins as one of the protocol, and " + lacks +
				"; --channel N takes it for notification path N"}},
		"others, named": {chat, true, []string{
			"1000000 note /mcp/notifications/7 mid-stream 0 a WebSocket taken for /mcp/notifications/7, as --channel says: " + lacks,
			`1000000 message /mcp/notifications/7 provider 1 "{\"chat\":1}"`,
			"1000000 closed /mcp/notifications/7 capture 0"}},
		"cut behind its URL": {chat + `],"request":{"url":"ws://h/chat"`, false, []string{"0 note /chat carried 10 10 bytes sent, 0 bytes received"}},
	} {
		archive, _, _ := strings.Cut(oneSocket(c.messages+"|", "", ""), "|")
		o := Options{}
		if c.channel {
			o.Channel = new(uint32)
			*o.Channel = 7
		}
		got, err := events(t, strings.NewReader(archive), o)
		var e *Error
		if diff := cmp.Diff(c.want, got); diff != "" || !errors.As(err, &e) || !e.Torn {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// TestHARLeftOut reads more messages than are held that are none of the protocol's, and then their URL.
func TestHARLeftOut(t *testing.T) {
	const parts = 70
	part := `{"type":"receive","time":1,"opcode":1,"data":"` + strings.Repeat("x", 1<<20) + `"}`
	for url, want := range map[string]string{
		"/chat": "0 note /chat carried 73400320 0 bytes sent, 73400320 bytes received",
		"/mcp/notifications/2": "0 note /mcp/notifications/2 carried 73400320 0 bytes sent, 73400320 bytes received in 70 messages, none of " +
			"which begins as one of the protocol, and its URL stands over 64 MiB behind its first message; --channel N takes it for " +
			"notification path N",
	} {
		begin, end, _ := strings.Cut(oneSocket(part+"|", "", `,"request":{"url":"ws://h`+url+`"}`), "|")
		got, err := events(t, &harSource{begin: begin, part: "," + part, end: end, parts: parts - 1}, Options{})
		if err != nil || !equal(got, []string{want}) {
			t.Errorf("%s: %.300q, %v", url, got, err)
		}
	}
}

// TestHARElements reads elements that are no messages: the archive has a fault, and not who sent them.
func TestHARElements(t *testing.T) {
	for element, fault := range map[string]string{
		`{"type":"send","time":1,"opcode":2}`:                          `{: it has no data`,
		`{"type":"send","time":1,"opcode":1,"data":null}`:              `null: its data is no string`,
		`{"type":"send","time":1,"opcode":2,"data":["AHt9"]}`:          `[: its data is no string`,
		`{"type":"send","time":1,"opcode":2,"data":7}`:                 `7: its data is no string`,
		`{"type":"send","time":1,"opcode":"2","data":"AHt9"}`:          `"2": its opcode is no number`,
		`{"type":"send","time":1,"opcode":null,"data":"AHt9"}`:         `null: its opcode is no number`,
		`{"type":"send","time":1,"opcode":{"opcode":2},"data":"AHt9"}`: `{"opcode": its opcode is no number`,
		`{"type":"send","time":1,"data":"AHt9"}`:                       `{: it has no opcode`,
		`5`:                                                            `5: no object, which a message is`,
		`null`:                                                         `null: no object, which a message is`,
		`"AHt9"`:                                                       `"AHt9": no object, which a message is`,
		`[{"a":[]}]`:                                                   `[: no object, which a message is`,
		`{"type":"send","time":1,"opcode":9}`:                          "",
		`{"type":"error","time":1,"opcode":-1}`:                        "",
	} {
		const good = `{"type":"send","time":1,"opcode":2,"data":"AHt9"}`
		archive := oneSocket(good+","+element+","+good, `"request":{"url":"ws://h/mcp/notifications/2"},`, "")
		got, err := events(t, strings.NewReader(archive), Options{})
		const message = `1000000 message /mcp/notifications/2 provider 2 "\x00{}"`
		if err != nil || len(got) < 4 || got[1] != message || got[len(got)-2] != message {
			t.Errorf("%s: %q, %v", element, got, err)
			continue
		}
		var want []string
		if at, text, found := strings.Cut(fault, ": "); found {
			offset := strings.Index(archive, good) + len(good) + 1 + strings.Index(element, at)
			want = []string{fmt.Sprintf("1000000 note /mcp/notifications/2 provider gap 0 byte %d of x.har: %s", offset, text)}
		}
		var gaps []string
		for _, ev := range got {
			if strings.Contains(ev, " gap ") {
				gaps = append(gaps, ev)
			}
		}
		if diff := cmp.Diff(want, gaps); diff != "" {
			t.Errorf("%s\n%s", element, diff)
		}
	}
}

// TestLargeHAR reads large archives in memory that does not grow with them; of messages before their URL no more is held than
// the cap.
func TestLargeHAR(t *testing.T) {
	const parts = 1 << 19
	message := harMessageOf(strings.Repeat("AHt9", 24)) // 72 bytes
	for _, c := range []struct {
		name, before, behind string
		first                string // what the first event is
		memory               uint64
	}{
		{"request first", toolRequest + ",", "", "1000000 opened /tool/notifications", 8 << 20},
		{"messages first", "", "," + toolRequest, "1000000 note /tool/notifications mid-stream 0 a WebSocket taken for " +
			"/tool/notifications, from its messages: its URL stands over 64 MiB behind its first message", 2 * maxHeld},
	} {
		begin, end, _ := strings.Cut(oneSocket(message+"|", c.before, c.behind), "|")
		r := NewReader(&harSource{begin: begin, part: "," + message, end: end, parts: parts - 1}, Options{Format: HAR})
		var most uint64
		messages, first := 0, ""
		for i := 0; ; i++ {
			b := session.NewBatch()
			err := r.Next(b)
			for _, ev := range b.Events {
				if first == "" {
					first = describeEvent(&ev)
				}
				if ev.Kind == session.Message && ev.Path == session.ToolPath {
					messages++
				}
			}
			b.Release()
			if i%256 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			if err != nil {
				if err != io.EOF {
					t.Errorf("%s: %v", c.name, err)
				}
				break
			}
		}
		if messages != parts || first != c.first {
			t.Errorf("%s: %d messages behind %q", c.name, messages, first)
		}
		if most > c.memory {
			t.Errorf("%s: %d MiB held", c.name, most>>20)
		}
	}
}
