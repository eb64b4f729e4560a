package decode

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// quoted is how many characters of the input a text of this package quotes.
const quoted = 40

// unknownTagText says what stands where the tag should.
func unknownTagText(tag byte) string {
	text := fmt.Sprintf("unknown tag %d (0x%02x", tag, tag)
	if tag > ' ' && tag < 0x7f {
		text += ", " + string(AppendQuoted(nil, []byte{tag}, 0))
	}
	return text + "): neither 0 nor 1"
}

// jsonFault notes why the body is no JSON to the receiver.
func (f *Frame) jsonFault(s *scanner) {
	body := f.Message[1:]
	if s.space(1) == len(f.Message) {
		f.fail(EmptyBody, 1, "nothing but the tag")
		if len(body) > 0 {
			f.Err.Message = "nothing but white space behind the tag"
		}
		return
	}
	if mark := byteOrderMark(f.Message); mark != "" {
		f.fail(ByteOrderMark, 1, mark)
		return
	}
	at := s.at
	var text string
	switch s.fault {
	case JSONSyntax:
		text = s.syntaxText()
	case JSONTruncated:
		at, text = s.truncatedText()
	case TrailingData:
		text = trailingText(f.Message[at:], s.expected)
	case TooDeep:
		text = "one array or object too many inside another: the receiver takes 127"
	case NumberRange, LoneSurrogate, NotUTF8:
		text = tokenFault(f.Message, s.fault, at)
	}
	f.fail(s.fault, at, text)
}

// byteOrderMark says which mark or sign of UTF-16 a message's body begins with, "" for none.
func byteOrderMark(message []byte) string {
	body := message[1:]
	name, mark := EncodingOf(body)
	switch {
	case name == "UTF-8":
		return "a byte order mark, EF BB BF, before the JSON"
	case mark == 2:
		return fmt.Sprintf("a byte order mark, %X %X: the body is %s, and not UTF-8", body[0], body[1], name)
	case mark == 4 && body[0] != 0:
		return "a byte order mark, FF FE 00 00: the body is UTF-32, little-endian, and not UTF-8"
	case name == littleEndian && message[0] == 0 && len(body)%2 == 1 && body[len(body)-1] != 0:
		return "every other byte is NUL: the whole message is UTF-16, big-endian, and its first NUL was taken for the tag"
	case name == littleEndian || name == bigEndian:
		return "every other byte is NUL: the body is " + name + ", and not UTF-8"
	}
	return ""
}

const (
	littleEndian = "UTF-16, little-endian"
	bigEndian    = "UTF-16, big-endian"
)

// EncodingOf names the encoding of Unicode that s begins like, and how long its byte order mark is: "UTF-8" by
// its mark alone, "UTF-16, little-endian" and the like also without one where s begins with ASCII characters so
// encoded, as JSON does. It is "" for anything else.
func EncodingOf(s []byte) (name string, mark int) {
	switch {
	case bytes.HasPrefix(s, []byte("\xef\xbb\xbf")):
		return "UTF-8", 3
	case bytes.HasPrefix(s, []byte("\xff\xfe\x00\x00")):
		return "UTF-32, little-endian", 4
	case bytes.HasPrefix(s, []byte("\x00\x00\xfe\xff")):
		return "UTF-32, big-endian", 4
	case bytes.HasPrefix(s, []byte("\xff\xfe")):
		return littleEndian, 2
	case bytes.HasPrefix(s, []byte("\xfe\xff")):
		return bigEndian, 2
	case wide(s, 0):
		return bigEndian, 0
	case wide(s, 1):
		return littleEndian, 0
	}
	return "", 0
}

// wide reports whether s begins with ASCII characters of two bytes, of which that at high is NUL: four of them, or
// two or three and no more.
func wide(s []byte, high int) bool {
	n := min(len(s)/2, 4)
	for i := range n {
		if s[2*i+high] != 0 || !plain(s[2*i+1-high]) {
			return false
		}
	}
	return n > 1
}

