package render

import (
	"bytes"
	"strings"
	"testing"

	"kind4/decode"
)

// The indented body says what was sent: without its white space it is the same, key order, numbers and escapes
// included.
func TestPrettyKeepsBody(t *testing.T) {
	p := newPrettyPrinter(Options{}).(*prettyPrinter)
	n := 0
	each(vectors(t), func(m *Message) {
		v, ok := m.Frame.JSONBody()
		if !ok || m.Frame.Type != decode.TypeNotification && m.Frame.Type != decode.TypeError {
			return
		}
		n++
		shown := p.appendBody(nil, m)
		want := appendCompact(nil, m.Frame.Message[v.Start:v.End])
		if got := appendCompact(nil, shown); !bytes.Equal(got, want) {
			t.Errorf("%q is shown as %s", want, shown)
		}
	})
	if n < 1000 {
		t.Errorf("only %d bodies decoded", n)
	}
}

// A body that nests deeper than 127 is shown as sent, escaped, on one line.
func TestPrettyDeep(t *testing.T) {
	body := `{"code":1,"message":"m", "x":` + strings.Repeat("[", 127) + "\n" + strings.Repeat("]", 127) + "}"
	f := new(decode.Frame)
	if err := f.Decode(decode.AppendMessage(nil, decode.TagError, []byte(" "+body+"\n"))); err != nil {
		t.Fatal(err)
	}
	p := newPrettyPrinter(Options{}).(*prettyPrinter)
	want := strings.ReplaceAll(body, "\n", `\n`) + "\n"
	if got := string(p.appendBody(nil, &Message{Frame: f})); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestPrettyText(t *testing.T) {
	p := newPrettyPrinter(Options{}).(*prettyPrinter)
	f := new(decode.Frame)
	f.SetText([]byte(strings.Repeat("é\x1b", 3000)))
	shown := strings.Repeat(`é\u001b`, 2048) + "\n"
	if got, want := string(p.appendBody(nil, &Message{Frame: f})), shown+"… 2856 more bytes; -o hex shows all\n"; got != want {
		t.Errorf("%d bytes, want %d: …%q", len(got), len(want), got[len(got)-60:])
	}
	f.Size = 1 << 30
	if got, want := string(p.appendBody(nil, &Message{Frame: f})), shown+"… 1073735680 more bytes, not kept\n"; got != want {
		t.Errorf("%d bytes, want %d: …%q", len(got), len(want), got[len(got)-60:])
	}
}

// The verdict of an unknown tag gives its number both ways, and its character where it is one.
func TestVerdictWords(t *testing.T) {
	for tag, want := range map[decode.Tag]string{
		2: "unknown tag 2 (0x02)", '"': `unknown tag 34 (0x22, "\"")`, '{': `unknown tag 123 (0x7b, "{")`,
		' ': `unknown tag 32 (0x20, " ")`, 0x7f: "unknown tag 127 (0x7f)", 0x9b: "unknown tag 155 (0x9b)",
		255: "unknown tag 255 (0xff)",
	} {
		f := &decode.Frame{Type: decode.TypeUnknown, Tag: tag}
		if got := string(appendVerdictWords(nil, f)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
