package decode

import (
	"encoding/binary"
	"math/bits"
)

// Classes of bytes in JSON text.
const (
	isSpace uint8 = 1 << iota // space, tab, LF, CR: the white space of RFC 8259 section 2
	isDigit
	isWord // what a bare word is made of, for quoting one that is no JSON
)

// class holds the classes of each byte.
var class = func() (t [256]uint8) {
	for _, c := range " \t\n\r" {
		t[c] |= isSpace
	}
	for c := '0'; c <= '9'; c++ {
		t[c] |= isDigit | isWord
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] |= isWord
		t[c-'a'+'A'] |= isWord
	}
	for _, c := range "+-._$" {
		t[c] |= isWord
	}
	return t
}()

// Words for looking at eight bytes at a time.
const (
	each   = 0x0101010101010101 // 1 in each byte
	tops   = each << 7          // the top bit of each byte
	quotes = each * '"'
	slants = each * '\\'
	spaces = each * ' '
)

// special has the top bit set in the first byte of the word that does not simply stand for itself in a
// JSON string: a quote, a backslash, a control character, DEL, or a byte of a character beyond ASCII.
// Bits in later bytes may be set for nothing.
func special(word uint64) uint64 {
	return (((word ^ quotes) - each) | ((word ^ slants) - each) | (word - spaces) | word | (word + each)) & tops
}

// plainRun returns how many bytes at the start of s stand for themselves in a JSON string.
func plainRun(s []byte) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if m := special(binary.LittleEndian.Uint64(s[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			break
		}
	}
	return i
}
