package packet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

var orders = map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian}

// abc is a connection's data in one packet, at 1700000000.123456.
const when = 1700000000_123456

func abc(at int64) frame { return frame{data: seg{seq: 1, data: "abc"}.build(), at: at} }

// one reads the first piece and holds it to abc.
func one(t *testing.T, file []byte, want int64) {
	t.Helper()
	p, err := NewReader(bytes.NewReader(file), Options{}).Next()
	if err != nil || words(p) != "C -? abc" || p.Time != want {
		t.Errorf("%s at %d (%v), want %d", words(p), p.Time, err, want)
	}
}

func TestPcap(t *testing.T) {
	for name, order := range orders {
		for _, magic := range []uint32{magicMicro, magicNano} {
			t.Run(name, func(t *testing.T) { one(t, pcapFile(order, magic, 101, abc(when)), when) })
		}
	}
	t.Run("FCS length in the link type", func(t *testing.T) {
		one(t, pcapFile(binary.LittleEndian, magicMicro, 0x20000000|101, abc(when)), when)
	})
}

// The resolutions and offsets are worked out from the description of if_tsresol and
// if_tsoffset (draft-ietf-opsawg-pcapng, section 4.2).
func TestPcapngTimes(t *testing.T) {
	for _, c := range []struct {
		name   string
		res    []byte
		offset int64
		ticks  int64
		want   int64
	}{
		{"default", nil, 0, when, when},
		{"seconds", []byte{0}, 0, 1700000000, 1700000000_000000},
		{"milliseconds", []byte{3}, 0, 1700000000_123, 1700000000_123000},
		{"nanoseconds", []byte{9}, 0, when*1000 + 999, when},
		{"attoseconds", []byte{18}, 1700000000, 123456_000000000000, when},
		{"2^-10 seconds", []byte{0x8a}, 0, 1700000000<<10 | 512, 1700000000_500000},
		{"2^-20 seconds", []byte{0x94}, 0, 1700000000<<20 | 1, 1700000000_000000},
		{"2^-127 seconds", []byte{0xff}, 5, 1 << 62, 5_000000},
		{"10^-127 seconds", []byte{0x7f}, 5, 1 << 62, 5_000000},
		{"offset", []byte{6}, 1700000000, 123456, when},
		{"before the epoch", nil, -2, 500000, -1_500000},
		{"beyond what is held", []byte{0}, 1 << 62, -1, 1<<63 - 1},
	} {
		for name, order := range orders {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				var opts []byte
				if c.res != nil {
					opts = option(order, optTimeRes, c.res...)
				}
				if c.offset != 0 {
					opts = append(opts, option(order, optTimeOffset, order.AppendUint64(nil, uint64(c.offset))...)...)
				}
				opts = append(opts, option(order, optEnd)...)
				one(t, slices.Concat(sectionBlock(order), interfaceBlock(order, 101, 0, opts...), packetBlock(order, abc(c.ticks))), c.want)
			})
		}
	}
}

