package capture

import (
	"bytes"

	"kind4/decode/session"
)

// Classes of a character in base64 input; the values below 64 are digits.
const (
	b64Space = 64 + iota
	b64Newline
	b64Pad
	b64Comment
	b64Bad
)

var b64Class = func() (t [256]uint8) {
	for i := range t {
		t[i] = b64Bad
	}
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(digits) {
		t[digits[i]] = uint8(i)
	}
	t['-'], t['_'] = 62, 63
	for _, c := range []byte(" \t\r\v\f") {
		t[c] = b64Space
	}
	t['\n'], t['='], t['#'] = b64Newline, b64Pad, b64Comment
	return t
}()

// base64Decoder reads base64 (RFC 4648 sections 4 and 5: either alphabet, mixed too, padding or none).
// White space may stand anywhere, and lines be of any length. From a # to the end of its line is a comment.
// Bits left over in the last digit are not looked at.
//
// With lines, each line is a message, and with blanks, an empty line is an empty message; a line that holds
// only a comment never is. Without lines, all of the input is one message.
type base64Decoder struct {
	lines, blanks bool

	line     int    // from 1
	bits     uint32 // of the digits of the unfinished group
	digits   int    // of the unfinished group
	pads     int    // of the message under way
	fresh    bool   // no digit came since the line began
	comment  bool   // inside a comment
	remarked bool   // the line holds a comment
	run      run    // the line's digits
	runLine  int
}

func (d *base64Decoder) read(r *Reader, b *session.Batch) error { return readDigits(r, b, d) }

// finish ends the last group of digits.
func (d *base64Decoder) finish(r *Reader, b *session.Batch) error { return d.endGroup(r, b, nil, 0) }

// whole reports whether all of the input is one message.
func (d *base64Decoder) whole() bool { return !d.lines }

// scan decodes the window, until there is enough in b.
func (d *base64Decoder) scan(r *Reader, b *session.Batch) error {
	w := r.in.window()
	i := 0
	for ; i < len(w); i++ {
		c := b64Class[w[i]]
		switch {
		case d.comment && c != b64Newline, c == b64Space:
			continue
		case c < 64:
			if d.pads > 0 {
				return r.fail(d.line, r.in.offset()+int64(i), "base64 goes on behind its padding")
			}
			if !d.run.active || d.fresh {
				d.run.begin(r, i)
				d.runLine, d.fresh = d.line, false
			}
			i = d.take(b, w, i)
		case c == b64Pad:
			if d.pads++; d.digits+d.pads > 4 || d.digits < 2 {
				return r.fail(d.line, r.in.offset()+int64(i), "padding where no base64 can end")
			}
		case c == b64Comment:
			d.comment, d.remarked = true, true
		case c == b64Bad:
			return d.bad(r, w, i)
		default:
			if err := d.newline(r, b, w, i); err != nil {
				return err
			}
			if r.enough(b) {
				r.in.pos += i + 1
				return nil
			}
		}
	}
	r.in.pos += i
	d.run.leave(w)
	return nil
}

// take decodes the digits from w[i] on and returns the index of the last one.
func (d *base64Decoder) take(b *session.Batch, w []byte, i int) int {
	buf := b.Buf
	for d.digits == 0 && i+3 < len(w) {
		c0, c1, c2, c3 := b64Class[w[i]], b64Class[w[i+1]], b64Class[w[i+2]], b64Class[w[i+3]]
		if c0|c1|c2|c3 >= 64 {
			break
		}
		buf = append(buf, c0<<2|c1>>4, c1<<4|c2>>2, c2<<6|c3)
		i += 4
	}
	for ; i < len(w) && b64Class[w[i]] < 64; i++ {
		d.bits = d.bits<<6 | uint32(b64Class[w[i]])
		if d.digits++; d.digits == 4 {
			buf = append(buf, byte(d.bits>>16), byte(d.bits>>8), byte(d.bits))
			d.digits, d.bits = 0, 0
		}
	}
	b.Buf = buf
	return i - 1
}

// newline ends a line.
func (d *base64Decoder) newline(r *Reader, b *session.Batch, w []byte, i int) error {
	if d.lines {
		if err := d.endGroup(r, b, w, i); err != nil {
			return err
		}
		if r.size(b) > 0 || d.blanks && !d.remarked {
			r.emit(b)
		}
	}
	d.line++
	d.comment, d.remarked, d.fresh = false, false, true
	return nil
}

// endGroup ends the base64 of one message before w[i].
func (d *base64Decoder) endGroup(r *Reader, b *session.Batch, w []byte, i int) error {
	switch {
	case d.digits == 1:
		return r.fail(d.runLine, d.run.at, "base64 that is one digit too long or too short: "+d.quote(w, i))
	case d.pads > 0 && d.digits+d.pads != 4:
		return r.fail(d.runLine, d.run.at, "base64 with one \"=\" too few: "+d.quote(w, i))
	case d.digits == 2:
		b.Buf = append(b.Buf, byte(d.bits>>4))
	case d.digits == 3:
		b.Buf = append(b.Buf, byte(d.bits>>10), byte(d.bits>>2))
	}
	d.bits, d.digits, d.pads = 0, 0, 0
	d.run.end()
	return nil
}

// quote quotes the line's digits before w[i].
func (d *base64Decoder) quote(w []byte, i int) string {
	return quote(bytes.TrimRight(d.run.upTo(w, i), " \t\r\n"))
}

// bad returns the error for the character w[i].
func (d *base64Decoder) bad(r *Reader, w []byte, i int) error {
	message := " is not a base64 digit"
	if d.run.active && !d.fresh {
		message += ", behind " + d.quote(w, i)
	}
	r.in.pos += i
	at := r.in.offset()
	return r.fail(d.line, at, quote(r.in.character())+message)
}