// plain reports whether c is a printable character of ASCII, or white space of JSON.
func plain(c byte) bool { return c > ' ' && c < 0x7f || class[c]&isSpace != 0 }

// tokenFault says what is wrong at that offset for one of the codes that are about the inside of a token.
func tokenFault(message []byte, code Code, at int) string {
	rest := message[at:]
	switch code {
	case NumberRange:
		end, _ := skipNumber(message, at)
		return "the number " + short(message[at:end]) + " overflows a double"
	case LoneSurrogate:
		return short(rest[:min(6, len(rest))]) + ", half of a surrogate pair without its other half"
	}
	return notUTF8Text(message, at)
}

// notUTF8Text says what the bytes of the message from at on, which are no UTF-8, look like.
func notUTF8Text(message []byte, at int) string {
	s := message[at:]
	c := s[0]
	next := byte(0)
	if len(s) > 1 {
		next = s[1]
	}
	named := fmt.Sprintf("the byte 0x%02x is not UTF-8", c)
	if follows(next) && c >= 0xc0 {
		named = fmt.Sprintf("the bytes 0x%02x 0x%02x are not UTF-8", c, next)
	}
	ends := next < 0x20 || next == '"'
	switch {
	case c == 0xed && next >= 0xa0 && next < 0xc0:
		return named + ": a surrogate, encoded (CESU-8)"
	case follows(next) && (c == 0xc0 || c == 0xc1 || c == 0xe0 && next < 0xa0 || c == 0xf0 && next < 0x90):
		return named + ": an overlong form"
	case c == 0xf4 && next >= 0x90 && next < 0xc0:
		return named + ": beyond U+10FFFF"
	case c >= 0xf5:
		return named + ": no character begins with it"
	case !InText(message, at):
		return named
	case c >= 0xc2 && follows(next), (c == 0xc2 || c == 0xc3) && ends:
		return named + ": a character cut off"
	case c >= 0xc4 && c < 0xe0 && ends:
		return named + ": looks like Latin-1 (or cp1252), " + latin1(c) + ", or a character cut off"
	case c < 0xa0 && !inCP1252(c):
		return named
	case c < 0xa0:
		return named + ": looks like Windows-1252 (cp1252)"
	}
	return named + ": looks like Latin-1 (or cp1252), " + latin1(c)
}

// latin1 is the character that Latin-1 has for a byte, in quotes.
func latin1(c byte) string { return string(AppendQuoted(nil, utf8.AppendRune(nil, rune(c)), 0)) }

// around is how far from a byte InText looks.
const around = 32

// InText reports whether what stands about message[at], a byte that is no UTF-8, is text of another encoding that
// has ASCII in it: mostly ASCII and whole UTF-8, no control characters, and no long run of other bytes. Where
// nothing before it begins a JSON string, more has to be there than else.
func InText(message []byte, at int) bool {
	text, others, run := 0, 0, 0
	i := max(1, at-around)
	for i < at && follows(message[i]) {
		i++
	}
	for end := min(len(message), at+around); i < end; i++ {
		c := message[i]
		n := 1
		if c >= 0x80 {
			n = sequence(message[i:])
		}
		switch {
		case n > 1 || plain(c):
			text, run = text+1, 0
			i += n - 1
			continue
		case c < 0x80 || run == 3:
			return false
		}
		others, run = others+1, run+1
	}
	if bytes.IndexByte(message[min(1, at):at], '"') < 0 {
		return text >= 8 && text >= 4*others
	}
	return text >= 4 && text >= 2*others
}

// inCP1252 reports whether Windows-1252 has a character for a byte of 0x80 to 0x9f.
func inCP1252(c byte) bool { return c != 0x81 && c != 0x8d && c != 0x8f && c != 0x90 && c != 0x9d }

