package decode

import (
	"strconv"
	"unicode/utf8"
)

// maxPointerDepth is how many levels a pointer names; what lies deeper is told by its ancestor there.
const maxPointerDepth = 4096

// step is one level on the way to an offset.
type step struct {
	start, end int // the name of the member that the walk is in, with object; 0, 0 before the first
	index      int // of the element, in an array; -1 before the first
	object     bool
}

// path is the way to where a walk stands.
type path []step

// PointerAt returns the RFC 6901 pointer to the value at that offset of a message, or to the member whose
// name stands there; what stands between values belongs to the array or object around it, and "" is the
// whole body. It works on a body that breaks off or stops being JSON, and there names the last place
// reached. Bytes of a name that are not UTF-8 appear as U+FFFD; nothing is escaped for a terminal.
func PointerAt(message []byte, offset int) string {
	w := NewWalker(message, 1)
	var at path
	for {
		before := w.state
		t, ok := w.Next()
		switch {
		case !ok && w.stuck != wantMore && w.stuck != wantName && w.stuck != wantFirstName:
			at = at.element(w.depth) // a value, or ':' and a value, was wanted: it is what is at fault
			return at.pointer(message)
		case !ok || t.Start > offset && before != wantNamedValue:
			return at.ascend(len(at)).pointer(message)
		case t.Start > offset:
			return at.pointer(message)
		}
		at = at.advance(t)
		if offset < t.End {
			if t.Kind >= BeginObject {
				at = at.ascend(t.Depth)
			}
			return at.pointer(message)
		}
		if t.Kind == EndObject || t.Kind == EndArray {
			at = at.ascend(t.Depth)
		}
	}
}

// advance notes a token: a new level, a member's name, or the next element of an array.
func (p path) advance(t Token) path {
	switch t.Kind {
	case EndObject, EndArray:
		return p
	case TokenName:
		if len(p) == t.Depth {
			p[len(p)-1].start, p[len(p)-1].end = t.Start, t.End
		}
		return p
	case BeginObject, BeginArray:
		p = p.element(t.Depth - 1)
		if t.Depth <= maxPointerDepth {
			p = append(p, step{index: -1, object: t.Kind == BeginObject})
		}
		return p
	}
	return p.element(t.Depth)
}

// element counts a value that begins at that depth, where it stands in an array.
func (p path) element(depth int) path {
	if top := len(p) - 1; top >= 0 && len(p) == depth && !p[top].object {
		p[top].index++
	}
	return p
}

// ascend leaves the level of that depth: what is meant is the array or object itself.
func (p path) ascend(depth int) path {
	if depth > 0 && len(p) >= depth {
		p = p[:depth-1]
	}
	return p
}

// pointer writes the pointer that a path stands for.
func (p path) pointer(message []byte) string {
	var dst, name []byte
	for _, s := range p {
		dst = append(dst, '/')
		if !s.object {
			dst = strconv.AppendInt(dst, int64(s.index), 10)
			continue
		}
		name = Unquote(name[:0], message[s.start:s.end])
		dst = appendPointerToken(dst, name)
	}
	return string(dst)
}

// appendPointerToken appends a reference token as RFC 6901 section 3 spells it.
func appendPointerToken(dst, name []byte) []byte {
	for len(name) > 0 {
		r, size := utf8.DecodeRune(name)
		switch r {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = utf8.AppendRune(dst, r)
		}
		name = name[size:]
	}
	return dst
}
