package decode

// TokenKind says what a Token is.
type TokenKind uint8

// The kinds of token. A number is a TokenInteger when its literal has neither fraction nor exponent and
// is not -0.
const (
	TokenName TokenKind = iota + 1
	TokenString
	TokenInteger
	TokenFloat
	TokenTrue
	TokenFalse
	TokenNull
	BeginObject
	EndObject
	BeginArray
	EndArray
)

// Token is one token of a body: message[Start:End], quotes included. Depth is how many arrays and objects
// it stands in, those that it begins or ends included: 1 for the outermost array or object and for the
// names and scalars directly in it, 0 for a body that is one scalar.
type Token struct {
	Kind              TokenKind
	Start, End, Depth int
}

// Walker steps over the tokens of one JSON value, and stops where it is no JSON any more. It holds to the
// grammar of RFC 8259 but passes over what is wrong only inside a token: bad UTF-8 and lone surrogates in
// a string, a number beyond a double. It allocates nothing up to 1,024 levels, and goes deeper too.
// A Walker must not be copied once it is deeper than that.
type Walker struct {
	data  []byte
	pos   int
	depth int
	state walkState
	stuck walkState  // what was wanted where it stopped being JSON
	bits  [16]uint64 // a bit for each level: 1 is an object
	more  []uint64   // the levels beyond
}

type walkState uint8

const (
	wantValue      walkState = iota // a value must follow
	wantFirst                       // behind '[': a value or ']'
	wantFirstName                   // behind '{': a name or '}'
	wantName                        // behind ',' in an object
	wantNamedValue                  // behind a name: ':' and a value
	wantMore                        // behind a value: ',' or the end of what it stands in
	walkDone
)

// NewWalker returns a walker over the value that begins at start, or behind the white space there: 1 for
// the body of a message.
func NewWalker(message []byte, start int) Walker {
	return Walker{data: message, pos: max(start, 0)}
}

// Next returns the next token, and false at the end of the value or where it is no JSON any more.
func (w *Walker) Next() (Token, bool) {
	c, ok := w.space()
	switch w.state {
	case wantNamedValue:
		if c != ':' {
			return w.stop()
		}
		w.pos++
		if c, ok = w.space(); !ok {
			return w.stop()
		}
		return w.value(c)
	case wantMore:
		return w.behindValue(c)
	case wantFirstName:
		if c == '}' {
			return w.close(EndObject)
		}
		return w.name(c)
	case wantName:
		return w.name(c)
	case wantFirst:
		if c == ']' {
			return w.close(EndArray)
		}
	case walkDone:
		return Token{}, false
	}
	if !ok {
		return w.stop()
	}
	return w.value(c)
}

// Skip goes past the value that the token before began, or that the name before names. Behind any other
// token it does nothing.
func (w *Walker) Skip() {
	switch w.state {
	case wantFirst, wantFirstName:
	case wantNamedValue:
		t, ok := w.Next()
		if !ok || t.Kind != BeginArray && t.Kind != BeginObject {
			return
		}
	default:
		return
	}
	for depth := w.depth; ; {
		t, ok := w.Next()
		if !ok || (t.Kind == EndObject || t.Kind == EndArray) && t.Depth == depth {
			return
		}
	}
}

// Offset returns where the walk stands: behind the last token, or where it stopped being JSON.
func (w *Walker) Offset() int { return w.pos }

func (w *Walker) stop() (Token, bool) {
	if w.state != walkDone {
		w.state, w.stuck = walkDone, w.state
	}
	return Token{}, false
}

// space goes past white space and returns the byte behind it, false at the end of the text.
func (w *Walker) space() (byte, bool) {
	for w.pos < len(w.data) {
		if c := w.data[w.pos]; class[c]&isSpace == 0 {
			return c, true
		}
		w.pos++
	}
	return 0, false
}

// behindValue goes on behind a value.
func (w *Walker) behindValue(c byte) (Token, bool) {
	if w.depth == 0 {
		return w.stop()
	}
	object := w.inObject()
	switch {
	case c == ',':
		w.pos++
		if w.state = wantValue; object {
			w.state = wantName
		}
		return w.Next()
	case c == '}' && object:
		return w.close(EndObject)
	case c == ']' && !object:
		return w.close(EndArray)
	}
	return w.stop()
}

