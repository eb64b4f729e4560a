package inspect

import (
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// BenchmarkSession measures what judging a decoded message costs, beside decoding it.
func BenchmarkSession(b *testing.B) {
	for name, message := range map[string]string{
		"progress": progressWith(`"progressToken":"up","progress":3,"total":9,"message":"reading"`),
		"log":      logWith(`"level":"info","logger":"db","data":{"rows":4,"ms":1.25}`),
		"custom":   method("acme/warm"),
		"misfit":   progressWith(`"progressToken":"up","progress":"50"`),
		"cut":      `0:{"method":"notifications/message","params":{"level":"info","data":"half of`,
	} {
		b.Run(name, func(b *testing.B) {
			var f decode.Frame
			_ = f.Decode(bytesOf(message))
			s := NewSession()
			ev := session.Event{Kind: session.Message, Path: testPath, Opcode: session.OpBinary, Fragments: 1, Time: 1}
			dst := make([]Finding, 0, 8)
			b.ReportAllocs()
			b.SetBytes(int64(len(f.Message)))
			for b.Loop() {
				if p := s.paths[ev.Opening()]; p != nil {
					for _, t := range p.tokens {
						t.last.value = -1 // so that progress increases
					}
				}
				ev.Time += 1_000_000
				dst = s.Message(dst[:0], &ev, &f)
			}
		})
	}
}
