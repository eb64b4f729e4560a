package capture

import (
	"bytes"
	"io"
	"unicode/utf8"

	"kind4/decode/session"
)

// text reads a quoted text behind its opening quote, up to the closing one with as many # behind it.
func (d *literalDecoder) text(r *Reader, b *session.Batch, closing byte, raw bool, hashes int) error {
	for {
		if !raw {
			d.plain(b, closing)
			r.trim(b)
		}
		c, err := d.next()
		if err != nil {
			return err
		}
		switch {
		case c == closing:
			if closed, err := d.hashes(b, hashes); closed || err != nil {
				return err
			}
			b.Buf = append(b.Buf, c)
		case c == '\\' && !raw:
			if err := d.escape(b); err != nil {
				return err
			}
		case c == '\n' && !raw:
			d.line--
			d.in.pos--
			return literalFault("the line ends inside a quoted literal: %c is missing", closing)
		case c == '\r' && raw: // Go drops it, and so nobody can have meant it
		default:
			b.Buf = append(b.Buf, c)
		}
		d.cap(r, b)
	}
}

// plain copies characters of a text that stand for themselves, as far as the window holds them.
func (d *literalDecoder) plain(b *session.Batch, closing byte) {
	w := d.in.window()
	i := 0
	for i < len(w) && w[i] != closing && w[i] != '\\' && w[i] != '\n' {
		i++
	}
	b.Buf = append(b.Buf, w[:i]...)
	d.in.pos += i
}

// hashes takes the # behind the closing quote of a raw text in Rust, and reports whether all are there;
// where not, they belong to the text.
func (d *literalDecoder) hashes(b *session.Batch, n int) (bool, error) {
	if n == 0 {
		return true, nil
	}
	w, err := d.ahead(n)
	if err != nil {
		return false, err
	}
	if bytes.Count(w, []byte("#")) < n {
		return false, nil
	}
	d.in.pos += n
	return true, nil
}

// letterEscapes are the escapes of one letter.
var letterEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'\\': '\\', '\'': '\'', '"': '"', '`': '`', '/': '/',
}

// escape reads what stands behind a backslash.
func (d *literalDecoder) escape(b *session.Batch) error {
	c, err := d.next()
	if err != nil {
		return err
	}
	if e, ok := letterEscapes[c]; ok {
		b.Buf = append(b.Buf, e)
		return nil
	}
	switch {
	case c >= '0' && c <= '7':
		return d.octal(b, c)
	case c == 'x':
		n, err := d.digits(2)
		b.Buf = append(b.Buf, byte(n))
		return err
	case c == 'u', c == 'U':
		return d.unicode(b, c)
	case c == '\n': // the text goes on in the next line
		return nil
	}
	return literalFault("%s is no escape", quote([]byte{'\\', c}))
}

// octal reads an octal escape that begins with c: three digits, or fewer where another character follows.
// \0 before one more digit is NUL and that digit, as Rust and JavaScript print it.
func (d *literalDecoder) octal(b *session.Batch, c byte) error {
	n := int(c - '0')
	w, err := d.ahead(2)
	if err != nil && err != io.EOF {
		return err
	}
	count := 0
	for count < len(w) && w[count] >= '0' && w[count] <= '7' {
		count++
	}
	if c == '0' && count < 2 {
		count = 0
	}
	for _, o := range w[:count] {
		n = n<<3 | int(o-'0')
	}
	d.in.pos += count
	if n > 255 {
		return literalFault("the octal escape \"\\%o\" is not a byte", n)
	}
	b.Buf = append(b.Buf, byte(n))
	return nil
}

// ahead returns the next n bytes without taking them; with an error, those that are there.
func (d *literalDecoder) ahead(n int) ([]byte, error) {
	for d.in.end-d.in.pos < n {
		if err := d.in.fill(); err != nil {
			return d.in.window(), err
		}
	}
	return d.in.buf[d.in.pos : d.in.pos+n], nil
}

// digits reads n hex digits.
func (d *literalDecoder) digits(n int) (rune, error) {
	w, err := d.ahead(n)
	if err != nil {
		return 0, err
	}
	var v rune
	for _, c := range w {
		if hexClass[c] >= 16 {
			return 0, literalFault("%s where %d hex digits of an escape are expected", quote(w), n)
		}
		v = v<<4 | rune(hexClass[c])
	}
	d.in.pos += n
	return v, nil
}

// unicode reads \u or \U, c, and appends the character in UTF-8. Two that are the halves of one character
// (UTF-16, as JavaScript and JSON write it) are that one.
func (d *literalDecoder) unicode(b *session.Batch, c byte) error {
	v, err := d.codePoint(c)
	if err != nil {
		return err
	}
	if v >= 0xd800 && v < 0xdc00 {
		if err := d.expectHalf(); err != nil {
			return err
		}
		low, err := d.codePoint('u')
		if err != nil {
			return err
		}
		if low < 0xdc00 || low > 0xdfff {
			return literalFault("half of a character: \\u%04x without its other half", v)
		}
		v = 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
	}
	if !utf8.ValidRune(v) {
		return literalFault("no character has the number 0x%x", uint32(v))
	}
	b.Buf = utf8.AppendRune(b.Buf, v)
	return nil
}

// expectHalf takes the \u of the second half of a character.
func (d *literalDecoder) expectHalf() error {
	w, err := d.ahead(2)
	if err != nil && (err != io.EOF || len(w) == 0) {
		return err
	}
	if string(w) != `\u` {
		return literalFault("half of a character: its other half is missing")
	}
	d.in.pos += 2
	return nil
}

// codePoint reads the digits behind \u or \U.
func (d *literalDecoder) codePoint(c byte) (rune, error) {
	if c == 'U' {
		return d.digits(8)
	}
	next, err := d.peek()
	if err != nil {
		return 0, err
	}
	if next != '{' {
		return d.digits(4)
	}
	d.next()
	var v rune
	for n := 0; ; n++ {
		c, err := d.next()
		switch {
		case err != nil:
			return 0, err
		case c == '}' && n > 0:
			return v, nil
		case hexClass[c] >= 16 || n == 6:
			return 0, literalFault("%s where a digit or \"}\" of an escape is expected", quote([]byte{c}))
		}
		v = v<<4 | rune(hexClass[c])
	}
}
