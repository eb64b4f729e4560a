package live

import (
	"testing"
	"time"

	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// What a full read costs, frames of 200 bytes in it, from the first byte in the buffer to the consumer's release.
func BenchmarkReader(b *testing.B) {
	var wire []byte
	payload := make([]byte, 200)
	for len(wire) < chunk-300 {
		wire = ws.AppendFrame(wire, ws.OpBinary, payload, &[4]byte{1, 2, 3, byte(len(wire))})
	}
	p := &Proxy{options: Options{MaxSize: defaultMaxSize, Now: time.Now}}
	p.queue = newQueue(defaultQueueBytes, func() session.Event { return session.Event{} })
	r := newReader(&conn{proxy: p, path: "/mcp/notifications/1", ask: &ask{kind: decode.KindNotifications, channel: 1}}, nil)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		r.filled(copy(r.room(), wire))
		r.parse()
		r.flush()
		batch, _ := p.queue.take()
		n += len(batch.Events)
		batch.Release()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/message")
}
