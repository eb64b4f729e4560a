package capture

import (
	"bytes"

	"kind4/decode"
	"kind4/decode/session"
)

// nesting follows a JSON text from line to line, as far as tells whether it is over and what can go on with it. It looks at
// strings, braces and brackets alone.
type nesting struct {
	open   []byte // the braces and brackets
	last   byte   // the last character that is not white space
	broken bool   // it cannot go on: a line ended inside a string, or what was closed was not open
}

// reset begins another text.
func (n *nesting) reset() { *n = nesting{open: n.open[:0]} }

// line takes in a line, and returns where in it the text is over, -1 where it is not.
func (n *nesting) line(s []byte) int {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch c {
		case ' ', '\t', '\r':
			continue
		case '"':
			size := stringSize(s[i:])
			if size == 0 {
				n.broken = true
				return -1
			}
			i += size - 1
		case '{', '[':
			if len(n.open) == maxNesting {
				n.broken = true
				return -1
			}
			n.open = append(n.open, c)
		case '}', ']':
			if !n.inside(c - 2) { // { and [ stand two before } and ] in ASCII
				n.broken = true
				return -1
			}
			if n.open = n.open[:len(n.open)-1]; len(n.open) == 0 {
				return i + 1
			}
		}
		n.last = c
	}
	return -1
}

// inside reports whether an object, or an array, is the innermost that is open.
func (n *nesting) inside(c byte) bool { return len(n.open) > 0 && n.open[len(n.open)-1] == c }

// fits reports whether a line that begins so can go on with the text.
func (n *nesting) fits(begin []byte) bool {
	c := begin[0]
	value := bytes.IndexByte([]byte(`"{[-0123456789tfn`), c) >= 0
	switch {
	case n.broken:
		return false
	case n.last == '{':
		return c == '"' || c == '}'
	case n.last == '[':
		return value || c == ']'
	case n.last == ',' && n.inside('{'):
		return c == '"'
	case n.last == ',', n.last == ':':
		return value
	}
	return c == ',' || c == '}' || c == ']' || c == ':' && n.last == '"'
}

// stringSize returns how long the JSON string is that s begins with, 0 where it does not end there.
func stringSize(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return 0
}

// unfinished returns where in a line an object or array begins that goes on in the next one, -1 for none: JSON that stands
// first in it, an object of JSON-RPC behind other text, or one brace or bracket at its end.
func unfinished(line []byte, margin int) int {
	text := bytes.TrimRight(line, " \t")
	last := text[len(text)-1]
	switch first := line[margin]; {
	case first == '{' || first == '[':
		closing := first + 2
		if last == closing && bytes.Count(text, []byte{first}) <= bytes.Count(text, []byte{closing}) {
			return -1
		}
		if next := bytes.TrimLeft(text[margin+1:], " \t"); len(next) == 0 || next[0] == '"' || first == '[' && (next[0] == '{' || next[0] == '[') {
			return margin
		}
	case last == '{' || last == '[':
		at := len(text) - 1
		if before := bytes.TrimRight(text[:at], " \t"); last == '{' && before[len(before)-1] == '[' {
			at = len(before) - 1
		}
		if at < aroundMessage && blank(text[at-1]) {
			return at
		}
	case last == ',' || last == ':':
		if at, s := behindText(line); at >= 0 && !s.whole {
			return at
		}
	}
	return -1
}

// begin takes the line that an object or array over several lines begins in, if it is one.
func (d *linesDecoder) begin(r *Reader, b *session.Batch, line []byte, margin int, size int64) bool {
	at := unfinished(line, margin)
	if at < 0 {
		return false
	}
	d.json.reset()
	if end := d.json.line(line[at:]); end >= 0 || d.json.broken || size > int64(len(line)) {
		return false
	}
	d.open, d.joined, d.behind, d.margin = true, true, at > margin, margin
	d.apart = d.behind || line[at] == '['
	r.gather(b, byte(decode.TagNotification), line[at:], size-int64(at))
	return true
}

// goOn takes a line that goes on with what is joined, if it does.
func (d *linesDecoder) goOn(r *Reader, b *session.Batch, line []byte, margin int, size int64) bool {
	begin := line[margin:]
	if len(begin) == 0 {
		r.gather(b, '\n', line, size)
		return true
	}
	if !d.json.fits(begin) || begin[0] == '{' && margin <= d.margin && d.json.open[0] == '{' {
		return false
	}
	end := d.json.line(line)
	if d.json.broken = d.json.broken || size > int64(len(line)); end >= 0 && d.behind {
		line, size = line[:end], int64(end)
	}
	r.gather(b, '\n', line, size)
	if end >= 0 {
		d.apart = false
		d.close(r, b)
	}
	return true
}

// takeApart takes what was joined and did not end as JSON line by line.
func (d *linesDecoder) takeApart(r *Reader, b *session.Batch) {
	lines := bytes.Clone(b.Buf[r.start+1:])
	r.drop(b)
	for line := range bytes.SplitSeq(lines, []byte("\n")) {
		if begin := bytes.TrimLeft(line, " \t"); len(begin) > 0 {
			d.single(r, b, line, len(line)-len(begin), int64(len(line)))
		}
	}
}
