package render

import "testing"

func TestAppendASCII(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"plain \x1b":      "plain \x1b",
		"cut…":            "cut...",
		"−32000 to ±5":    "-32000 to +-5",
		"größe":           `gr\u00f6\u00dfe`,
		"日本":              `\u65e5\u672c`,
		"\U0001F600":      `\ud83d\ude00`, // RFC 8259 section 7: a surrogate pair
		"a\xffb\xe6\x97c": `a\xffb\xe6\x97c`,
		"███░":            "###-",
	} {
		if got := string(AppendASCII(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPartialRune(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "a": 0, "é": 0, "\xc3": 1, "a\xe6\x97": 2, "\xf0\x9f\x98": 3, "\xf0\x9f\x98\x80": 0, "\x97\x97\x97\x97": 0, "\xff": 0,
	} {
		if got := PartialRune([]byte(in)); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
}

func TestFitText(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		ascii bool
		want  string
	}{
		{"kind4", 5, false, "kind4"}, {"kind4", 4, false, "kin…"}, {"kind4", 4, true, "k..."}, {"kind4", 2, true, "ki"},
		{"kind4", 1, false, "…"}, {"kind4", 0, false, ""}, {"kind4", -1, false, ""},
		{"日本語", 6, false, "日本語"}, {"日本語", 5, false, "日本…"}, {"日本語", 4, false, "日…"}, {"日本語", 2, false, "…"},
	} {
		if got := Fit(c.text, c.width, c.ascii); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
