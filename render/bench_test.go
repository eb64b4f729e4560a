package render

import (
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// benchMessages are what a busy session is made of, and what a hot path must not stumble over.
var benchMessages = map[string]string{
	"progress": "\x00" + `{"method":"notifications/progress","params":{"progressToken":"up","progress":33,"total":90,"message":"reading file 33 of 90"}}`,
	"message":  "\x00" + `{"method":"notifications/message","params":{"level":"info","logger":"db.pool","data":{"rows":4,"ms":1.25,"query":"select id from jobs where state = 'new'"}}}`,
	"custom":   "\x00" + `{"method":"acme/warm","params":{"hits":3,"keys":["a","b"]}}`,
	"error":    "\x01" + `{"code":-32603,"message":"upstream gone","data":{"retry":true}}`,
	"wide":     "\x00" + `{"method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("日本語 text ", 40) + `"}}`,
	"spaced":   "\x00" + `{ "method": "notifications/message", "params": { "level": "info", "data": [1, 2, 3, 4, 5] } }`,
	"broken":   "\x00" + `{"method":"notifications/message","params":{"level":"info","`,
}

func benchMessage(name string) *Message {
	b := []byte(benchMessages[name])
	f := new(decode.Frame)
	_ = f.Decode(b)
	ev := &session.Event{
		Kind: session.Message, Time: 1_796_040_184_128_771, Path: "/mcp/notifications/2", Channel: 2, HasChannel: true,
		Opcode: session.OpBinary, Fragments: 1, Data: b, Size: int64(len(b)),
	}
	return &Message{Seq: 123456, Event: ev, Frame: f, Findings: inspect.Message(nil, f), Delta: 10567, HasDelta: true}
}

func benchForm(b *testing.B, form Form, o Options) {
	for _, name := range []string{"progress", "message", "custom", "error", "wide", "spaced", "broken"} {
		b.Run(name, func(b *testing.B) {
			m, p := benchMessage(name), New(form, o)
			var out []byte
			b.SetBytes(m.Frame.Size)
			b.ReportAllocs()
			for b.Loop() {
				out = p.AppendMessage(out[:0], m)
			}
		})
	}
}

func BenchmarkJSON(b *testing.B)   { benchForm(b, JSON, Options{}) }
func BenchmarkPretty(b *testing.B) { benchForm(b, Pretty, Options{}) }
func BenchmarkLine(b *testing.B)   { benchForm(b, Line, Options{}) }
func BenchmarkHex(b *testing.B)    { benchForm(b, Hex, Options{}) }

// BenchmarkRows is the dump of one long message.
func BenchmarkRows(b *testing.B) {
	in := []byte(strings.Repeat("all sorts of bytes", 1<<12))
	var out []byte
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		out = appendRows(out[:0], in, 0)
	}
}

// A good message costs no allocation; but where pretty leaves white space to tidwall/pretty.
func TestNoAllocations(t *testing.T) {
	for _, form := range Forms() {
		for _, name := range []string{"progress", "message", "custom", "error", "wide", "spaced"} {
			if form == Pretty && name == "spaced" {
				continue
			}
			m, p := benchMessage(name), New(form, Options{})
			m.Findings = nil
			out := p.AppendMessage(nil, m)
			if n := testing.AllocsPerRun(100, func() { out = p.AppendMessage(out[:0], m) }); n != 0 {
				t.Errorf("%v of %s: %v allocations", form, name, n)
			}
		}
	}
}
