package inspect

import (
	"hash/maphash"

	"kind4/decode"
)

// nameSets finds names that stand twice in one object, for all the objects open at a time, in time linear in
// the number of names. It does not look behind the first 4 GiB of a message.
type nameSets struct {
	names []placed // of the open objects that have few, the innermost last
	open  []openObject
	seed  maphash.Seed
	ready bool
}

// placed is where a name stands, quotes included.
type placed struct{ start, end int }

type openObject struct {
	start int    // where it begins
	first int    // its first name's index in names, while they are few
	table []slot // its names by hash, once they are many
	used  int    // slots of table
}

// slot is one place of a hash table: the upper half of a name's hash, and where the name begins; 0 is a free one. A
// table's length is a power of two, and at most seven eighths of it are in use: nothing else is kept of a name, so that
// an object of millions takes about twice its own size.
type slot uint64

const slotStart = 1<<32 - 1

// fewNames is how many names of one object are compared one by one before they are hashed.
const fewNames = 16

// begin opens the object that begins at start.
func (s *nameSets) begin(start int) {
	s.open = append(s.open, openObject{start: start, first: len(s.names)})
}

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
	if len(s.open) == 0 || uint64(start) > slotStart {
		return 0, false
	}
	object := &s.open[len(s.open)-1]
	name := placed{start, end}
	if object.table != nil {
		return s.put(message, object, name)
	}
	own := s.names[object.first:]
	for i := range own {
		if sameName(message, own[i], name) {
			return own[i].start, true
		}
	}
	s.names = append(s.names, name)
	if own = s.names[object.first:]; len(own) == fewNames {
		object.table = make([]slot, 4*fewNames)
		for _, name := range own {
			s.put(message, object, name)
		}
		s.names = s.names[:object.first]
	}
	return 0, false
}

// put finds name in the object's table, or puts it there.
func (s *nameSets) put(message []byte, object *openObject, name placed) (first int, found bool) {
	hash := s.hash(message, name)
	at, first, found := s.find(message, object.table, name, hash)
	if found {
		return first, true
	}
	object.table[at] = slot(hash&^slotStart | uint64(name.start))
	if object.used++; object.used > len(object.table)/8*7 {
		object.grow(object.wanted(name.start, len(message)))
	}
	return 0, false
}

// manySlots is from which size on a table is made as large as it will have to be.
const manySlots = 1 << 16

// wanted returns how many slots are to come. Once they are many, it is what the rest of the message will need if it goes
// on like that: to double again and again would leave as much memory behind, and end an eighth above the bound.
func (o *openObject) wanted(at, end int) int {
	slots := 2 * len(o.table)
	if slots < manySlots {
		return slots
	}
	names := float64(o.used) * float64(end-o.start) / float64(at-o.start)
	for float64(slots)/8*7 < names && uint64(slots) < slotStart {
		slots *= 2
	}
	return slots
}

// find returns where in the table a name of that hash belongs; where it is there, where it begins.
func (s *nameSets) find(message []byte, table []slot, name placed, hash uint64) (at uint64, first int, found bool) {
	mask := uint64(len(table) - 1)
	for at = hash >> 32 & mask; table[at] != 0; at = (at + 1) & mask {
		if uint64(table[at])&^slotStart != hash&^slotStart {
			continue
		}
		first = int(table[at] & slotStart)
		walker := decode.NewWalker(message, first)
		if token, _ := walker.Next(); sameName(message, placed{token.Start, token.End}, name) {
			return at, first, true
		}
	}
	return at, 0, false
}

// grow makes the object's table larger. The hash's upper half, which a slot holds, says where each name belongs.
func (o *openObject) grow(slots int) {
	old := o.table
	o.table = make([]slot, slots)
	mask := uint64(slots - 1)
	for _, taken := range old {
		at := uint64(taken) >> 32 & mask
		for taken != 0 && o.table[at] != 0 {
			at = (at + 1) & mask
		}
		if taken != 0 {
			o.table[at] = taken
		}
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
