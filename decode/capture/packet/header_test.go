package packet

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

var (
	v4 = seg{seq: 1, data: "abc"}.build()
	v6 = seg{seq: 1, data: "abc", v6: true}.build()
)

func ethernet(kind layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{SrcMAC: make(net.HardwareAddr, 6), DstMAC: make(net.HardwareAddr, 6), EthernetType: kind}
}

func vlan(kind layers.EthernetType) *layers.Dot1Q {
	return &layers.Dot1Q{VLANIdentifier: 5, Type: kind}
}

// behind writes the headers in front of a packet.
func behind(packet []byte, headers ...gopacket.SerializableLayer) []byte {
	return serialize(append(headers, gopacket.Payload(packet))...)
}

// TestLinks: gopacket writes Ethernet and its tags; the others are written as
// tcpdump.org/linktypes has them.
func TestLinks(t *testing.T) {
	sll := slices.Concat([]byte{0, 4, 0, 1, 0, 6}, make([]byte, 8))
	sll2 := func(kind ...byte) []byte {
		return slices.Concat(kind, []byte{0, 0, 0, 0, 0, 2, 0, 1, 4, 6}, make([]byte, 8))
	}
	for _, c := range []struct {
		name string
		link uint32
		data []byte
	}{
		{"Ethernet", 1, behind(v4, ethernet(0x0800))},
		{"Ethernet, IPv6", 1, behind(v6, ethernet(0x86dd))},
		{"802.1Q", 1, behind(v4, ethernet(0x8100), vlan(0x0800))},
		{"802.1ad around 802.1Q", 1, behind(v6, ethernet(0x88a8), vlan(0x8100), vlan(0x86dd))},
		{"padding", 1, append(behind(v4, ethernet(0x0800)), "padding"...)},
		{"padding, IPv6", 1, append(behind(v6, ethernet(0x86dd)), "padding"...)},
		{"SLL", 113, slices.Concat(sll, []byte{8, 0}, v4)},
		{"SLL, IPv6 in 802.1Q", 113, slices.Concat(sll, []byte{0x81, 0, 0, 5, 0x86, 0xdd}, v6)},
		{"SLL2", 276, append(sll2(8, 0), v4...)},
		{"SLL2, IPv6", 276, append(sll2(0x86, 0xdd), v6...)},
		{"NULL, little-endian", 0, append([]byte{2, 0, 0, 0}, v4...)},
		{"NULL, big-endian", 0, append([]byte{0, 0, 0, 2}, v4...)},
		{"NULL, IPv6 of Darwin", 0, append([]byte{30, 0, 0, 0}, v6...)},
		{"NULL, IPv6 of FreeBSD", 0, append([]byte{0, 0, 0, 28}, v6...)},
		{"NULL, IPv6 of OpenBSD", 0, append([]byte{24, 0, 0, 0}, v6...)},
		{"LOOP", 108, append([]byte{0, 0, 0, 2}, v4...)},
		{"raw 12", 12, v4},
		{"raw 14", 14, v6},
		{"raw 101", 101, v6},
		{"raw IPv4", 228, v4},
		{"raw IPv6", 229, v6},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, pcapFile(binary.LittleEndian, magicMicro, c.link, frame{data: c.data}), "C -? abc", "C EndCapture", "S EndCapture")
		})
	}
}

func TestIP(t *testing.T) {
	hop := &layers.IPv6HopByHop{Options: []*layers.IPv6HopByHopOption{{OptionType: 1, OptionData: make([]byte, 4)}}}
	hop.NextHeader = layers.IPProtocolIPv6Destination
	dest := &layers.IPv6Destination{Options: []*layers.IPv6DestinationOption{{OptionType: 1, OptionData: make([]byte, 12)}}}
	dest.NextHeader = layers.IPProtocolTCP
	zero := func(at int, p []byte) []byte {
		p = slices.Clone(p)
		p[at], p[at+1] = 0, 0
		return p
	}
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"options", seg{seq: 1, data: "abc", ip4: func(ip *layers.IPv4) {
			ip.Options = []layers.IPv4Option{{OptionType: 7, OptionLength: 7, OptionData: make([]byte, 5)}}
		}}.build()},
		{"wrong checksum", seg{seq: 1, data: "abc", ip4: func(ip *layers.IPv4) { ip.Checksum = 7 }}.build()},
		{"total length 0", zero(2, v4)},
		{"payload length 0", zero(4, v6)},
		{"extension headers", seg{seq: 1, data: "abc", v6: true, mid: []gopacket.SerializableLayer{hop, dest}}.build()},
		{"atomic fragment", slices.Concat(v6[:4], []byte{0, v6[5] + 8, 44}, v6[7:40], []byte{6, 0, 0, 0, 0, 0, 0, 1}, v6[40:])},
		{"authentication header", slices.Concat(v6[:4], []byte{0, v6[5] + 12, 51}, v6[7:40], []byte{6, 1}, make([]byte, 10), v6[40:])},
	} {
		t.Run(c.name, func(t *testing.T) {
			check(t, pcapFile(binary.LittleEndian, magicMicro, 101, frame{data: c.data}), "C -? abc", "C EndCapture", "S EndCapture")
		})
	}
}

