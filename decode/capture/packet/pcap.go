package packet

import (
	"encoding/binary"
	"fmt"
	"io"
)

// The file formats are read here and not with gopacket's pcapgo, which was tried first
// (v1.7.7): it says no byte offsets; a pcapng file of 57 MiB that holds nothing but
// interface blocks took it 753 MiB; and it brings golang.org/x/net along.

// packetRecord is one packet as the file has it.
type packetRecord struct {
	link uint16
	time int64  // microseconds since the Unix epoch
	wire int    // length on the wire, in bytes, at least len(data)
	data []byte // what was captured of it
}

// format reads the records of one file format. next reads one record or block and reports
// whether it was a packet, held in rec; io.EOF at the end, an *Error where the file is torn
// or broken. whole reports whether next needs no more of the source.
type format interface {
	next(s *source, rec *packetRecord) (bool, error)
	whole(s *source) bool
}

// The magic numbers of pcap, as the byte order of the file writes them
// (draft-ietf-opsawg-pcap, section 4), and the block type that a pcapng file starts with,
// which reads the same in both.
const (
	magicMicro   = 0xa1b2c3d4
	magicNano    = 0xa1b23c4d
	magicSection = 0x0a0d0d0a
)

const (
	pcapHeader = 24 // bytes
	pcapRecord = 16
)

// openFormat looks at the first bytes of s and returns the format's reader.
func openFormat(s *source) (format, error) {
	head := s.peek(4)
	if len(head) < 4 {
		return nil, s.ended(0, int64(len(head)))
	}
	if binary.BigEndian.Uint32(head) == magicSection {
		return &pcapng{}, nil
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		switch order.Uint32(head) {
		case magicMicro:
			return openPcap(s, order, 1)
		case magicNano:
			return openPcap(s, order, 1000)
		}
	}
	return nil, &Error{Reason: fmt.Sprintf("the first bytes %x are of neither pcap nor pcapng", head)}
}

// pcap reads pcap files of version 2, in either byte order, with times in micro- or
// nanoseconds.
type pcap struct {
	big  bool
	div  uint32 // fractions of a second in a microsecond
	link uint16
}

func openPcap(s *source, order binary.ByteOrder, div uint32) (format, error) {
	head := s.peek(pcapHeader)
	if len(head) < pcapHeader {
		return nil, s.ended(0, int64(len(head)))
	}
	if major := order.Uint16(head[4:]); major != 2 {
		return nil, &Error{Reason: fmt.Sprintf("pcap version %d is not read", major)}
	}
	// The upper half of the link type says how long the frame check sequence is; what stands
	// behind an IP packet is left out in any case.
	link := uint16(order.Uint32(head[20:]))
	s.take(pcapHeader)
	return &pcap{big: order == binary.BigEndian, div: div, link: link}, nil
}

func (p *pcap) next(s *source, rec *packetRecord) (bool, error) {
	head := s.peek(pcapRecord)
	if len(head) == 0 && s.err == io.EOF {
		return false, io.EOF
	}
	if len(head) < pcapRecord {
		return false, s.ended(s.off, int64(len(head)))
	}
	captured := u32(head[8:], p.big)
	if captured > maxRecord-pcapRecord {
		return false, &Error{Offset: s.off, Reason: fmt.Sprintf("a packet of %d captured bytes: the record is broken", captured)}
	}
	size := pcapRecord + int(captured)
	all := s.peek(size)
	if len(all) < size {
		return false, s.ended(s.off, int64(len(all)))
	}
	rec.link = p.link
	rec.time = int64(u32(all, p.big))*1e6 + int64(u32(all[4:], p.big)/p.div)
	rec.wire = max(int(captured), int(u32(all[12:], p.big)))
	rec.data = all[pcapRecord:]
	s.take(size)
	return true, nil
}

func (p *pcap) whole(s *source) bool {
	head := s.buf[s.pos:s.end]
	return s.err != nil || len(head) >= pcapRecord && int64(len(head))-pcapRecord >= int64(u32(head[8:], p.big))
}

func u16(b []byte, big bool) uint16 {
	if big {
		return binary.BigEndian.Uint16(b)
	}
	return binary.LittleEndian.Uint16(b)
}

func u32(b []byte, big bool) uint32 {
	if big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}
