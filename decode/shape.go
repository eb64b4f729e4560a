package decode

// shape is the first reason why a body that is JSON is not what the receiver takes.
type shape struct {
	code   Code
	at     int
	value  Value  // what stands there, or the object that lacks it
	first  Value  // of a duplicate: the first
	member string // the member that it is about
}

// blame notes a reason, where there was none before.
func (s *shape) blame(code Code, v Value) { s.blameMember(code, "", v) }

// blameMember notes a reason that is about a member.
func (s *shape) blameMember(code Code, member string, v Value) {
	if s.code == 0 {
		*s = shape{code: code, at: v.Start, value: v, member: member}
	}
}

// twice notes a member that must not stand twice; at is its second name.
func (s *shape) twice(member string, at int, first, second Value) {
	if s.code == 0 {
		*s = shape{DuplicateMember, at, second, first, member}
	}
}
