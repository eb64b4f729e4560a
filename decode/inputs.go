package decode

import "strconv"

// request is what was seen of one of a task's inputRequests: what the receiver's types of the three
// requests need. kind4 looks no deeper.
type request struct {
	method, params, meta  Value
	messages, maxTokens   Value // sampling/createMessage
	message, schema, mode Value // elicitation/create
	url, elicitationID    Value
	doubled               Value // the second of a member that the receiver reads
	elements              int   // of a request that is an array
}

// readInputs reads the object of requests at i.
func (n *notification) readInputs(i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		start := i
		at, end := c.at, c.end
		var r request
		switch n.peek(i) {
		case '{', '[':
			i = n.readRequest(&r, i)
		default:
			i = n.value(i)
		}
		if i >= 0 && n.f.Misfit.Kind == 0 {
			n.judgeRequest(&r, at, end, n.took(start, i))
		}
	}
	return i
}

// readRequest reads one request: an object, or an array of method and params.
func (n *notification) readRequest(r *request, i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		var slot *Value
		if c.array {
			slot = r.element(c.count)
		} else {
			slot = r.member(c.name(&n.scanner))
		}
		start := i
		if slot == &r.params && !slot.Present() && n.peek(i) == '{' {
			i = n.readRequestParams(r, i)
		} else {
			i = n.value(i)
		}
		n.keep(r, slot, start, i)
	}
	if c.array {
		r.elements = c.count
	}
	return i
}

func (r *request) element(index int) *Value {
	switch index {
	case 0:
		return &r.method
	case 1:
		return &r.params
	}
	return nil
}

func (r *request) member(name []byte) *Value {
	switch string(name) {
	case "method":
		return &r.method
	case "params":
		return &r.params
	}
	return nil
}

// keep notes a value in its slot, where it has one.
func (n *notification) keep(r *request, slot *Value, start, end int) {
	switch {
	case slot == nil || end < 0:
	case slot.Present():
		r.doubled = n.took(start, end)
	default:
		*slot = n.took(start, end)
	}
}

// readRequestParams reads the object of a request's params at i.
func (n *notification) readRequestParams(r *request, i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		slot := r.param(c.name(&n.scanner))
		start := i
		i = n.value(i)
		n.keep(r, slot, start, i)
	}
	return i
}

func (r *request) param(name []byte) *Value {
	switch string(name) {
	case "_meta":
		return &r.meta
	case "messages":
		return &r.messages
	case "maxTokens":
		return &r.maxTokens
	case "message":
		return &r.message
	case "requestedSchema":
		return &r.schema
	case "mode":
		return &r.mode
	case "url":
		return &r.url
	case "elicitationId":
		return &r.elicitationID
	}
	return nil
}

// judgeRequest sees whether a request, the value of the member data[at:end], is one that the receiver has
// a type for.
func (n *notification) judgeRequest(r *request, at, end int, v Value) {
	switch {
	case v.Kind != Object && v.Kind != Array:
		n.badRequest(at, end, "", MisfitType, "a request: an object with a method", v)
	case !r.method.Present():
		n.badRequest(at, end, "/method", MisfitMissing, "a string", v)
	case r.method.Kind != String:
		n.badRequest(at, end, "/method", MisfitType, "a string", r.method)
	case r.doubled.Present():
		n.badRequest(at, end, "", MisfitDuplicate, "each member once", r.doubled)
	case v.Kind == Array && r.elements != 2:
		n.badRequest(at, end, "", MisfitType, "an object", v)
	default:
		n.judgeMethod(r, at, end, v)
	}
}

var requestWords = []string{"sampling/createMessage", "elicitation/create", "roots/list"}

// judgeMethod sees whether the params of a request are what its method needs.
func (n *notification) judgeMethod(r *request, at, end int, v Value) {
	word := n.word(requestWords, r.method)
	switch {
	case word == "":
		n.badRequest(at, end, "/method", MisfitWord, "one of sampling/createMessage, elicitation/create, roots/list", r.method)
	case word == "roots/list" && (!r.params.Present() || r.params.Kind == Null):
	case !r.params.Present():
		n.badRequest(at, end, "/params", MisfitMissing, "an object", v)
	case r.params.Kind != Object:
		n.badRequest(at, end, "/params", MisfitType, "an object", r.params)
	case r.meta.Present() && r.meta.Kind != Object && r.meta.Kind != Null:
		n.badRequest(at, end, "/params/_meta", MisfitType, "an object", r.meta)
	case word == "sampling/createMessage":
		n.needs(r, at, end, r.messages, Array, "messages", "an array")
		n.needs(r, at, end, r.maxTokens, Integer, "maxTokens", "an unsigned integer of 32 bits")
	case word == "elicitation/create":
		n.needs(r, at, end, r.message, String, "message", "a string")
		if r.mode.Kind == String && r.schema.Kind != Object && n.word([]string{"url"}, r.mode) != "" {
			n.needs(r, at, end, r.url, String, "url", "a string")
			n.needs(r, at, end, r.elicitationID, String, "elicitationId", "a string")
			return
		}
		n.needs(r, at, end, r.schema, Object, "requestedSchema", "an object")
	}
}

// needs notes a member of a request's params that is missing or of another kind.
func (n *notification) needs(r *request, at, end int, v Value, kind ValueKind, name, need string) {
	switch {
	case !v.Present():
		n.badRequest(at, end, "/params/"+name, MisfitMissing, need, r.params)
	case v.Kind != kind:
		n.badRequest(at, end, "/params/"+name, MisfitType, need, v)
	case kind == Integer && !fitsBits(n.data[v.Start:v.End], 32):
		n.badRequest(at, end, "/params/"+name, MisfitRange, need, v)
	}
}

// fitsBits reports whether an integer literal is an unsigned integer of that size.
func fitsBits(literal []byte, size int) bool {
	_, err := strconv.ParseUint(string(literal), 10, size)
	return err == nil
}

// badRequest notes what is wrong with the request under the name data[at:end].
func (n *notification) badRequest(at, end int, inside string, kind MisfitKind, need string, v Value) {
	if n.f.Misfit.Kind != 0 {
		return
	}
	name := append([]byte("inputRequests/"), appendPointerToken(nil, Unquote(nil, n.data[at:end]))...)
	n.misfit(Misfit{Kind: kind, Name: string(name) + inside, Need: need, Value: v, Offset: v.Start})
}
