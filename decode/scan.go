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

// rememberedNames is from how many names of one object on a name is no longer compared with the others in passing,
// but raises ClueDuplicate.
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

// The words of JSON as [binary.LittleEndian] reads their first four bytes.
const (
	wordTrue = 't' | 'r'<<8 | 'u'<<16 | 'e'<<24
	wordNull = 'n' | 'u'<<8 | 'l'<<16 | 'l'<<24
	wordFals = 'f' | 'a'<<8 | 'l'<<16 | 's'<<24
)

// space returns the index of the first byte from i on that is no white space.
func (s *scanner) space(i int) int {
	if i < len(s.data) && s.data[i] <= ' ' {
		return s.spaces(i)
	}
	return i
}

// spaces is space where there is some, or a byte that stands nowhere outside of strings.
func (s *scanner) spaces(i int) int {
	data := s.data
	s.clues |= ClueSpace
	for i < len(data) && class[data[i]]&isSpace != 0 {
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

// value reads the value that begins at i. What most values are — plain strings, integers, decimals, words — it reads
// without another call, which takes 4 to 8 % off a whole decode; what is special of its kind, or at fault, it leaves to
// the method for that kind.
func (s *scanner) value(i int) int {
	data := s.data
	switch c := s.peek(i); {
	case c == '"':
		end := i + 1
		for end+8 <= len(data) {
			if m := special(binary.LittleEndian.Uint64(data[end:])); m != 0 {
				if end += bits.TrailingZeros64(m) >> 3; data[end] == '"' {
					return end + 1
				}
				break
			}
			end += 8
		}
		return s.strFrom(i, end)
	case c-'0' < 10, c == '-':
		first := i
		if c == '-' {
			first++
			c = s.peek(first)
		}
		end := skipDigits(data, first)
		if n := end - first; n > 0 && n < 16 && end+1 < len(data) && (c != '0' || end == i+1) {
			if s.float = data[end] == '.' && data[end+1]-'0' < 10; s.float {
				end = skipDigits(data, end+2)
			}
			if end < len(data) && class[data[end]]&isWord == 0 {
				return end
			}
		}
		return s.number(i)
	case c == '{' && !s.loose:
		return s.object(i)
	case c == '[' && !s.loose:
		return s.array(i)
	case c == '{', c == '[':
		return s.skip(i)
	}
	if i+5 < len(data) {
		switch word := binary.LittleEndian.Uint32(data[i:]); {
		case word == wordTrue && class[data[i+4]]&isWord == 0, word == wordNull && class[data[i+4]]&isWord == 0:
			return i + 4
		case word == wordFals && data[i+4] == 'e' && class[data[i+5]]&isWord == 0:
			return i + 5
		}
	}
	switch s.peek(i) {
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
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
			if s.peek(i) != ',' {
				if i = s.space(i); s.peek(i) != ',' {
					break
				}
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
			if s.peek(i) != ',' {
				if i = s.space(i); s.peek(i) != ',' {
					break
				}
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
// the value begins; s.nameEnd is where the name ends. It reads a name of less than eight plain characters in one word,
// which is its hash too: to read any string and then hash it makes a whole decode take 1.2 to 1.4 times as long.
func (s *scanner) member(i int, names *nameSet) int {
	s.escaped = false
	if rest := s.data[min(i, len(s.data)):]; len(rest) >= 10 && rest[0] == '"' {
		word := binary.LittleEndian.Uint64(rest[1:])
		n := bits.TrailingZeros64(special(word)) >> 3
		if n < 8 && rest[n+1] == '"' {
			s.nameEnd = i + n + 2
			names.add(s, shortHash(word, n))
			if rest[n+2] == ':' {
				return s.space(i + n + 3)
			}
			return s.colon(i + n + 2)
		}
		if n == 8 && len(rest) >= 18 { // the same with a name of eight to fifteen
			n += bits.TrailingZeros64(special(binary.LittleEndian.Uint64(rest[9:]))) >> 3
			if n < 16 && rest[n+1] == '"' {
				s.nameEnd = i + n + 2
				names.add(s, nameHash(rest, 1, n+1))
				return s.colon(i + n + 2)
			}
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

// str reads the string that begins at start.
func (s *scanner) str(start int) int { return s.strFrom(start, start+1) }

// strFrom reads on at i in the string that begins at start.
func (s *scanner) strFrom(start, i int) int {
	data := s.data
	for i < len(data) {
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\' && i+1 < len(data) && simpleEscape[data[i+1]]:
			s.escaped = true
			i += 2
		case c == '\\':
			i = s.escape(start, i)
		case c >= 0x80:
			if i = innocent(data, i); data[i] >= 0x80 {
				i = s.text(start, i)
			}
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
		for i+8 <= len(data) {
			m := special(binary.LittleEndian.Uint64(data[i:]))
			if m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
	}
	return s.fail(JSONTruncated, start, "a string")
}

// innocent returns the index behind the characters beyond ASCII, from i on, that are UTF-8 by a look at their bytes
// and raise no clue: the most of two and three bytes, of these two at a time, and dashes and curly quotes. Without it a
// decode of Japanese takes a fifth longer.
func innocent(data []byte, i int) int {
	for i+8 <= len(data) {
		word := binary.LittleEndian.Uint64(data[i:])
		if word&0xc0c0f0c0c0f0 == 0x8080e08080e0 && threes>>(word&0xf)&(threes>>(word>>24&0xf))&1 != 0 {
			i += 6
			continue
		}
		switch n := leads[byte(word)]; {
		case n == 2 && word&0xc000 == 0x8000:
			i += 2
		case n == 3 && word&0xc0c000 == 0x808000:
			i += 3
		case word&0xffff == 0x80e2 && word>>16&0xff-0x90 < 0x18: // U+2010 to U+2027: dashes, quotes, an ellipsis
			i += 3
		default:
			return i
		}
	}
	return i
}

// leads holds how many bytes a sequence has, for the first bytes of those of two and three bytes (RFC 3629 section 4)
// that any bytes 80 to BF may follow and that are not telling; else 0.
var leads = func() (t [256]uint8) {
	for c := 0xc2; c < 0xf0; c++ {
		switch {
		case telling[c] || c == 0xe0 || c == 0xed:
		case c < 0xe0:
			t[c] = 2
		default:
			t[c] = 3
		}
	}
	return t
}()

// threes has a bit for each of the low halves of the first bytes that leads holds 3 for.
var threes = func() (bits uint64) {
	for low := range 16 {
		if leads[0xe0|low] == 3 {
			bits |= 1 << low
		}
	}
	return bits
}()

// simpleEscape marks what stands behind the backslash of an escape of two characters that raises no clue.
var simpleEscape = [256]bool{'"': true, '\\': true, '/': true, 'n': true, 'r': true, 't': true}

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
