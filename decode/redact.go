package decode

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Redacted is the JSON literal that stands in place of a string that is not to be seen.
const Redacted = `"[redacted]"`

// Redactor finds the strings of messages that are not to be seen. It is for one goroutine.
type Redactor struct {
	names    []string
	pointers [][]string

	path   []place
	key    []byte
	hidden []Value
}

// place is one step from the body to what the walk stands at.
type place struct {
	name    string   // in an object; in an array, of the member that the receiver takes the element for
	element int      // in an array, -1 in an object
	members []string // in an array that is taken in place of an object: the members, in order
}

// NewRedactor returns a redactor for strings in the value of any member of one of the names, at any depth,
// and in what a name that begins with "/", a JSON pointer (RFC 6901), leads to from the body. The case of
// names makes no difference, and the elements of an array that the receiver takes in place of an object are
// the members that it takes them for.
func NewRedactor(names []string) (*Redactor, error) {
	r := &Redactor{}
	for _, name := range names {
		switch {
		case name == "":
			return nil, fmt.Errorf("an empty name")
		case name[0] != '/':
			r.names = append(r.names, name)
			continue
		}
		steps := strings.Split(name[1:], "/")
		for i, step := range steps {
			if rest := strings.NewReplacer("~0", "", "~1", "").Replace(step); strings.Contains(rest, "~") {
				return nil, fmt.Errorf("in a JSON pointer ~ is written ~0, and / within a name ~1")
			}
			steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		}
		r.pointers = append(r.pointers, steps)
	}
	return r, nil
}

// Hides reports whether the member of that name of a body itself would be redacted.
func (r *Redactor) Hides(name string) bool {
	return r.named(name) ||
		slices.ContainsFunc(r.pointers, func(p []string) bool { return len(p) == 1 && strings.EqualFold(p[0], name) })
}

// HidesParam reports whether a string that is the member of that name of params would be redacted.
func (r *Redactor) HidesParam(name string) bool {
	return r.named("params") || r.named(name) || slices.ContainsFunc(r.pointers, func(p []string) bool {
		inParams := len(p) > 0 && (strings.EqualFold(p[0], "params") || p[0] == "1") // an array may stand for the envelope
		return len(p) == 0 || inParams && (len(p) == 1 || len(p) == 2 && strings.EqualFold(p[1], name))
	})
}

