package packet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// The block types that are read (draft-ietf-opsawg-pcapng, section 4); the Packet Block is
// the one that the Enhanced Packet Block replaced. Every other block is skipped.
const (
	blockInterface = 1
	blockPacket    = 2
	blockSimple    = 3
	blockEnhanced  = 6
)

// The options of an interface that bear on time (section 4.2).
const (
	optEnd         = 0
	optTimeRes     = 9
	optTimeOffset  = 14
	byteOrderMagic = 0x1a2b3c4d
)

// maxInterfaces is how many interfaces of one section are remembered: packets of later ones
// count as malformed.
const maxInterfaces = 1 << 16

// pcapng reads pcapng files.
type pcapng struct {
	big        bool
	interfaces []netInterface
	last       int64 // the time of the last packet that had one
}

// netInterface is what an Interface Description Block says.
type netInterface struct {
	link   uint16
	snap   uint32
	res    uint8 // if_tsresol
	offset int64 // if_tsoffset, in seconds
}

func (p *pcapng) next(s *source, rec *packetRecord) (bool, error) {
	start := s.off
	head := s.peek(12)
	if len(head) == 0 && s.err == io.EOF {
		return false, io.EOF
	}
	if len(head) < 12 {
		return false, s.ended(start, int64(len(head)))
	}
	section := binary.BigEndian.Uint32(head) == magicSection
	if section {
		if err := p.order(head, start); err != nil {
			return false, err
		}
	}
	kind, size := u32(head, p.big), u32(head[4:], p.big)
	if size < 12 || size%4 != 0 {
		return false, &Error{Offset: start, Reason: fmt.Sprintf("a block length of %d", size)}
	}
	if !section && kind != blockInterface && kind != blockPacket && kind != blockSimple && kind != blockEnhanced {
		return false, p.pass(s, int64(size))
	}
	if size > maxRecord {
		if section || kind == blockInterface {
			return false, &Error{Offset: start, Reason: fmt.Sprintf("a header block of %d bytes", size)}
		}
		rec.data = nil
		return true, p.pass(s, int64(size))
	}
	block := s.peek(int(size))
	if len(block) < int(size) {
		return false, s.ended(start, int64(len(block)))
	}
	if again := u32(block[size-4:], p.big); again != size {
		return false, lengthsDiffer(start, size, again)
	}
	s.take(int(size))
	body := block[8 : size-4]
	switch {
	case section:
		return false, p.section(body, start)
	case kind == blockInterface:
		return false, p.describe(body, start)
	case kind == blockSimple:
		return true, p.simple(body, rec, start)
	}
	return true, p.packet(kind, body, rec, start)
}

// order learns the byte order of the section that starts with head.
func (p *pcapng) order(head []byte, start int64) error {
	switch {
	case binary.BigEndian.Uint32(head[8:]) == byteOrderMagic:
		p.big = true
	case binary.LittleEndian.Uint32(head[8:]) == byteOrderMagic:
		p.big = false
	default:
		return &Error{Offset: start, Reason: fmt.Sprintf("a section's byte order of %x", head[8:12])}
	}
	return nil
}

// pass skips a block of size bytes.
func (p *pcapng) pass(s *source, size int64) error {
	start := s.off
	if done := s.skip(size - 4); done < size-4 {
		return s.ended(start, done)
	}
	trailer := s.peek(4)
	if len(trailer) < 4 {
		return s.ended(start, size-4+int64(len(trailer)))
	}
	if again := u32(trailer, p.big); int64(again) != size {
		return lengthsDiffer(start, uint32(size), again)
	}
	s.take(4)
	return nil
}

func lengthsDiffer(start int64, size, again uint32) error {
	return &Error{Offset: start, Reason: fmt.Sprintf("a block length of %d in front, and of %d behind", size, again)}
}

// section starts a section, which has interfaces of its own.
func (p *pcapng) section(body []byte, start int64) error {
	if len(body) < 16 {
		return tooShort(start, "section")
	}
	if major := u16(body[4:], p.big); major != 1 {
		return &Error{Offset: start, Reason: fmt.Sprintf("pcapng version %d is not read", major)}
	}
	p.interfaces = p.interfaces[:0]
	return nil
}

func tooShort(start int64, what string) error {
	return &Error{Offset: start, Reason: "the " + what + " block is shorter than its fields"}
}

