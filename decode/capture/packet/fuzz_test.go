package packet

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
	"testing/iotest"
)

// seeds are small captures of every kind.
func seeds() [][]byte {
	le, be := binary.LittleEndian, binary.BigEndian
	gaps := with(seg{seq: 101, data: "abcdef", cut: 2}, seg{seq: 120, data: "xyz"}, seg{seq: 118, data: "vwx"}, seg{from: Server, seq: 501, ack: 123, data: "q", at: 3e6},
		seg{from: Server, seq: 502, ack: 123, flags: "F", at: 9e6}, seg{flags: "S", seq: 9000}, seg{from: Server, flags: "S", seq: 7, ack: 9001}, seg{seq: 9001, flags: "R"})
	list := [][]byte{
		ngFile(),
		rawFile(gaps...),
		rawFile(gaps...)[:400],
		pcapFile(be, magicNano, 1, frame{data: behind(v4, ethernet(0x88a8), vlan(0x8100), vlan(0x0800)), at: when}),
		pcapFile(le, magicMicro, 276, frame{data: append([]byte{0x86, 0xdd, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0}, v6...)}),
		pcapFile(le, magicMicro, 113, frame{data: append([]byte{0, 4, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0}, v4...)}),
		pcapFile(le, magicMicro, 0, frame{data: append([]byte{0, 0, 0, 2}, v4...)}),
		pcapFile(le, magicMicro, 108, frame{data: append([]byte{0, 0, 0, 24}, v6...)}),
	}
	for _, parts := range [][][]byte{split(seg{seq: 1, data: "a text in three pieces"}.build()), split6(seg{seq: 1, data: "a text in three pieces", v6: true}.build())} {
		var frames []frame
		for _, p := range parts {
			frames = append(frames, frame{data: p})
		}
		list = append(list, pcapFile(le, magicMicro, 101, frames...))
	}
	return list
}

// fuzzMemory is small, so that inputs reach it.
const fuzzMemory = 4000

// total is what a direction said.
type total struct {
	data, missing int64
	ended         bool
}

// drain reads a capture and holds what it says to its contract.
func drain(t *testing.T, src io.Reader) ([]string, string, Stats) {
	r := NewReader(src, Options{MaxMemory: fuzzMemory, MaxConns: 4})
	dirs := map[*Conn]*[2]total{}
	var list []string
	for {
		p, err := r.Next()
		if err != nil {
			for c, d := range dirs {
				if !d[0].ended || !d[1].ended {
					t.Errorf("%v has no end", *c)
				}
			}
			if int64(len(dirs)) != r.stats.Conns || r.conns.bytes != 0 {
				t.Errorf("%d connections, %d counted, %d bytes still held", len(dirs), r.stats.Conns, r.conns.bytes)
			}
			return list, err.Error(), r.Stats()
		}
		d := dirs[p.Conn]
		if d == nil {
			d = new([2]total)
			dirs[p.Conn] = d
		}
		one := &d[p.From]
		if one.ended || p.Missing < Unknown || len(p.Data) == 0 && p.End == None || p.Missing == Unknown && one.data+one.missing > 0 {
			t.Errorf("%s behind %+v", words(p), *one)
		}
		one.data += int64(len(p.Data))
		one.missing += max(0, p.Missing)
		one.ended = p.End != None
		if r.conns.bytes > fuzzMemory || len(r.conns.conns) > 4 || len(r.src.buf) > maxRecord || len(r.parts.open) > maxDatagrams {
			t.Errorf("%d bytes and %d connections held", r.conns.bytes, len(r.conns.conns))
		}
		list = append(list, words(p))
	}
}

// FuzzPackets: no capture makes the reader panic or hold more than it may, every direction
// ends once, and how the reads are split changes nothing.
func FuzzPackets(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		want, wantErr, wantStats := drain(t, bytes.NewReader(file))
		got, err, stats := drain(t, iotest.HalfReader(iotest.DataErrReader(bytes.NewReader(file))))
		same(t, got, want)
		if err != wantErr || stats != wantStats {
			t.Errorf("%s %+v, want %s %+v", err, stats, wantErr, wantStats)
		}
	})
}

// FuzzSegments: whatever order the segments of a stream come in, sent again and overlapping,
// the bytes come out in order, and with what is missing they are as many as were sent. Each
// three bytes are a segment: where it starts, how long it is, and how much of it was cut.
func FuzzSegments(f *testing.F) {
	f.Add([]byte{0, 10, 0, 20, 10, 0, 10, 10, 0}, false)
	f.Add([]byte{5, 30, 3, 0, 9, 0, 200, 50, 60, 100, 90, 0}, true)
	f.Fuzz(func(t *testing.T, plan []byte, fin bool) {
		const base = 0xffffff80 // wraps within the stream
		stream := make([]byte, 600)
		for i := range stream {
			stream[i] = byte(i ^ i>>8)
		}
		segs := []seg{{flags: "S", seq: base - 1}}
		end := 0
		for ; len(plan) >= 3; plan = plan[3:] {
			at, size := int(plan[0]), int(plan[1])
			segs = append(segs, seg{seq: uint32(base + at), data: string(stream[at : at+size]), cut: min(size, int(plan[2])/8)})
			if size > 0 {
				end = max(end, at+size)
			}
		}
		if fin {
			segs = append(segs, seg{seq: uint32(base + end), flags: "F"})
		}
		r := NewReader(bytes.NewReader(rawFile(segs...)), Options{})
		at := 0
		for {
			p, err := r.Next()
			if err != nil {
				break
			}
			if p.From == Server {
				continue
			}
			at += int(p.Missing)
			if !bytes.Equal(p.Data, stream[at:at+len(p.Data)]) {
				t.Fatalf("%q at %d, want %q", p.Data, at, stream[at:at+len(p.Data)])
			}
			at += len(p.Data)
		}
		if at != end {
			t.Errorf("%d bytes, %d were sent", at, end)
		}
	})
}