// named reports whether a member of that name is redacted wherever it stands.
func (r *Redactor) named(name string) bool {
	return slices.ContainsFunc(r.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Find returns the strings of a message that are not to be seen, in order; ok is false where that cannot be
// told, because the body is no JSON that every reader takes (see [Frame.JSONBody]). The strings are those of
// the message, valid until the next call. Names of members are never among them.
func (r *Redactor) Find(f *Frame) (hidden []Value, ok bool) {
	r.hidden = r.hidden[:0]
	body, ok := f.JSONBody()
	if !ok || f.Err != nil {
		return nil, false
	}
	w := NewWalker(f.Message, body.Start)
	r.path = r.path[:0]
	within := 0 // how deep the walk is when all is hidden, 0 for not
	for {
		t, more := w.Next()
		if !more {
			return r.hidden, true
		}
		switch t.Kind {
		case TokenName:
			r.key = Unquote(r.key[:0], f.Message[t.Start:t.End])
			r.path[len(r.path)-1].name = string(r.key)
			continue
		case EndObject, EndArray:
			r.path = r.path[:len(r.path)-1]
			if len(r.path) < within {
				within = 0
			}
			continue
		}
		r.step()
		hide := within > 0 || len(r.path) > 0 && r.here()
		switch t.Kind {
		case TokenString:
			if hide {
				r.hidden = append(r.hidden, Value{t.Start, t.End, String})
			}
		case BeginObject, BeginArray:
			if hide && within == 0 {
				within = len(r.path) + 1
			}
			inner := place{element: -1}
			if t.Kind == BeginArray {
				inner = place{members: r.members(f)}
			}
			r.path = append(r.path, inner)
		}
	}
}

// step counts the element of an array that begins.
func (r *Redactor) step() {
	if len(r.path) == 0 {
		return
	}
	last := &r.path[len(r.path)-1]
	if last.element < 0 {
		return
	}
	last.name = ""
	if last.element < len(last.members) {
		last.name = last.members[last.element]
	}
	last.element++
}

// What the receiver takes the elements of an array for (rmcp 3.1.2, serde's derived readers of structs).
var (
	envelopeMembers = []string{"method", "params"}
	errorMembers    = []string{"code", "message", "data"}
	filterNames     = func() (names []string) {
		for i := range filterMembers {
			names = append(names, filterMembers[i].name)
		}
		return names
	}()
)

// members returns what the receiver takes the elements of the array for that begins, nil where it takes it
// for an array.
func (r *Redactor) members(f *Frame) []string {
	switch {
	case len(r.path) == 0 && f.Type == TypeError:
		return errorMembers
	case len(r.path) == 0:
		return envelopeMembers
	case f.Known == SubscriptionsAcknowledged && r.at("params", "notifications"):
		return filterNames
	case f.Known == Tasks && len(r.path) == 3 && r.path[0].name == "params" && r.path[1].name == "inputRequests":
		return envelopeMembers
	}
	return nil
}

// at reports whether the names of the path are these.
func (r *Redactor) at(names ...string) bool {
	return slices.EqualFunc(r.path, names, func(at place, name string) bool { return at.name == name })
}

// here reports whether the value that begins is one that is named.
func (r *Redactor) here() bool {
	if last := &r.path[len(r.path)-1]; last.name != "" || last.element < 0 {
		if r.named(last.name) {
			return true
		}
	}
	return slices.ContainsFunc(r.pointers, func(p []string) bool { return slices.EqualFunc(r.path, p, place.is) })
}

// is reports whether a step of a JSON pointer leads to the place.
func (at place) is(step string) bool {
	if at.element >= 0 && strconv.Itoa(at.element-1) == step {
		return true
	}
	return (at.element < 0 || at.name != "") && strings.EqualFold(at.name, step)
}

// SetRedacted makes f the frame that of is, but over a message in memory in which [Redacted] stands in place
// of each of the strings hidden, which are in order. The verdict is that of the message as it came; Size and
// all that says where something stands is that of the new message. It returns the new message's memory.
func (f *Frame) SetRedacted(of *Frame, hidden []Value, memory []byte) []byte {
	memory = memory[:0]
	from := 0
	for _, v := range hidden {
		memory = append(append(memory, of.Message[from:v.Start]...), Redacted...)
		from = v.End
	}
	memory = append(memory, of.Message[from:]...)
	*f = *of
	f.memory = nil
	f.Message, f.Size = memory, int64(len(memory))
	values := []*Value{&f.Method, &f.Params, &f.body, &f.Misfit.Value, &f.Misfit.First}
	for i := range f.Members {
		values = append(values, &f.Members[i])
	}
	for _, v := range values {
		v.Start, v.End = moved(v.Start, hidden), moved(v.End, hidden)
	}
	f.Misfit.Offset = moved(f.Misfit.Offset, hidden)
	return memory
}

// moved is where an offset is once the hidden strings before it are replaced.
func moved(offset int, hidden []Value) int {
	at := offset
	for _, v := range hidden {
		if v.End > offset {
			break
		}
		at += len(Redacted) - (v.End - v.Start)
	}
	return at
}

// SetWithheld makes f the frame that of is, with none of its bytes. What its failure says quotes them, and
// is left out too.
func (f *Frame) SetWithheld(of *Frame) {
	var code Code
	var offset int
	if of.Err != nil {
		code, offset = of.Err.Code, of.Err.Offset
	}
	f.SetVerdict(of.Size, of.Tag, of.Type, code, offset)
	f.Code = of.Code
}

// SetVerdict makes f a message of which only a verdict is known: size, tag and type, and the code of its
// failure and where that is; 0 for none.
func (f *Frame) SetVerdict(size int64, tag Tag, t Type, code Code, offset int) {
	*f = Frame{Size: size, Tag: tag, Type: t}
	if code != 0 {
		f.Err = &DecodeError{Code: code, Offset: offset, Message: WithheldText}
	}
}

// WithheldText stands in place of a text that would quote a message whose bytes are withheld.
const WithheldText = "what does not decode is not shown where something is to be redacted"

// overlaps reports whether two values share a byte.
func (v Value) overlaps(w Value) bool { return v.Start < w.End && w.Start < v.End }

// Shares reports whether bytes that a text would quote may tell of one of the hidden strings of a message: they
// are a view of it there, or hold such a string or a part of one, however it was spelled.
func Shares(message, quoted []byte, hidden []Value) bool {
	if len(quoted) == 0 {
		return false
	}
	if at := cap(message) - cap(quoted); at >= 0 && at+len(quoted) <= len(message) && &message[at] == &quoted[0] {
		place := Value{Start: at, End: at + len(quoted)}
		return slices.ContainsFunc(hidden, place.overlaps)
	}
	for _, v := range hidden {
		literal := message[v.Start:v.End]
		for _, text := range [][]byte{literal[1 : len(literal)-1], Unquote(nil, literal)} {
			if len(text) > 0 && (bytes.Contains(text, quoted) || bytes.Contains(quoted, text)) {
				return true
			}
		}
	}
	return false
}
