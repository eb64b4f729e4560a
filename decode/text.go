package decode

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// Unquote appends the text of a JSON string literal, quotes included in literal but not in what is
// appended. It never fails: a surrogate escape without its other half becomes U+FFFD, an escape that
// JSON does not know and bytes that are not UTF-8 are kept as they stand, and a missing closing quote
// is taken as read.
func Unquote(dst, literal []byte) []byte {
	if len(literal) > 0 && literal[0] == '"' {
		literal = literal[1:]
	}
	dst, _ = UnquotePart(dst, literal, len(literal))
	return dst
}

// UnquotePart is [Unquote] for a literal too long to hold twice. It begins behind the opening quote, or where the part
// before ended, goes on until it has read limit bytes or a few more, never to inside a character or an escape, and
// returns how many it has read: all of s behind the closing quote.
func UnquotePart(dst, s []byte, limit int) (text []byte, read int) {
	limit = min(limit, len(s))
	for i := 0; i < len(s); {
		if i >= limit && (utf8.RuneStart(s[i]) || i >= limit+utf8.UTFMax) {
			return dst, i
		}
		run := plainRun(s[i:max(i, limit)])
		dst = append(dst, s[i:i+run]...)
		if i += run; run > 0 && i >= limit {
			continue
		}
		c := s[i]
		if c == '"' {
			break
		}
		if c != '\\' || i+1 >= len(s) {
			dst = append(dst, c)
			i++
			continue
		}
		r, n := unescape(s[i:])
		if n == 0 {
			dst = append(dst, c)
			i++
			continue
		}
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst, len(s)
}

// unescape reads the escape at the start of s, a surrogate pair as one, and returns its character and
// its length in bytes, 0 where it is no escape of RFC 8259 section 7. A lone surrogate is U+FFFD.
func unescape(s []byte) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch s[1] {
	case '"', '\\', '/':
		return rune(s[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r := hex4(s[2:])
		if r < 0 {
			return 0, 0
		}
		if r < 0xd800 || r > 0xdfff {
			return r, 6
		}
		if r < 0xdc00 && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low := hex4(s[8:]); low >= 0xdc00 && low <= 0xdfff {
				return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), 12
			}
		}
		return utf8.RuneError, 6
	}
	return 0, 0
}

// hex4 reads four hex digits, -1 where there are not as many.
func hex4(s []byte) rune {
	if len(s) < 4 {
		return -1
	}
	var r rune
	for _, c := range s[:4] {
		d := hexValue[c]
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
}

// hexValue holds the value of each hex digit, -1 for what is none.
var hexValue = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range 10 {
		t['0'+i] = int8(i)
	}
	for i := range 6 {
		t['a'+i], t['A'+i] = int8(10+i), int8(10+i)
	}
	return t
}()

// Unsafe reports whether a character can drive or deceive a terminal, so that [AppendSafe] writes it as
// an escape: the controls C0, DEL and C1, the bidirectional controls, the line and paragraph separators,
// and the invisible format characters that hide text. U+FFFD and the joiners U+200C and U+200D, which
// ordinary text needs, are not among them.
func Unsafe(r rune) bool {
	switch {
	case r < 0x20:
		return true
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true
	case r < 0x61c:
		return false
	case r < 0x2000:
		return r == 0x61c || r == 0x180e
	case r < 0x2070:
		return r == 0x200b || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060
	}
	return r == 0xfeff || r >= 0xfff9 && r <= 0xfffb || r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe007f
}

// AppendSafe appends s so that it cannot drive a terminal: what [Unsafe] names as \uNNNN (a surrogate
// pair above U+FFFF), line feed and tab as \n and \t, and each byte that is not UTF-8 as \xNN.
// Everything else, backslashes too, is appended as it is.
func AppendSafe(dst, s []byte) []byte {
	for len(s) > 0 {
		n := plainASCII(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			break
		}
		r, size := utf8.DecodeRune(s)
		dst = appendSafeRune(dst, s, r, size)
		s = s[size:]
	}
	return dst
}

// plainASCII returns how many bytes at the start of s are printable ASCII.
func plainASCII(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		word := binary.LittleEndian.Uint64(s[i:])
		if m := ((word - spaces) | word | (word + each)) & tops; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c-0x20 >= 0x7f-0x20 {
			break
		}
	}
	return i
}

func appendSafeRune(dst, s []byte, r rune, size int) []byte {
	switch {
	case r == utf8.RuneError && size == 1:
		return append(dst, '\\', 'x', lowerHex[s[0]>>4], lowerHex[s[0]&15])
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\t':
		return append(dst, `\t`...)
	case !Unsafe(r):
		return append(dst, s[:size]...)
	case r > 0xffff:
		r -= 0x10000
		return appendU(appendU(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return appendU(dst, r)
}

const lowerHex = "0123456789abcdef"

func appendU(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', lowerHex[r>>12&15], lowerHex[r>>8&15], lowerHex[r>>4&15], lowerHex[r&15])
}

// AppendQuoted appends s between double quotes, escaped as [AppendSafe] does and with '"' and '\' behind
// a backslash. Of a longer s only the first max characters stand there, and … behind the closing quote;
// a max of 0 or less sets no limit.
func AppendQuoted(dst, s []byte, max int) []byte {
	dst = append(dst, '"')
	for n := 0; len(s) > 0; n++ {
		if max > 0 && n == max {
			return append(dst, `"…`...)
		}
		r, size := utf8.DecodeRune(s)
		if r == '"' || r == '\\' {
			dst = append(dst, '\\')
		}
		dst = appendSafeRune(dst, s, r, size)
		s = s[size:]
	}
	return append(dst, '"')
}
