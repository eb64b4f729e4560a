package capture

import (
	"strconv"
	"strings"

	"kind4/decode/session"
)

// list reads numbers up to the closing bracket.
func (d *literalDecoder) list(r *Reader, b *session.Batch, closing byte) error {
	var as notation
	for n := 0; ; n++ {
		element, err := d.element(closing)
		if err != nil {
			return err
		}
		if len(element) == 0 {
			return d.counted(n)
		}
		var ok bool
		if b.Buf, ok = as.append(b.Buf, r.start, element); !ok {
			return literalFault("%s is not a byte", quote(element))
		}
		d.cap(r, b)
	}
}

// counted holds a list of n bytes to what stands before it: [3]uint8, Uint8Array(3).
func (d *literalDecoder) counted(n int) error {
	d.count = n
	if d.size >= 0 && d.size != n {
		return literalFault("a list of length %d where %d is announced: bytes are missing, or the number was changed", n, d.size)
	}
	return nil
}

// eachAlone is the advice where literals stand inside another.
const eachAlone = ": one literal is one message; print each by itself, on a line of its own"

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
	if c == '.' || c == dots[0] {
		if w, _ := d.ahead(3); string(w) == "..." || string(w) == dots {
			return nil, &literalError{quote(w) + " stands for the rest: what printed this list left it out", true}
		}
	}
	n := 0
	for n < len(d.token) && (letter(c) || c >= '0' && c <= '9' || c == '-' || c == '+' || n > 0 && c == '.') {
		d.token[n] = c
		n++
		d.next()
		if c, err = d.peek(); err != nil {
			return nil, err
		}
	}
	switch {
	case n > 0:
		return d.token[:n], nil
	case strings.IndexByte("[{(<'\"`", c) >= 0:
		return nil, literalFault("%s inside a list"+eachAlone, d.quoteNext())
	}
	return nil, literalFault("%s where a byte or %q is expected", d.quoteNext(), closing)
}

// dots is an ellipsis.
const dots = "…"

// notation is how the elements of a list are written, as far as they tell: numbers of one or two decimal digits
// may turn out to be hex without a sign of it, as Rust prints {:x?}.
type notation uint8

const (
	undecided notation = iota
	numbers            // decimal, or with a prefix
	hexDigits
)

// append appends the byte that the next element stands for, to dst, where dst[start:] is from the elements before
// it; those are read anew where this one says that they are hex.
func (as *notation) append(dst []byte, start int, element []byte) ([]byte, bool) {
	if *as == undecided {
		switch {
		case hexElement(element):
			*as = hexDigits
			for i, n := range dst[start:] {
				dst[start+i] = n/10<<4 | n%10
			}
		case len(element) > 2 || hexClass[element[0]] >= 10 || hexClass[element[len(element)-1]] >= 10:
			*as = numbers
		}
	}
	if *as == hexDigits {
		return appendElement(dst, element, 16)
	}
	return appendElement(dst, element, 0)
}

// hexElement reports whether an element of a list says that all are hex without a sign of it: one or two digits,
// a letter among them, or two of which the first is a zero.
func hexElement(e []byte) bool {
	if len(e) > 2 || hexClass[e[0]] >= 16 || hexClass[e[len(e)-1]] >= 16 {
		return false
	}
	return e[0] > '9' || e[len(e)-1] > '9' || len(e) == 2 && e[0] == '0'
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
