package decode

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// nameSet notices whether two names of one object may be the same. It keeps a hash of each of the first
// names on the scanner's stack, and one bit of each in a word: only names that share the bit are compared.
// The hash of a name of at most eight bytes is exact.
type nameSet struct {
	base int
	bits uint64
}

func (n *nameSet) begin(s *scanner) { n.base = len(s.seen) }

// end forgets the names.
func (n *nameSet) end(s *scanner) { s.seen = s.seen[:n.base] }

// add notes the name data[start:end], quotes not included, just read by s.name.
func (n *nameSet) add(s *scanner, start, end int) {
	if s.clues&ClueDuplicate != 0 {
		return
	}
	h := nameHash(s.data, start, end)
	bit := uint64(1) << (h >> 58)
	switch {
	case n.bits&bit != 0 && slices.Contains(s.seen[n.base:], h),
		s.escaped, len(s.seen)-n.base == rememberedNames:
		s.clues |= ClueDuplicate
		return
	}
	n.bits |= bit
	s.seen = append(s.seen, h)
}

// nameHash hashes data[start:end].
func nameHash(data []byte, start, end int) uint64 {
	const odd = 0x9e3779b97f4a7c15
	n := end - start
	if n <= 8 {
		word := uint64(0)
		if start+8 <= len(data) {
			word = binary.LittleEndian.Uint64(data[start:]) << ((8 - n) * 8)
		} else {
			for _, c := range data[start:end] {
				word = word>>8 | uint64(c)<<56
			}
		}
		return word * odd
	}
	h := uint64(n)
	for ; start+8 < end; start += 8 {
		h = bits.RotateLeft64(h^binary.LittleEndian.Uint64(data[start:]), 29) * odd
	}
	return bits.RotateLeft64(h^binary.LittleEndian.Uint64(data[end-8:]), 29) * odd
}
