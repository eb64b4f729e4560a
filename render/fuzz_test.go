package render

import (
	"bytes"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// FuzzPrinters puts a message, and a text about its session, through every form.
func FuzzPrinters(f *testing.F) {
	for _, m := range readSession(f, "session.txt") {
		f.Add(m.Frame.Message, "/mcp/notifications/2", uint8(80))
	}
	f.Add([]byte("\x00{\"method\":\"a\\u001b[2J\u202e\u2028\\ud83d\\ude00\"}"), "/\x1b\xff", uint8(10))
	f.Add([]byte("\x01"+strings.Repeat("[", 200)+strings.Repeat("]", 200)), "", uint8(0))
	f.Add([]byte("\x01{\"code\":0,\"message\":\"\",\"x\":"+strings.Repeat("[", 200)+strings.Repeat("]", 200)+"}"), "", uint8(30))
	f.Add([]byte("\x00{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":0,\"progress\":1e308,\"total\":1e-300}}"), "", uint8(30))
	strip := colours()
	f.Fuzz(func(t *testing.T, b []byte, text string, width uint8) {
		state := inspect.NewSession()
		for _, frame := range asReceived(b) {
			ev := &session.Event{Kind: session.Message, Path: text, Opcode: session.OpBinary, Data: b, Size: frame.Size, Time: 1}
			m := &Message{Seq: 1, Event: ev, Frame: frame, Delta: int64(width), HasDelta: width > 9}
			m.Findings = state.Message(nil, ev, frame)
			for _, form := range Forms() {
				checkForm(t, form, Options{Color: true, Width: int(width)}, m, strip)
			}
		}
		ev := &session.Event{Kind: session.Closed, Path: text, Reason: text, Method: text, Remote: text, Proxy: text, End: &session.End{Kind: session.EndClose, Reason: text}}
		for ev.Kind = session.Opened; ev.Kind <= session.Note; ev.Kind++ {
			if err := judgeJSON(AppendEvent(nil, ev, nil)); err != nil {
				t.Error(err)
			}
		}
	})
}

func checkForm(t *testing.T, form Form, o Options, m *Message, strip *strings.Replacer) {
	out := New(form, o).AppendMessage([]byte("kept"), m)
	out, kept := bytes.CutPrefix(out, []byte("kept"))
	if !kept {
		t.Fatalf("%v of %q overwrote what was there", form, m.Frame.Message)
	}
	switch form {
	case Raw, LP32, Payload:
		if !bytes.Contains(out, body(m.Frame)) {
			t.Errorf("%v of %q lost bytes: %q", form, m.Frame.Message, out)
		}
		return
	case JSON:
		if err := judgeJSON(out); err != nil {
			t.Errorf("%q: %v", m.Frame.Message, err)
		}
	case Line:
		if bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("%q: more than a line: %q", m.Frame.Message, out)
		}
	}
	if err := checkSafe(out, strip); err != nil {
		t.Errorf("%v of %q: %v", form, m.Frame.Message, err)
	}
	if form == Pretty && (m.Frame.Type == decode.TypeUndecodable) && !bytes.Contains(out, []byte("^^ byte ")) {
		t.Errorf("%q: no byte is marked in %q", m.Frame.Message, out)
	}
}
