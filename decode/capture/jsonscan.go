package capture

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonKind is what a token of a JSON text is.
type jsonKind uint8

const (
	jsonNone  jsonKind = iota
	jsonOpen           // the beginning of an object or array
	jsonClose          // its end
	jsonName           // a member's name
	jsonString
	jsonOther // a number, true, false or null
)

// jsonToken is a token. Its text is valid until the next one is read.
type jsonToken struct {
	kind  jsonKind
	array bool  // of jsonOpen
	at    int64 // where it begins in the input
	text  []byte
	size  int64   // bytes of a string's text, greater than len(text) where that was cut
	last  [2]byte // of a string's text
}

// jsonScanner takes a JSON text (RFC 8259) apart as it comes. Of a string it holds no more than it is told to, and of the
// text around it nothing. It is lenient within strings: bytes that are not UTF-8 and control characters stay as they are.
type jsonScanner struct {
	in    *input
	limit int // bytes that are kept of the next string that is a value
	head  int // bytes that are kept of one longer than that, where that is less; 0 for limit

	open    []byte // what is open: { or [
	expects expected
	quoted  bool // inside a string
	token   jsonToken
	text    []byte
	kept    int // limit of the string under way
	cut     int // head likewise
}

// expected is what may come next.
type expected uint8

const (
	aValue   expected = iota
	anItem            // a value, or the end of the array
	aName             // of a member
	aMember           // a name, or the end of the object
	aColon            // behind a name
	aComma            // or the end of the object or array
	anEnding          // of the input
)

const (
	// maxMember is how many bytes of a member's name are kept.
	maxMember = 64
	// maxNesting is how deep objects and arrays may be nested in a JSON text that is scanned.
	maxNesting = 1000
	// maxEscape is how long an escape in a string is at most: a pair of surrogates.
	maxEscape = 12
)

var expectedWords = [...]string{aValue: "a value", anItem: `a value or "]"`, aName: "a name", aMember: `a name or "}"`,
	aColon: `":"`, aComma: `"," or an end`, anEnding: "nothing"}

// next returns the next token. It returns false where more must be read first, and what is wrong where the text is
// broken: at the window's first byte.
func (s *jsonScanner) next() (token *jsonToken, ok bool, fault string) {
	for {
		if s.quoted {
			ended, fault := s.string()
			if !ended {
				return nil, false, fault
			}
			return &s.token, true, ""
		}
		w := bytes.TrimLeft(s.in.window(), " \t\r\n")
		s.in.pos = s.in.end - len(w)
		if len(w) == 0 {
			return nil, false, ""
		}
		switch c := w[0]; {
		case c == ',' && s.expects == aComma && len(s.open) > 0:
			s.in.pos++
			s.expects = aValue
			if s.open[len(s.open)-1] == '{' {
				s.expects = aName
			}
		case c == ':' && s.expects == aColon:
			s.in.pos++
			s.expects = aValue
		case c == '"' && s.expects <= aMember:
			s.begin()
		default:
			return s.structure(c)
		}
	}
}

