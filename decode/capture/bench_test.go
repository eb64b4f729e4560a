package capture

import (
	"io"
	"strings"
	"testing"

	"kind4/decode/session"
)

// BenchmarkRead reads progress notifications of 91 bytes.
func BenchmarkRead(b *testing.B) {
	const message = "\x00{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"up\",\"progress\":3,\"total\":9}}"
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD, Literal} {
		b.Run(f.String(), func(b *testing.B) {
			one := encodeAll(f, []string{message})
			text := strings.Repeat(one, 1000)
			r := NewReader(&repeated{text: text, n: b.N/1000 + 1}, Options{Format: f})
			b.SetBytes(int64(len(one)))
			b.ReportAllocs()
			b.ResetTimer()
			for {
				batch := session.NewBatch()
				err := r.Next(batch)
				batch.Release()
				if err == io.EOF {
					return
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
