package inspect

import "hash/maphash"

// nameSets finds names that stand twice in one object, for all the objects open at a time, in time linear in
// the number of names.
type nameSets struct {
	names []placed // of the open objects, the innermost last
	open  []openObject
	seed  maphash.Seed
	ready bool
}

// placed is where a name stands, quotes included.
type placed struct{ start, end int }

type openObject struct {
	first int    // its first name's index in names
	table []slot // its names by hash, once they are many
}

// slot is one place of a hash table: the upper half of a name's hash, and its index in the object plus one; 0 is
// a free one. A table's length is a power of two, and at most half of it is in use.
type slot uint64

const slotIndex = 1<<32 - 1

// fewNames is how many names of one object are compared one by one before they are hashed.
const fewNames = 16

func (s *nameSets) begin() { s.open = append(s.open, openObject{first: len(s.names)}) }

func (s *nameSets) end() {
	if last := len(s.open) - 1; last >= 0 {
		s.names = s.names[:s.open[last].first]
		s.open[last] = openObject{}
		s.open = s.open[:last]
	}
}

// add puts a name into the innermost object's set. Where it was there already it returns where the first
// one begins.
func (s *nameSets) add(message []byte, start, end int) (first int, found bool) {
	if len(s.open) == 0 {
		return 0, false
	}
	object := &s.open[len(s.open)-1]
	own := s.names[object.first:]
	name := placed{start, end}
	if object.table == nil {
		for i := range own {
			if sameName(message, own[i], name) {
				return own[i].start, true
			}
		}
		s.names = append(s.names, name)
		if len(own)+1 == fewNames {
			s.rehash(message, object, 4*fewNames)
		}
		return 0, false
	}
	if i, ok := s.put(message, object, own, name, len(own)); ok {
		return own[i].start, true
	}
	s.names = append(s.names, name)
	if 2*(len(own)+1) > len(object.table) {
		s.rehash(message, object, 2*len(object.table))
	}
	return 0, false
}

// put finds name in the object's table, or puts it there with that index.
func (s *nameSets) put(message []byte, object *openObject, own []placed, name placed, index int) (same int, found bool) {
	hash := s.hash(message, name)
	mask := uint64(len(object.table) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch taken := object.table[at]; {
		case taken == 0:
			object.table[at] = slot(hash&^slotIndex | uint64(index+1))
			return 0, false
		case uint64(taken)&^slotIndex == hash&^slotIndex:
			if i := int(taken&slotIndex) - 1; sameName(message, own[i], name) {
				return i, true
			}
		}
	}
}

// rehash puts the innermost object's names, all different, into a table of that size.
func (s *nameSets) rehash(message []byte, object *openObject, size int) {
	object.table = make([]slot, size)
	own := s.names[object.first:]
	for i, name := range own {
		s.put(message, object, own, name, i)
	}
}

func (s *nameSets) hash(message []byte, name placed) uint64 {
	if !s.ready {
		s.seed, s.ready = maphash.MakeSeed(), true
	}
	var buf [64]byte
	return maphash.Bytes(s.seed, unquoted(buf[:0], view(message, name.start, name.end)))
}

func sameName(message []byte, a, b placed) bool {
	rawA, rawB := view(message, a.start, a.end), view(message, b.start, b.end)
	if !hasEscape(rawA) && !hasEscape(rawB) {
		return string(rawA) == string(rawB)
	}
	var bufA, bufB [64]byte
	return string(unquoted(bufA[:0], rawA)) == string(unquoted(bufB[:0], rawB))
}
