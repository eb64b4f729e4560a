package cmd

import (
	"os"
	"syscall"
	"testing"
)

// The order in which endings win: 130/143, 1, 6, 5, 7, 124, 4, 0. A met condition makes 5, 7, 124 and 4 moot.
func TestEndingsCode(t *testing.T) {
	all := endings{signal: os.Interrupt, failure: true, findings: true, errors: true, died: true, timeUp: true, tooFew: true}
	steps := []struct {
		clear func(*endings)
		want  int
	}{
		{func(*endings) {}, 130},
		{func(e *endings) { e.signal = syscall.SIGTERM }, 143},
		{func(e *endings) { e.signal = nil }, 1},
		{func(e *endings) { e.failure = false }, 6},
		{func(e *endings) { e.findings = false }, 5},
		{func(e *endings) { e.errors = false }, 7},
		{func(e *endings) { e.died = false }, 124},
		{func(e *endings) { e.timeUp = false }, 4},
		{func(e *endings) { e.tooFew = false }, 0},
	}
	for _, step := range steps {
		step.clear(&all)
		if got := all.code(); got != step.want {
			t.Errorf("%+v: code %d, want %d", all, got, step.want)
		}
	}
	moot := endings{met: true, errors: true, died: true, timeUp: true, tooFew: true}
	if got := moot.code(); got != 0 {
		t.Errorf("met: code %d, want 0", got)
	}
	moot.missing = true
	if got := moot.code(); got != 4 {
		t.Errorf("count met, an expectation not: code %d, want 4", got)
	}
	moot.findings = true
	if got := moot.code(); got != 6 {
		t.Errorf("met with findings: code %d, want 6", got)
	}
	if closed := (endings{closed: true, findings: true, died: true}); closed.code() != 0 {
		t.Errorf("standard output closed: code %d, want 0", closed.code())
	}
}
