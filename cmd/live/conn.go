package live

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// Who closed a path: the first to claim it.
const (
	closedByPeer = iota + 1 // or by how the peer behaved
	closedByUs              // Shutdown
)

// conn is one connection.
type conn struct {
	proxy   *Proxy
	socket  net.Conn
	remote  string
	evicted bool // Proxy.mu guards it

	path string // once upgraded
	ask  *ask   // that the path answers; nil for /requests

	closed atomic.Int32  // 0, closedByPeer or closedByUs
	told   chan struct{} // closed once the Close of Shutdown went out, or could not

	writing  sync.Mutex
	failed   error // of the first write that failed; none is tried after it
	finished bool  // a Close was written: nothing may follow (RFC 6455 section 5.5.1)
}

// event fills in what every event of a path says.
func (c *conn) event(e session.Event) session.Event {
	c.name(&e)
	return e
}

// name is event for one that stands where it is to be.
func (c *conn) name(e *session.Event) {
	e.Path = c.path
	if c.ask != nil {
		e.Channel, e.HasChannel = c.ask.channel, true
	}
}

// claimClose reports whether who is the first to close the path.
func (c *conn) claimClose(who int32) bool { return c.closed.CompareAndSwap(0, who) }

// write sends bytes in one piece.
func (c *conn) write(b []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.writeLocked(b)
}

// writeLocked is write with c.writing held. A write that failed may have left half a frame behind, so
// none follows it; its error is remembered, since the kernel tells of a reset only once.
func (c *conn) writeLocked(b []byte) error {
	if c.failed == nil && !c.finished {
		c.socket.SetWriteDeadline(time.Now().Add(c.proxy.options.writeTimeout))
		_, c.failed = c.socket.Write(b)
		if errors.Is(c.failed, os.ErrDeadlineExceeded) {
			c.proxy.notReading(c)
		}
	}
	return c.failed
}

// writeError returns the error of the write that failed, nil where none has.
func (c *conn) writeError() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.failed
}

// writeClose sends a Close, the last that is sent.
func (c *conn) writeClose(code uint16, reason string) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.writeLocked(ws.AppendClose(nil, code, reason, nil))
	c.finished = true
}

// sendOurClose is Shutdown's; it is called once at most.
func (c *conn) sendOurClose() {
	defer close(c.told)
	c.writeClose(ws.CloseNormal, "")
}

// linger ends a connection so that what was sent last arrives: closing a socket with unread bytes in it
// sends a reset, and the peer's kernel may then throw away what it had not handed on.
func (c *conn) linger() {
	c.writing.Lock()
	half, ok := c.socket.(interface{ CloseWrite() error })
	if ok {
		half.CloseWrite()
	}
	c.writing.Unlock()
	c.socket.SetReadDeadline(time.Now().Add(lingerTimeout))
	io.CopyN(io.Discard, c.socket, lingerBytes)
}

// done lets go of the connection.
func (c *conn) done() {
	c.proxy.mu.Lock()
	c.proxy.forget(c)
	delete(c.proxy.open, c)
	c.proxy.mu.Unlock()
	c.socket.Close()
}

// endOf says what a failed read states about the connection.
func (c *conn) endOf(err error) *session.End {
	switch {
	case errors.Is(err, syscall.ECONNRESET), err == io.EOF && errors.Is(c.writeError(), syscall.ECONNRESET):
		return &session.End{Kind: session.EndReset, Error: "connection reset"}
	case err == io.EOF:
		return &session.End{Kind: session.EndEOF}
	}
	return &session.End{Kind: session.EndReset, Error: cause(err).Error()}
}
