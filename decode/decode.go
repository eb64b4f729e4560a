package decode

import (
	"bytes"
	"math/bits"
)

// Decode reads one message by the receiver's rules: the tag byte, then the body as serde_json reads it
// into rmcp's types. Afterwards f describes it, whatever it is; what f held before is gone. Decode returns
// nil where the receiver takes the message, else f.Err, a [*DecodeError]. It allocates nothing for a
// message that the receiver takes, once f has been used.
func (f *Frame) Decode(message []byte) error {
	f.reset(message)
	if len(message) == 0 {
		f.Type = TypeEmpty
		return f.fail(EmptyMessage, 0, "a message of 0 bytes: not even a tag")
	}
	f.Tag = Tag(message[0])
	if f.memory == nil {
		f.memory = new(memory)
	}
	switch f.Tag {
	case TagNotification:
		n := notification{f: f}
		f.memory.lend(&n.scanner, message)
		f.finish(&n.scanner, n.body())
	case TagError:
		e := errorBody{f: f}
		f.memory.lend(&e.scanner, message)
		f.finish(&e.scanner, e.body())
	default:
		f.Type = TypeUnknown
		return f.fail(UnknownTag, 0, unknownTagText(message[0]))
	}
	if f.Err != nil {
		return f.Err
	}
	return nil
}

// memory is what a walk works in: it is kept between messages.
type memory struct {
	seen     []uint64
	unquoted []byte
	why      why
}

// lend makes a zero scanner one over a message that works in the memory.
func (m *memory) lend(s *scanner, message []byte) {
	if m.why.fault != 0 || m.why.shape.code != 0 {
		m.why = why{}
	}
	s.data, s.seen, s.unquoted, s.why = message, m.seen[:0], m.unquoted, &m.why
}

// TakeMemory takes over the memory that g's Decode works in, so that frames which are filled one after the other, and
// kept, need it once and not each. Otherwise g stays what it is.
func (f *Frame) TakeMemory(g *Frame) { f.memory, g.memory = g.memory, nil }

// SetText makes f a WebSocket text message: it carries no meaning on these paths and is not decoded.
func (f *Frame) SetText(message []byte) {
	f.reset(message)
	f.Type = TypeText
}

// SetOversize makes f a message of size bytes of which only head was kept.
func (f *Frame) SetOversize(head []byte, size int64) {
	f.reset(head)
	f.Size = size
	f.Type = TypeOversize
	if len(head) > 0 {
		f.Tag = Tag(head[0])
	}
}

// reset makes f an empty frame over message, its memory kept. Of the large fields it clears only
// what was used.
func (f *Frame) reset(message []byte) {
	for used := f.used; used != 0; used &= used - 1 {
		f.Members[bits.TrailingZeros32(used)] = Value{}
	}
	if f.misfits {
		f.Misfit, f.misfits = Misfit{}, false
	}
	f.Message, f.Size, f.Tag = message, int64(len(message)), 0
	f.Type, f.Variant, f.Known = 0, 0, 0
	f.Method, f.Params, f.body = Value{}, Value{}, Value{}
	f.Code, f.Positional, f.Clues, f.Err = 0, false, 0, nil
	f.strict, f.depth, f.used = false, 0, 0
}

// setMember keeps the value of a member that the receiver reads.
func (f *Frame) setMember(m Member, v Value) {
	f.Members[m] = v
	f.used |= 1 << m
}

// finish takes over what a walk found; ok is whether the body is JSON to the receiver.
func (f *Frame) finish(s *scanner, ok bool) {
	f.memory.seen, f.memory.unquoted = s.seen, s.unquoted
	f.Clues, f.depth = s.clues, s.deepest
	if s.deepest >= deepClue {
		f.Clues |= ClueDeep
		if s.deepest > maxDepth && ok {
			f.Clues |= ClueSkippedFault
		}
	}
	switch {
	case !ok:
		f.Type, f.Variant = TypeUndecodable, 0
		f.jsonFault(s)
	case s.shape.code != 0:
		f.Type = TypeUndecodable
		f.fail(s.shape.code, s.shape.at, f.shapeText(&s.shape))
	}
	f.strict = ok && !s.garbled && s.deepest <= maxDepth
	if f.Type == TypeUndecodable {
		f.Params, f.Misfit, f.misfits, f.Code = Value{}, Misfit{}, false, 0
	}
}

// fail notes why the message does not decode.
func (f *Frame) fail(code Code, offset int, message string) error {
	f.Err = &DecodeError{Code: code, Offset: offset, Message: message}
	return f.Err
}

// AppendMethod appends the text of the method, unescaped but not made safe for a terminal; nothing where
// there is none.
func (f *Frame) AppendMethod(dst []byte) []byte {
	if f.Method.Kind != String {
		return dst
	}
	return Unquote(dst, f.Raw(f.Method))
}

// headBytes is how much of a method AppendMethodHead looks at, in bytes as sent.
const headBytes = 64 << 10

// AppendMethodHead is AppendMethod, of a method of more than 64 KiB for about that much: to show the beginning of one that
// is as long as its message takes no memory for it.
func (f *Frame) AppendMethodHead(dst []byte) []byte {
	if f.Method.Kind != String {
		return dst
	}
	dst, _ = UnquotePart(dst, f.Raw(f.Method)[1:], headBytes)
	return dst
}

// MethodIs reports whether the text of the method is name.
func (f *Frame) MethodIs(name string) bool {
	if f.Method.Kind != String {
		return false
	}
	raw := f.Raw(f.Method)
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1:len(raw)-1]) == name
	}
	return string(Unquote(nil, raw)) == name
}

// Body returns what stands behind the tag, nil where there is not even a tag.
func (f *Frame) Body() []byte {
	if len(f.Message) == 0 {
		return nil
	}
	return f.Message[1:]
}

// Raw returns a value as it stands in the message.
func (f *Frame) Raw(v Value) []byte { return f.Message[v.Start:v.End] }

// JSONBody returns where the JSON of the body stands, white space around it left out; ok is false where
// the body is no RFC 8259 text that every reader takes: not JSON at all, not UTF-8, with a lone surrogate,
// or more than 127 deep. A body that the receiver refuses for its shape alone is JSON.
func (f *Frame) JSONBody() (v Value, ok bool) { return f.body, f.strict }

// Depth returns how many arrays and objects deep the body nests, 0 for a scalar; for a body that is no
// JSON, how deep it was read.
func (f *Frame) Depth() int { return f.depth }

// AppendMessage appends a message: a tag and a body, whatever they are.
func AppendMessage(dst []byte, tag Tag, body []byte) []byte {
	return append(append(dst, byte(tag)), body...)
}