// ngFile has two sections of different byte order, interfaces of different link types,
// blocks and options of every kind that is skipped, and simple and obsolete packet blocks.
func ngFile() []byte {
	le, be := binary.LittleEndian, binary.BigEndian
	s := raw(with(seg{seq: 101, data: "a"}, seg{seq: 102, data: "b"}, seg{seq: 103, data: "c"}, seg{seq: 104, data: "defgh"}, seg{seq: 109, data: "i"})...)
	ether := func(f frame) frame {
		f.iface = 1
		f.data = slices.Concat(make([]byte, 12), []byte{8, 0}, f.data)
		return f
	}
	old := le.AppendUint16(nil, 0)
	old = le.AppendUint16(old, 7) // drops
	old = append(old, make([]byte, 8)...)
	old = le.AppendUint32(old, uint32(len(s[4].data)))
	old = le.AppendUint32(old, uint32(len(s[4].data)))
	old = append(old, s[4].data...)
	simple := func(f frame, snap int) []byte {
		return append(be.AppendUint32(nil, uint32(len(f.data))), f.data[:min(snap, len(f.data))]...)
	}
	comment := option(le, 1, []byte("a comment")...)
	const snap = 20 + 32 + 2 // two bytes of data
	return slices.Concat(
		sectionBlock(le, comment...), block(le, 0x0bad, 1, 2, 3), interfaceBlock(le, 101, 0, comment...),
		packetBlock(le, s[0], comment...), interfaceBlock(le, 1, 0), packetBlock(le, ether(s[1])), block(le, 10, make([]byte, 2<<20)...),
		packetBlock(le, s[2]), packetBlock(le, ether(s[3])), block(le, blockPacket, old...), block(le, 5, make([]byte, 12)...),
		sectionBlock(be), interfaceBlock(be, 101, snap), packetBlock(be, s[5]), block(be, blockSimple, simple(s[6], snap)...), block(be, blockSimple, simple(s[7], snap)...),
	)
}

func TestPcapng(t *testing.T) {
	check(t, ngFile(), "C a", "C b", "C c", "C de", "C -3 i", "C EndCapture", "S EndCapture")
}

// TestInterfaceIsOfItsSection: a section knows only its own interfaces.
func TestInterfaceIsOfItsSection(t *testing.T) {
	le := binary.LittleEndian
	r := NewReader(bytes.NewReader(slices.Concat(sectionBlock(le), interfaceBlock(le, 101, 0), sectionBlock(le), packetBlock(le, abc(0)))), Options{})
	if _, err := r.Next(); err != io.EOF || r.Stats().Malformed != 1 {
		t.Errorf("%v, %+v", err, r.Stats())
	}
}

// TestTorn cuts a file at every byte: what came before is yielded, the connection ends, and
// the error says where.
func TestTorn(t *testing.T) {
	le := binary.LittleEndian
	segs := with(seg{seq: 101, data: "abc"}, seg{seq: 104, data: "def"})
	ng := [][]byte{sectionBlock(le), interfaceBlock(le, 101, 0)}
	pcap := [][]byte{rawFile()}
	for _, f := range raw(segs...) {
		ng = append(ng, packetBlock(le, f))
		pcap = append(pcap, pcapFile(le, magicMicro, 101, f)[pcapHeader:])
	}
	ng = append(ng, block(le, 0x0bad, make([]byte, 40)...))
	for name, parts := range map[string][][]byte{"pcap": pcap, "pcapng": ng} {
		t.Run(name, func(t *testing.T) {
			packets := len(parts) - len(segs)
			if name == "pcapng" {
				packets--
			}
			start := 0
			for i, part := range parts {
				for have := range len(part) {
					if i+have == 0 {
						continue
					}
					file := bytes.Join(parts, nil)[:start+have]
					got, err := read(t, NewReader(bytes.NewReader(file), Options{}))
					var want []string
					for _, s := range segs[:max(0, min(len(segs), i-packets))] {
						if s.data != "" {
							want = append(want, "C "+s.data)
						}
					}
					if i > packets {
						want = append(want, open...)
					}
					same(t, got, want)
					var e *Error
					switch {
					case have == 0 && err != io.EOF:
						t.Errorf("at %d: %v, want EOF", start, err)
					case have > 0 && (!errors.As(err, &e) || !e.Torn || e.Offset != int64(start) || e.Have != int64(have)):
						t.Errorf("at %d+%d: %v", start, have, err)
					}
				}
				start += len(part)
			}
		})
	}
}

