package decode

// children steps through the members of an object, or the elements of an array, that the receiver reads
// one by one:
//
//	for i, more := c.first(s, i); more; i, more = c.next(s, i) { i = …read the value at i… }
//
// The index that comes with more false is the one behind the closing bracket, or failed.
type children struct {
	array bool
	count int // of those before the present one
	at    int // where the present member's name begins
	names nameSet
}

// first goes into the array or object that begins at i.
func (c *children) first(s *scanner, i int) (int, bool) {
	if !c.open(s, i) {
		return failed, false
	}
	if i = s.space(i + 1); s.peek(i) == c.closing() {
		return c.leave(s, i)
	}
	if c.array {
		return i, true
	}
	c.at = i
	i = s.member(i, &c.names)
	return i, i >= 0
}

// open goes past the bracket at i.
func (c *children) open(s *scanner, i int) bool {
	c.array = s.data[i] == '['
	c.names.base = len(s.seen)
	return s.enter(i)
}

// next goes on from i, behind a value.
func (c *children) next(s *scanner, i int) (int, bool) {
	if i < 0 {
		return failed, false
	}
	c.count++
	i = s.space(i)
	b := s.peek(i)
	if b == ',' {
		if i = s.space(i + 1); c.array {
			return i, true
		}
		c.at = i
		i = s.member(i, &c.names)
		return i, i >= 0
	}
	if b == c.closing() {
		return c.leave(s, i)
	}
	if c.array {
		return s.wrong(i, "',' or ']'"), false
	}
	return s.wrong(i, "',' or '}'"), false
}

func (c *children) leave(s *scanner, i int) (int, bool) {
	s.seen = s.seen[:c.names.base]
	s.depth--
	return i + 1, false
}

func (c *children) closing() byte {
	if c.array {
		return ']'
	}
	return '}'
}

// name returns the text of the present member's name, before its value is read.
func (c *children) name(s *scanner) []byte { return s.nameText(c.at, s.nameEnd) }
