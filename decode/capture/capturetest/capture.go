// Package capturetest builds packet captures for tests, packet by packet.
package capturetest

import (
	"encoding/binary"
	"net/netip"

	"kind4/decode/capture/packet"
)

// Capture is a pcap file under way, of raw IPv4, little-endian, with times in microseconds
// (draft-ietf-opsawg-pcap). A packet a millisecond is captured.
type Capture struct {
	file []byte
	now  int64
	snap int // bytes that are kept of a packet
}

// Start is when the first packet is captured, in microseconds since the Unix epoch.
const Start = 1_796_000_000_000_000

// New returns a capture without packets.
func New() *Capture {
	const linkRaw = 101
	f := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	f = binary.LittleEndian.AppendUint16(f, 2)
	f = binary.LittleEndian.AppendUint16(f, 4)
	f = append(f, make([]byte, 8)...)
	f = binary.LittleEndian.AppendUint32(f, 262144)
	return &Capture{file: binary.LittleEndian.AppendUint32(f, linkRaw), now: Start, snap: 262144}
}

// Snap sets how many bytes are kept of each packet from here on.
func (c *Capture) Snap(n int) { c.snap = n }

// Bytes returns the file as it is by now.
func (c *Capture) Bytes() []byte { return c.file }

// Wait lets so many microseconds pass.
func (c *Capture) Wait(d int64) { c.now += d }

// Conn is a TCP connection in the capture.
type Conn struct {
	capture *Capture
	ends    [2]netip.AddrPort // by packet.Side
	seq     [2]uint32         // of the next byte of each side
}

// Conn returns a connection between a client and a server, HOST:PORT each, that is there already: nothing of its
// opening is captured. The hosts are IPv4 addresses.
func (c *Capture) Conn(client, server string) *Conn {
	return &Conn{c, [2]netip.AddrPort{netip.MustParseAddrPort(client), netip.MustParseAddrPort(server)}, [2]uint32{1000, 5000}}
}

// The flags of a TCP segment (RFC 9293 section 3.1).
const (
	fin = 1 << iota
	syn
	rst
	_
	ack
)

// Open captures the three-way handshake.
func (x *Conn) Open() {
	x.packet(packet.Client, syn, "")
	x.seq[packet.Client]++
	x.packet(packet.Server, syn|ack, "")
	x.seq[packet.Server]++
	x.packet(packet.Client, ack, "")
}

// Send captures a segment.
func (x *Conn) Send(from packet.Side, data string) {
	x.packet(from, ack, data)
	x.seq[from] += uint32(len(data))
}

// Lose lets a side send what is not captured.
func (x *Conn) Lose(from packet.Side, n int) { x.seq[from] += uint32(n) }

// Finish captures that a side sends no more.
func (x *Conn) Finish(from packet.Side) {
	x.packet(from, fin|ack, "")
	x.seq[from]++
}

// Reset captures that a side resets the connection.
func (x *Conn) Reset(from packet.Side) { x.packet(from, rst|ack, "") }

// packet captures a packet with one segment, whose checksums are 0 as where the network card sets them.
func (x *Conn) packet(from packet.Side, flags byte, data string) {
	const header = 20 // bytes, of IP and of TCP
	source, sink := x.ends[from], x.ends[from.Other()]
	p := []byte{0x45, 0}
	p = binary.BigEndian.AppendUint16(p, uint16(2*header+len(data)))
	p = append(p, 0, 0, 0, 0, 64, 6, 0, 0)
	p = append(append(p, source.Addr().AsSlice()...), sink.Addr().AsSlice()...)
	p = binary.BigEndian.AppendUint16(p, source.Port())
	p = binary.BigEndian.AppendUint16(p, sink.Port())
	p = binary.BigEndian.AppendUint32(p, x.seq[from])
	acknowledged := uint32(0)
	if flags&ack != 0 {
		acknowledged = x.seq[from.Other()]
	}
	p = binary.BigEndian.AppendUint32(p, acknowledged)
	p = append(p, header/4<<4, flags, 0xff, 0xff, 0, 0, 0, 0)
	x.capture.record(append(p, data...))
}

func (c *Capture) record(p []byte) {
	f := binary.LittleEndian.AppendUint32(c.file, uint32(c.now/1e6))
	f = binary.LittleEndian.AppendUint32(f, uint32(c.now%1e6))
	kept := p[:min(len(p), c.snap)]
	f = binary.LittleEndian.AppendUint32(f, uint32(len(kept)))
	f = binary.LittleEndian.AppendUint32(f, uint32(len(p)))
	c.file = append(f, kept...)
	c.now += 1000
}