func TestBroken(t *testing.T) {
	le := binary.LittleEndian
	head := slices.Concat(sectionBlock(le), interfaceBlock(le, 101, 0), packetBlock(le, abc(0)))
	patch := func(b []byte, at int, value uint32) []byte {
		b = slices.Clone(b)
		le.PutUint32(b[at:], value)
		return b
	}
	good := packetBlock(le, abc(0))
	pcap := pcapFile(le, magicMicro, 101, abc(0))
	for _, c := range []struct {
		name   string
		file   []byte
		offset int
		pieces int
		reason string
	}{
		{"neither format", []byte("GET / HTTP/1.1"), 0, 0, "the first bytes 47455420 are of neither pcap nor pcapng"},
		{"pcap version", patch(rawFile(), 4, 3), 0, 0, "pcap version 3"},
		{"pcapng version", patch(sectionBlock(le), 12, 2), 0, 0, "pcapng version 2"},
		{"byte order", patch(sectionBlock(le), 8, 5), 0, 0, "byte order of 05000000"},
		{"captured length", slices.Concat(pcap, patch(pcap[pcapHeader:], 8, 0xffffffff)), len(pcap), 3, "a packet of 4294967295 captured bytes"},
		{"block length below 12", slices.Concat(head, patch(good, 4, 8)), len(head), 3, "a block length of 8"},
		{"odd block length", slices.Concat(head, patch(good, 4, 33)), len(head), 3, "a block length of 33"},
		{"lengths differ", slices.Concat(head, patch(good, len(good)-4, 12)), len(head), 3, "in front, and of 12 behind"},
		{"lengths differ, skipped block", slices.Concat(head, patch(block(le, 99), 8, 16)), len(head), 3, "in front, and of 16 behind"},
		{"captured length beyond the block", slices.Concat(head, patch(good, 20, 1000)), len(head), 3, "a packet of 1000 captured bytes in a block that has room for"},
		{"short section", slices.Concat(head, block(le, magicSection, 0x4d, 0x3c, 0x2b, 0x1a)), len(head), 3, "the section block is shorter"},
		{"short interface", slices.Concat(head, block(le, blockInterface, 1)), len(head), 3, "the interface block is shorter"},
		{"short packet", slices.Concat(head, block(le, blockEnhanced, 1)), len(head), 3, "the packet block is shorter"},
		{"short simple packet", slices.Concat(head, block(le, blockSimple)), len(head), 3, "the simple packet block is shorter"},
		{"huge section", slices.Concat(head, patch(sectionBlock(le), 4, 1<<31)), len(head), 3, "a header block of 2147483648 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(bytes.NewReader(c.file), Options{})
			got, err := read(t, r)
			var e *Error
			if !errors.As(err, &e) || e.Torn || e.Offset != int64(c.offset) || !strings.Contains(e.Reason, c.reason) || len(got) != c.pieces {
				t.Errorf("%d pieces, %v", len(got), err)
			}
			if _, again := r.Next(); again != err {
				t.Errorf("then %v", again)
			}
			if len(r.src.buf) > firstBuffer {
				t.Errorf("a window of %d bytes", len(r.src.buf))
			}
		})
	}
}

// TestHugeBlock: a block that says it has 4 GiB takes no memory.
func TestHugeBlock(t *testing.T) {
	le := binary.LittleEndian
	for _, kind := range []uint32{blockEnhanced, 99} {
		file := le.AppendUint32(sectionBlock(le), kind)
		file = le.AppendUint32(file, 0xfffffffc)
		file = append(file, make([]byte, 1<<20)...)
		r := NewReader(bytes.NewReader(file), Options{})
		_, err := r.Next()
		var e *Error
		if !errors.As(err, &e) || !e.Torn || e.Have != 8+1<<20 || len(r.src.buf) > firstBuffer {
			t.Errorf("%v, a window of %d bytes", err, len(r.src.buf))
		}
	}
}

