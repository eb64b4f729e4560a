package capture

import (
	"encoding/base64"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"kind4/decode/session"
)

// TestMemory reads one message as long as the cap, and one over it, and counts every byte that is allocated on the way: what
// is left behind as memory grows is no more than the message, and what is over the cap is not held.
func TestMemory(t *testing.T) {
	const limit = 16 << 20
	filler := func(size int) string {
		return strings.Repeat("x", size-len(`0{"jsonrpc":"2.0","method":"notifications/x"}`))
	}
	for _, size := range []int{limit, 4 * limit} {
		message := `{"jsonrpc":"2.0","method":"notifications/` + filler(size) + `x"}`
		tagged := base64.StdEncoding.EncodeToString([]byte("\x00" + message))
		for _, c := range []struct {
			format Format
			input  string
			most   uint64 // in tenths of the cap, where the message is no longer
			over   uint64 // likewise, where it is
		}{
			{Raw, "\x00" + message, 21, 21},
			{Lines, message + "\n", 41, 21}, // the line, and the message
			{Base64, tagged, 21, 21},
			{Record, fmt.Sprintf(`{"time":1,"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,"size":%d,"data":"%s"}`, size, tagged) + "\n", 36, 36},
			{HAR, oneSocket(harMessageOf(tagged), toolRequest+",", ""), 36, 33},
			{LP32, string([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)}) + "\x00" + message, 41, 1},
		} {
			most := c.most
			if size > limit {
				most = c.over
			}
			r := NewReader(strings.NewReader(c.input), Options{Format: c.format, MaxSize: limit, Untagged: c.format == Lines})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var got int64
			for {
				b := &session.Batch{}
				err := r.Next(b)
				for _, ev := range b.Events {
					if ev.Kind == session.Message {
						got = ev.Size
					}
				}
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%v: %v", c.format, err)
				}
			}
			runtime.ReadMemStats(&after)
			if tenths := (after.TotalAlloc - before.TotalAlloc) * 10 / limit; got != int64(size) || tenths > most {
				t.Errorf("%v of %d bytes: size %d, %d tenths of the cap allocated, want %d", c.format, size, got, tenths, most)
			}
		}
	}
}
