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

// add notes a name by its hash.
func (n *nameSet) add(s *scanner, hash uint64) {
	bit := uint64(1) << (hash >> 58)
	if n.bits&bit != 0 {
		n.compare(s, hash)
		return
	}
	n.bits |= bit
	s.seen = append(s.seen, hash)
}

// compare looks among the names that share the bit, or gives up.
func (n *nameSet) compare(s *scanner, hash uint64) {
	if s.clues&ClueDuplicate != 0 {
		return
	}
	if len(s.seen)-n.base >= rememberedNames || slices.Contains(s.seen[n.base:], hash) {
		s.clues |= ClueDuplicate
		return
	}
	s.seen = append(s.seen, hash)
}

const hashFactor = 0x9e3779b97f4a7c15 // odd: multiplying by it maps no two words to one

// shortHash is the hash of a name of n bytes, at most eight: those at the start of the word.
func shortHash(word uint64, n int) uint64 { return word << uint(64-8*n) * hashFactor }

// nameHash hashes the name data[start:end].
func nameHash(data []byte, start, end int) uint64 {
	n := end - start
	if n == 8 {
		return shortHash(binary.LittleEndian.Uint64(data[start:]), n)
	}
	if n < 8 {
		word := uint64(0)
		for i, c := range data[start:end] {
			word |= uint64(c) << (8 * i)
		}
		return shortHash(word, n)
	}
	h := uint64(n)
	for ; start+8 < end; start += 8 {
		h = longHash(h, binary.LittleEndian.Uint64(data[start:]))
	}
	return longHash(h, binary.LittleEndian.Uint64(data[end-8:]))
}

// longHash takes one more word into the hash of a name of more than eight bytes.
func longHash(h, word uint64) uint64 { return bits.RotateLeft64(h^word, 29) * hashFactor }