func (w *Walker) name(c byte) (Token, bool) {
	if c != '"' {
		return w.stop()
	}
	end := skipString(w.data, w.pos)
	if end < 0 {
		return w.stop()
	}
	t := Token{TokenName, w.pos, end, w.depth}
	w.pos, w.state = end, wantNamedValue
	return t, true
}

func (w *Walker) value(c byte) (Token, bool) {
	t := Token{Start: w.pos, Depth: w.depth}
	switch {
	case c == '{' || c == '[':
		return w.open(c), true
	case c == '"':
		t.Kind, t.End = TokenString, skipString(w.data, w.pos)
	case c == '-' || class[c]&isDigit != 0:
		var float bool
		t.Kind = TokenInteger
		if t.End, float = skipNumber(w.data, w.pos); float {
			t.Kind = TokenFloat
		}
	default:
		t.Kind, t.End = skipLiteral(w.data, w.pos)
	}
	if t.End <= t.Start {
		return w.stop()
	}
	w.pos = t.End
	if w.state = wantMore; w.depth == 0 {
		w.state = walkDone
	}
	return t, true
}

func (w *Walker) open(c byte) Token {
	kind := BeginArray
	w.state = wantFirst
	if c == '{' {
		kind, w.state = BeginObject, wantFirstName
	}
	w.push(c == '{')
	t := Token{kind, w.pos, w.pos + 1, w.depth}
	w.pos++
	return t
}

func (w *Walker) close(kind TokenKind) (Token, bool) {
	t := Token{kind, w.pos, w.pos + 1, w.depth}
	w.pos++
	w.depth--
	if w.state = wantMore; w.depth == 0 {
		w.state = walkDone
	}
	return t, true
}

func (w *Walker) push(object bool) {
	word, bit := w.depth>>6, uint64(1)<<(w.depth&63)
	w.depth++
	p := &w.more
	if word < len(w.bits) {
		if w.bits[word] &^= bit; object {
			w.bits[word] |= bit
		}
		return
	}
	if word -= len(w.bits); word >= len(*p) {
		*p = append(*p, 0)
	}
	if (*p)[word] &^= bit; object {
		(*p)[word] |= bit
	}
}

func (w *Walker) inObject() bool {
	word, bit := (w.depth-1)>>6, uint64(1)<<((w.depth-1)&63)
	if word < len(w.bits) {
		return w.bits[word]&bit != 0
	}
	return w.more[word-len(w.bits)]&bit != 0
}

// skipString returns where the string that begins at start ends, behind its closing quote; -1 where it
// is not closed, holds a raw control character, or an escape of another spelling than RFC 8259's.
func skipString(data []byte, start int) int {
	for i := start + 1; i < len(data); {
		i += plainRun(data[i:])
		if i >= len(data) {
			break
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c < 0x20:
			return -1
		case c == '\\':
			_, n := unescape(data[i:])
			if n == 0 {
				return -1
			}
			i += n
		default:
			i++
		}
	}
	return -1
}

// skipNumber returns where the number that begins at start ends, or start where it is none, and whether
// it is a float.
func skipNumber(data []byte, start int) (end int, float bool) {
	i := start
	if i < len(data) && data[i] == '-' {
		i++
	}
	first := i
	if i = skipDigits(data, i); i == first || data[first] == '0' && i > first+1 {
		return start, false
	}
	float = first > start && i == first+1 && data[first] == '0' // -0
	if i < len(data) && data[i] == '.' {
		float = true
		digits := i + 1
		if i = skipDigits(data, digits); i == digits {
			return start, false
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		float = true
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		digits := i
		if i = skipDigits(data, digits); i == digits {
			return start, false
		}
	}
	return i, float
}

func skipDigits(data []byte, i int) int {
	for i < len(data) && data[i]-'0' < 10 {
		i++
	}
	return i
}

func skipLiteral(data []byte, start int) (TokenKind, int) {
	switch rest := data[start:]; {
	case len(rest) >= 4 && string(rest[:4]) == "true":
		return TokenTrue, start + 4
	case len(rest) >= 4 && string(rest[:4]) == "null":
		return TokenNull, start + 4
	case len(rest) >= 5 && string(rest[:5]) == "false":
		return TokenFalse, start + 5
	}
	return 0, start
}
