package live

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"kind4/decode/ws"
)

// peer is a provider made by hand: it sends the bytes that a test gives it and reads server frames.
type peer struct {
	t      *testing.T
	socket *net.TCPConn
	in     *bufio.Reader
}

const testKey = "dGhlIHNhbXBsZSBub25jZQ=="

func upgradeRequest(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + testKey + "\r\n\r\n"
}

func connect(t *testing.T, p *Proxy) *peer {
	t.Helper()
	socket, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return testPeer(t, socket)
}

// testPeer is the test's end of a connection, which ends with the test.
func testPeer(t *testing.T, socket net.Conn) *peer {
	t.Cleanup(func() { socket.Close() })
	socket.SetDeadline(time.Now().Add(patience))
	return &peer{t, socket.(*net.TCPConn), bufio.NewReader(socket)}
}

// open connects and has the path upgraded.
func open(t *testing.T, p *Proxy, path string) *peer {
	t.Helper()
	c := connect(t, p)
	c.send([]byte(upgradeRequest(path)))
	c.upgraded()
	return c
}

// openAsk opens /requests and reads so many asks, their channels and kinds.
func openAsk(t *testing.T, p *Proxy, want ...string) *peer {
	t.Helper()
	c := open(t, p, "/requests")
	for _, ask := range want {
		if opcode, got := c.frame(); opcode != ws.OpBinary || string(got) != ask {
			t.Fatalf("ask: opcode %x, %q; want %q", opcode, got, ask)
		}
	}
	return c
}

func (c *peer) send(b []byte) {
	c.t.Helper()
	if _, err := c.socket.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// response reads an HTTP response and its body.
func (c *peer) response() (*http.Response, string) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil && r.StatusCode != http.StatusSwitchingProtocols {
		c.t.Fatal(err)
	}
	return r, string(body)
}

func (c *peer) upgraded() {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if r.StatusCode != http.StatusSwitchingProtocols || r.Header.Get("Sec-Websocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" ||
		r.Header.Get("Sec-Websocket-Extensions") != "" || r.Header.Get("Sec-Websocket-Protocol") != "" {
		c.t.Fatalf("answer to the upgrade: %d %v", r.StatusCode, r.Header)
	}
}

// frame reads one frame of at most 65,535 bytes.
func (c *peer) frame() (opcode uint8, payload []byte) {
	c.t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(c.in, head[:2]); err != nil {
		c.t.Fatal("reading a frame: ", err)
	}
	length := int(head[1])
	if length == 126 {
		if _, err := io.ReadFull(c.in, head[2:]); err != nil {
			c.t.Fatal(err)
		}
		length = int(binary.BigEndian.Uint16(head[2:]))
	}
	if head[0]&0xF0 != 0x80 || length > 65535 {
		c.t.Fatalf("frame begins % x", head)
	}
	payload = make([]byte, length)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		c.t.Fatal(err)
	}
	return head[0] & 0x0F, payload
}

func (c *peer) wantClose(payload string) {
	c.t.Helper()
	opcode, got := c.frame()
	if opcode != ws.OpClose || !strings.HasPrefix(string(got), payload) || payload == "" && len(got) > 0 {
		c.t.Fatalf("got opcode %x %q, want a close with %q", opcode, got, payload)
	}
}

// eof expects the end of the connection, in order, and nothing before it.
func (c *peer) eof() {
	c.t.Helper()
	if b, err := io.ReadAll(c.in); err != nil || len(b) > 0 {
		c.t.Fatalf("got %q and %v, want the end", b, err)
	}
}

// reset ends the connection with an RST.
func (c *peer) reset() {
	c.socket.SetLinger(0)
	c.socket.Close()
}

var mask = [4]byte{0x37, 0xfa, 0x21, 0x3d}

// message is a binary message in one masked frame.
func message(payload string) []byte { return ws.AppendFrame(nil, ws.OpBinary, []byte(payload), &mask) }

// masked is a masked frame of up to 125 bytes with any first byte.
func masked(first byte, payload string) []byte {
	frame := message(payload)
	frame[0] = first
	return frame
}

func closing(payload string) []byte { return masked(0x88, payload) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