// structure takes what is no string: the beginning or end of an object or array, or a scalar.
func (s *jsonScanner) structure(c byte) (*jsonToken, bool, string) {
	value := s.expects == aValue || s.expects == anItem
	s.token = jsonToken{at: s.in.offset()}
	switch {
	case (c == '{' || c == '[') && value:
		if len(s.open) == maxNesting {
			return nil, false, fmt.Sprintf("more than %d arrays and objects deep", maxNesting)
		}
		s.open = append(s.open, c)
		s.token.kind, s.token.array = jsonOpen, c == '['
		s.expects = aMember
		if s.token.array {
			s.expects = anItem
		}
	case c == '}' && (s.expects == aMember || s.expects == aComma && s.inside('{')),
		c == ']' && (s.expects == anItem || s.expects == aComma && s.inside('[')):
		s.open = s.open[:len(s.open)-1]
		s.token.kind = jsonClose
		s.value()
	case value && (c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z'):
		return s.scalar()
	default:
		return nil, false, quote(s.in.character()) + " where the archive needs " + expectedWords[s.expects]
	}
	s.in.pos++
	return &s.token, true, ""
}

// inside reports whether an object, or an array, is the innermost that is open.
func (s *jsonScanner) inside(c byte) bool { return len(s.open) > 0 && s.open[len(s.open)-1] == c }

// value takes in that a value is over.
func (s *jsonScanner) value() {
	s.expects = aComma
	if len(s.open) == 0 {
		s.expects = anEnding
	}
}

// scalar takes a number or a literal.
func (s *jsonScanner) scalar() (*jsonToken, bool, string) {
	w := s.in.window()
	n := 0
	for n < len(w) && (letter(w[n]) || w[n] >= '0' && w[n] <= '9' || w[n] == '-' || w[n] == '+' || w[n] == '.') {
		n++
	}
	switch {
	case n > maxMember:
		return nil, false, fmt.Sprintf("a number of more than %d characters", maxMember)
	case n == len(w) && !s.in.ended():
		return nil, false, ""
	}
	if c := w[0]; c >= 'a' && c <= 'z' && string(w[:n]) != "true" && string(w[:n]) != "false" && string(w[:n]) != "null" {
		return nil, false, quote(w[:n]) + " where the archive needs " + expectedWords[s.expects]
	}
	s.token.kind, s.token.text = jsonOther, w[:n]
	s.in.pos += n
	s.value()
	return &s.token, true, ""
}

// begin begins a string.
func (s *jsonScanner) begin() {
	s.token = jsonToken{kind: jsonString, at: s.in.offset()}
	s.kept, s.cut, s.text, s.quoted = s.limit, s.head, s.text[:0], true
	if s.expects == aName || s.expects == aMember {
		s.token.kind, s.kept, s.cut = jsonName, maxMember, 0
	}
	s.in.pos++
}

// string takes as much of a string as there is, and reports whether that is all.
func (s *jsonScanner) string() (ended bool, fault string) {
	for {
		w := s.in.window()
		q := bytes.IndexByte(w, '"')
		if q >= 0 {
			w = w[:q]
		}
		if e := bytes.IndexByte(w, '\\'); e >= 0 {
			s.keep(w[:e])
			s.in.pos += e
			if known, fault := s.escape(); !known {
				return false, fault
			}
			continue
		}
		s.keep(w)
		s.in.pos += len(w)
		if q < 0 {
			return false, ""
		}
		s.in.pos++
		s.quoted = false
		s.token.text = s.text
		if s.token.kind == jsonName {
			s.expects = aColon
		} else {
			s.value()
		}
		return true, ""
	}
}

// keep adds to the text of a string, up to the limit.
func (s *jsonScanner) keep(part []byte) {
	s.token.size += int64(len(part))
	for _, c := range part[max(len(part)-len(s.token.last), 0):] {
		s.token.last = [2]byte{s.token.last[1], c}
	}
	if s.token.size > int64(s.kept) && s.cut > 0 {
		s.kept = min(s.kept, s.cut)
		s.text = s.text[:min(len(s.text), s.kept)]
	}
	part = part[:min(len(part), max(s.kept-len(s.text), 0))]
	s.text = append(grown(s.text, len(part), s.kept), part...)
}

// escape takes the escape that the window begins with; it returns false where it is not whole yet, or none.
func (s *jsonScanner) escape() (known bool, fault string) {
	w := s.in.window()
	if len(w) < 2 {
		return false, ""
	}
	if w[1] != 'u' {
		i := bytes.IndexByte([]byte(`"\/bfnrt`), w[1])
		if i < 0 {
			return false, "no escape: " + quote(w[:2])
		}
		s.keep([]byte{"\"\\/\b\f\n\r\t"[i]})
		s.in.pos += 2
		return true, ""
	}
	r, n := unit(w)
	if n == 0 && len(w) >= 6 {
		return false, "no escape: " + quote(w[:6])
	}
	if n == 0 || utf16.IsSurrogate(r) && len(w) < maxEscape && !s.in.ended() {
		return false, ""
	}
	if utf16.IsSurrogate(r) {
		low, m := unit(w[n:])
		if pair := utf16.DecodeRune(r, low); m > 0 && pair != utf8.RuneError {
			r, n = pair, n+m
		}
	}
	s.keep(utf8.AppendRune(nil, r)) // a lone surrogate is U+FFFD
	s.in.pos += n
	return true, ""
}

// unit decodes the \uXXXX that w begins with, and returns how long it is, 0 where it is none.
func unit(w []byte) (r rune, n int) {
	if len(w) < 6 || w[0] != '\\' || w[1] != 'u' {
		return 0, 0
	}
	for _, c := range w[2:6] {
		if hexClass[c] >= 16 {
			return 0, 0
		}
		r = r<<4 | rune(hexClass[c])
	}
	return r, 6
}
