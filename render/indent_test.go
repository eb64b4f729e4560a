package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidwall/pretty"

	"kind4/decode"
)

// indentedBodies are what an indenter could stumble over.
var indentedBodies = []string{
	`{}`, `[]`, `[[]]`, `{"a":{}}`, `[{},[],{}]`, `1`, `"x"`, `null`,
	`{"a":1,"b":[1,2.5e-3,-4,true,false,null],"c":{"d":"e"}}`,
	`{"a":"\"","b":"\\","c":"\\\"","":"{[,:]}"}`,
	` { "a" : [ 1 , { } , [ ] , "x y" ] } `, "{\n\t\"a\":\r\n[\n]\n}",
	`{"日本":"語 größer, \u001b","long":"` + strings.Repeat("x", 100) + `"}`,
	strings.Repeat("[", 127) + strings.Repeat("]", 127),
	strings.Repeat(`{"a":`, 127) + "1" + strings.Repeat("}", 127),
}

// What appendIndented writes is what tidwall/pretty writes.
func TestIndentedIsPretty(t *testing.T) {
	for _, body := range indentedBodies {
		if got, want := appendIndented(nil, []byte(body), &Message{Frame: new(decode.Frame)}), pretty.PrettyOptions([]byte(body), indented); !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
	each(vectors(t), checkIndented(t))
}

func checkIndented(t *testing.T) func(*Message) {
	return func(m *Message) {
		v, ok := m.Frame.JSONBody()
		if !ok {
			return
		}
		body := m.Frame.Raw(v)
		want := appendEscaped(nil, pretty.PrettyOptions(body, indented))
		if got := appendIndented(nil, body, m); !bytes.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
		if got := appendPretty(nil, body, m); !bytes.Equal(got, want) {
			t.Errorf("%q: shown as %q, want %q", body, got, want)
		}
	}
}

// FuzzIndent holds appendIndented to tidwall/pretty for every body that is JSON.
func FuzzIndent(f *testing.F) {
	for _, body := range indentedBodies {
		f.Add([]byte(`{"method":"x","params":{"a":` + body + `}}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		frame := new(decode.Frame)
		_ = frame.Decode(decode.AppendMessage(nil, decode.TagNotification, body))
		checkIndented(t)(&Message{Frame: frame})
	})
}

// BenchmarkIndent measures both ways to indent a body.
func BenchmarkIndent(b *testing.B) {
	for _, name := range []string{"progress", "message", "wide", "spaced"} {
		body := []byte(benchMessages[name][1:])
		m := benchMessage(name)
		var out []byte
		b.Run(name+"/own", func(b *testing.B) {
			for b.Loop() {
				out = appendIndented(out[:0], body, m)
			}
		})
		b.Run(name+"/tidwall", func(b *testing.B) {
			for b.Loop() {
				out = appendEscaped(out[:0], pretty.PrettyOptions(body, indented))
			}
		})
	}
}