// describe adds an interface.
func (p *pcapng) describe(body []byte, start int64) error {
	if len(body) < 8 {
		return tooShort(start, "interface")
	}
	if len(p.interfaces) == maxInterfaces {
		return nil
	}
	i := netInterface{link: u16(body, p.big), snap: u32(body[4:], p.big), res: 6}
	for opts := body[8:]; len(opts) >= 4; {
		code, n := u16(opts, p.big), int(u16(opts[2:], p.big))
		if code == optEnd || 4+n > len(opts) {
			break
		}
		value := opts[4 : 4+n]
		switch {
		case code == optTimeRes && n >= 1:
			i.res = value[0]
		case code == optTimeOffset && n >= 8:
			i.offset = int64(u64(value, p.big))
		}
		opts = opts[min(len(opts), 4+(n+3)&^3):]
	}
	p.interfaces = append(p.interfaces, i)
	return nil
}

func u64(b []byte, big bool) uint64 {
	if big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

// packet reads an Enhanced Packet Block, or a Packet Block, whose interface is a number of
// 16 bits.
func (p *pcapng) packet(kind uint32, body []byte, rec *packetRecord, start int64) error {
	if len(body) < 20 {
		return tooShort(start, "packet")
	}
	id := u32(body, p.big)
	if kind == blockPacket {
		id = uint32(u16(body, p.big))
	}
	captured := u32(body[12:], p.big)
	if int64(captured) > int64(len(body)-20) {
		return &Error{Offset: start, Reason: fmt.Sprintf("a packet of %d captured bytes in a block that has room for %d", captured, len(body)-20)}
	}
	rec.data = nil
	if int64(id) >= int64(len(p.interfaces)) {
		return nil // of an interface that no block describes: the caller counts it
	}
	i := &p.interfaces[id]
	ticks := uint64(u32(body[4:], p.big))<<32 | uint64(u32(body[8:], p.big))
	p.last = i.micros(ticks)
	rec.link, rec.time = i.link, p.last
	rec.data = body[20 : 20+captured]
	rec.wire = max(int(captured), int(u32(body[16:], p.big)))
	return nil
}

// simple reads a Simple Packet Block: it is of the first interface, cut at that one's snap
// length, and has no time; it gets that of the packet before it.
func (p *pcapng) simple(body []byte, rec *packetRecord, start int64) error {
	if len(body) < 4 {
		return tooShort(start, "simple packet")
	}
	rec.data = nil
	if len(p.interfaces) == 0 {
		return nil
	}
	i := &p.interfaces[0]
	wire := u32(body, p.big)
	captured := min(int64(wire), int64(len(body)-4))
	if i.snap > 0 {
		captured = min(captured, int64(i.snap))
	}
	rec.link, rec.time = i.link, p.last
	rec.data = body[4 : 4+captured]
	rec.wire = int(wire)
	return nil
}

// micros turns a time of the interface into microseconds since the Unix epoch. The
// resolution is a negative power of ten, or of two where its top bit is set (section 4.2,
// if_tsresol). What no int64 holds is cut to its bounds.
func (i *netInterface) micros(ticks uint64) int64 {
	var hi, lo uint64
	switch power := i.res & 0x7f; {
	case i.res&0x80 != 0:
		hi, lo = bits.Mul64(ticks, 1e6)
		hi, lo = shiftRight(hi, lo, uint(power))
	case power <= 6:
		hi, lo = bits.Mul64(ticks, pow10(6-power))
	case power <= 25:
		lo = ticks / pow10(power-6)
	}
	if hi != 0 || lo > math.MaxInt64 {
		lo = math.MaxInt64
	}
	return addSaturated(int64(lo), i.offset)
}

func shiftRight(hi, lo uint64, n uint) (uint64, uint64) {
	if n >= 64 {
		return 0, hi >> (n - 64)
	}
	return hi >> n, lo>>n | hi<<(64-n)
}

func pow10(n uint8) uint64 {
	v := uint64(1)
	for range n {
		v *= 10
	}
	return v
}

// addSaturated adds seconds to micros and stays within an int64.
func addSaturated(micros, seconds int64) int64 {
	const most = math.MaxInt64 / 1_000_000
	if seconds > most || seconds < -most {
		seconds = max(-most, min(most, seconds))
	}
	offset := seconds * 1e6
	if offset > 0 && micros > math.MaxInt64-offset {
		return math.MaxInt64
	}
	return micros + offset
}

func (p *pcapng) whole(s *source) bool {
	head := s.buf[s.pos:s.end]
	return s.err != nil || len(head) >= 12 && int64(len(head)) >= int64(u32(head[4:], p.big))
}
