package render

import (
	"unicode/utf8"

	"kind4/decode"
)

// ellipsis stands where a text was cut.
func ellipsis(ascii bool) string {
	if ascii {
		return "..."
	}
	return "…"
}

// appendSafeCut appends at most max characters of s, escaped for a terminal, and mark where there were more.
func appendSafeCut(dst, s []byte, max int, mark string) []byte {
	n := prefixRunes(s, max)
	dst = decode.AppendSafe(dst, s[:n])
	if n < len(s) {
		dst = append(dst, mark...)
	}
	return dst
}

// prefixRunes returns the length of the first n characters of s; a byte that is not UTF-8 counts as one.
func prefixRunes(s []byte, n int) int {
	if len(s) <= n {
		return len(s)
	}
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}
