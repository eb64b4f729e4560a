package inspect

import (
	"bytes"

	"kind4/decode"
)

// member is one member of an object where it stands in the message.
type member struct {
	name  decode.Value // quotes included
	value decode.Value
}

// members steps over the members of one object. It allocates nothing.
type members struct {
	walker decode.Walker
	depth  int
	ok     bool
}

// membersOf returns the members of the object that begins at start; none where there is no object.
func membersOf(message []byte, start int) members {
	it := members{walker: decode.NewWalker(message, start)}
	begin, ok := it.walker.Next()
	it.ok = ok && begin.Kind == decode.BeginObject
	it.depth = begin.Depth
	return it
}

// next returns the next member; false behind the last, or where the text is no JSON any more.
func (it *members) next() (m member, ok bool) {
	if !it.ok {
		return m, false
	}
	name, ok := it.walker.Next()
	if !ok || name.Kind != decode.TokenName {
		it.ok = false
		return m, false
	}
	m.name = decode.Value{Start: name.Start, End: name.End, Kind: decode.String}
	m.value, it.ok = nextValue(&it.walker, it.depth)
	return m, it.ok
}

// elements steps over the elements of one array, as members does over an object's members.
type elements struct {
	walker decode.Walker
	depth  int
	ok     bool
}

func elementsOf(message []byte, start int) elements {
	it := elements{walker: decode.NewWalker(message, start)}
	begin, ok := it.walker.Next()
	it.ok = ok && begin.Kind == decode.BeginArray
	it.depth = begin.Depth
	return it
}

func (it *elements) next() (v decode.Value, ok bool) {
	if !it.ok {
		return v, false
	}
	v, it.ok = nextValue(&it.walker, it.depth)
	return v, it.ok
}

// nextValue takes one whole value from the walker, which stands directly in an array or object at depth.
func nextValue(w *decode.Walker, depth int) (v decode.Value, ok bool) {
	token, ok := w.Next()
	if !ok || token.Kind == decode.EndArray || token.Kind == decode.EndObject {
		return v, false
	}
	v = decode.Value{Start: token.Start, End: token.End, Kind: valueKind(token.Kind)}
	if token.Kind != decode.BeginArray && token.Kind != decode.BeginObject {
		return v, true
	}
	for {
		token, ok = w.Next()
		if !ok {
			return v, false
		}
		ends := token.Kind == decode.EndArray || token.Kind == decode.EndObject
		if ends && token.Depth == depth+1 {
			v.End = token.End
			return v, true
		}
	}
}

func valueKind(k decode.TokenKind) decode.ValueKind {
	switch k {
	case decode.TokenString, decode.TokenName:
		return decode.String
	case decode.TokenInteger:
		return decode.Integer
	case decode.TokenFloat:
		return decode.Float
	case decode.TokenTrue:
		return decode.True
	case decode.TokenFalse:
		return decode.False
	case decode.TokenNull:
		return decode.Null
	case decode.BeginArray, decode.EndArray:
		return decode.Array
	}
	return decode.Object
}

// bodyStart is where the message's JSON begins: behind the tag and white space.
func bodyStart(message []byte) int {
	i := 1
	for i < len(message) && isSpace(message[i]) {
		i++
	}
	return i
}

// findMember returns the first member of that name in the object that begins at start.
func findMember(message []byte, start int, name string) (v decode.Value, ok bool) {
	var buf [32]byte
	for it := membersOf(message, start); ; {
		m, more := it.next()
		if !more {
			return v, false
		}
		if string(unquoted(buf[:0], view(message, m.name.Start, m.name.End))) == name {
			return m.value, true
		}
	}
}

// spelling says how a member's name relates to a known one.
type spelling uint8

const (
	spelledOther   spelling = iota // not the known name, nor a variant of it
	spelledExact                   // the known name
	spelledEscaped                 // the known name, with escapes in the literal
	spelledCase                    // the known name but for case or Unicode folding
	spelledSnake                   // the known name but for underscores or hyphens, and case
)

// spelled compares a member's name, as text, with a known one.
func spelled(name []byte, escaped bool, known string) spelling {
	switch {
	case string(name) == known && escaped:
		return spelledEscaped
	case string(name) == known:
		return spelledExact
	case bytes.EqualFold(name, []byte(known)):
		return spelledCase
	case known[0] != '_' && withoutSeparators(name, known):
		return spelledSnake
	}
	return spelledOther
}

// withoutSeparators reports whether name is known, but for case, once '_' and '-' inside it are left out.
func withoutSeparators(name []byte, known string) bool {
	if len(name) <= len(known) || len(name) > 2*len(known) || isSeparator(name[0]) || isSeparator(name[len(name)-1]) {
		return false
	}
	var buf [maxSlipped]byte
	bare := buf[:0]
	for _, b := range name {
		if !isSeparator(b) {
			bare = append(bare, b)
		}
	}
	return len(bare) < len(name) && bytes.EqualFold(bare, []byte(known))
}

func isSeparator(b byte) bool { return b == '_' || b == '-' }

// match finds which of the known names a member's name is, or is a variant of.
func match(message []byte, name decode.Value, known []string) (string, spelling) {
	var buf [maxSlipped]byte
	text := view(message, name.Start, name.End)
	escaped := hasEscape(text)
	if escaped && len(text) > 6*maxSlipped {
		return "", spelledOther
	}
	text = unquoted(buf[:0], text)
	best, found := spelledOther, ""
	for _, k := range known {
		if s := spelled(text, escaped, k); s != spelledOther && (best == spelledOther || s < best) {
			best, found = s, k
		}
	}
	return found, best
}
