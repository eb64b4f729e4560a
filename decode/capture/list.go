package capture

import (
	"strconv"
	"strings"

	"kind4/decode/session"
)

// list reads numbers up to the closing bracket.
func (d *literalDecoder) list(r *Reader, b *session.Batch, closing byte) error {
	hex := false
	for first := true; ; first = false {
		element, err := d.element(closing)
		if err != nil || len(element) == 0 {
			return err
		}
		if first {
			hex = hexElement(element)
		}
		var ok bool
		if hex {
			b.Buf, ok = appendElement(b.Buf, element, 16)
		} else {
			b.Buf, ok = appendElement(b.Buf, element, 0)
		}
		if !ok {
			return literalFault("%s is not a byte", quote(element))
		}
		d.cap(r, b)
	}
}

// hexList reads hex digits, two a byte, up to the closing bracket.
func (d *literalDecoder) hexList(r *Reader, b *session.Batch, closing byte) error {
	for {
		element, err := d.element(closing)
		if err != nil || len(element) == 0 {
			return err
		}
		if b.Buf, err = appendHex(b.Buf, element); err != nil {
			return literalFault("%s", err)
		}
		d.cap(r, b)
	}
}

// cap trims a message that passed the cap, now and then.
func (d *literalDecoder) cap(r *Reader, b *session.Batch) {
	if len(b.Buf)&0xfff == 0 {
		r.trim(b)
	}
}

// element takes the next element of a list, valid until the one after it, or the closing bracket, and then
// returns none.
func (d *literalDecoder) element(closing byte) ([]byte, error) {
	c, err := d.spaces()
	if err != nil {
		return nil, err
	}
	if c == closing {
		d.next()
		return nil, nil
	}
	if c == '.' {
		return nil, &literalError{`"..." stands for the rest: what printed this list left it out`, true}
	}
	n := 0
	for n < len(d.token) && (letter(c) || c >= '0' && c <= '9' || c == '-' || c == '+') {
		d.token[n] = c
		n++
		d.next()
		if c, err = d.peek(); err != nil {
			return nil, err
		}
	}
	if n == 0 {
		return nil, literalFault("%s where a byte or %q is expected", d.quoteNext(), closing)
	}
	return d.token[:n], nil
}

// hexElement reports whether the first element of a list says that all are hex without a sign of it.
func hexElement(e []byte) bool {
	return len(e) == 2 && hexClass[e[0]] < 16 && hexClass[e[1]] < 16 && (e[0] == '0' || e[0] > '9' || e[1] > '9')
}

// appendElement appends the byte that a number stands for; base 0 goes by its prefix.
func appendElement(dst, element []byte, base int) ([]byte, bool) {
	if len(element) <= 3 && base == 0 {
		n := 0
		for _, c := range element {
			if c < '0' || c > '9' {
				n = -1
				break
			}
			n = n*10 + int(c-'0')
		}
		if n >= 0 {
			return append(dst, byte(n)), n <= 255
		}
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(string(element), "u8"), base, 16)
	if err != nil || n < -128 || n > 255 {
		return dst, false
	}
	return append(dst, byte(n)), true
}
