package render

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/tidwall/pretty"

	"kind4/decode"
)

// indented keeps every member and element on a line of its own.
var indented = &pretty.Options{Width: 0, Indent: indent}

const indent = "  "

// maxSpaced is up to which size, in bytes, tidwall/pretty re-indents a body. It holds its whole output beside ours.
const maxSpaced = 1 << 20

// appendPretty appends a body, which is RFC 8259 JSON, at most 127 deep, with each member and element on a line of its
// own, what decode.Unsafe names as \u escapes, and a newline. M is its message.
//
// tidwall/pretty re-indents what somebody has spaced by hand. A body without white space, as programs send them, and
// one too large to hold twice go through appendIndented: it writes the same into the buffer itself, in a fifth of the
// time (BenchmarkIndent).
func appendPretty(dst, b []byte, m *Message) []byte {
	if m.Frame.Clues&decode.ClueSpace != 0 && len(b) <= maxSpaced {
		return appendEscaped(dst, pretty.PrettyOptions(b, indented))
	}
	return appendIndented(dst, b, m)
}

// newLine is a newline and the most indentation there is.
var newLine = append([]byte{'\n'}, bytes.Repeat([]byte(indent), 128)...)

// appendIndented is appendPretty by itself.
func appendIndented(dst, b []byte, m *Message) []byte {
	unsafe := m.Frame.Clues&decode.ClueText != 0
	depth := 0
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case '"':
			end := stringEnd(b, i)
			if unsafe {
				dst = m.appendParts(dst, b[i:end], new(compactor).append) // which keeps white space inside of a string
			} else {
				dst = m.appendBytes(dst, b[i:end])
			}
			i = end
		case ':':
			dst = append(dst, ':', ' ')
			i++
		case ',':
			dst = append(append(dst, ','), newLine[:1+len(indent)*depth]...)
			dst = m.spill(dst)
			i++
		case '{', '[':
			dst = append(dst, c)
			i = pastSpace(b, i+1)
			if i < len(b) && b[i] == c+2 { // '}' and ']' stand two behind their openings in ASCII
				dst = append(dst, c+2)
				i++
				continue
			}
			depth++
			dst = append(dst, newLine[:1+len(indent)*depth]...)
		case '}', ']':
			depth--
			dst = append(append(dst, newLine[:1+len(indent)*depth]...), c)
			i++
		case ' ', '\t', '\r', '\n':
			i++
		default:
			end := i + 1
			for end < len(b) && b[end] > ' ' && b[end] != ',' && b[end] != '}' && b[end] != ']' {
				end++
			}
			dst = append(dst, b[i:end]...)
			i = end
		}
	}
	return append(dst, '\n')
}

// pastSpace returns the index of the first byte from i on that is no white space.
func pastSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' {
		i++
	}
	return i
}

// stringEnd returns the index behind the string literal that begins at i, len(b) where it is not closed. It looks at
// eight bytes at a time for a quote or a backslash: of what pretty takes, a third went into looking at each.
func stringEnd(b []byte, i int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for i++; i < len(b); {
		for i+8 <= len(b) {
			word := binary.LittleEndian.Uint64(b[i:])
			quote, slant := word^ones*'"', word^ones*'\\'
			if mask := ((quote-ones)&^quote | (slant-ones)&^slant) & tops; mask != 0 {
				i += bits.TrailingZeros64(mask) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			break
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		default:
			i++
		}
	}
	return len(b)
}