// TestLargePacket: the window grows for what is there.
func TestLargePacket(t *testing.T) {
	big := seg{seq: 1, data: strings.Repeat("x", 60000)}.build()
	frames := []frame{abc(0), {data: append(big, make([]byte, 600_000)...)}, {data: seg{seq: 4, data: "d"}.build()}}
	r := NewReader(bytes.NewReader(pcapFile(binary.BigEndian, magicMicro, 101, frames...)), Options{})
	got, err := read(t, r)
	if err != io.EOF || len(got) != 4 || len(got[1]) != 2+60000-3 || r.Stats().Packets != 3 {
		t.Errorf("%d pieces, %v, %+v", len(got), err, r.Stats())
	}
}

func TestEmptyInput(t *testing.T) {
	check(t, nil)
}

func TestReadFails(t *testing.T) {
	file := rawFile(with(seg{seq: 101, data: "abc"})...)
	r := NewReader(io.MultiReader(bytes.NewReader(file), iotest.ErrReader(io.ErrClosedPipe)), Options{})
	got, err := read(t, r)
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, io.ErrClosedPipe) || e.Offset != int64(len(file)) || len(got) != 3 {
		t.Errorf("%d pieces, %v", len(got), err)
	}
}

// steps is a source that gives one part a read and counts its reads.
type steps struct {
	parts [][]byte
	reads int
}

func (s *steps) Read(p []byte) (int, error) {
	if s.reads == len(s.parts) {
		return 0, io.EOF
	}
	s.reads++
	return copy(p, s.parts[s.reads-1]), nil
}

// TestBuffered: the packets of a live capture are told without reading on.
func TestBuffered(t *testing.T) {
	le := binary.LittleEndian
	a, ack := packetBlock(le, abc(0)), packetBlock(le, frame{data: seg{from: Server, ack: 4}.build()})
	b := packetBlock(le, frame{data: seg{seq: 4, data: "d"}.build()})
	src := &steps{parts: [][]byte{slices.Concat(sectionBlock(le), interfaceBlock(le, 101, 0), a, ack, b, ack, a[:20]), slices.Concat(a[20:], ack)}}
	r := NewReader(src, Options{})
	if r.Buffered() || src.reads != 0 {
		t.Error("buffered before anything was read")
	}
	p, _ := r.Next()
	if !r.Buffered() || words(p) != "C -? abc" {
		t.Errorf("%s, and then nothing is buffered", words(p))
	}
	if p, _ = r.Next(); words(p) != "C d" || r.Buffered() || src.reads != 1 {
		t.Errorf("%s, buffered %v after %d reads", words(p), r.Buffered(), src.reads)
	}
	if p, err := r.Next(); err != nil || words(p) != "C EndCapture" || src.reads != 2 {
		t.Errorf("%s, %v", words(p), err)
	}
}

func TestSplitReads(t *testing.T) {
	for _, file := range [][]byte{ngFile(), rawFile(with(seg{seq: 101, data: "abc"})...)} {
		want, _ := read(t, NewReader(bytes.NewReader(file), Options{}))
		got, err := read(t, NewReader(iotest.OneByteReader(bytes.NewReader(file)), Options{}))
		if err != io.EOF {
			t.Error(err)
		}
		same(t, got, want)
	}
}

// idler is a source that never has anything.
type idler struct{}

func (idler) Read([]byte) (int, error) { return 0, nil }

func TestSourceWithoutProgress(t *testing.T) {
	if _, err := NewReader(idler{}, Options{}).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("%v", err)
	}
}

func TestMaxInterfaces(t *testing.T) {
	le := binary.LittleEndian
	file := slices.Concat(sectionBlock(le), bytes.Repeat(interfaceBlock(le, 101, 0), maxInterfaces+1))
	last, beyond := abc(0), abc(0)
	last.iface, beyond.iface = maxInterfaces-1, maxInterfaces
	r := NewReader(bytes.NewReader(slices.Concat(file, packetBlock(le, beyond), packetBlock(le, last))), Options{})
	if p, err := r.Next(); err != nil || words(p) != "C -? abc" || r.Stats().Malformed != 1 {
		t.Errorf("%s, %v, %+v", words(p), err, r.Stats())
	}
}
