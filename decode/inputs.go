package decode

// requestSlot is a member of a request that the receiver's types of the three requests need. kind4 looks
// no deeper.
type requestSlot int8

const (
	slotMethod requestSlot = iota
	slotParams
	slotMeta            // of params, as the others
	slotMessages        // sampling/createMessage
	slotMaxTokens       // sampling/createMessage
	slotMessage         // elicitation/create
	slotRequestedSchema // elicitation/create
	slotMode            // elicitation/create
	slotURL             // elicitation/create, mode url
	slotElicitationID   // elicitation/create, mode url

	numSlots
	noSlot requestSlot = -1
)

// slotNames are the members' names, where they stand in a request, and what each must be.
var slotNames = [numSlots]struct {
	name, path string
	kind       ValueKind
	need       string
}{
	slotMethod:          {"method", "/method", String, "a string"},
	slotParams:          {"params", "/params", Object, "an object"},
	slotMeta:            {"_meta", "/params/_meta", Object, "an object"},
	slotMessages:        {"messages", "/params/messages", Array, "an array"},
	slotMaxTokens:       {"maxTokens", "/params/maxTokens", Integer, "an unsigned integer of 32 bits"},
	slotMessage:         {"message", "/params/message", String, "a string"},
	slotRequestedSchema: {"requestedSchema", "/params/requestedSchema", Object, "an object"},
	slotMode:            {"mode", "/params/mode", String, "a string"},
	slotURL:             {"url", "/params/url", String, "a string"},
	slotElicitationID:   {"elicitationId", "/params/elicitationId", String, "a string"},
}

// findSlot finds a member between two slots by its name.
func findSlot(name []byte, from, to requestSlot) requestSlot {
	for slot := from; slot <= to; slot++ {
		if slotNames[slot].name == string(name) {
			return slot
		}
	}
	return noSlot
}

// request is what was seen of one of a task's inputRequests.
type request struct {
	start, end int // its name
	first      [numSlots]Value
	second     [numSlots]Value
	elements   int // of a request that is an array of method and params
}

// note takes a value for its slot.
func (r *request) note(slot requestSlot, v Value) {
	switch {
	case slot == noSlot:
	case r.first[slot].Present():
		r.second[slot] = v
	default:
		r.first[slot] = v
	}
}

// readInputs reads the object of requests at i.
func (n *notification) readInputs(i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		start := i
		r := request{start: c.at, end: n.nameEnd}
		if b := n.peek(i); b == '{' || b == '[' {
			i = n.readRequest(&r, i)
		} else {
			i = n.value(i)
		}
		if i >= 0 && n.f.Misfit.Kind == 0 {
			n.judgeRequest(&r, n.took(start, i))
		}
	}
	return i
}

// readRequest reads one request: an object, or an array of method and params.
func (n *notification) readRequest(r *request, i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		slot := noSlot
		if !c.array {
			slot = findSlot(c.name(&n.scanner), slotMethod, slotParams)
		} else if c.count <= int(slotParams) {
			slot = requestSlot(c.count)
		}
		start := i
		if slot == slotParams && !r.first[slotParams].Present() && n.peek(i) == '{' {
			i = n.readRequestParams(r, i)
		} else {
			i = n.value(i)
		}
		if i >= 0 {
			r.note(slot, n.took(start, i))
		}
	}
	if c.array {
		r.elements = c.count
	}
	return i
}

// readRequestParams reads the object of a request's params at i.
func (n *notification) readRequestParams(r *request, i int) int {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		slot := findSlot(c.name(&n.scanner), slotMeta, slotElicitationID)
		start := i
		if i = n.value(i); i >= 0 {
			r.note(slot, n.took(start, i))
		}
	}
	return i
}

var requestWords = []string{"sampling/createMessage", "elicitation/create", "roots/list"}

// judgeRequest sees whether a request is one that the receiver has a type for.
func (n *notification) judgeRequest(r *request, v Value) {
	if v.Kind != Object && v.Kind != Array || v.Kind == Array && r.elements != 2 {
		n.badRequest(r, "", MisfitType, "an object with a method", v)
		return
	}
	if !n.holds(r, v, slotMethod) {
		return
	}
	word := n.word(requestWords, r.first[slotMethod])
	params := r.first[slotParams]
	switch {
	case word == "":
		need := "one of sampling/createMessage, elicitation/create, roots/list"
		n.badRequest(r, "/method", MisfitWord, need, r.first[slotMethod])
	case word == "roots/list" && (!params.Present() || params.Kind == Null && !r.second[slotParams].Present()):
	case !n.holds(r, v, slotParams), r.first[slotMeta].Present() && r.first[slotMeta].Kind != Null && !n.holds(r, params, slotMeta):
	case r.second[slotMeta].Present():
		n.badRequest(r, "/params/_meta", MisfitDuplicate, "an object", r.second[slotMeta])
		n.f.Misfit.First = r.first[slotMeta]
	case word == "sampling/createMessage":
		n.holds(r, params, slotMessages, slotMaxTokens)
	case word == "elicitation/create":
		n.judgeElicitation(r, params)
	}
}

// judgeElicitation sees whether params are those of an elicitation: of mode url with what that needs, or of
// any mode with a schema.
func (n *notification) judgeElicitation(r *request, params Value) {
	url := r.first[slotMode].Kind == String && n.word([]string{"url"}, r.first[slotMode]) != "" && !r.second[slotMode].Present()
	if schema := r.first[slotRequestedSchema]; url && (schema.Kind != Object || r.second[slotRequestedSchema].Present()) {
		n.holds(r, params, slotMessage, slotURL, slotElicitationID)
		return
	}
	n.holds(r, params, slotMessage, slotRequestedSchema)
}

// holds sees whether members are there, once, and of the right kind; around is the object that they stand in.
func (n *notification) holds(r *request, around Value, slots ...requestSlot) bool {
	for _, slot := range slots {
		v, want := r.first[slot], &slotNames[slot]
		switch {
		case !v.Present():
			n.badRequest(r, want.path, MisfitMissing, want.need, around)
		case r.second[slot].Present():
			n.badRequest(r, want.path, MisfitDuplicate, want.need, r.second[slot])
			n.f.Misfit.First = v
		case v.Kind != want.kind:
			n.badRequest(r, want.path, MisfitType, want.need, v)
		case slot == slotMaxTokens && !fitsU32(n.data[v.Start:v.End]):
			n.badRequest(r, want.path, MisfitRange, want.need, v)
		default:
			continue
		}
		return false
	}
	return true
}

// badRequest notes what is wrong with a request.
func (n *notification) badRequest(r *request, path string, kind MisfitKind, need string, v Value) {
	name := append([]byte("inputRequests/"), appendPointerToken(nil, Unquote(nil, n.data[r.start:r.end]))...)
	n.misfit(Misfit{Kind: kind, Name: string(name) + path, Need: need, Value: v, Offset: v.Start})
}
