package render

import (
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// On a terminal the body of a message that came from outside must not act; in a pipe it stays as it was.
func TestPayloadOnATerminal(t *testing.T) {
	message := []byte("\x02\x1b[31mred \u202e \xff")
	var frame decode.Frame
	_ = frame.Decode(message)
	m := Message{Seq: 1, Event: &session.Event{Data: message}, Frame: &frame}
	for _, tt := range []struct {
		terminal bool
		want     string
	}{
		{false, "\x1b[31mred \u202e \xff\n"},
		{true, `\u001b[31mred \u202e \xff` + "\n"},
	} {
		if got := New(Payload, Options{Terminal: tt.terminal}).AppendMessage(nil, &m); string(got) != tt.want {
			t.Errorf("terminal %v: %q, want %q", tt.terminal, got, tt.want)
		}
	}
}