// syntaxText says what stands at the fault and what was expected.
func (s *scanner) syntaxText() string {
	rest := s.data[s.at:]
	c := rest[0]
	switch s.expected {
	case "an escape":
		_, size := utf8.DecodeRune(rest[min(1, len(rest)):])
		if rest[1] == 'u' {
			size = min(5, len(rest)-1)
		}
		return string(AppendQuoted(nil, rest[:1+size], 0)) + " is no escape of JSON"
	case "the rest of a string":
		return fmt.Sprintf("a raw control character, 0x%02x, inside a string", c)
	case "a number":
		return string(AppendQuoted(nil, word(rest), quoted)) + " is no number of JSON"
	}
	if s.expected == "a member name" && c == '}' {
		return "'}' behind a comma, where a member name is needed"
	}
	return standing(rest) + " where " + s.expected + " is needed"
}

// standing names what a text begins with.
func standing(rest []byte) string {
	switch c := rest[0]; {
	case c == '"':
		head := rest[:min(len(rest), 6*(quoted+1))]
		return "a string, " + string(AppendQuoted(nil, Unquote(nil, head), quoted)) + ","
	case class[c]&isWord != 0:
		return string(AppendQuoted(nil, word(rest), quoted))
	case c < 0x20 || c == 0x7f:
		return fmt.Sprintf("the byte 0x%02x", c)
	case c < 0x7f:
		return "'" + string(c) + "'"
	}
	_, size := utf8.DecodeRune(rest)
	return string(AppendQuoted(nil, rest[:size], 0))
}

// word is the run of letters, digits and signs that a text begins with.
func word(s []byte) []byte {
	i := 0
	for i < len(s) && class[s[i]]&isWord != 0 {
		i++
	}
	return s[:max(i, min(1, len(s)))]
}

// truncatedText says inside what the text ends, and where that begins.
func (s *scanner) truncatedText() (at int, text string) {
	const ends = "the text ends inside "
	at = s.at
	if at < len(s.data) {
		what := s.expected
		if what == "true" || what == "false" || what == "null" {
			what = "the word " + what
		}
		text = ends + what + " that begins there"
	} else if start := openBracket(s.data); start < 0 {
		return at, "the text ends where " + s.expected + " is needed"
	} else {
		what := "an object"
		if s.data[start] == '[' {
			what = "an array"
		}
		at, text = start, ends+what+" that begins there, where "+s.expected+" is needed"
	}
	if pointer := PointerAt(s.data, at); pointer != "" {
		where := short([]byte(pointer))
		if strings.HasSuffix(where, ".") { // which would read as the end of a sentence
			where = string(AppendQuoted(nil, []byte(pointer), quoted))
		}
		text += ", in " + where
	}
	return at, text
}

// openBracket returns where the innermost array or object begins that is open at the end of the body, -1
// for none.
func openBracket(message []byte) int {
	w := NewWalker(message, 1)
	var open []int
	for {
		t, ok := w.Next()
		switch {
		case !ok && len(open) == 0:
			return -1
		case !ok:
			return open[len(open)-1]
		case t.Kind == BeginArray || t.Kind == BeginObject:
			if t.Depth <= maxPointerDepth {
				open = append(open, t.Start)
			}
		case (t.Kind == EndArray || t.Kind == EndObject) && t.Depth <= maxPointerDepth:
			open = open[:t.Depth-1]
		}
	}
}

// trailingText says what stands behind the end, which is that of the value where it has no name.
func trailingText(rest []byte, end string) string {
	if end != "" {
		return standing(rest) + " behind " + end
	}
	if beginsMessage(rest) {
		return "a second message behind the first: a frame holds one"
	}
	return standing(rest) + " behind the end of the value"
}

