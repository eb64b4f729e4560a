package decode

import "strings"

// readParams reads the value of params that begins at i.
func (n *notification) readParams(i int) int {
	n.early = n.f.Known == 0
	var end int
	switch n.peek(i) {
	case '{':
		end = n.readMembers(i)
	case 'n':
		n.clues |= ClueNull
		end = n.value(i)
	default:
		if end = n.value(i); end >= 0 {
			n.shape.blame(ParamsType, n.took(i, end))
		}
	}
	if end >= 0 {
		n.params = n.took(i, end)
	}
	return end
}

// readMembers reads the object of params that begins at i, by the type of the method where that is known.
func (n *notification) readMembers(i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		name := c.name(&n.scanner)
		if string(name) == "_meta" {
			i = n.readMeta(c.at, i)
			continue
		}
		if known := n.findMember(name); known != nil {
			i = n.readKnown(known, c.at, i)
			continue
		}
		if n.worthALook(name) {
			n.clues |= ClueUnknownName
		}
		i = n.value(i)
	}
	return i
}

// findMember finds a member that the method's type has by its name, nil for none. It begins behind the one
// found before: most senders keep to the order of the type.
func (n *notification) findMember(name []byte) *KnownMember {
	if n.f.Known == 0 || n.f.Known == Custom {
		return nil
	}
	members := knownMethods[n.f.Known-1].Members
	for range members {
		if n.nextMember >= len(members) {
			n.nextMember = 0
		}
		m := &members[n.nextMember]
		n.nextMember++
		if m.Name == string(name) {
			return m
		}
	}
	return nil
}

// worthALook reports whether a name that the receiver does not read may be one that it was meant to: any,
// but with a custom method, whose params are its own, only one that is like _meta.
func (n *notification) worthALook(name []byte) bool {
	return n.f.Known != Custom || n.escaped || len(name) == len("_meta") && name[0] == '_'
}

// readMeta reads the value of _meta, which every notification may carry once.
func (n *notification) readMeta(at, i int) int {
	end := n.value(i)
	if end < 0 {
		return failed
	}
	v := n.took(i, end)
	first := n.f.Members[MemberMeta]
	switch {
	case first.Present():
		n.shape.twice("_meta", at, first, v)
		return end
	case v.Kind == Null:
		n.clues |= ClueNull
	case v.Kind != Object:
		n.shape.blame(MetaType, v)
	}
	n.f.setMember(MemberMeta, v)
	return end
}

// readKnown reads the value of a member that the method's type has, and sees whether it fits.
func (n *notification) readKnown(m *KnownMember, at, i int) int {
	var end int
	if m.need >= needFilter {
		end = n.readInside(m.need, i)
	} else {
		end = n.value(i)
	}
	if end < 0 {
		return failed
	}
	v := n.took(i, end)
	if first := n.f.Members[m.Member]; first.Present() {
		n.misfit(Misfit{Kind: MisfitDuplicate, Name: m.Name, Need: m.Need, Value: v, First: first, Offset: at})
		return end
	}
	n.f.setMember(m.Member, v)
	if v.Kind == Null {
		n.clues |= ClueNull
		if !m.Required {
			return end
		}
	}
	if kind := n.fits(m.need, v); kind != 0 {
		n.misfit(Misfit{Kind: kind, Name: m.Name, Need: m.Need, Value: v, Offset: v.Start})
	}
	return end
}

// readInside reads a value, and with it what the receiver reads inside.
func (n *notification) readInside(want need, i int) int {
	switch c := n.peek(i); {
	case want == needFilter && (c == '{' || c == '['):
		return n.readFilter(i)
	case want == needInputs && c == '{':
		return n.readInputs(i)
	}
	return n.value(i)
}

// misfit notes the first reason why params do not fit the method's type; but of a member that stands twice,
// that it does.
func (n *notification) misfit(m Misfit) {
	if n.f.Misfit.Kind == 0 || m.Kind == MisfitDuplicate && isAbout(n.f.Misfit.Name, m.Name) {
		n.f.Misfit, n.f.misfits = m, true
	}
}

// isAbout reports whether a misfit's name is a member or leads into it.
func isAbout(name, member string) bool {
	return strings.HasPrefix(name, member) && (len(name) == len(member) || name[len(member)] == '/')
}

// fits returns in which way a value is not what is needed, 0 where it is.
func (n *notification) fits(want need, v Value) MisfitKind {
	raw := n.data[v.Start:v.End]
	switch want {
	case needString:
		return mustBe(v.Kind == String)
	case needObject, needInputs:
		return mustBe(v.Kind == Object)
	case needNumber:
		return mustBe(v.Kind == Integer || v.Kind == Float)
	case needFilter:
		if v.Kind == Array {
			n.clues |= ClueOddEnum
		}
		return mustBe(v.Kind == Object || v.Kind == Array)
	case needID:
		if v.Kind == Float || v.Kind == Integer && !fitsI64(raw) {
			return MisfitRange
		}
		return mustBe(v.Kind == String || v.Kind == Integer)
	case needU64:
		if v.Kind == Float || v.Kind == Integer && !fitsU64(raw) {
			return MisfitRange
		}
		return mustBe(v.Kind == Integer)
	case needLevel:
		return n.fitsWord(levelWords, v)
	case needStatus:
		return n.fitsWord(statusWords, v)
	}
	return 0
}

