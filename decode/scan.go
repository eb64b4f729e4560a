package decode

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how many arrays and objects deep a body may nest, the outermost included: the limit of
// serde_json, whose counter of 128 must not reach 0.
const maxDepth = 127

// deepClue is the depth from which on ClueDeep is raised.
const deepClue = 100

// rememberedNames is how many names of one object are compared with each other in passing; an object of
// more raises ClueDuplicate.
const rememberedNames = 32

// scanner reads JSON as serde_json does. Its methods take the index of what they read and return the one
// behind it, or failed after they noted the fault. They check every byte once and allocate nothing.
type scanner struct {
	data    []byte
	depth   int // arrays and objects open
	deepest int
	clues   Clue
	loose   bool     // inside what the receiver skips: serde's IgnoredAny
	escaped bool     // set by str when it met an escape
	nameEnd int      // set by member: where the name ends
	float   bool     // set by number: fraction, exponent, or -0
	garbled bool     // something skipped is no JSON to a strict reader
	seen    []uint64 // the stack of hashes that nameSet works on, and of bits that skip works on

	unquoted []byte // memory for the text of a name or method that is spelled with escapes
	*why            // what is at fault
}

// why is what is wrong with a body: a fault, where it is no JSON to the receiver, or a shape.
type why struct {
	fault    Code
	at       int
	expected string
	shape    shape
}

const failed = -1

// space returns the index of the first byte from i on that is no white space.
func (s *scanner) space(i int) int {
	if i < len(s.data) && s.data[i] > ' ' {
		return i
	}
	return s.spaces(i)
}

func (s *scanner) spaces(i int) int {
	for i < len(s.data) && class[s.data[i]]&isSpace != 0 {
		i++
	}
	return i
}

// peek returns the byte at i, 0 at the end of the text: no JSON has a NUL outside.
func (s *scanner) peek(i int) byte {
	if i < len(s.data) {
		return s.data[i]
	}
	return 0
}

// fail notes a fault at i.
func (s *scanner) fail(code Code, i int, expected string) int {
	s.fault, s.at, s.expected = code, i, expected
	return failed
}

// wrong notes that what stands at i is not what is expected there.
func (s *scanner) wrong(i int, expected string) int {
	code := JSONSyntax
	switch {
	case i >= len(s.data):
		code = JSONTruncated
	case s.data[i] >= 0x80 && sequence(s.data[i:]) == 0:
		code = NotUTF8
	}
	return s.fail(code, i, expected)
}

// value reads the value that begins at i.
func (s *scanner) value(i int) int {
	switch c := s.peek(i); c {
	case '"':
		return s.str(i)
	case '{':
		if s.loose {
			return s.skip(i)
		}
		return s.object(i)
	case '[':
		if s.loose {
			return s.skip(i)
		}
		return s.array(i)
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number(i)
	}
	return s.wrong(i, "a value")
}

// kind tells what the value is that value has just read from i on.
func (s *scanner) kind(i int) ValueKind {
	switch s.data[i] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 't':
		return True
	case 'f':
		return False
	case 'n':
		return Null
	}
	if s.float {
		return Float
	}
	return Integer
}

// enter goes one level down, at the bracket at i.
func (s *scanner) enter(i int) bool {
	s.depth++
	s.deepest = max(s.deepest, s.depth)
	if s.depth > maxDepth {
		s.fail(TooDeep, i, "")
		return false
	}
	return true
}

// object reads the object that begins at i.
func (s *scanner) object(i int) int {
	if !s.enter(i) {
		return failed
	}
	names := nameSet{base: len(s.seen)}
	if i = s.space(i + 1); s.peek(i) != '}' {
		for {
			if i = s.member(i, &names); i < 0 {
				return failed
			}
			if i = s.value(i); i < 0 {
				return failed
			}
			if i = s.space(i); s.peek(i) != ',' {
				break
			}
			i = s.space(i + 1)
		}
		if s.peek(i) != '}' {
			return s.wrong(i, "',' or '}'")
		}
	}
	s.seen = s.seen[:names.base]
	s.depth--
	return i + 1
}

// array reads the array that begins at i.
func (s *scanner) array(i int) int {
	if !s.enter(i) {
		return failed
	}
	if i = s.space(i + 1); s.peek(i) != ']' {
		for {
			if i = s.value(i); i < 0 {
				return failed
			}
			if i = s.space(i); s.peek(i) != ',' {
				break
			}
			i = s.space(i + 1)
		}
		if s.peek(i) != ']' {
			return s.wrong(i, "',' or ']'")
		}
	}
	s.depth--
	return i + 1
}

