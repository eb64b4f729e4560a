package packet

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkReader reads captures of eight connections whose segments are mixed: of the size
// that fills an Ethernet packet, and as small as a notification.
func BenchmarkReader(b *testing.B) {
	for _, c := range []struct {
		name     string
		size     int
		reversed bool
	}{{"1448", 1448, false}, {"200", 200, false}, {"1448 in pairs out of order", 1448, true}} {
		b.Run(c.name, func(b *testing.B) {
			var segs []seg
			data := strings.Repeat("x", c.size)
			for i := range 8 {
				segs = append(segs, seg{flags: "S", port: uint16(1000 + i)})
			}
			for i := range 2000 {
				n := i / 8
				if c.reversed {
					n ^= 1
				}
				segs = append(segs, seg{seq: uint32(1 + n*c.size), data: data, port: uint16(1000 + i%8)})
			}
			file := rawFile(segs...)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(bytes.NewReader(file), Options{})
				for {
					if _, err := r.Next(); err != nil {
						if err != io.EOF {
							b.Fatal(err)
						}
						break
					}
				}
			}
		})
	}
}

// BenchmarkHostile is what costs most: the segments of a full direction come from the last
// to the first.
func BenchmarkHostile(b *testing.B) {
	for _, n := range []int{4000, 16000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			segs := []seg{{flags: "S", seq: 0}}
			for i := range n {
				segs = append(segs, seg{seq: uint32(2 * (n - i)), data: "x"})
			}
			file := rawFile(segs...)
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				r := NewReader(bytes.NewReader(file), Options{})
				for {
					if _, err := r.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
