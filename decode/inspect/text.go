package inspect

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"kind4/decode"
)

func appendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// runeLen is how many bytes the first character of s takes; a byte that is no UTF-8 is one of its own.
func runeLen(s []byte) int {
	_, n := utf8.DecodeRune(s)
	return n
}

// hasEscape reports whether a JSON string literal spells any character with a backslash.
func hasEscape(literal []byte) bool { return bytes.IndexByte(literal, '\\') >= 0 }

// unquoted is the text of a JSON string literal: a view of it where no escape stands in it, else made in scratch.
func unquoted(scratch, literal []byte) []byte {
	if len(literal) >= 2 && !hasEscape(literal) {
		return literal[1 : len(literal)-1]
	}
	return decode.Unquote(scratch[:0], literal)
}

// maxBeginning is how much of a literal beginning looks at, in bytes.
const maxBeginning = 64 << 10

// beginning is unquoted for a literal that may be as long as its message: of a long one it is the text of the first 64 KiB,
// and whole is false.
func beginning(scratch, literal []byte) (text []byte, whole bool) {
	if len(literal) <= maxBeginning {
		return unquoted(scratch, literal), true
	}
	text, _ = decode.UnquotePart(scratch[:0], literal[1:], maxBeginning)
	return text, false
}

// isSpace reports whether b is white space to JSON (RFC 8259 section 2).
func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func trimSpace(s []byte) []byte { return bytes.Trim(s, " \t\r\n") }

func hasPrefix(s []byte, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}

// hasPrefixFold is hasPrefix, but for the case of ASCII letters.
func hasPrefixFold(s []byte, prefix string) bool {
	return len(s) >= len(prefix) && bytes.EqualFold(s[:len(prefix)], []byte(prefix))
}
