package render

import (
	"testing"

	"github.com/fatih/color"

	"kind4/decode"
)

func TestThemeColours(t *testing.T) {
	before := color.NoColor
	on, off := NewTheme(true), NewTheme(false)
	if color.NoColor != before {
		t.Error("the global state of fatih/color changed")
	}
	if *off != (Theme{}) {
		t.Errorf("a plain theme has colours: %+v", *off)
	}
	if got, want := on.Severe.Sprint("error"), "\x1b[31;1merror\x1b[0;22m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := string(on.Dim.Append([]byte("x"), "y")), "x\x1b[2my\x1b[22m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	hues := map[Style]bool{on.Notification: true, on.Custom: true, on.Error: true, on.Failed: true}
	if len(hues) != 4 {
		t.Error("two verdicts share a hue")
	}
}

// NO_COLOR is for whoever decides whether there is colour, not for the theme.
func TestThemeIgnoresEnvironment(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	if NewTheme(true).Failed.Open == "" {
		t.Error("no colour though it was asked for")
	}
}

func TestVerdictStyles(t *testing.T) {
	theme := NewTheme(true)
	tests := []struct {
		frame decode.Frame
		want  Style
	}{
		{decode.Frame{Type: decode.TypeNotification, Variant: decode.Progress}, theme.Notification},
		{decode.Frame{Type: decode.TypeNotification, Variant: decode.Custom}, theme.Custom},
		{decode.Frame{Type: decode.TypeError}, theme.Error},
		{decode.Frame{Type: decode.TypeUnknown}, theme.Failed},
		{decode.Frame{Type: decode.TypeEmpty}, theme.Failed},
		{decode.Frame{Type: decode.TypeUndecodable}, theme.Failed},
		{decode.Frame{Type: decode.TypeOversize}, theme.Failed},
		{decode.Frame{Type: decode.TypeText}, theme.Warning},
	}
	for _, test := range tests {
		if got := theme.Verdict(&test.frame); got != test.want {
			t.Errorf("%v: got %q", test.frame.Type, got.Open)
		}
	}
}

func TestForms(t *testing.T) {
	for _, f := range Forms() {
		if got, ok := ParseForm(f.String()); !ok || got != f {
			t.Errorf("%v reads as %v", f, got)
		}
	}
	for _, name := range []string{"", "Pretty", "xml"} {
		if f, ok := ParseForm(name); ok {
			t.Errorf("%q is a form: %v", name, f)
		}
	}
}
