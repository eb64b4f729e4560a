package decode

// skip reads the array or object that begins at i as serde_json skips one: its grammar is checked, raw
// control characters and the spelling of escapes too, but neither UTF-8 nor surrogates, and any number
// and any depth pass. It does not recurse: one bit a level stands on the scanner's stack.
func (s *scanner) skip(i int) int {
	s.clues |= ClueDuplicate
	stack := skipStack{s: s, base: len(s.seen)}
	for {
		switch c := s.peek(i); c {
		case '{', '[':
			stack.push(c == '{')
			if i = s.space(i + 1); s.peek(i) != stack.closing() {
				if i = stack.key(i); i < 0 {
					return failed
				}
				continue
			}
		default:
			if i = s.value(i); i < 0 {
				return failed
			}
		}
		next := false
		for stack.levels > 0 && !next {
			i = s.space(i)
			switch s.peek(i) {
			case ',':
				if i = stack.key(s.space(i + 1)); i < 0 {
					return failed
				}
				next = true
			case stack.closing():
				stack.levels--
				i++
			default:
				return s.wrong(i, stack.expected())
			}
		}
		if !next {
			s.seen = s.seen[:stack.base]
			return i
		}
	}
}

// skipStack holds one bit for each level that skip is in: 1 is an object.
type skipStack struct {
	s      *scanner
	base   int
	levels int
}

func (k *skipStack) push(object bool) {
	s := k.s
	word, bit := k.base+k.levels>>6, uint64(1)<<(k.levels&63)
	if word == len(s.seen) {
		s.seen = append(s.seen, 0)
	}
	if s.seen[word] &^= bit; object {
		s.seen[word] |= bit
	}
	k.levels++
	if depth := s.depth + k.levels; depth > s.deepest {
		s.deepest = depth
	}
}

func (k *skipStack) inObject() bool {
	top := k.levels - 1
	return k.s.seen[k.base+top>>6]>>(top&63)&1 != 0
}

// key reads the name and colon at i, where an object wants one, and returns where the value begins.
func (k *skipStack) key(i int) int {
	if !k.inObject() {
		return i
	}
	if i = k.s.name(i); i < 0 {
		return failed
	}
	return k.s.colon(i)
}

func (k *skipStack) closing() byte {
	if k.inObject() {
		return '}'
	}
	return ']'
}

func (k *skipStack) expected() string {
	if k.inObject() {
		return "',' or '}'"
	}
	return "',' or ']'"
}