func mustBe(fits bool) MisfitKind {
	if fits {
		return 0
	}
	return MisfitType
}

// fitsI64 reports whether an integer literal is inside a signed 64-bit integer.
func fitsI64(literal []byte) bool {
	if literal[0] == '-' {
		return atMost(literal[1:], "9223372036854775808")
	}
	return atMost(literal, "9223372036854775807")
}

// fitsU64 reports whether an integer literal is inside an unsigned 64-bit integer.
func fitsU64(literal []byte) bool { return atMost(literal, "18446744073709551615") }

// fitsU32 reports whether an integer literal is inside an unsigned 32-bit integer.
func fitsU32(literal []byte) bool { return atMost(literal, "4294967295") }

// atMost reports whether the digits, which have no leading zeros, are a number of at most limit.
func atMost(digits []byte, limit string) bool {
	if digits[0] == '-' || len(digits) != len(limit) {
		return digits[0] != '-' && len(digits) < len(limit)
	}
	return string(digits) <= limit
}

// fitsWord reports whether a value is one of the words: a string, or an object of one member that is so
// named and holds null or an empty object, as serde spells a variant without content.
func (n *notification) fitsWord(words []string, v Value) MisfitKind {
	if v.Kind == String {
		if n.word(words, v) == "" {
			return MisfitWord
		}
		return 0
	}
	if v.Kind != Object {
		return MisfitType
	}
	n.clues |= ClueOddEnum
	w := NewWalker(n.data, v.Start)
	w.Next()
	name, ok := w.Next()
	if !ok || name.Kind != TokenName || n.word(words, Value{name.Start, name.End, String}) == "" {
		return MisfitWord
	}
	content, _ := w.Next()
	if content.Kind == BeginObject {
		content, _ = w.Next()
	}
	if end, _ := w.Next(); content.Kind != TokenNull && content.Kind != EndObject || end.Kind != EndObject {
		return MisfitWord
	}
	return 0
}

// word returns which of the words a string is, "" for none.
func (n *notification) word(words []string, v Value) string {
	text := n.data[v.Start+1 : v.End-1]
	for _, c := range text {
		if c == '\\' {
			if len(text) > 6*len("input_required") {
				return ""
			}
			n.unquoted = Unquote(n.unquoted[:0], n.data[v.Start:v.End])
			text = n.unquoted
			break
		}
	}
	for _, w := range words {
		if string(text) == w {
			return w
		}
	}
	return ""
}

// missing looks for members that the method's type needs and that are not there; whole is the envelope.
func (n *notification) missing(whole Value) {
	f := n.f
	required := requiredMembers[f.Known]
	if f.used&required == required && f.Known != Tasks {
		return
	}
	lacks := f.Params
	if lacks.Kind != Object {
		lacks = whole
	}
	for i := range knownMethods[f.Known-1].Members {
		m := &knownMethods[f.Known-1].Members[i]
		if m.Required && !f.Members[m.Member].Present() {
			n.misfit(Misfit{Kind: MisfitMissing, Name: m.Name, Need: m.Need, Value: lacks, Offset: lacks.Start})
			return
		}
	}
	if f.Known == Tasks && !f.misfits {
		n.taskHolds(lacks)
	}
}

// requiredMembers holds a bit, 1<<m, for each member that a variant needs.
var requiredMembers = func() (t [Custom + 1]uint32) {
	for _, method := range knownMethods {
		for _, m := range method.Members {
			if m.Required {
				t[method.Variant] |= 1 << m.Member
			}
		}
	}
	return t
}()

// taskHolds looks for what a task of that status must hold.
func (n *notification) taskHolds(lacks Value) {
	status := n.f.Members[MemberStatus]
	if status.Kind == Object { // {"failed":null}
		w := NewWalker(n.data, status.Start)
		w.Next()
		name, _ := w.Next()
		status.Start, status.End = name.Start, name.End
	}
	m, need := MemberMeta, ""
	switch n.word(statusWords, status) {
	case "input_required":
		m, need = MemberInputRequests, "an object when status is input_required"
	case "completed":
		m, need = MemberResult, "an object when status is completed"
	case "failed":
		m, need = MemberTaskError, "an object when status is failed"
	default:
		return
	}
	switch v := n.f.Members[m]; {
	case !v.Present():
		n.misfit(Misfit{Kind: MisfitMissing, Name: m.String(), Need: need, Value: lacks, Offset: lacks.Start})
	case v.Kind == Null:
		n.misfit(Misfit{Kind: MisfitType, Name: m.String(), Need: need, Value: v, Offset: v.Start})
	}
}
