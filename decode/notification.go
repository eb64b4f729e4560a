package decode

// notification is the walk over the body of a tag-0 message: the scanner, and what it tells the frame.
type notification struct {
	scanner
	f      *Frame
	params Value // of the envelope, whatever it is
	early  bool  // params stood before the method, so that nobody looked at its members

	nextMember int // where findMember begins
}

// body reads the whole body and returns false where it is no JSON.
func (n *notification) body() bool {
	start := n.space(1)
	var end int
	switch n.peek(start) {
	case '{':
		end = n.envelope(start)
	case '[':
		end = n.positional(start)
	default:
		if end = n.value(start); end >= 0 {
			n.shape.blame(NotAnObject, n.took(start, end))
		}
	}
	return n.ends(n.f, start, end)
}

// envelope reads the object that begins at start: method, params, and what the receiver ignores.
func (n *notification) envelope(start int) int {
	var c children
	i, more := n.begin(&c, start)
	for ; more; i, more = c.next(&n.scanner, i) {
		switch name := c.name(&n.scanner); string(name) {
		case "method":
			i = n.readMethod(c.at, i)
		case "params":
			if n.params.Present() {
				i = n.paramsTwice(c.at, i)
			} else {
				i = n.readParams(i)
			}
		case "jsonrpc":
			value := i
			if i = n.value(i); i >= 0 && string(n.data[value:i]) != `"2.0"` {
				n.clues |= ClueUnknownName
			}
		default:
			n.clues |= ClueUnknownName
			i = n.value(i)
		}
	}
	if i >= 0 {
		n.judge(Value{start, i, Object})
	}
	return i
}

// usualHeads are how nearly every envelope begins, and the members that this names.
var usualHeads = []struct {
	text  string
	names []uint64
}{
	{`{"jsonrpc":"2.0","method":`, []uint64{nameHash([]byte("jsonrpc"), 0, 7), nameHash([]byte("method"), 0, 6)}},
	{`{"method":`, []uint64{nameHash([]byte("method"), 0, 6)}},
}

// usualParams is what nearly always follows the method.
const usualParams = `,"params":`

var paramsName = nameHash([]byte("params"), 0, 6)

// begin is the first of c for the envelope that begins at start. What begins as usual it reads up to the params by one
// comparison, and goes on behind them: it takes 2 to 19 % off a whole decode, and changes nothing else.
func (n *notification) begin(c *children, start int) (int, bool) {
	for k := range usualHeads {
		head := &usualHeads[k]
		if !n.follows(start, head.text) {
			continue
		}
		c.open(&n.scanner, start)
		for _, hash := range head.names {
			c.names.add(&n.scanner, hash)
		}
		i := n.readMethod(start, n.space(start+len(head.text)))
		if i >= 0 && n.follows(i, usualParams) {
			c.names.add(&n.scanner, paramsName)
			i = n.readParams(n.space(i + len(usualParams)))
		}
		return c.next(&n.scanner, i)
	}
	return c.first(&n.scanner, start)
}

// follows reports whether text stands at i.
func (n *notification) follows(i int, text string) bool {
	return len(n.data)-i >= len(text) && string(n.data[i:i+len(text)]) == text
}

// readMethod reads the value at i of a member method, whose name stands at at.
func (n *notification) readMethod(at, i int) int {
	n.escaped = false
	end := n.value(i)
	if end < 0 {
		return failed
	}
	v := n.took(i, end)
	switch {
	case n.f.Method.Present():
		n.shape.twice("method", at, n.f.Method, v)
	case v.Kind != String:
		n.f.Method = v
		n.shape.blame(MethodType, v)
	default:
		n.setMethod(v)
	}
	return end
}

// setMethod takes a string, just read, for the method.
func (n *notification) setMethod(v Value) {
	n.f.Method = v
	text := n.data[v.Start+1 : v.End-1]
	if n.escaped && len(text) <= 6*len("notifications/subscriptions/acknowledged") {
		n.unquoted = Unquote(n.unquoted[:0], n.data[v.Start:v.End])
		text = n.unquoted
	}
	n.f.Known = variantOf(text)
}

// paramsTwice reads the value at i of a second member params.
func (n *notification) paramsTwice(at, i int) int {
	end := n.value(i)
	if end >= 0 {
		n.shape.twice("params", at, n.params, n.took(i, end))
	}
	return end
}

// positional reads the array that begins at start: the receiver takes ["method", {…}] for the object.
func (n *notification) positional(start int) int {
	var c children
	i, more := c.first(&n.scanner, start)
	for ; more; i, more = c.next(&n.scanner, i) {
		if c.count == 1 && n.f.Method.Present() {
			i = n.readParams(i)
			continue
		}
		n.escaped = false
		value := i
		if i = n.value(i); i >= 0 && c.count == 0 && n.kind(value) == String {
			n.setMethod(n.took(value, i))
		}
	}
	if i < 0 {
		return failed
	}
	whole := Value{start, i, Array}
	if c.count == 2 && n.f.Method.Present() {
		n.f.Positional = true
		n.judge(whole)
	} else {
		n.f.Method, n.f.Known = Value{}, 0
		n.shape = shape{}
		n.shape.blame(NotAnObject, whole)
	}
	return i
}

// judge says what the receiver makes of an envelope that was read to its end.
func (n *notification) judge(whole Value) {
	f := n.f
	if !f.Method.Present() {
		n.shape.blame(MethodMissing, whole)
	}
	if n.shape.code != 0 {
		return
	}
	f.Params = n.params
	f.Type, f.Variant = TypeNotification, f.Known
	if f.Known == Custom {
		return
	}
	if n.early && f.Params.Kind == Object {
		f.Members[MemberMeta] = Value{}
		n.depth++
		n.readMembers(f.Params.Start)
		n.depth--
	}
	if n.missing(whole); f.misfits {
		f.Variant = Custom
	}
}
