package inspect

import (
	"unicode/utf8"

	"kind4/decode"
)

// text looks at one string or name: once, whatever it holds of each kind.
func (d *deepWalk) text(t decode.Token) {
	if d.skipped {
		d.literalFault(t)
	}
	if d.clues&decode.ClueText == 0 {
		return
	}
	raw := d.raw(t.Start, t.End)
	var control, replacement bool
	for i := 1; i < len(raw)-1; {
		r, size := nextRune(raw[i:])
		at := t.Start + i
		switch {
		case !control && isControl(r):
			control = true
			d.add(alikeControl, newFinding(decode.ControlText, at, "the text holds %; it is shown escaped", words(controlName(r))))
		case !replacement && r == utf8.RuneError:
			replacement = true
			d.add(alikeReplacement, newFinding(decode.ReplacementCharacter, at,
				"the text holds U+FFFD: something upstream decoded it badly"))
		}
		i += size
	}
}

// What nextRune returns for what stands for no character.
const (
	badByte   rune = -1 // a byte that is no UTF-8
	badEscape rune = -2 // a lone surrogate's escape
)

// nextRune reads one character of a JSON string's inside: how many bytes spell it, and what it is.
func nextRune(s []byte) (r rune, size int) {
	if s[0] != '\\' {
		r, size = utf8.DecodeRune(s)
		if r == utf8.RuneError && size == 1 {
			return badByte, 1
		}
		return r, size
	}
	if len(s) < 2 {
		return '\\', 1
	}
	switch s[1] {
	case 'u':
		return escapedRune(s)
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n', 'r', 't':
		return '\n', 2
	}
	return rune(s[1]), 2
}

// escapedRune reads \uXXXX, or two of them that are a surrogate pair.
func escapedRune(s []byte) (rune, int) {
	r, ok := hex4(s)
	switch {
	case !ok:
		return 'u', min(2, len(s))
	case r < 0xd800 || r > 0xdfff:
		return r, 6
	case r < 0xdc00 && len(s) >= 12:
		if low, ok := hex4(s[6:]); ok && low >= 0xdc00 && low <= 0xdfff {
			return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), 12
		}
	}
	return badEscape, 6
}

// hex4 reads the four hex digits of \uXXXX.
func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	for _, c := range s[2:6] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 + rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 + rune(c|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return r, true
}

// isControl reports whether a character in a text drives or deceives a terminal: C0 but tab, LF and CR, DEL,
// C1, the bidirectional controls, and the line and paragraph separators.
func isControl(r rune) bool {
	switch {
	case r < 0x20:
		return r >= 0 && r != '\t' && r != '\n' && r != '\r'
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true
	}
	return isBidi(r) || r == 0x2028 || r == 0x2029
}

// isBidi reports whether r is one of Unicode's Bidi_Control characters.
func isBidi(r rune) bool {
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// controlName says what kind of control character r is.
func controlName(r rune) string {
	switch {
	case r == 0:
		return "NUL (U+0000)"
	case r == 0x1b:
		return "ESC (U+001B), which begins a terminal's control sequences"
	case r == 0x9b:
		return "CSI (U+009B), which begins a terminal's control sequences"
	case r < 0x20 || r == 0x7f:
		return "a control character (C0 or DEL)"
	case r < 0xa0:
		return "a control character (C1)"
	case r == 0x2028 || r == 0x2029:
		return "a line or paragraph separator (U+2028, U+2029)"
	}
	return "a bidirectional control character, which reorders what is shown"
}
