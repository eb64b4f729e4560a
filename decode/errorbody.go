package decode

import "strconv"

// errorBody is the walk over the body of a tag-1 message (rmcp 3.1.2, ErrorData: code, message, data).
type errorBody struct {
	scanner
	f *Frame
}

// body reads the whole body and returns false where it is no JSON.
func (e *errorBody) body() bool {
	start := e.space(1)
	end := failed
	switch e.peek(start) {
	case '{':
		end = e.named(start)
	case '[':
		end = e.positional(start)
	default:
		if end = e.value(start); end >= 0 {
			e.shape.blame(ErrorShape, e.took(start, end))
		}
	}
	return e.ends(e.f, start, end)
}

// named reads the object that begins at start.
func (e *errorBody) named(start int) int {
	var c children
	i, more := c.first(&e.scanner, start)
	for ; more; i, more = c.next(&e.scanner, i) {
		switch string(c.name(&e.scanner)) {
		case "code":
			i = e.member(MemberCode, c.at, i)
		case "message":
			i = e.member(MemberMessage, c.at, i)
		case "data":
			i = e.member(MemberData, c.at, i)
		default:
			e.clues |= ClueUnknownName
			e.loose = true
			i = e.value(i)
			e.loose = false
		}
	}
	if i >= 0 {
		e.judge(Value{start, i, Object})
	}
	return i
}

// member reads the value at i of a member that the receiver reads, whose name stands at at.
func (e *errorBody) member(m Member, at, i int) int {
	end := e.value(i)
	if end < 0 {
		return failed
	}
	v := e.took(i, end)
	if first := e.f.Members[m]; first.Present() {
		e.shape.twice(m.String(), at, first, v)
		return end
	}
	e.f.setMember(m, v)
	switch {
	case m == MemberCode && (v.Kind != Integer || !e.readCode(v)),
		m == MemberMessage && v.Kind != String:
		e.shape.blameMember(ErrorShape, m.String(), v)
	case v.Kind == Null:
		e.clues |= ClueNull
	}
	return end
}

// readCode reads the code, false where it is outside a signed 32-bit integer.
func (e *errorBody) readCode(v Value) bool {
	code, err := strconv.ParseInt(string(e.data[v.Start:v.End]), 10, 32)
	e.f.Code = int32(code)
	return err == nil
}

// positional reads the array that begins at start: the receiver takes [code, message, data] for the object,
// and no array of another length.
func (e *errorBody) positional(start int) int {
	order := [...]Member{MemberCode, MemberMessage, MemberData}
	var c children
	i, more := c.first(&e.scanner, start)
	for ; more; i, more = c.next(&e.scanner, i) {
		if c.count < len(order) {
			i = e.member(order[c.count], i, i)
		} else {
			i = e.value(i)
		}
	}
	if i < 0 {
		return failed
	}
	whole := Value{start, i, Array}
	if c.count != len(order) {
		e.shape = shape{}
		e.shape.blame(ErrorShape, whole)
	}
	e.f.Positional = e.shape.code == 0
	e.judge(whole)
	return i
}

// judge says what the receiver makes of a body that was read to its end.
func (e *errorBody) judge(whole Value) {
	for _, m := range [...]Member{MemberCode, MemberMessage} {
		if !e.f.Members[m].Present() {
			e.shape.blameMember(ErrorShape, m.String(), whole)
		}
	}
	if e.shape.code == 0 {
		e.f.Type = TypeError
	}
}
