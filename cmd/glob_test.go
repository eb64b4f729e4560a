package cmd

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	tests := []struct {
		pattern, method string
		want            bool
	}{
		{"notifications/progress", "notifications/progress", true},
		{"notifications/progress", "notifications/Progress", false},
		{"progress", "notifications/progress", true},
		{"progress", "progress", true},
		{"progress", "notifications/progress2", false},
		{"*list_changed", "notifications/tools/list_changed", true},
		{"tools/*", "notifications/tools/list_changed", false}, // a slash in it: the whole method counts
		{"notifications/*/list_changed", "notifications/tools/list_changed", true},
		{"*", "", true},
		{"*", "acme/warm", true},
		{"", "", true},
		{"", "x", false},
		{"a*a", "a", false},
		{"a*a", "aa", true},
		{"a*b*c", "a-b-b-c", true},
		{"a*bc*c", "abc", false},
		{"**", "anything", true},
		{"?", "x", false}, // a star is the only special character
		{"?", "?", true},
		{"p*s", "notifications/progress", true},
		{"*.stderr", "notifications/a.stderr", true},
	}
	for _, tt := range tests {
		if got := newGlob(tt.pattern).matches(tt.method); got != tt.want {
			t.Errorf("glob %q on %q: %v, want %v", tt.pattern, tt.method, got, tt.want)
		}
	}
}

// A pattern that makes backtracking matchers explode stays linear: this returns at once or never.
func TestGlobLinear(t *testing.T) {
	pattern := strings.Repeat("a*", 5000) + "b"
	if newGlob(pattern).matches(strings.Repeat("a", 1<<20)) {
		t.Error("matched without a b")
	}
}
