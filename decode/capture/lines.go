package capture

import (
	"bytes"
	"fmt"
)

// everyLine reports whether each line of what Auto would see begins as a message surely does; prefix decodes
// the first bytes of one. Empty lines and comments do not count, nor does a last line that is not there to
// its end. Where only some do, the hint says so.
func (r *Reader) everyLine(prefix func(line []byte) []byte) bool {
	seen, lines, messages := r.in.peek(), 0, 0
	for len(seen) > 0 {
		line, rest, ended := bytes.Cut(seen, []byte("\n"))
		seen = rest
		if line = bytes.TrimSpace(line); skipped(line) || !ended && !r.in.ended() && lines > 0 {
			continue
		}
		lines++
		if r.kind.begins(prefix(line)) {
			messages++
		}
	}
	if messages > 1 && messages < lines {
		r.hint = fmt.Sprintf("%d of %d lines begin as a message does, but not all, so all of them are read as one message; "+
			"--input %v-lines reads a message a line", messages, lines, r.format)
	}
	return messages > 0 && messages == lines
}