// member reads the name at i, the colon, and the white space around it, notes the name, and returns where
// the value begins; s.nameEnd is where the name ends.
func (s *scanner) member(i int, names *nameSet) int {
	s.escaped = false
	if data := s.data; i+19 <= len(data) && data[i] == '"' {
		word := binary.LittleEndian.Uint64(data[i+1:])
		m, n := special(word), 0
		if m == 0 {
			m, n = special(binary.LittleEndian.Uint64(data[i+9:])), 8
		}
		n += bits.TrailingZeros64(m) >> 3 // 16 where there is nothing special in both words
		if end := i + 2 + n; n < 16 && data[end-1] == '"' {
			s.nameEnd = end
			hash := shortHash(word, n)
			if n > 8 {
				hash = longHash(longHash(uint64(n), word), binary.LittleEndian.Uint64(data[end-9:]))
			}
			names.add(s, hash)
			if data[end] == ':' && data[end+1] > ' ' {
				return end + 1
			}
			return s.colon(end)
		}
	}
	end := s.name(i)
	if end < 0 {
		return failed
	}
	s.nameEnd = end
	if s.escaped {
		s.clues |= ClueDuplicate // for nothing, mostly: it is not worth unescaping every name
	} else {
		names.add(s, nameHash(s.data, i+1, end-1))
	}
	return s.colon(end)
}

// name reads the member name at i.
func (s *scanner) name(i int) int {
	if s.peek(i) != '"' {
		return s.wrong(i, "a member name")
	}
	end := s.str(i)
	if end < 0 && s.fault == JSONTruncated {
		s.expected = "a member name"
	}
	return end
}

// colon reads the colon behind a name, and the white space around it.
func (s *scanner) colon(i int) int {
	if s.peek(i) != ':' {
		if i = s.space(i); s.peek(i) != ':' {
			return s.wrong(i, "':'")
		}
	}
	return s.space(i + 1)
}

// literal reads one of the three words of JSON.
func (s *scanner) literal(i int, word string) int {
	end := i + len(word)
	if end <= len(s.data) && string(s.data[i:end]) == word && class[s.peek(end)]&isWord == 0 {
		return end
	}
	if end > len(s.data) && string(s.data[i:]) == word[:len(s.data)-i] {
		return s.fail(JSONTruncated, i, word)
	}
	return s.wrong(i, "a value")
}