// TestLargeSegment: one that the network card was to cut up is longer than a total length
// can say.
func TestLargeSegment(t *testing.T) {
	ip := slices.Clone(seg{seq: 1}.build())
	ip[2], ip[3] = 0, 0
	check(t, pcapFile(binary.LittleEndian, magicMicro, 101, frame{data: append(ip, strings.Repeat("x", 100_000)...), cut: 10}, frame{data: seg{seq: 100_001, data: "y"}.build()}),
		"C -? "+strings.Repeat("x", 99_990), "C -10 y", "C EndCapture", "S EndCapture")
}

// split cuts an IPv4 packet into fragments of 16 bytes of data.
func split(p []byte) [][]byte {
	var list [][]byte
	data := p[20:]
	for at := 0; at < len(data); at += 16 {
		end := min(at+16, len(data))
		f := slices.Concat(p[:20], data[at:end])
		binary.BigEndian.PutUint16(f[2:], uint16(len(f)))
		binary.BigEndian.PutUint16(f[6:], uint16(at/8))
		if end < len(data) {
			f[6] |= 0x20
		}
		list = append(list, f)
	}
	return list
}

func split6(p []byte) [][]byte {
	var list [][]byte
	data := p[40:]
	for at := 0; at < len(data); at += 16 {
		end := min(at+16, len(data))
		f := slices.Concat(p[:40], []byte{p[6], 0, 0, 0, 0, 0, 0, 9}, data[at:end])
		f[6] = 44
		binary.BigEndian.PutUint16(f[4:], uint16(len(f)-40))
		bits := uint16(at)
		if end < len(data) {
			bits |= 1
		}
		binary.BigEndian.PutUint16(f[42:], bits)
		list = append(list, f)
	}
	return list
}

func TestFragments(t *testing.T) {
	text := "a text that is long enough to be cut into several pieces"
	for name, parts := range map[string][][]byte{"IPv4": split(seg{seq: 1, data: text}.build()), "IPv6": split6(seg{seq: 1, data: text, v6: true}.build())} {
		for _, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 0, 5, 1, 3, 2, 4}} {
			t.Run(name, func(t *testing.T) {
				var frames []frame
				for _, i := range order {
					frames = append(frames, frame{data: parts[i]})
				}
				r := NewReader(bytes.NewReader(pcapFile(binary.LittleEndian, magicMicro, 101, frames...)), Options{})
				got, err := read(t, r)
				same(t, got, append([]string{"C -? " + text}, open...))
				if s := r.Stats(); err != io.EOF || s.Fragments != int64(len(order)) || s.Unfinished != 0 || s.TCP != 1 || len(parts) != 6 {
					t.Errorf("%d parts, %+v", len(parts), s)
				}
			})
		}
		t.Run(name+", one missing", func(t *testing.T) {
			r := NewReader(bytes.NewReader(pcapFile(binary.LittleEndian, magicMicro, 101, frame{data: parts[0]}, frame{data: parts[2]})), Options{})
			got, _ := read(t, r)
			if s := r.Stats(); len(got) != 0 || s.Unfinished != 2 {
				t.Errorf("%v %+v", got, s)
			}
		})
	}
}

// TestFragmentsThatDoNotFit: fragments that contradict each other, or come too late, make no
// datagram.
func TestFragmentsThatDoNotFit(t *testing.T) {
	parts := split(seg{seq: 1, data: strings.Repeat("x", 40)}.build())
	early := slices.Clone(parts[len(parts)-1]) // a last fragment in the middle
	binary.BigEndian.PutUint16(early[6:], 2)
	for name, frames := range map[string][]frame{
		"the last one is in the middle": {{data: parts[0]}, {data: parts[2]}, {data: parts[3]}, {data: early}},
		"behind the last one":           {{data: early}, {data: parts[2]}, {data: parts[0]}},
		"too late":                      {{data: parts[0]}, {data: parts[1]}, {data: parts[2]}, {data: parts[3]}, {data: parts[4], at: fragmentWait + 1}},
		"cut":                           {{data: parts[0], cut: 1}, {data: parts[1]}, {data: parts[2]}, {data: parts[3]}, {data: parts[4]}},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(pcapFile(binary.LittleEndian, magicMicro, 101, frames...)), Options{})
			got, err := read(t, r)
			if s := r.Stats(); err != io.EOF || len(got) != 0 || s.TCP != 0 || s.Unfinished != int64(len(frames)) || len(parts) != 5 {
				t.Errorf("%v, %v, %+v, %d parts", got, err, s, len(parts))
			}
		})
	}
}

