package render

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"kind4/decode"
)

const hexDigits = "0123456789abcdef"

// plain marks the bytes that stand in a JSON string as they are, whatever follows: printable ASCII but the
// quote and the backslash, and everything of a character that decode.Unsafe can not be true for.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 0x20 && c != '"' && c != '\\' && c != 0x7f
	}
	for _, lead := range unsafeLeads {
		t[lead] = false
	}
	return t
}()

// unsafeLeads are the first bytes, in UTF-8, of the characters beyond ASCII that decode.Unsafe is true for.
var unsafeLeads = [...]byte{0xc2, 0xd8, 0xe1, 0xe2, 0xef, 0xf0, 0xf3}

// firstOdd returns where the first byte stands that is a space, a control, DEL or beyond ASCII; len(b) when
// there is none. Eight bytes at a time: a byte's high bit is set in mask when it is odd; a carry or borrow can
// only leave a byte that is odd itself, so that the lowest mark is right.
func firstOdd(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if mask := (x | (x + ones) | ((x - 0x21*ones) &^ x)) & highs; mask != 0 {
			return i + bits.TrailingZeros64(mask)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c <= ' ' || c >= 0x7f {
			return i
		}
	}
	return len(b)
}

// appendCompact appends b, which is RFC 8259 JSON, without white space between its tokens and with the
// characters that decode.Unsafe names written as \u escapes. Everything else stays as sent.
func appendCompact(dst, b []byte) []byte {
	if firstOdd(b) == len(b) {
		return append(dst, b...)
	}
	return new(compactor).append(dst, b)
}

// compactor is appendCompact part by part.
type compactor struct{ inString bool }

func (k *compactor) append(dst, b []byte) []byte {
	start, i := 0, 0
	if k.inString {
		dst, start, i, k.inString = appendString(dst, b, start, -1)
	}
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			dst, start, i, k.inString = appendString(dst, b, start, i)
		case c <= ' ':
			dst = append(dst, b[start:i]...)
			for i < len(b) && b[i] <= ' ' {
				i++
			}
			start = i
		default:
			i++
		}
	}
	return append(dst, b[start:]...)
}

// appendEscaped appends b, which is RFC 8259 JSON, with the characters that decode.Unsafe names written as \u
// escapes and white space kept.
func appendEscaped(dst, b []byte) []byte {
	start := 0
	for i := 0; i < len(b); {
		if b[i] == '"' {
			dst, start, i, _ = appendString(dst, b, start, i)
		} else {
			i++
		}
	}
	return append(dst, b[start:]...)
}

// appendString goes past the string literal at b[i:]. What is not yet in dst begins at start; only what stands
// before a character that changes is appended. It returns the new start, the place behind the literal, and whether b
// ends inside it. An i of -1 begins behind a quote that stood before b.
func appendString(dst, b []byte, start, i int) ([]byte, int, int, bool) {
	for i++; i < len(b); {
		c := b[i]
		switch {
		case plain[c]:
			i++
		case c == '"':
			return dst, start, i + 1, false
		case c == '\\':
			i += 2
		default:
			r, n := utf8.DecodeRune(b[i:])
			if decode.Unsafe(r) {
				dst = append(dst, b[start:i]...)
				dst = appendEscape(dst, r)
				start = i + n
			}
			i += n
		}
	}
	return dst, start, len(b), true
}

// appendEscape appends r as one \u escape, or two for a character beyond U+FFFF.
func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return appendEscape(appendEscape(dst, high), low)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// appendQuotedJSON appends s as a JSON string literal: RFC 8259 whatever s holds, a byte that is not UTF-8
// being written as the four characters \xNN.
func appendQuotedJSON(dst, s []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf && plain[c] {
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		if c >= utf8.RuneSelf && !(r == utf8.RuneError && n == 1) && !decode.Unsafe(r) {
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendOdd(dst, c, r, n)
		i += n
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// appendOdd appends one character that can not stand in a JSON string literal as it is.
func appendOdd(dst []byte, c byte, r rune, size int) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, '\\', 'n')
	case c == '\t':
		return append(dst, '\\', 't')
	case r == utf8.RuneError && size == 1:
		return append(dst, '\\', '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
	}
	return appendEscape(dst, r)
}
