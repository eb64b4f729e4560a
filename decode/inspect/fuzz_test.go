package inspect

import (
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// FuzzMessage holds any bytes to give findings that keep the catalogue's rules, and texts that are safe, in one
// session and after themselves.
func FuzzMessage(f *testing.F) {
	for _, v := range vectors(f, "findings.jsonl") {
		f.Add(v.message(f))
	}
	f.Add([]byte("\x01{\"code\":-1,\"message\":\"m\",\"at\":[1e999,\"\xff\\ud800\"]}"))
	f.Fuzz(func(t *testing.T, message []byte) {
		frame, findings := inSession(message)
		checkInvariants(t, "fuzz", message, frame, findings)
		for i := range findings {
			_ = findings[i].Pointer()
		}
		s := NewSession()
		ev := session.Event{Kind: session.Message, Opcode: session.OpBinary, Data: message, Size: int64(len(message)), Time: 1}
		for range 2 {
			findings = s.Message(findings[:0], &ev, frame)
			for i := range findings {
				checkSafe(t, "fuzz", &findings[i])
			}
		}
		var text decode.Frame
		text.SetText(message)
		for _, finding := range s.Message(nil, &ev, &text) {
			checkSafe(t, "fuzz", &finding)
		}
		var ask decode.Ask
		for _, finding := range Ask(nil, &ask, ask.Decode(message), message) {
			checkSafe(t, "fuzz", &finding)
		}
	})
}
