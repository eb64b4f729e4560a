package decode

// filterMember is what an acknowledgement's notifications may hold: a boolean, of resourceSubscriptions an
// array of strings, or null.
type filterMember struct{ name, path, need string }

// filterMembers are in the order in which the receiver takes them from an array (rmcp 3.1.2,
// SubscriptionFilter).
var filterMembers = [...]filterMember{
	{"toolsListChanged", "notifications/toolsListChanged", "a boolean"},
	{"promptsListChanged", "notifications/promptsListChanged", "a boolean"},
	{"resourcesListChanged", "notifications/resourcesListChanged", "a boolean"},
	{"resourceSubscriptions", "notifications/resourceSubscriptions", "an array of strings"},
}

const resourceSubscriptions = len(filterMembers) - 1

// readFilter reads the value of an acknowledgement's notifications, an object or an array, at i.
func (n *notification) readFilter(i int) int {
	var values [len(filterMembers)]Value
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		which := c.count
		if !c.array {
			which = findFilterMember(c.name(&n.scanner))
		}
		start := i
		switch {
		case which >= 0 && which < len(values):
			i = n.readFilterMember(which, &values[which], c.at, i)
			continue
		case which < 0:
			n.clues |= ClueUnknownName
		}
		if i = n.value(i); i >= 0 && c.array {
			n.misfit(Misfit{Kind: MisfitType, Name: "notifications", Need: "an array of at most four", Value: n.took(start, i), Offset: start})
		}
	}
	return i
}

func findFilterMember(name []byte) int {
	for i := range filterMembers {
		if filterMembers[i].name == string(name) {
			return i
		}
	}
	return -1
}

// readFilterMember reads the value at i of one member of the filter.
func (n *notification) readFilterMember(which int, first *Value, at, i int) int {
	m := &filterMembers[which]
	var bad Value
	var end int
	if which == resourceSubscriptions && n.peek(i) == '[' {
		end, bad = n.readStrings(i)
	} else {
		end = n.value(i)
	}
	if end < 0 {
		return failed
	}
	v := n.took(i, end)
	switch {
	case first.Present():
		n.misfit(Misfit{Kind: MisfitDuplicate, Name: m.path, Need: m.need, Value: v, First: *first, Offset: at})
	case v.Kind == Null:
		n.clues |= ClueNull
	case which == resourceSubscriptions && v.Kind != Array || which != resourceSubscriptions && v.Kind != True && v.Kind != False:
		bad = v
	}
	if bad.Present() {
		need := m.need
		if bad.Start > v.Start {
			need = "a string"
		}
		n.misfit(Misfit{Kind: MisfitType, Name: m.path, Need: need, Value: bad, Offset: bad.Start})
	}
	*first = v
	return end
}

// readStrings reads the array at i, and returns the first element that is no string.
func (n *notification) readStrings(i int) (end int, bad Value) {
	var c children
	i, more := c.first(&n.scanner, i)
	for ; more; i, more = c.next(&n.scanner, i) {
		start := i
		if i = n.value(i); i >= 0 && n.kind(start) != String && !bad.Present() {
			bad = n.took(start, i)
		}
	}
	return i, bad
}
