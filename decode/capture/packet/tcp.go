package packet

import "encoding/binary"

// The flags of a TCP header that are looked at (RFC 9293, section 3.1).
const (
	flagFIN = 1 << 0
	flagSYN = 1 << 1
	flagRST = 1 << 2
	flagACK = 1 << 4
)

// segment is one TCP segment.
type segment struct {
	srcPort, dstPort uint16
	seq, ack         uint32
	flags            uint8
	data             []byte // what was captured of its data
	size             int    // how long its data is, in bytes, at least len(data)
}

func (s *segment) has(flag uint8) bool { return s.flags&flag != 0 }

// parseTCP reads the header (RFC 9293, section 3.1). Options are not looked at, and may be
// cut by the snap length.
func parseTCP(d *datagram, s *segment) verdict {
	p := d.data
	if len(p) < 20 {
		return malformed
	}
	header := int(p[12]>>4) * 4
	if header < 20 || header > d.size {
		return malformed
	}
	s.srcPort, s.dstPort = binary.BigEndian.Uint16(p), binary.BigEndian.Uint16(p[2:])
	s.seq, s.ack = binary.BigEndian.Uint32(p[4:]), binary.BigEndian.Uint32(p[8:])
	s.flags = p[13]
	s.data = p[min(header, len(p)):]
	s.size = d.size - header
	return good
}
