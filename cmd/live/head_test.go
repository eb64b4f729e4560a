package live

import (
	"bytes"
	"fmt"
	"testing"

	"kind4/decode/ws"
)

// A head is read the same however its bytes were split, and nothing behind it is lost.
func FuzzReadHead(f *testing.F) {
	f.Add([]byte(upgradeRequest("/requests")+"\x82\x80"), uint8(0))
	f.Add([]byte("\r\n\nGET / HTTP/1.1\nHost: h\n\r\nrest"), uint8(2))
	f.Add([]byte("\r\n\x16\x03\x01"), uint8(1))
	f.Add([]byte("GET /a b HTTP/1.1\r\n\r\n"), uint8(4))
	f.Add([]byte("GET / HTTP/1.1\r\nHost: h\r"), uint8(3))
	read := func(stream []byte, size int) string {
		p := &Proxy{}
		p.options.setDefaults()
		socket := &scripted{}
		for len(stream) > 0 {
			n := min(size, len(stream))
			socket.reads = append(socket.reads, stream[:n])
			stream = stream[n:]
		}
		head, rest, failure := (&conn{proxy: p, socket: socket}).readHead()
		if failure != nil {
			return fmt.Sprintf("%+v", *failure)
		}
		if r, err := ws.ParseHead(head); err == nil && r.Method == "" {
			return "a request without a method"
		}
		return fmt.Sprintf("%q then %q", head, append(rest, bytes.Join(socket.reads, nil)...))
	}
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		stream = stream[:min(len(stream), 4000)]
		if once, pieces := read(stream, len(stream)+1), read(stream, int(size)+1); once != pieces {
			t.Errorf("at once: %s\n%d bytes at a time: %s", once, int(size)+1, pieces)
		}
	})
}
