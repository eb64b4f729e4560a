package render

import (
	"bytes"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// longMessages are long in each way that a printer could stumble over where it gives away a part.
var longMessages = map[string]string{
	"text":       "\x00" + `{"method":"x","params":{"s":"` + strings.Repeat("plain ", 200_000) + `"}}`,
	"characters": "\x00" + `{"method":"x","params":{"s":"a` + strings.Repeat("日本語", 120_000) + `"}}`,
	"escapes":    "\x00" + `{"method":"x","params":{"s":"` + strings.Repeat(`\"\\`, 250_000) + `"}}`,
	"unsafe":     "\x00" + `{"method":"x","params":{ "s":"` + strings.Repeat("\u202e\u0007\\ \\n", 100_000) + `"}}`,
	"elements":   "\x00" + `{"method":"x","params":{"a":[` + strings.Repeat(`{"b":[1,{}]},`, 90_000) + `1]}}`,
	"spaced":     "\x00" + `{"method": "x", "params": {"a": [ ` + strings.Repeat("{\"b c\" : 1},\n", 100_000) + `1]}}`,
	"deep":       "\x01" + `{"code":1,"message":"m","x":` + strings.Repeat("[", 300_000) + strings.Repeat("]", 300_000) + `}`,
	"garbled":    "\x01" + `{"code":1,"message":"m","x":"` + strings.Repeat("\xff\x80é\\\\", 100_000) + `"}`,
	"cut":        "\x00" + `{"method":"x","params":["` + strings.Repeat("x", 600_000),
	"log":        "\x00" + `{"method":"notifications/message","params":{"level":"info","logger":"` + strings.Repeat(`l\u00e9`, 80_000) + `","data":"` + strings.Repeat(`\ud83d\ude00 \"日本`, 60_000) + `  "}}`,
	"method":     "\x00" + `{"method":"` + strings.Repeat(`m\u2028日`, 200_000) + `","params":{}}`,
	"error":      "\x01" + `{"code":1,"message":"` + strings.Repeat("m\u2028", 200_000) + `"}`,
}

// What is given away in parts is what is printed at once, and no part is much longer than spillAt.
func TestSpill(t *testing.T) {
	for name, message := range longMessages {
		f := new(decode.Frame)
		_ = f.Decode([]byte(message))
		m := &Message{Seq: 1, Event: &session.Event{Kind: session.Message, Data: f.Message}, Frame: f, Findings: inspect.Message(nil, f)}
		for _, form := range Forms() {
			for _, o := range []Options{{}, {Color: true, Terminal: true}} {
				m.Spill = nil
				want := New(form, o).AppendMessage(nil, m)
				var got []byte
				longest := 0
				m.Spill = func(dst []byte) []byte {
					longest = max(longest, len(dst))
					got = append(got, dst...)
					return dst[:0]
				}
				rest := New(form, o).AppendMessage(make([]byte, 0, 100), m)
				longest = max(longest, len(rest))
				got = append(got, rest...)
				if !bytes.Equal(got, want) {
					t.Errorf("%s as %v: %d bytes in parts, %d at once", name, form, len(got), len(want))
				}
				if longest > 7*spillAt {
					t.Errorf("%s as %v: %d bytes are held", name, form, longest)
				}
			}
		}
	}
}

// A line of any length is what it would be in a terminal wide enough, which is put together whole.
func TestLongLine(t *testing.T) {
	for name, message := range longMessages {
		f := new(decode.Frame)
		_ = f.Decode([]byte(message))
		m := &Message{Frame: f, Findings: inspect.Message(nil, f)}
		for _, color := range []bool{false, true} {
			got := New(Line, Options{Color: color}).AppendMessage(nil, m)
			want := New(Line, Options{Color: color, Width: 1 << 24}).AppendMessage(nil, m)
			if !bytes.Equal(got, want) {
				t.Errorf("%s, color %v: %d bytes, want %d", name, color, len(got), len(want))
			}
		}
	}
}