// str reads the string that begins at i.
func (s *scanner) str(start int) int {
	data := s.data
	i := start + 1
	for {
		for i+8 <= len(data) {
			m := special(binary.LittleEndian.Uint64(data[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(data) {
			return s.fail(JSONTruncated, start, "a string")
		}
		c := data[i]
		switch {
		case c == '"':
			return i + 1
		case c == '\\':
			i = s.escape(start, i)
		case c >= 0x80:
			i = s.text(start, i)
		case c < 0x20:
			return s.fail(JSONSyntax, i, "the rest of a string")
		default:
			if c == 0x7f {
				s.clues |= ClueText
			}
			i++
		}
		if i < 0 {
			return failed
		}
	}
}

// escape reads the escape at i, of the string that begins at start.
func (s *scanner) escape(start, i int) int {
	s.escaped = true
	r, n := unescape(s.data[i:])
	switch {
	case n == 0:
		return s.badEscape(start, i)
	case n == 2:
		if r == '\b' || r == '\f' {
			s.clues |= ClueText
		}
	case n == 6 && r == 0xfffd && s.data[i+2]|0x20 == 'd':
		if !s.loose {
			return s.fail(LoneSurrogate, i, "")
		}
		s.clues |= ClueSkippedFault
		s.garbled = true
	case r != '\n' && r != '\r' && r != '\t' && (r == 0xfffd || Unsafe(r)):
		s.clues |= ClueText
	}
	return i + n
}

// badEscape tells an escape that is cut off from one that JSON does not have.
func (s *scanner) badEscape(start, i int) int {
	rest := s.data[i+1:]
	if len(rest) > 0 && rest[0] == 'u' {
		n := 1
		for n < len(rest) && n < 5 && hexValue[rest[n]] >= 0 {
			n++
		}
		rest = rest[n:]
	}
	if len(rest) == 0 {
		return s.fail(JSONTruncated, start, "a string")
	}
	return s.fail(JSONSyntax, i, "an escape")
}

// text reads the characters beyond ASCII that begin at i, of the string that begins at start.
func (s *scanner) text(start, i int) int {
	for i < len(s.data) && s.data[i] >= 0x80 {
		n := sequence(s.data[i:])
		switch {
		case n == 0 && s.loose:
			s.clues |= ClueSkippedFault
			s.garbled = true
			n = 1
		case n == 0 && cutOff(s.data[i:]):
			return s.fail(JSONTruncated, start, "a string")
		case n == 0:
			return s.fail(NotUTF8, i, "")
		case telling[s.data[i]]:
			if r, _ := utf8.DecodeRune(s.data[i:]); r == utf8.RuneError || Unsafe(r) {
				s.clues |= ClueText
			}
		}
		i += n
	}
	return i
}

// telling marks the first bytes of all UTF-8 sequences that ClueText is about: C1 (C2), U+061C (D8),
// U+180E (E1), U+2000 to U+2FFF (E2), U+FEFF and U+FFF9 to U+FFFD (EF), and the planes beyond (F0, F3).
var telling = [256]bool{0xc2: true, 0xd8: true, 0xe1: true, 0xe2: true, 0xef: true, 0xf0: true, 0xf3: true}

// number reads the number that begins at i.
func (s *scanner) number(start int) int {
	data := s.data
	i := start
	s.float = false
	if data[i] == '-' {
		i++
	}
	first := i
	if s.peek(i) == '0' {
		i++
		s.float = first > start // -0, as serde_json reads it; a fraction or exponent makes it a float anyway
	} else if i = skipDigits(data, i); i == first {
		return s.badNumber(start, i)
	}
	digits := i - first
	c := s.peek(i)
	if class[c]&isWord == 0 {
		if digits >= 16 {
			s.clues |= ClueBigInteger
		}
		if digits > 308 {
			return s.inRange(start, i)
		}
		return i
	}
	return s.fraction(start, i)
}

// fraction reads what stands at i behind the whole digits of the number that begins at start.
func (s *scanner) fraction(start, i int) int {
	data := s.data
	s.float = true
	whole := i - start
	if s.peek(i) == '.' {
		first := i + 1
		if i = skipDigits(data, first); i == first {
			return s.badNumber(start, i)
		}
	}
	exponent := false
	if s.peek(i)|0x20 == 'e' {
		exponent = true
		if i++; s.peek(i) == '+' || s.peek(i) == '-' {
			i++
		}
		first := i
		if i = skipDigits(data, first); i == first {
			return s.badNumber(start, i)
		}
	}
	switch {
	case class[s.peek(i)]&isWord != 0:
		return s.badNumber(start, i)
	case exponent || whole > 308:
		return s.inRange(start, i)
	}
	return i
}

// badNumber notes that the number that begins at start breaks off at i, or is none.
func (s *scanner) badNumber(start, i int) int {
	if i >= len(s.data) {
		return s.fail(JSONTruncated, start, "a number")
	}
	return s.fail(JSONSyntax, start, "a number")
}

// inRange checks that the number overflows no double, where the receiver reads it.
func (s *scanner) inRange(start, end int) int {
	if !overflows(s.data[start:end]) {
		return end
	}
	if !s.loose {
		return s.fail(NumberRange, start, "")
	}
	s.clues |= ClueSkippedFault
	return end
}

// nameText returns the text of the name data[at:end], the last string that was read.
func (s *scanner) nameText(at, end int) []byte {
	if s.escaped {
		return s.unquoteName(at, end)
	}
	return s.data[at+1 : end-1]
}

// unquoteName unescapes the name data[at:end], but for what is longer than every name that the receiver
// knows.
func (s *scanner) unquoteName(at, end int) []byte {
	s.clues |= ClueEscapedName
	if end-at > 6*len("resourceSubscriptions")+2 {
		return nil
	}
	s.unquoted = Unquote(s.unquoted[:0], s.data[at:end])
	return s.unquoted
}

// took is the value that has just been read.
func (s *scanner) took(start, end int) Value { return Value{start, end, s.kind(start)} }

// ends notes where the body stands, and checks that nothing is behind it.
func (s *scanner) ends(f *Frame, start, end int) bool {
	if end < 0 {
		return false
	}
	f.body = s.took(start, end)
	if i := s.space(end); i < len(s.data) {
		s.fail(TrailingData, i, "")
		return false
	}
	return true
}
