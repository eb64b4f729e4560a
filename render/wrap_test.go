package render

import (
	"strings"
	"testing"
)

func TestAppendWrapped(t *testing.T) {
	tests := []struct {
		in     string
		column int
		width  int
		want   string
	}{
		{" code: a short one.", 7, 40, " code: a short one.\n"},
		{" aaaa bbbb cccc dddd", 0, 11, " aaaa bbbb\n  cccc dddd\n"},
		{" aaaa bbbb cccc", 3, 10, " aaaa\n  bbbb\n  cccc\n"},
		{" " + strings.Repeat("x", 50) + " y", 0, 10, " " + strings.Repeat("x", 50) + "\n  y\n"},
		{" a " + strings.Repeat("x", 50), 0, 10, " a\n  " + strings.Repeat("x", 50) + "\n"},
		{" 漢字漢字 漢字", 0, 13, " 漢字漢字\n  漢字\n"},
		{" a  b   c", 0, 40, " a  b   c\n"},
	}
	for _, test := range tests {
		if got := string(appendWrapped(nil, []byte(test.in), test.column, test.width)); got != test.want {
			t.Errorf("%q at %d in %d: got %q, want %q", test.in, test.column, test.width, got, test.want)
		}
	}
}

func TestFit(t *testing.T) {
	tests := []struct {
		in                   string
		limit, length, width int
	}{
		{"abc", 3, 3, 3}, {"abc", 2, 2, 2}, {"漢字", 3, 3, 2}, {"e\u0301x", 1, 3, 1}, {"", 0, 0, 0},
	}
	for _, test := range tests {
		if length, width := fit([]byte(test.in), test.limit); length != test.length || width != test.width {
			t.Errorf("%q in %d: got %d, %d", test.in, test.limit, length, width)
		}
	}
}