func TestFragmentMemory(t *testing.T) {
	part := split(seg{seq: 1, data: strings.Repeat("x", 100)}.build())[0]
	var frames []frame
	for i := range 1000 {
		f := slices.Clone(part)
		binary.BigEndian.PutUint16(f[4:], uint16(i))
		binary.BigEndian.PutUint16(f[6:], 0x2000|0x1000)
		frames = append(frames, frame{data: f})
	}
	r := NewReader(bytes.NewReader(pcapFile(binary.LittleEndian, magicMicro, 101, frames...)), Options{})
	for range frames {
		r.step()
	}
	if len(r.parts.open) != maxDatagrams || r.Stats().Unfinished != int64(len(frames)-1-maxDatagrams) {
		t.Errorf("%d open, %+v", len(r.parts.open), r.Stats())
	}
}

// TestCounts: what is no TCP is counted, and never stops the reading.
func TestCounts(t *testing.T) {
	udp := serialize(&layers.IPv4{Version: 4, Protocol: layers.IPProtocolUDP, SrcIP: net.IP{1, 1, 1, 1}, DstIP: net.IP{1, 1, 1, 2}}, gopacket.Payload("abcdefgh"))
	patched := func(p []byte, at int, v byte) []byte {
		p = slices.Clone(p)
		p[at] = v
		return p
	}
	for _, c := range []struct {
		name string
		link uint32
		data []byte
		want Stats
	}{
		{"UDP", 101, udp, Stats{OtherProto: 1}},
		{"ARP", 1, behind(nil, ethernet(0x0806)), Stats{OtherProto: 1}},
		{"802.3", 1, behind(make([]byte, 40), ethernet(0x0026)), Stats{OtherProto: 1}},
		{"NULL, another family", 0, append([]byte{7, 0, 0, 0}, v4...), Stats{OtherProto: 1}},
		{"802.11", 105, v4, Stats{OtherLink: 1}},
		{"nothing", 101, nil, Stats{Malformed: 1}},
		{"short Ethernet", 1, make([]byte, 13), Stats{Malformed: 1}},
		{"short tag", 1, append(make([]byte, 12), 0x81, 0, 0), Stats{Malformed: 1}},
		{"short SLL", 113, make([]byte, 15), Stats{Malformed: 1}},
		{"short SLL2", 276, make([]byte, 19), Stats{Malformed: 1}},
		{"short NULL", 0, make([]byte, 3), Stats{Malformed: 1}},
		{"short IPv4", 101, v4[:19], Stats{Malformed: 1}},
		{"short IPv6", 101, v6[:39], Stats{Malformed: 1}},
		{"short TCP", 101, v4[:39], Stats{Malformed: 1}},
		{"IPv5", 101, patched(v4, 0, 0x55), Stats{Malformed: 1}},
		{"IPv6 where the link says IPv4", 228, v6, Stats{Malformed: 1}},
		{"IPv4 header of 16 bytes", 101, patched(v4, 0, 0x44), Stats{Malformed: 1}},
		{"total length below the header's", 101, patched(v4, 3, 19), Stats{Malformed: 1}},
		{"TCP header of 16 bytes", 101, patched(v4, 32, 0x40), Stats{Malformed: 1}},
		{"TCP header beyond the packet", 101, patched(v4, 32, 0xf0), Stats{Malformed: 1}},
		{"extension header beyond the packet", 101, patched(patched(v6, 6, 0), 41, 200), Stats{Malformed: 1}},
		{"no next header", 101, patched(v6, 6, 59), Stats{OtherProto: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(pcapFile(binary.LittleEndian, magicMicro, c.link, frame{data: c.data})), Options{})
			got, err := read(t, r)
			c.want.Packets = 1
			if err != io.EOF || len(got) != 0 || r.Stats() != c.want {
				t.Errorf("%v, %v, %+v", got, err, r.Stats())
			}
		})
	}
}

// TestHeadersAgree holds the header parsers to gopacket's on whole packets.
func TestHeadersAgree(t *testing.T) {
	for _, s := range []seg{{flags: "S", seq: 1}, {from: Server, flags: "SA", seq: 0xffffffff, ack: 7, data: "x"}, {flags: "FR", seq: 9, data: "abc", v6: true}} {
		p := s.build()
		kind := layers.LayerTypeIPv4
		if s.v6 {
			kind = layers.LayerTypeIPv6
		}
		want := gopacket.NewPacket(p, kind, gopacket.Default).TransportLayer().(*layers.TCP)
		var ip datagram
		var got segment
		if parseIP(p, len(p), 0, &ip) != good || parseTCP(&ip, &got) != good {
			t.Fatal("not parsed")
		}
		if got.seq != want.Seq || got.ack != want.Ack || got.srcPort != uint16(want.SrcPort) || got.dstPort != uint16(want.DstPort) ||
			got.has(flagSYN) != want.SYN || got.has(flagACK) != want.ACK || got.has(flagFIN) != want.FIN || got.has(flagRST) != want.RST || !bytes.Equal(got.data, want.Payload) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
