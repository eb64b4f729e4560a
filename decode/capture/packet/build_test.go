package packet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// seg is a TCP segment to build. Its zero ports and addresses are those of one connection,
// 10.0.0.1:40000 to 10.0.0.2:80.
type seg struct {
	from  Side
	flags string // of S, A, F, R
	seq   uint32
	ack   uint32 // sets A where it is not 0
	data  string
	cut   int   // bytes of it that the snap length cut off
	at    int64 // microseconds
	port  uint16
	v6    bool
	mid   []gopacket.SerializableLayer // between IP and TCP
	ip4   func(*layers.IPv4)
}

// build returns the IP packet, as gopacket writes it.
func (s seg) build() []byte {
	port := s.port
	if port == 0 {
		port = 40000
	}
	tcp := &layers.TCP{SrcPort: layers.TCPPort(port), DstPort: 80, Seq: s.seq, Ack: s.ack, Window: 1000, Checksum: 0xbad,
		SYN: strings.Contains(s.flags, "S"), FIN: strings.Contains(s.flags, "F"), RST: strings.Contains(s.flags, "R"),
		ACK:     s.ack != 0 || strings.Contains(s.flags, "A"),
		Options: []layers.TCPOption{{OptionType: layers.TCPOptionKindNop}, {OptionType: layers.TCPOptionKindNop}, {OptionType: layers.TCPOptionKindTimestamps, OptionLength: 10, OptionData: make([]byte, 8)}}}
	a, b := net.IP{10, 0, 0, 1}, net.IP{10, 0, 0, 2}
	if s.v6 {
		a, b = net.ParseIP("2001:db8::1"), net.ParseIP("2001:db8::2")
	}
	if s.from == Server {
		tcp.SrcPort, tcp.DstPort = tcp.DstPort, tcp.SrcPort
		a, b = b, a
	}
	var list []gopacket.SerializableLayer
	if s.v6 {
		next := layers.IPProtocolTCP
		if len(s.mid) > 0 {
			next = layers.IPProtocolIPv6HopByHop
		}
		list = append(list, &layers.IPv6{Version: 6, NextHeader: next, SrcIP: a, DstIP: b, HopLimit: 9})
	} else {
		ip := &layers.IPv4{Version: 4, Protocol: layers.IPProtocolTCP, SrcIP: a, DstIP: b, TTL: 9}
		if s.ip4 != nil {
			s.ip4(ip)
		}
		list = append(list, ip)
	}
	list = append(append(list, s.mid...), tcp, gopacket.Payload(s.data))
	return serialize(list...)
}

func serialize(list ...gopacket.SerializableLayer) []byte {
	buf := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true}, list...); err != nil {
		panic(err)
	}
	return bytes.Clone(buf.Bytes())
}

// frame is a packet of a capture.
type frame struct {
	data  []byte
	cut   int
	at    int64 // microseconds, or what the interface counts in
	iface int
}

// raw turns segments into frames of raw IP.
func raw(segs ...seg) []frame {
	var list []frame
	for _, s := range segs {
		list = append(list, frame{data: s.build(), cut: s.cut, at: s.at})
	}
	return list
}

// pcapFile writes the file by hand (draft-ietf-opsawg-pcap).
func pcapFile(order binary.AppendByteOrder, magic uint32, link uint32, frames ...frame) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = order.AppendUint32(b, 262144)
	b = order.AppendUint32(b, link)
	for _, f := range frames {
		frac := f.at % 1e6
		if magic == magicNano {
			frac *= 1000
		}
		b = order.AppendUint32(b, uint32(f.at/1e6))
		b = order.AppendUint32(b, uint32(frac))
		b = order.AppendUint32(b, uint32(len(f.data)-f.cut))
		b = order.AppendUint32(b, uint32(len(f.data)))
		b = append(b, f.data[:len(f.data)-f.cut]...)
	}
	return b
}

// rawFile is a little-endian pcap file of raw IP with the segments.
func rawFile(segs ...seg) []byte {
	return pcapFile(binary.LittleEndian, magicMicro, 101, raw(segs...)...)
}

// block writes a pcapng block.
func block(order binary.AppendByteOrder, kind uint32, body ...byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	b := order.AppendUint32(nil, kind)
	b = order.AppendUint32(b, uint32(12+len(body)))
	b = append(b, body...)
	return order.AppendUint32(b, uint32(12+len(body)))
}

func sectionBlock(order binary.AppendByteOrder, options ...byte) []byte {
	b := order.AppendUint32(nil, byteOrderMagic)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint64(b, 1<<64-1)
	return block(order, magicSection, append(b, options...)...)
}

func interfaceBlock(order binary.AppendByteOrder, link uint16, snap uint32, options ...byte) []byte {
	b := order.AppendUint16(nil, link)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint32(b, snap)
	return block(order, blockInterface, append(b, options...)...)
}

func option(order binary.AppendByteOrder, code uint16, value ...byte) []byte {
	b := order.AppendUint16(nil, code)
	b = order.AppendUint16(b, uint16(len(value)))
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func packetBlock(order binary.AppendByteOrder, f frame, options ...byte) []byte {
	b := order.AppendUint32(nil, uint32(f.iface))
	b = order.AppendUint32(b, uint32(f.at>>32))
	b = order.AppendUint32(b, uint32(f.at))
	b = order.AppendUint32(b, uint32(len(f.data)-f.cut))
	b = order.AppendUint32(b, uint32(len(f.data)))
	b = append(b, f.data[:len(f.data)-f.cut]...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return block(order, blockEnhanced, append(b, options...)...)
}

// read returns the pieces as words, one line a piece, and the error behind them.
func read(t *testing.T, r *Reader) ([]string, error) {
	t.Helper()
	var list []string
	for {
		p, err := r.Next()
		if err != nil {
			return list, err
		}
		list = append(list, words(p))
	}
}

// words are the side, the missing bytes, the data and the end: `C -3 abc FIN`.
func words(p Piece) string {
	var b strings.Builder
	b.WriteByte("CS"[p.From])
	switch {
	case p.Missing == Unknown:
		b.WriteString(" -?")
	case p.Missing > 0:
		fmt.Fprintf(&b, " -%d", p.Missing)
	}
	if len(p.Data) > 0 {
		fmt.Fprintf(&b, " %s", p.Data)
	}
	if p.End != None {
		b.WriteString(" " + [...]string{"", "FIN", "RST", "EndCapture", "Reused", "GivenUp"}[p.End])
	}
	return b.String()
}

// check reads a whole capture and holds the pieces to want.
func check(t *testing.T, file []byte, want ...string) {
	t.Helper()
	got, err := read(t, NewReader(bytes.NewReader(file), Options{}))
	if !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want EOF", err)
	}
	same(t, got, want)
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("pieces\n%s\nwant\n%s", g, w)
	}
}
