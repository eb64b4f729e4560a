package decode

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPointerAt(t *testing.T) {
	body := "\x00" + `{"a/b":{"~":[10,{"x":"y"} ,[]]}, "z" : 1}`
	tests := []struct {
		message string
		at      string // the text whose first byte is asked for
		want    string
	}{
		{body, `{"a/b`, ""},
		{body, `a/b`, "/a~1b"},
		{body, `{"~"`, "/a~1b"},
		{body, `[10`, "/a~1b/~0"},
		{body, `0,`, "/a~1b/~0/0"},
		{body, `{"x"`, "/a~1b/~0/1"},
		{body, `x"`, "/a~1b/~0/1/x"},
		{body, `:"y"`, "/a~1b/~0/1/x"},
		{body, `"y"`, "/a~1b/~0/1/x"},
		{body, ` ,[]`, "/a~1b/~0"},
		{body, `[]]`, "/a~1b/~0/2"},
		{body, `]}, "z"`, "/a~1b/~0"},
		{body, `, "z"`, ""},
		{body, `: 1`, "/z"},
		{body, `1}`, "/z"},
		{"\x00" + `{"p":{"data":None}}`, "None", "/p/data"},
		{"\x00" + `{"p":{"data" 1}}`, "1}", "/p/data"},
		{"\x00" + `{"p":[1 2]}`, "2]", "/p"},
		{"\x00" + `{"p":[1,]}`, "]}", "/p/1"},
		{"\x00" + `{"p":[x]}`, "x", "/p/0"},
		{"\x00" + `{"params":{"level":"info","`, `"` + "$", "/params"},
		{"\x00" + `{"p":{"q":"half`, `"half`, "/p/q"},
		{"\x00" + `{"p":1} {`, "{$", ""},
		{"\x00" + "{\"\x80\":1}", "1", "/\uFFFD"},
		{"\x00" + `{"\u0061":1}`, "1}", "/a"},
	}
	for _, test := range tests {
		if got := PointerAt([]byte(test.message), index(t, test.message, test.at)); got != test.want {
			t.Errorf("PointerAt(%q, at %q) = %q, want %q", test.message, test.at, got, test.want)
		}
	}
}

// index finds where text stands in message; a "$" behind text makes it the last thing there.
func index(t *testing.T, message, text string) int {
	t.Helper()
	if last := len(text) - 1; text[last] == '$' {
		return len(message) - last
	}
	for i := range message {
		if len(message)-i >= len(text) && message[i:i+len(text)] == text {
			return i
		}
	}
	t.Fatalf("no %q in %q", text, message)
	return -1
}

// What is unquoted in parts of any length is what is unquoted at once, and each part is text by itself.
func TestUnquotePart(t *testing.T) {
	for _, in := range []string{`plain, and \"more\" of it`, `\ud83d\ude00\ud83d\ude00`, `\\\\\\u0041\u00e9`, "日本語é\\n", strings.Repeat("\x80", 40)} {
		want := string(Unquote(nil, []byte(`"`+in+`"`)))
		for limit := 1; limit <= len(in)+1; limit++ {
			got := ""
			for rest := []byte(in); len(rest) > 0; {
				text, n := UnquotePart(nil, rest, limit)
				if n < min(limit, len(rest)) || n > limit+12 {
					t.Fatalf("%q by %d: read %d", in, limit, n)
				}
				if utf8.ValidString(want) && !utf8.Valid(text) {
					t.Errorf("%q by %d: %q is a part", in, limit, text)
				}
				got += string(text)
				rest = rest[n:]
			}
			if got != want {
				t.Errorf("%q by %d: %q, want %q", in, limit, got, want)
			}
		}
	}
	if text, n := UnquotePart(nil, []byte(`ab"cd`), 5); string(text) != "ab" || n != 5 {
		t.Errorf("%q, %d", text, n)
	}
}

func TestAppendSafe(t *testing.T) {
	tests := []struct{ in, safe, quoted string }{
		{"plain", "plain", `"plain"`},
		{"a\nb\tc\rd", `a\nb\tc\u000dd`, `"a\nb\tc\u000dd"`},
		{"\x1b[31mred\x07", `\u001b[31mred\u0007`, `"\u001b[31mred\u0007"`},
		{"\x7f\u0080\u009b", `\u007f\u0080\u009b`, `"\u007f\u0080\u009b"`},
		{"a\xff\xc3", `a\xff\xc3`, `"a\xff\xc3"`},
		{"\u202e\u2028\u2066\u200f\u061c", `\u202e\u2028\u2066\u200f\u061c`, `"\u202e\u2028\u2066\u200f\u061c"`},
		{"\U000e0041", `\udb40\udc41`, `"\udb40\udc41"`},
		{"é漢🎉\u200d\ufffd", "é漢🎉\u200d\ufffd", "\"é漢🎉\u200d\ufffd\""},
		{`"\`, `"\`, `"\"\\"`},
		{"", "", `""`},
	}
	for _, test := range tests {
		if got := string(AppendSafe(nil, []byte(test.in))); got != test.safe {
			t.Errorf("AppendSafe(%q) = %s, want %s", test.in, got, test.safe)
		}
		if got := string(AppendQuoted(nil, []byte(test.in), 0)); got != test.quoted {
			t.Errorf("AppendQuoted(%q) = %s, want %s", test.in, got, test.quoted)
		}
	}
	for max, want := range map[int]string{1: `"é"…`, 2: `"é漢"…`, 3: `"é漢x"`, 9: `"é漢x"`} {
		if got := string(AppendQuoted(nil, []byte("é漢x"), max)); got != want {
			t.Errorf("AppendQuoted to %d characters = %s, want %s", max, got, want)
		}
	}
}

func TestUnquote(t *testing.T) {
	tests := []struct{ literal, want string }{
		{`"plain"`, "plain"},
		{`""`, ""},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u00e9\u6F22\ud83c\udf89"`, "é漢🎉"},
		{`"\ud83c"`, "\ufffd"},
		{`"\ud83c\ud83c\udf89"`, "\ufffd🎉"},
		{`"\udf89x"`, "\ufffdx"},
		{`"\x41\u12"`, `\x41\u12`},
		{"\"\xff\"", "\xff"},
		{`"open`, "open"},
		{`bare`, "bare"},
		{`"end\`, `end\`},
	}
	for _, test := range tests {
		if got := string(Unquote(nil, []byte(test.literal))); got != test.want {
			t.Errorf("Unquote(%s) = %q, want %q", test.literal, got, test.want)
		}
	}
}
