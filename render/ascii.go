package render

import (
	"unicode/utf8"

	"kind4/decode"
)

// asciiNames are characters that ASCII has its own way to write.
var asciiNames = map[rune]string{'…': "...", '–': "-", '−': "-", '±': "+-", '█': "#", '░': "-"}

// AppendASCII appends s with nothing beyond ASCII in it: an ellipsis as three dots and the like, any other character as
// a \u escape, or two, as JSON writes it, and a byte that is not UTF-8 as \xNN.
func AppendASCII(dst, s []byte) []byte {
	for {
		n := firstBeyondASCII(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			return dst
		}
		r, size := utf8.DecodeRune(s)
		switch name, ok := asciiNames[r]; {
		case ok:
			dst = append(dst, name...)
		case r == utf8.RuneError && size == 1:
			dst = decode.AppendSafe(dst, s[:1])
		default:
			dst = appendEscape(dst, r)
		}
		s = s[size:]
	}
}

// PartialRune returns how many bytes at the end of s are the start of a character whose rest is missing.
func PartialRune(s []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(s[len(s)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
