package capture

import (
	"bytes"
	"io"
	"strings"

	"kind4/decode/session"
)

// cWords are the words of a declaration in C, before the name of what it declares.
var cWords = map[string]bool{
	"static": true, "const": true, "unsigned": true, "char": true, "int": true, "uint8_t": true,
}

// typeBrackets takes the brackets of an array's type, where the next one opens these: []byte, [3]uint8 and
// [...]byte of Go, byte[] of Java and C#, name[] of C. It reports whether it did.
func (d *literalDecoder) typeBrackets() (bool, error) {
	inner, err := d.span(1, "0123456789.")
	if err != nil {
		return false, err
	}
	const name = 7 // bytes that tell a type's
	w, _ := d.ahead(inner + 2)
	if len(w) < inner+2 || !d.typed && w[inner+1] != 'b' && w[inner+1] != 'u' {
		return false, nil
	}
	w, _ = d.ahead(inner + 1 + name)
	size, n := typeBrackets(w, d.typed)
	if n == 0 {
		return false, nil
	}
	d.in.pos += n
	d.size = size
	return true, nil
}

// span returns the index, in what comes next and from one on, of the first byte that is not of a set, without
// waiting for more than that; so many are looked at that every number of bytes fits.
func (d *literalDecoder) span(from int, set string) (int, error) {
	const most = 20
	for n := from; ; n++ {
		w, err := d.ahead(n + 1)
		if len(w) <= n {
			if err == io.EOF {
				err = nil
			}
			return len(w), err
		}
		if n == most || strings.IndexByte(set, w[n]) < 0 {
			return n, nil
		}
	}
}

// typeBrackets returns how long the brackets of a type are that s begins with, 0 for none, and the size between
// them, -1 for none. typed says that the name of a type, or of what is declared, stands before them.
func typeBrackets(s []byte, typed bool) (size, length int) {
	inner, behind, ok := bytes.Cut(s[1:], []byte("]"))
	if s[0] != '[' || !ok {
		return -1, 0
	}
	size = -1
	if len(inner) > 0 && string(inner) != "..." {
		n, ok := parseOffset(inner, 10)
		if !ok || n > 1<<31-1 {
			return -1, 0
		}
		size = int(n)
	}
	behind = bytes.TrimLeft(behind, " ")
	is := bytes.HasPrefix(behind, []byte("byte")) || bytes.HasPrefix(behind, []byte("uint8"))
	if typed {
		is = bytes.HasPrefix(behind, []byte("{")) || bytes.HasPrefix(behind, []byte("="))
	}
	if !is {
		return -1, 0
	}
	return size, len(inner) + 2
}

// declaredSize takes the number of a declaration such as xxd -i prints behind its list (unsigned int x_len = 3;),
// and holds the list to it.
func (d *literalDecoder) declaredSize() error {
	digits := d.token[:0]
	for len(digits) < len(d.token) {
		c, err := d.peek()
		if err != nil || c < '0' || c > '9' {
			break
		}
		digits = append(digits, c)
		d.next()
	}
	if n, ok := parseOffset(digits, 10); !ok || n != uint64(d.count) {
		return literalFault("a size of %s behind a list of length %d: bytes are missing, or the number was changed", digits, d.count)
	}
	d.remark = true
	return nil
}

// parenthesis reads what an opening parenthesis begins: a list, as Python prints a tuple, or the number of the
// elements in Uint8Array(2), or else a literal.
func (d *literalDecoder) parenthesis(r *Reader, b *session.Batch) (done bool, err error) {
	d.next()
	c, err := d.spaces()
	if err != nil {
		return false, err
	}
	d.depth++
	if (c < '0' || c > '9') && c != '-' {
		return false, nil
	}
	n, err := d.span(0, "0123456789")
	if err != nil {
		return false, err
	}
	w := d.in.window()
	if size, ok := parseOffset(w[:n], 10); ok && size <= 1<<31-1 && d.named && bytes.HasPrefix(w[n:], []byte(")")) {
		d.in.pos += n + 1
		d.depth--
		d.size = int(size)
		return false, nil
	}
	d.depth--
	return true, d.list(r, b, ')')
}

// joined reads the texts that follow one inside parentheses without a comma, or behind a +: they go on with it.
func (d *literalDecoder) joined(r *Reader, b *session.Batch) error {
	for {
		c, err := d.peek()
		switch {
		case err != nil:
			return err
		case strings.IndexByte(" \t\r\n+", c) >= 0:
			d.next()
		case strings.IndexByte("'\"`bBrR", c) >= 0:
			if _, err := d.part(r, b, c); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}
