package capture

import (
	"bytes"
	"fmt"
)

// everyLine reports whether each line of what Auto would see begins as a message surely does; prefix decodes
// the first bytes of one. Empty lines and comments do not count, nor does a last line that is not there to
// its end. What else the lines could have been meant to be, the hint says.
func (r *Reader) everyLine(prefix func(line []byte) []byte) bool {
	seen := r.in.peek()
	var l lineCount
	for len(seen) > 0 {
		line, rest, ended := bytes.Cut(seen, []byte("\n"))
		seen = rest
		if line = bytes.TrimSpace(line); skipped(line) || !ended && !r.in.ended() && l.lines > 0 {
			l.blank(line)
			continue
		}
		beginning := prefix(line)
		l.take(beginning, r.kind.begins(beginning))
	}
	if r.hint == "" {
		r.hint = l.hint(r.format)
	}
	return l.messages > 0 && l.messages == l.lines
}

// lineCount is what lines of an encoding are, as far as their first bytes tell.
type lineCount struct {
	lines, messages int
	tags            int // lines whose first byte is no text, as a tag is none
	empty, behind   int // empty lines between others, and behind the last one
}

// blank takes in a line that holds nothing.
func (l *lineCount) blank(line []byte) {
	if len(line) == 0 && l.lines > 0 {
		l.behind++
	}
}

// take takes in a line.
func (l *lineCount) take(beginning []byte, message bool) {
	l.lines++
	if message {
		l.messages++
	}
	if len(beginning) > 0 && beginning[0] < ' ' {
		l.tags++
	}
	l.empty += l.behind
	l.behind = 0
}

// hint says what else the lines could have been meant to be, "" where nothing speaks for it.
func (l *lineCount) hint(f Format) string {
	switch {
	case l.messages == l.lines && l.empty > 0:
		return fmt.Sprintf("%s between the messages passed over; with --input %v-lines each is an empty message", emptyLines(l.empty), f)
	case l.messages == l.lines:
		return ""
	case l.messages > 1:
		return fmt.Sprintf("%d of %d lines begin as a message does, but not all, so all of them are read as one message; "+
			"--input %v-lines reads a message a line", l.messages, l.lines, f)
	case l.lines > 1 && l.tags == l.lines:
		return fmt.Sprintf("%d lines are read as one message, and each begins with what may be a tag; "+
			"--input %v-lines reads a message a line", l.lines, f)
	}
	return ""
}

func emptyLines(n int) string {
	if n == 1 {
		return "1 empty line"
	}
	return fmt.Sprintf("%d empty lines", n)
}
