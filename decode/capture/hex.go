package capture

import (
	"slices"

	"kind4/decode/session"
)

// Classes of a character in hex input; the values below 16 are digits.
const (
	hexSeparator = 16 + iota // white space, comma, colon, semicolon
	hexNewline
	hexBackslash // must begin \x
	hexX         // of 0x or \x
	hexComment   // # and the rest of its line
	hexBad
)

var hexClass = func() (t [256]uint8) {
	for i := range t {
		t[i] = hexBad
	}
	for i := range uint8(10) {
		t['0'+i] = i
	}
	for i := range uint8(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	for _, c := range []byte(" \t\r\v\f,:;") {
		t[c] = hexSeparator
	}
	t['\n'], t['\\'], t['x'], t['X'], t['#'] = hexNewline, hexBackslash, hexX, hexX, hexComment
	return t
}()

// hexDecoder reads hex digits, two a byte, in either case. White space, commas, colons and semicolons stand
// between runs of digits as they like; a run may have 0x or \x before it, and with that a single digit is a
// byte (0x0); any other odd number of digits is a fault, also where the next line would make it even. From
// a # to the end of its line is a comment.
//
// With lines, each line is a message, and with blanks, an empty line is an empty message; a line that holds
// only a comment never is. Without lines, all of the input is one message.
type hexDecoder struct {
	lines, blanks bool

	line     int   // from 1
	digits   int   // of the run under way
	high     uint8 // its last digit, where digits is odd
	prefixed bool  // the run has 0x or \x before it
	escape   bool  // after a backslash, before its x
	comment  bool  // inside a comment
	remarked bool  // the line holds a comment
	run      run
}

func (d *hexDecoder) read(r *Reader, b *session.Batch) error { return readDigits(r, b, d) }

// finish ends the last run of digits.
func (d *hexDecoder) finish(r *Reader, b *session.Batch) error { return d.endRun(r, b, nil, 0) }

// whole reports whether all of the input is one message.
func (d *hexDecoder) whole() bool { return !d.lines }

// scan decodes the window, until there is enough in b.
func (d *hexDecoder) scan(r *Reader, b *session.Batch) error {
	w := r.in.window()
	i := 0
	for ; i < len(w); i++ {
		c := hexClass[w[i]]
		switch {
		case d.comment:
			if c != hexNewline {
				continue
			}
		case c < 16:
			if d.escape {
				return d.bad(r, w, i)
			}
			if d.digits == 0 && !d.prefixed {
				d.run.begin(r, i)
			}
			i = d.take(b, w, i)
			continue
		case c == hexX:
			if !d.prefix() {
				return d.bad(r, w, i)
			}
			continue
		case c == hexBad, d.escape:
			return d.bad(r, w, i)
		}
		if err := d.separate(r, b, c, w, i); err != nil {
			return err
		}
		if c == hexNewline && r.enough(b) {
			i++
			break
		}
	}
	r.in.pos += i
	d.run.leave(w[:i])
	return nil
}

// take decodes the digits from w[i] on and returns the index of the last one.
func (d *hexDecoder) take(b *session.Batch, w []byte, i int) int {
	n := len(b.Buf)
	buf := slices.Grow(b.Buf, (len(w)-i)/2+1)
	buf = buf[:cap(buf)]
	if d.digits%2 == 1 {
		buf[n] = d.high<<4 | hexClass[w[i]]
		d.digits++
		i++
		n++
	}
	begin := i
	for ; i+1 < len(w); i += 2 {
		high, low := hexClass[w[i]], hexClass[w[i+1]]
		if high|low >= 16 {
			break
		}
		buf[n] = high<<4 | low
		n++
	}
	d.digits += i - begin
	if i < len(w) && hexClass[w[i]] < 16 {
		d.high = hexClass[w[i]]
		d.digits++
		i++
	}
	b.Buf = buf[:n]
	return i - 1
}

// prefix takes the x of 0x or \x, and reports whether it is one.
func (d *hexDecoder) prefix() bool {
	switch {
	case d.escape:
		d.escape = false
	case d.digits == 1 && d.high == 0 && !d.prefixed:
		d.digits = 0
	default:
		return false
	}
	d.prefixed = true
	return true
}

// separate handles w[i], of class c, which stands between two runs.
func (d *hexDecoder) separate(r *Reader, b *session.Batch, c uint8, w []byte, i int) error {
	if err := d.endRun(r, b, w, i); err != nil {
		return err
	}
	switch c {
	case hexBackslash:
		d.escape = true
		d.run.begin(r, i)
	case hexComment:
		d.comment, d.remarked = true, true
	case hexNewline:
		if d.lines && (r.size(b) > 0 || d.blanks && !d.remarked) {
			r.emit(b)
		}
		d.line++
		d.comment, d.remarked = false, false
	}
	return nil
}

// endRun ends a run of digits before w[i].
func (d *hexDecoder) endRun(r *Reader, b *session.Batch, w []byte, i int) error {
	switch {
	case d.digits == 1 && d.prefixed:
		b.Buf = append(b.Buf, d.high)
	case d.digits%2 == 1:
		return r.fail(d.line, d.run.at, "odd number of hex digits in "+quote(d.run.upTo(w, i)))
	case d.digits == 0 && (d.prefixed || d.escape):
		return r.fail(d.line, d.run.at, "no hex digits after "+quote(d.run.upTo(w, i)))
	}
	d.digits, d.prefixed = 0, false
	d.run.end()
	return nil
}

// bad returns the error for the character w[i].
func (d *hexDecoder) bad(r *Reader, w []byte, i int) error {
	message := " is not a hex digit"
	if d.run.active {
		message += ", behind " + quote(d.run.upTo(w, i))
	}
	if c := w[i]; c == '*' || c == '>' || c == '|' {
		message += "; a dump is read by its offsets, which od -A x -t x1 prints"
	}
	r.in.pos += i
	at := r.in.offset()
	return r.fail(d.line, at, quote(r.in.character())+message)
}