// beginsMessage reports whether a text begins with an object that is a message by its names: it has a method
// or a jsonrpc, or both a code and a message.
func beginsMessage(rest []byte) bool {
	w := NewWalker(rest, 0)
	code, message := false, false
	if t, ok := w.Next(); !ok || t.Kind != BeginObject {
		return false
	}
	for {
		t, ok := w.Next()
		if !ok || t.Kind != TokenName {
			return false
		}
		switch string(rest[t.Start:t.End]) {
		case `"method"`, `"jsonrpc"`:
			return true
		case `"code"`:
			code = true
		case `"message"`:
			message = true
		}
		if code && message {
			return true
		}
		w.Skip()
	}
}

// shapeText says what the receiver does not take in a body that is JSON.
func (f *Frame) shapeText(s *shape) string {
	switch s.code {
	case NotAnObject:
		return f.where(s.value, "a notification, an object,")
	case MethodMissing:
		return "no member method"
	case MethodType:
		return f.where(s.value, "a string")
	case ParamsType, MetaType:
		return f.where(s.value, "an object")
	case DuplicateMember:
		return "a second " + s.member + ", " + short(f.Raw(s.value)) + ", behind the first, " + short(f.Raw(s.first))
	}
	switch {
	case s.member == "":
		return f.where(s.value, "an error, an object of code and message,")
	case s.value == f.body:
		return "no member " + s.member
	case s.member == "code" && s.value.Kind == Integer:
		return "the code " + short(f.Raw(s.value)) + " is outside a signed 32-bit integer"
	case s.member == "code":
		return f.where(s.value, "an integer")
	}
	return f.where(s.value, "a string")
}

// valueWords name the kinds of value.
var valueWords = [...]string{"nothing", "null", "false", "true", "a number", "a number", "a string", "an array", "an object"}

// AppendValue appends what a value is and how it begins, safe for a terminal: `a string, "50"`, `a number,
// 1.5`, `null`, `an empty array`.
func AppendValue(dst, message []byte, v Value) []byte {
	raw := message[v.Start:v.End]
	dst = append(dst, valueWords[v.Kind]...)
	switch v.Kind {
	case String:
		head := raw[:min(len(raw), 6*(quoted+1))]
		return AppendQuoted(append(dst, ", "...), Unquote(nil, head), quoted)
	case Integer, Float:
		return append(append(dst, ", "...), short(raw)...)
	case Array, Object:
		if first := bytes.TrimLeft(raw[1:], " \t\r\n"); len(first) == 1 {
			return append(append(dst[:len(dst)-len(valueWords[v.Kind])], "an empty "...), valueWords[v.Kind][3:]...)
		}
		return append(append(dst, ", "...), short(raw)...)
	}
	return dst
}

// where is a value and what is needed in its place.
func (f *Frame) where(v Value, need string) string {
	text := AppendValue(nil, f.Message, v)
	if bytes.Contains(text, []byte(", ")) {
		text = append(text, ',')
	}
	return string(text) + " where " + need + " is needed"
}

// short is a text made safe and cut to what is quoted.
func short(s []byte) string {
	i := 0
	for n := 0; i < len(s); n++ {
		if n == quoted {
			return string(AppendSafe(nil, s[:i])) + "…"
		}
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return string(AppendSafe(nil, s))
}

// LiteralFault says what a strict reader refuses inside the string or number message[start:end], which is
// well formed to the grammar: bytes that are not UTF-8, a lone surrogate, a number that overflows a
// double. It returns nil where there is nothing. Under tag 1 the receiver skips such faults in members
// that it does not read (ClueSkippedFault).
func LiteralFault(message []byte, start, end int) *DecodeError {
	if start >= end || end > len(message) {
		return nil
	}
	s := scanner{data: message[:end], why: new(why)}
	if message[start] == '"' {
		s.str(start)
	} else if class[message[start]]&isDigit != 0 || message[start] == '-' {
		s.number(start)
	}
	switch s.fault {
	case NumberRange, LoneSurrogate, NotUTF8:
		return &DecodeError{Code: s.fault, Offset: s.at, Message: tokenFault(message, s.fault, s.at)}
	}
	return nil
}
