package packet

import "encoding/binary"

// The protocol numbers that are looked at (IANA, protocol-numbers).
const (
	protoHopByHop = 0
	protoTCP      = 6
	protoRouting  = 43
	protoFragment = 44
	protoAuth     = 51
	protoDest     = 60
	protoMobility = 135
	protoHIP      = 139
	protoShim6    = 140
)

// address is an IPv6 address, or an IPv4 one as ::ffff:a.b.c.d.
type address [16]byte

func mapped(b []byte) address {
	a := address{10: 0xff, 11: 0xff}
	copy(a[12:], b)
	return a
}

// datagram is what an IP packet carries.
type datagram struct {
	src, dst address
	proto    uint8
	data     []byte // what was captured of it
	size     int    // how long it is, in bytes, at least len(data)
	// Of a fragment: where in the whole it belongs, and whether more follow.
	fragment bool
	more     bool
	offset   int
	id       uint32
}

// parseIP reads the headers of an IP packet; wire is how long it was on the wire with what
// stands behind it. version is 4, 6 or 0 for what it says itself.
func parseIP(p []byte, wire int, version uint8, d *datagram) verdict {
	if len(p) == 0 {
		return malformed
	}
	says := p[0] >> 4
	if version != 0 && version != says {
		return malformed
	}
	switch says {
	case 4:
		return parseIPv4(p, wire, d)
	case 6:
		return parseIPv6(p, wire, d)
	}
	return malformed
}

// parseIPv4 reads RFC 791, section 3.1. A total length of zero is what a segment larger than
// 65535 bytes has, or one that the network card was to cut up: it goes to the end of the
// packet. Behind the total length there is padding. Checksums are not looked at, since the
// card fills them in after the capture.
func parseIPv4(p []byte, wire int, d *datagram) verdict {
	if len(p) < 20 {
		return malformed
	}
	header := int(p[0]&0xf) * 4
	total := int(binary.BigEndian.Uint16(p[2:]))
	if total == 0 {
		total = wire
	}
	if header < 20 || total < header || len(p) < header {
		return malformed
	}
	d.src, d.dst = mapped(p[12:16]), mapped(p[16:20])
	d.proto = p[9]
	d.data = p[header:min(len(p), total)]
	d.size = total - header
	bits := binary.BigEndian.Uint16(p[6:])
	d.offset = int(bits&0x1fff) * 8
	d.more = bits&0x2000 != 0
	d.fragment = d.more || d.offset > 0
	d.id = uint32(binary.BigEndian.Uint16(p[4:]))
	return good
}

// parseIPv6 reads RFC 8200, section 3, and goes past the extension headers (section 4). A
// payload length of zero goes to the end of the packet, as with IPv4 and for jumbograms (RFC
// 2675).
func parseIPv6(p []byte, wire int, d *datagram) verdict {
	if len(p) < 40 {
		return malformed
	}
	size := int(binary.BigEndian.Uint16(p[4:]))
	if size == 0 {
		size = max(wire-40, 0)
	}
	d.src, d.dst = address(p[8:24]), address(p[24:40])
	d.fragment, d.more, d.offset = false, false, 0
	next, data := p[6], p[40:min(len(p), 40+size)]
	for {
		header := 0
		switch next {
		case protoHopByHop, protoRouting, protoDest, protoMobility, protoHIP, protoShim6:
			if len(data) >= 8 {
				header = (int(data[1]) + 1) * 8
			}
		case protoAuth:
			if len(data) >= 8 {
				header = (int(data[1]) + 2) * 4
			}
		case protoFragment:
			if len(data) >= 8 {
				header = 8
				bits := binary.BigEndian.Uint16(data[2:])
				d.offset, d.more = int(bits&^7), bits&1 != 0
				d.fragment = d.more || d.offset > 0
				d.id = binary.BigEndian.Uint32(data[4:])
			}
		default:
			d.proto, d.data, d.size = next, data, size
			return good
		}
		if header == 0 || header > len(data) {
			return malformed
		}
		next, data, size = data[0], data[header:], size-header
		if d.fragment {
			d.proto, d.data, d.size = next, data, size
			return good
		}
	}
}
