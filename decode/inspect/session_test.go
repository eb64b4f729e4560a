package inspect

import (
	"fmt"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

const testPath = "/mcp/notifications/2"

// feeder gives a session messages as a source does.
type feeder struct {
	*Session
	t    *testing.T
	now  int64
	path string
}

func newFeeder(t *testing.T) *feeder {
	return &feeder{Session: NewSession(), t: t, path: testPath}
}

// send gives the session one message, which it returns the findings of.
func (d *feeder) send(message string) []Finding {
	var f decode.Frame
	_ = f.Decode(bytesOf(message))
	return d.event(&f, session.Event{})
}

func (d *feeder) text(text string) []Finding {
	var f decode.Frame
	f.SetText([]byte(text))
	return d.event(&f, session.Event{Opcode: session.OpText})
}

func (d *feeder) event(f *decode.Frame, ev session.Event) []Finding {
	ev.Kind, ev.Path, ev.Time, ev.Data = session.Message, d.path, d.now, f.Message
	findings := d.Message(nil, &ev, f)
	for i := range findings {
		checkSafe(d.t, "session", &findings[i])
	}
	return findings
}

// said checks that one of the findings has that code, and that its text holds says.
func said(t *testing.T, findings []Finding, code decode.Code, severity decode.Severity, says string) {
	t.Helper()
	for i := range findings {
		if f := &findings[i]; f.Code == code {
			if f.Severity != severity || !strings.Contains(string(f.AppendText(nil)), says) {
				t.Errorf("%s, want %v and %q", text(f), severity, says)
			}
			return
		}
	}
	t.Errorf("%v lacks %v", codesOf(findings), code)
}

// unsaid checks that none of the findings has that code.
func unsaid(t *testing.T, findings []Finding, code decode.Code) {
	t.Helper()
	for i := range findings {
		if findings[i].Code == code {
			t.Errorf("%s is too much", text(&findings[i]))
		}
	}
}

func step(token, progress string) string {
	return progressWith(`"progressToken":` + token + `,"progress":` + progress)
}

func TestProgress(t *testing.T) {
	for _, r := range []struct{ last, next, says string }{
		{"5", "3", "3 does not come after 5, which #1 told"},
		{"5", "5", "5 does not come after 5"},
		{"5", "5.0", "5.0 does not come after 5"},
		{"5", "50e-1", "50e-1 does not come after 5"},
		{"-1", "-2", "-2 does not come after -1"},
		{"0", "-0.0", "-0.0 does not come after 0"},
		{"9007199254740993", "9007199254740992", "9007199254740992 does not come after 9007199254740993"},
		{"1", "2", ""},
		{"-2", "-1", ""},
		{"9007199254740992", "9007199254740993", ""},
		{"0.1", "0.10000000000000000001", ""},
		{"1e-400", "2e-400", ""},
		{"-1e-400", "0", ""},
		{"1e5", "100000.5", ""},
	} {
		d := newFeeder(t)
		d.send(step(`"up"`, r.last))
		findings := d.send(step(`"up"`, r.next))
		if r.says == "" {
			unsaid(t, findings, decode.ProgressNotIncreasing)
			continue
		}
		said(t, findings, decode.ProgressNotIncreasing, decode.Warning, r.says)
	}
	d := newFeeder(t)
	d.send(step(`"up"`, "5"))
	unsaid(t, d.send(step(`"other"`, "1")), decode.ProgressNotIncreasing)
	findings := d.send(step(`"\u0075p"`, "4"))
	said(t, findings, decode.ProgressNotIncreasing, decode.Warning, "#1")
	if p := findings[0].Pointer(); p != "/params/progress" {
		t.Errorf("pointer %q", p)
	}
	d.path = "/mcp/notifications/3"
	unsaid(t, d.send(step(`"up"`, "1")), decode.ProgressNotIncreasing)
}

func TestProgressTotal(t *testing.T) {
	d := newFeeder(t)
	said(t, d.send(progressWith(`"progressToken":1,"progress":10,"total":9`)), decode.ProgressOverTotal, decode.Warning, "10 is above the total, 9")
	unsaid(t, d.send(progressWith(`"progressToken":1,"progress":11,"total":11.0`)), decode.ProgressOverTotal)
	said(t, d.send(step("1", "12")), decode.ProgressOverTotal, decode.Warning, "12 is above the total, 11.0")
	unsaid(t, d.send(progressWith(`"progressToken":2,"progress":12,"total":null`)), decode.ProgressOverTotal)
}

func TestProgressAfterCancel(t *testing.T) {
	d := newFeeder(t)
	d.send(`0:{"method":"notifications/cancelled","params":{"requestId":4}}`)
	said(t, d.send(step("4", "1")), decode.ProgressAfterCancel, decode.Info, "#1")
	unsaid(t, d.send(step(`"4"`, "1")), decode.ProgressAfterCancel)
	d.send(`0:{"method":"notifications/cancelled","params":{"requestId":"\u0061"}}`)
	said(t, d.send(step(`"a"`, "1")), decode.ProgressAfterCancel, decode.Info, "#4")
}

func TestTokenTwins(t *testing.T) {
	d := newFeeder(t)
	d.send(step("4", "1"))
	said(t, d.send(step(`"4"`, "1")), decode.TokenTwins, decode.Info, `"4" and 4 (#1) are different tokens`)
	d.send(step("5", "1"))
	unsaid(t, d.send(step(`"5"`, "1")), decode.TokenTwins)
	d = newFeeder(t)
	d.send(step(`"4"`, "1"))
	said(t, d.send(step("4", "1")), decode.TokenTwins, decode.Info, `4 and "4" (#1)`)
}

func TestTaskAfterEnd(t *testing.T) {
	task := func(status string) string {
		return `0:{"method":"notifications/tasks","params":{"taskId":"t","status":` + status + `,"createdAt":"a","lastUpdatedAt":"b","result":{},"error":{}}}`
	}
	d := newFeeder(t)
	unsaid(t, d.send(task(`"working"`)), decode.TaskAfterEnd)
	unsaid(t, d.send(task(`{"completed":null}`)), decode.TaskAfterEnd)
	said(t, d.send(task(`"working"`)), decode.TaskAfterEnd, decode.Warning, `working behind completed: #2 told the end of task "t"`)
}

func TestRepeated(t *testing.T) {
	d := newFeeder(t)
	d.now = 1_000_000
	d.send("0:" + changed)
	d.now += 50_000
	said(t, d.send("0:"+changed), decode.RepeatedMessage, decode.Info, "#1, 50000 µs before")
	d.now += 50_001
	unsaid(t, d.send("0:"+changed), decode.RepeatedMessage)
	d.now++
	unsaid(t, d.send("0:"+changed+" "), decode.RepeatedMessage)
	d = newFeeder(t) // without times nothing is told
	d.send("0:" + changed)
	unsaid(t, d.send("0:"+changed), decode.RepeatedMessage)
}

func TestAfterError(t *testing.T) {
	d := newFeeder(t)
	unsaid(t, d.send(`1:{"code":-32603,"message":"gone"}`), decode.AfterError)
	findings := d.send("0:" + changed)
	said(t, findings, decode.AfterError, decode.Error, "#1")
	unsaid(t, findings, decode.ReceiverStopped)
	said(t, d.send("0:"), decode.AfterError, decode.Error, "#1")
	if _, _, ok := d.Stopped(); ok {
		t.Error("stopped, but after an error message")
	}
}

func TestReceiverStopped(t *testing.T) {
	d := newFeeder(t)
	d.send("0:" + changed)
	unsaid(t, d.send(""), decode.ReceiverStopped)
	said(t, d.send("0:"+changed), decode.ReceiverStopped, decode.Warning, "#2, which does not decode")
	unsaid(t, d.send("0:"+changed), decode.ReceiverStopped)
	unsaid(t, d.send(`1:{"code":-1,"message":"m"}`), decode.AfterError)
	d.path = "/mcp/notifications/3"
	d.text("hello")
	said(t, d.send("0:"+changed), decode.ReceiverStopped, decode.Warning, "#6, a text message")
	if seq, missed, ok := d.Stopped(); seq != 2 || missed != 4 || !ok {
		t.Errorf("stopped at #%d, missed %d, %v; want #2, 4", seq, missed, ok)
	}
	d = newFeeder(t)
	var f decode.Frame
	f.SetOversize([]byte{0, '{'}, 1<<20)
	said(t, d.event(&f, session.Event{}), decode.Oversize, decode.Error, "1048576 bytes")
	unsaid(t, d.send("0:"+changed), decode.ReceiverStopped)
}

func TestOnce(t *testing.T) {
	d := newFeeder(t)
	said(t, d.send(method("acme/x")), decode.CustomMethod, decode.Info, "acme/x")
	unsaid(t, d.send(method("acme/x")), decode.CustomMethod)
	said(t, d.send(method("acme/y")), decode.CustomMethod, decode.Info, "acme/y")
	cancel := `0:{"method":"notifications/cancelled","params":{"requestId":4}}`
	said(t, d.send(cancel), decode.CancelsWork, decode.Info, "authorisation")
	unsaid(t, d.send(cancel), decode.CancelsWork)
	d.path = "/mcp/notifications/3"
	said(t, d.send(cancel), decode.CancelsWork, decode.Info, "authorisation")
	unsaid(t, d.send(method("acme/x")), decode.CustomMethod)
	want := []Repeat{{decode.CustomMethod, "acme/x", 3}, {decode.CancelsWork, "", 3}, {decode.CustomMethod, "acme/y", 1}}
	if got := d.Repeats(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("repeats %v, want %v", got, want)
	}
}

// TestOnceByText holds a custom method to be told once, however it is spelled and however long it is.
func TestOnceByText(t *testing.T) {
	for _, length := range []int{MaxKey + 1, maxBeginning - 2, maxBeginning - 1, maxBeginning, 2 * maxBeginning} {
		d := newFeeder(t)
		said(t, d.send(method("x")), decode.CustomMethod, decode.Info, `"x"`)
		unsaid(t, d.send(method(`\u0078`)), decode.CustomMethod)
		long := strings.Repeat("m", length)
		findings := d.send(method(long))
		said(t, findings, decode.CustomMethod, decode.Info, "mmm")
		unsaid(t, findings, decode.StateCapped)
		unsaid(t, d.send(method(long)), decode.CustomMethod)
		said(t, d.send(method(long+"n")), decode.CustomMethod, decode.Info, "mmm")
		want := []Repeat{{decode.CustomMethod, strings.Repeat("m", MaxKey-8) + "…", 2}, {decode.CustomMethod, "x", 2},
			{decode.CustomMethod, strings.Repeat("m", MaxKey-8) + "…", 1}}
		if got := d.Repeats(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d: repeats %v, want %v", length, got, want)
		}
	}
}

// TestErrorBehindAStop holds a message behind the error to be told so, even where a proxy stopped before.
func TestErrorBehindAStop(t *testing.T) {
	d := newFeeder(t)
	d.send("0:{")
	said(t, d.send(`1:{"code":-1,"message":"m"}`), decode.ReceiverStopped, decode.Warning, "#1")
	findings := d.send("0:" + changed)
	said(t, findings, decode.AfterError, decode.Error, "#2")
	unsaid(t, findings, decode.ReceiverStopped)
	if seq, missed, ok := d.Stopped(); seq != 1 || missed != 2 || !ok {
		t.Errorf("stopped at #%d, missed %d, %v; want #1, 2", seq, missed, ok)
	}
}

func TestStateIsBounded(t *testing.T) {
	d := newFeeder(t)
	told := 0
	for i := range MaxTokens + 100 {
		for _, f := range d.send(step(fmt.Sprint(i), "1")) {
			if f.Code == decode.StateCapped {
				told++
			}
		}
	}
	for i := range MaxMethods + 100 {
		unsaid(t, d.send(method(fmt.Sprintf("acme/%d", i))), decode.StateCapped)
	}
	for i := range MaxPaths + 100 {
		d.path = fmt.Sprintf("/mcp/notifications/%d", i+10)
		d.send(step("1", "1"))
	}
	if told != 1 {
		t.Errorf("state-capped %d times, want once", told)
	}
	if len(d.paths) > MaxPaths || len(d.methods) > MaxMethods {
		t.Errorf("%d paths, %d methods", len(d.paths), len(d.methods))
	}
	d = newFeeder(t)
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	said(t, d.send(step(long, "1")), decode.StateCapped, decode.Info, "longer than")
}

func TestWire(t *testing.T) {
	d := newFeeder(t)
	var f decode.Frame
	_ = f.Decode([]byte("\x00" + changed))
	said(t, d.event(&f, session.Event{Fragments: 3}), decode.Fragmented, decode.Warning, "3 data frames")
	unsaid(t, d.event(&f, session.Event{Fragments: 1}), decode.Fragmented)
	said(t, d.event(&f, session.Event{Size: 65 << 20}), decode.FrameTooLarge, decode.Warning, "64 MiB")
	said(t, d.event(&f, session.Event{Fragments: 2, MaxFrame: 16<<20 + 1}), decode.FrameTooLarge, decode.Warning, "a frame of 16777217 bytes")
	unsaid(t, d.event(&f, session.Event{Fragments: 2, MaxFrame: 16 << 20, Size: 64 << 20}), decode.FrameTooLarge)
	for text, says := range map[string]string{
		changed:                    "behind tag 0, its text would be a valid notification",
		"\x00" + changed:           "the same bytes in a binary message are a valid notification",
		"0" + changed:              "the byte, not the character",
		`{"code":1,"message":"m"}`: "behind tag 1",
		"hello":                    "would not decode",
		"":                         "0 bytes",
	} {
		said(t, newFeeder(t).text(text), decode.TextMessage, decode.Warning, says)
	}
}

func TestUntagged(t *testing.T) {
	d := newFeeder(t)
	d.Untagged = true
	said(t, d.send("0:"+changed), decode.JSONRPCVersion, decode.Warning, "required")
	unsaid(t, d.send(`0:{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`), decode.JSONRPCVersion)
	spelt := d.send(`0:{"jsonRPC":"2.0","method":"notifications/tools/list_changed"}`)
	said(t, spelt, decode.CaseVariant, decode.Warning, `is not "jsonrpc"`)
	unsaid(t, spelt, decode.JSONRPCVersion)
}

func TestClosed(t *testing.T) {
	closed := func(s *Session, path string, end session.End) []Finding {
		findings := s.Event(nil, &session.Event{Kind: session.Closed, Path: path, End: &end})
		for i := range findings {
			checkSafe(t, "closed", &findings[i])
		}
		return findings
	}
	clean := session.End{Kind: session.EndClose, Code: 1000}
	said(t, closed(NewSession(), testPath, clean), decode.NotServed, decode.Warning, "not served")
	unsaid(t, closed(NewSession(), "/tool/notifications", clean), decode.NotServed)
	unsaid(t, closed(NewSession(), testPath, session.End{Kind: session.EndOurs}), decode.NotServed)
	d := newFeeder(t)
	d.send("0:" + changed)
	unsaid(t, closed(d.Session, testPath, clean), decode.NotServed)
	said(t, closed(d.Session, testPath, clean), decode.NotServed, decode.Warning, "not served") // opened once more
	for _, code := range []uint16{0, 1000, 1001} {
		unsaid(t, closed(NewSession(), "/x", session.End{Kind: session.EndClose, Code: code}), decode.CloseCode)
	}
	for code, says := range map[uint16]string{
		1002: "closed with 1002, protocol error", 1009: "message too big", 1011: "internal error", 1013: "try again later",
		1014: "bad gateway", 3000: "unauthorized", 3999: "registered", 4000: "private", 2000: "kept for the protocol", 999: "no legal code",
	} {
		said(t, closed(NewSession(), "/x", session.End{Kind: session.EndClose, Code: code}), decode.CloseCode, decode.Warning, says)
	}
	said(t, closed(NewSession(), "/x", session.End{Kind: session.EndClose, Code: 1011, Reason: "up\x1bstream"}),
		decode.CloseCode, decode.Warning, `internal error: "up\u001bstream"`)
	broken := session.End{Kind: session.EndBroken, Violation: &session.Violation{Section: "5.2", Offset: 17, Message: "reserved bit 1 is set"}}
	said(t, closed(NewSession(), "/x", broken), decode.BrokenWebSocket, decode.Error, "reserved bit 1 is set, 17 bytes behind the upgrade (RFC 6455 section 5.2)")
}

func TestRequestsMessage(t *testing.T) {
	ev := session.Event{Kind: session.Message, Path: "/requests", Data: []byte("abc"), Size: 3}
	said(t, NewSession().Event(nil, &ev), decode.RequestsMessage, decode.Error, "3 bytes")
}

func TestAsks(t *testing.T) {
	for _, r := range []struct {
		message string
		code    decode.Code
		offset  int
		says    string
	}{
		{"\x00\x00\x00", decode.AskTruncated, 3, ""},
		{"\x00\x00\x00\x07\x06\x00\x09k", decode.AskTruncated, NoOffset, ""},
		{"\x00\x00\x00\x07\x13", decode.AskUnknownKind, 4, "kind 19"},
		{"\x00\x00\x00\x07\x04ab", decode.AskTrailing, 5, "2 bytes behind"},
	} {
		var a decode.Ask
		err := a.Decode([]byte(r.message))
		findings := Ask(nil, &a, err, []byte(r.message))
		if len(findings) != 1 {
			t.Errorf("%q: %v", r.message, codesOf(findings))
			continue
		}
		said(t, findings, r.code, r.code.Severity(), r.says)
		if r.offset != NoOffset && findings[0].Offset != r.offset {
			t.Errorf("%q: offset %d, want %d", r.message, findings[0].Offset, r.offset)
		}
		checkSafe(t, "ask", &findings[0])
		again := NewSession().Event(nil, &session.Event{Kind: session.Asked, Path: "/requests", Data: []byte(r.message)})
		said(t, again, r.code, r.code.Severity(), r.says)
	}
	var a decode.Ask
	good := decode.AppendAsk(nil, 7, decode.KindNotifications, nil)
	if findings := Ask(nil, &a, a.Decode(good), good); len(findings) > 0 {
		t.Errorf("%v", codesOf(findings))
	}
}

// TestOrder holds errors before warnings before infos, whatever made them.
func TestOrder(t *testing.T) {
	d := newFeeder(t)
	d.send(`1:{"code":-1,"message":"m"}`)
	findings := d.send(method("acme/x"))
	if got := fmt.Sprint(codesOf(findings)); got != "[after-error custom-method]" {
		t.Error(got)
	}
}

// TestNumbering holds the numbers to go on where another source's ended.
func TestNumbering(t *testing.T) {
	d := newFeeder(t)
	d.StartAt(41)
	d.send("")
	if seq, _, _ := d.Stopped(); seq != 42 {
		t.Errorf("#%d, want #42", seq)
	}
}

// Messages that several inspectors looked at beforehand, each at some of them, are judged as by one.
func TestJudge(t *testing.T) {
	messages := []string{method("acme/warm"), method("acme/warm"), step(`"up"`, "2"), method("acme/cold"), step(`"up"`, "1"),
		method("acme/warm"), method("notifications/progres"), method("acme/cold"), `0:{"method":"notifications/cancelled","params":{"requestId":4}}`,
		`0:{"method":"notifications/cancelled","params":{"requestId":5}}`, "0:{", method("acme/cold"), `1:{"code":1,"message":"m"}`, step(`"up"`, "3")}
	one, several := NewSession(), NewSession()
	var inspectors [3]Inspector
	for i, message := range messages {
		var f decode.Frame
		_ = f.Decode(bytesOf(message))
		ev := session.Event{Kind: session.Message, Path: testPath, Opcode: session.OpBinary, Data: f.Message, Size: f.Size}
		want := one.Message(nil, &ev, &f)
		got := several.Judge(nil, &ev, &f, inspectors[i%3].Message(nil, &ev, &f))
		if g, w := codesOf(got), codesOf(want); fmt.Sprint(g) != fmt.Sprint(w) {
			t.Errorf("#%d %q: %v, want %v", i+1, message, g, w)
		}
	}
	if got, want := several.Repeats(), one.Repeats(); fmt.Sprint(got) != fmt.Sprint(want) || len(got) != 3 || got[0] != (Repeat{decode.CustomMethod, "acme/cold", 3}) {
		t.Errorf("%v, want %v", got, want)
	}
}
