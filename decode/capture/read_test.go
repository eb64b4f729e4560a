package capture

import (
	"errors"
	"io"
	"strings"
	"testing"

	"kind4/decode/session"
)

// got is what a reader made of an input.
type got struct {
	messages []string
	sizes    []int64
	format   Format
	hint     string
	err      error // nil for io.EOF
}

// collect reads src to its end, or to a fault.
func collect(src io.Reader, o Options) got {
	r := NewReader(src, o)
	var g got
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for _, ev := range b.Events {
			g.messages = append(g.messages, string(ev.Data))
			g.sizes = append(g.sizes, ev.Size)
		}
		b.Release()
		if err != nil {
			if err != io.EOF {
				g.err = err
			}
			break
		}
	}
	g.format, g.hint = r.Format(), r.Hint()
	return g
}

// read is collect of a string, in a format, under a name.
func read(format Format, input string) got {
	return collect(strings.NewReader(input), Options{Format: format, Name: "dump.txt"})
}

// equal reports whether two lists of messages are the same, and checks nothing else.
func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// errorText returns an error's text, "" for none; one that is no *Error fails the test.
func errorText(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Errorf("%T where *Error is promised: %v", err, err)
	}
	return err.Error()
}
