package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"kind4/decode"
)

// Every character that decode.Unsafe names begins, in UTF-8, with a byte that the copying loops stop at.
func TestUnsafeLeads(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if !decode.Unsafe(r) {
			continue
		}
		if lead := utf8.AppendRune(nil, r)[0]; plain[lead] {
			t.Fatalf("%U begins with %#x, which counts as plain", r, lead)
		}
	}
	for r := rune(0); r < 0x80; r++ {
		if got, want := plain[r], !decode.Unsafe(r) && r != '"' && r != '\\'; got != want {
			t.Errorf("plain[%#x] = %v, want %v", r, got, want)
		}
	}
}

func TestFirstOdd(t *testing.T) {
	for size := range 40 {
		for at := range size {
			for c := range 256 {
				b := bytes.Repeat([]byte("~!"), 20)[:size]
				b[at] = byte(c)
				want := size
				if c <= 0x20 || c >= 0x7f {
					want = at
				}
				if got := firstOdd(b); got != want {
					t.Fatalf("firstOdd(%q) = %d, want %d", b, got, want)
				}
			}
		}
	}
}

func TestAppendCompact(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"a":1}`, `{"a":1}`},
		{" {\t\"a b\" :\r\n [ 1 , -0.0e+5 , \"c  d\" ] } ", `{"a b":[1,-0.0e+5,"c  d"]}`},
		{`{"b":1,"a":1.10,"b":100000000000000000000}`, `{"b":1,"a":1.10,"b":100000000000000000000}`},
		{`["\u0041\/\"\\", "x"]`, `["\u0041\/\"\\","x"]`},
		{`["\\", " "]`, `["\\"," "]`},
		{"[\"a\x7fb\", \"\u0085\u009b31m\"]", `["a\u007fb","\u0085\u009b31m"]`},
		{"[\"\u202eabc\u2066\u2028\u2029\u061c\ufeff\"]", `["\u202eabc\u2066\u2028\u2029\u061c\ufeff"]`},
		{"[\"\U000e0041é漢😀\u00a0\"]", `["\udb40\udc41é漢😀` + "\u00a0" + `"]`},
		{"{\"\u202e\" : 1}", `{"\u202e":1}`},
	}
	for _, test := range tests {
		if got := string(appendCompact([]byte("x"), []byte(test.in))); got != "x"+test.want {
			t.Errorf("appendCompact(%q) = %s\nwant x%s", test.in, got, test.want)
		}
	}
}

func TestAppendEscapedKeepsSpace(t *testing.T) {
	in := "{\n  \"a\": \"x\u202e\\\"\u2029\"\n}\n"
	want := "{\n  \"a\": \"x\\u202e\\\"\\u2029\"\n}\n"
	if got := string(appendEscaped(nil, []byte(in))); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every character through a JSON string literal comes out the same at another reader, and no raw one that
// decode.Unsafe names is in it.
func TestAppendQuotedJSON(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if r > 0x3000 && r%97 != 0 && !decode.Unsafe(r) {
			continue
		}
		in := "a" + string(r) + "b"
		literal := appendQuotedJSON(nil, []byte(in))
		var out string
		if err := json.Unmarshal(literal, &out); err != nil || out != in {
			t.Fatalf("%U: %s reads as %q, %v", r, literal, out, err)
		}
		if decode.Unsafe(r) && strings.ContainsRune(string(literal), r) {
			t.Fatalf("%U stands raw in %q", r, literal)
		}
	}
	for in, want := range map[string]string{
		"":             `""`,
		"a\xffb":       `"a\\xffb"`,
		"\xed\xa0\x80": `"\\xed\\xa0\\x80"`,
		"\xe2\x80":     `"\\xe2\\x80"`,
		`"\`:           `"\"\\"`,
		"\n\t\r\x1b":   `"\n\t\u000d\u001b"`,
	} {
		if got := string(appendQuotedJSON(nil, []byte(in))); got != want {
			t.Errorf("appendQuotedJSON(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzCompact(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.50,"x y",{"b":null}]}`, " [ \"\u202e\" , \"\\\"\" ] ", `"\ud83d\ude00"`, "\"\x7f\u0085\"", "1e400", "",
		"{\"a\" : \"\U000e0001\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := appendCompact(nil, b)
		want := jsontext.Value(b).Clone()
		if !want.IsValid(jsontext.AllowDuplicateNames(true)) {
			return
		}
		if err := want.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
			t.Fatal(err)
		}
		for _, r := range string(got) {
			if decode.Unsafe(r) {
				t.Fatalf("%U stands raw in %q", r, got)
			}
		}
		unescaped := strings.Map(func(r rune) rune {
			if decode.Unsafe(r) {
				return -1
			}
			return r
		}, string(want))
		if unescaped == string(want) && !bytes.Equal(got, want) {
			t.Fatalf("got  %q\nwant %q", got, want)
		}
		a, b2 := jsontext.Value(got).Clone(), want.Clone()
		options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)}
		if err := a.Format(append(options, jsontext.PreserveRawStrings(false))...); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if err := b2.Format(append(options, jsontext.PreserveRawStrings(false))...); err != nil || !bytes.Equal(a, b2) {
			t.Fatalf("%q says something else than %q", a, b2)
		}
	})
}
