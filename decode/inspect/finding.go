// Package inspect says what is wrong or odd about a message or a session. It alone makes findings, those
// about the wire too, so that a live tail and a capture of it say the same. It knows nothing of rendering.
//
// [Message] judges one message by itself; a [Session] adds what only the messages before, the wire, or the
// way a path ended can tell. The codes are those of [decode.Code].
package inspect

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"kind4/decode"
)

// NoOffset stands in a finding that belongs to no byte.
const NoOffset = -1

// Finding is one thing to say. It is a value: its text is made when it is printed, and is a view of the
// message until then.
type Finding struct {
	Code     decode.Code
	Severity decode.Severity
	Offset   int // 0-based, within the message, tag byte included; NoOffset where it does not apply

	body   []byte // the message that Pointer walks; nil where there is none
	lead   string // comes before format, with "; " between where both are there
	format string // the text; each "%" stands for the next argument
	args   [4]Arg
	known  decode.Variant // what the method names, where it comes as custom
	more   int            // how many others of the kind the message holds, not reported
	path   string         // set where the pointer is known without a walk
	silent bool           // Consequence does not apply
}

// argKind says how an Arg is written.
type argKind uint8

const (
	argNone  argKind = iota
	argWords         // words: text of this program's own
	argBytes         // bytes: escaped and cut, no quotes around them
	argQuote         // bytes: escaped and cut, in double quotes
	argValue         // bytes: a JSON value as it was sent, escaped and cut
	argNoun          // what the value is, and the value: `a string, "50",`
	argNumber
	argSize    // a number of bytes: "1 byte", "45 bytes"
	argRounded // bytes: an integer beyond 2^53, as what a double makes of it
)

// Arg is one argument of a finding's text: a view, not a copy.
type Arg struct {
	kind   argKind
	value  decode.Value // argNoun: where it stands in bytes
	words  string
	bytes  []byte
	number int64
}

func words(s string) Arg   { return Arg{kind: argWords, words: s} }
func plain(b []byte) Arg   { return Arg{kind: argBytes, bytes: b} }
func quoted(b []byte) Arg  { return Arg{kind: argQuote, bytes: b} }
func literal(b []byte) Arg { return Arg{kind: argValue, bytes: b} }
func number(n int64) Arg   { return Arg{kind: argNumber, number: n} }

func size(n int64) Arg { return Arg{kind: argSize, number: n} }

func rounded(integer []byte) Arg { return Arg{kind: argRounded, bytes: integer} }

func noun(message []byte, v decode.Value) Arg {
	return Arg{kind: argNoun, value: v, bytes: message}
}

// view is message[start:end], as far as there is such a thing.
func view(message []byte, start, end int) []byte {
	start = min(max(start, 0), len(message))
	return message[start:min(max(end, start), len(message))]
}

// maxQuoted is how many characters of untrusted text one argument shows.
const maxQuoted = 60

// newFinding makes a finding of the code's usual severity.
func newFinding(code decode.Code, offset int, format string, args ...Arg) Finding {
	f := Finding{Code: code, Severity: code.Severity(), Offset: offset, format: format}
	copy(f.args[:], args)
	return f
}

// at gives the finding the message that its pointer leads into.
func (f Finding) at(message []byte) Finding {
	f.body = message
	return f
}

// Layer returns the layer that the finding belongs to.
func (f *Finding) Layer() decode.Layer { return f.Code.Layer() }

// HasPointer reports whether the finding is about a place in a message's JSON.
func (f *Finding) HasPointer() bool { return f.path != "" || f.body != nil }

// Pointer returns where in the message's JSON the finding applies, as RFC 6901 writes it; "" is the whole
// body, and what HasPointer reports false for. It holds the names as they were sent, unescaped: text from outside.
func (f *Finding) Pointer() string {
	if f.path != "" || f.body == nil {
		return f.path
	}
	return decode.PointerAt(f.body, f.Offset)
}

// AppendText appends what the finding says: one clause or sentence without a final full stop, fit for a
// terminal whatever the message held.
func (f *Finding) AppendText(dst []byte) []byte {
	dst = append(dst, f.lead...)
	if f.lead != "" && f.format != "" {
		dst = append(dst, "; "...)
	}
	next := 0
	for i := 0; i < len(f.format); i++ {
		if f.format[i] != '%' || next == len(f.args) {
			dst = append(dst, f.format[i])
			continue
		}
		dst = f.args[next].append(dst)
		next++
	}
	if f.more > 0 {
		dst = append(dst, " (and "...)
		dst = appendInt(dst, int64(f.more))
		dst = append(dst, " more like it)"...)
	}
	return dst
}

func (a *Arg) append(dst []byte) []byte {
	switch a.kind {
	case argWords:
		return append(dst, a.words...)
	case argNumber:
		return appendInt(dst, a.number)
	case argSize:
		dst = append(appendInt(dst, a.number), " byte"...)
		if a.number != 1 {
			dst = append(dst, 's')
		}
		return dst
	case argBytes, argValue:
		return appendCut(dst, a.bytes)
	case argQuote:
		return decode.AppendQuoted(dst, a.bytes, maxQuoted)
	case argNoun:
		return a.appendNoun(dst)
	case argRounded:
		return appendRounded(dst, a.bytes)
	}
	return dst
}

// appendRounded appends what JavaScript makes of an integer that it holds as a double.
func appendRounded(dst, integer []byte) []byte {
	const same = "do not tell it from its neighbours"
	value := float(integer)
	if math.Abs(value) >= 1e21 { // where it begins to print exponents (ECMA-262, Number::toString)
		return append(dst, same...)
	}
	var buf [24]byte
	digits := strconv.AppendFloat(buf[:0], value, 'f', -1, 64)
	if bytes.Equal(digits, integer) {
		return append(dst, same...)
	}
	return append(append(dst, "make "...), append(digits, " of it"...)...)
}

// appendNoun appends what a value is and how it begins, and a comma where it can be read on without a stop.
func (a *Arg) appendNoun(dst []byte) []byte {
	before := len(dst)
	dst = decode.AppendValue(dst, a.bytes, a.value)
	if bytes.Contains(dst[before:], []byte(", ")) {
		dst = append(dst, ',')
	}
	return dst
}

// appendCut appends at most maxQuoted characters of s, escaped, and "…" where it was longer.
func appendCut(dst, s []byte) []byte {
	end, n := 0, 0
	for end < len(s) && n < maxQuoted {
		end += runeLen(s[end:])
		n++
	}
	dst = decode.AppendSafe(dst, s[:end])
	if end < len(s) {
		dst = append(dst, "…"...)
	}
	return dst
}

// sortBySeverity puts errors first and leaves findings of one severity in the order in which they were made.
func sortBySeverity(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int { return int(b.Severity) - int(a.Severity) })
}
