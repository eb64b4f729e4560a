package live

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// client is one path that the stand-in provider opened. Its reader answers pings and the proxy's Close at
// once, whatever is being sent.
type client struct {
	socket   net.Conn
	messages chan ws.Item
	stray    func(*ws.Item) // takes messages in place of the channel, where it is set
	gone     chan struct{}  // closed when the reader has ended
	over     session.End    // how the connection ended, once gone is closed
	ponged   chan struct{}  // receives when a pong has come
	stop     chan struct{}  // closed by end
	ending   sync.Once

	writing  sync.Mutex
	finished bool   // a Close was sent: nothing may follow (RFC 6455 section 5.5.1)
	sent     uint16 // its code
	failed   error  // of the first write that failed; none is tried after it
}

// dial opens a path of the proxy at addr.
func dial(ctx context.Context, addr, path string) (*client, error) {
	return dialer{addr: addr}.dial(ctx, path, nil)
}

// dialer opens paths of one proxy.
type dialer struct {
	addr    string
	netDial func(ctx context.Context, network, addr string) (net.Conn, error) // nil: the network's
}

// dial opens a path. Its messages go to stray where that is not nil, and to the client's channel else. The
// error is a *DialError.
func (d dialer) dial(ctx context.Context, path string, stray func(*ws.Item)) (*client, error) {
	socket, early, err := d.open(ctx, path)
	if err != nil {
		return nil, dialError(path, err)
	}
	c := &client{socket: socket, stray: stray, messages: make(chan ws.Item), gone: make(chan struct{}),
		ponged: make(chan struct{}, 1), stop: make(chan struct{})}
	go c.read(early)
	return c, nil
}

// open connects and has the path upgraded; the reader holds what came with the answer.
func (d dialer) open(ctx context.Context, path string) (net.Conn, *bufio.Reader, error) {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	connect := d.netDial
	if connect == nil {
		connect = new(net.Dialer).DialContext
	}
	socket, err := connect(ctx, "tcp", d.addr)
	if err != nil {
		return nil, nil, cause(err)
	}
	stop := context.AfterFunc(ctx, func() { socket.SetDeadline(time.Unix(1, 0)) })
	early, err := upgrade(socket, &DialOptions{URL: &url.URL{Scheme: "ws", Host: d.addr, Path: path}})
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		socket.Close()
		return nil, nil, err
	}
	return socket, early, nil
}

// dialError says of which path the error is.
func dialError(path string, err error) *DialError {
	var refusal *RefusedError
	if !errors.As(err, &refusal) {
		return &DialError{Path: path, Err: err}
	}
	body, _, _ := strings.Cut(strings.TrimSpace(refusal.Body), "\n")
	return &DialError{Path: path, Status: refusal.Status, Body: body}
}

// read takes the proxy's frames apart until the connection ends.
func (c *client) read(early *bufio.Reader) {
	defer close(c.gone)
	defer c.socket.Close()
	parser := ws.Parser{MaxSize: defaultMaxSize}
	buf := make([]byte, 0, 4<<10)
	ahead, _ := early.Peek(early.Buffered())
	buf = append(buf, ahead...)
	for {
		for item := parser.Next(buf); item != nil; item = parser.Next(buf) {
			if !c.take(item) {
				return
			}
		}
		if buf = parser.Compact(buf); len(buf) == cap(buf) {
			buf = parser.Carry(make([]byte, 0, 2*cap(buf)), buf)
		}
		n, err := c.socket.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			c.over = c.endOf(err)
			c.over.Where, c.over.Partial = parser.Unfinished(buf)
			return
		}
	}
}

// take handles one item, and reports whether to go on.
func (c *client) take(item *ws.Item) bool {
	switch item.Kind {
	case ws.Message:
		if c.stray != nil {
			c.stray(item)
			return true
		}
		kept := *item
		kept.Data = bytes.Clone(item.Data)
		select {
		case c.messages <- kept:
			return true
		case <-c.stop:
			c.over = session.End{Kind: session.EndOurs}
			return false
		}
	case ws.Control:
		if item.Opcode == ws.OpPing {
			c.send(ws.OpPong, item.Data)
			return true
		}
		select {
		case c.ponged <- struct{}{}:
		default:
		}
		return true
	case ws.Close:
		c.over = session.End{Kind: session.EndClose, Code: item.Code, Reason: item.Reason}
	default:
		c.over = session.End{Kind: session.EndBroken, Violation: item.Violation}
	}
	if first := c.sendClose(item.Code); !first && item.Kind == ws.Close {
		c.over.Kind = session.EndOurs
	}
	c.over.Sent = c.sent
	return false
}

// endOf says what a failed read states about the connection.
func (c *client) endOf(err error) session.End {
	c.writing.Lock()
	defer c.writing.Unlock()
	end := session.End{Kind: session.EndReset, Error: cause(err).Error(), Sent: c.sent}
	switch {
	case errors.Is(err, net.ErrClosed):
		end.Kind, end.Error = session.EndOurs, ""
	case errors.Is(err, syscall.ECONNRESET), err == io.EOF && errors.Is(c.failed, syscall.ECONNRESET):
		end.Error = "connection reset"
	case err == io.EOF:
		end.Kind, end.Error = session.EndEOF, ""
	}
	return end
}

// newMask returns a masking key that nobody can foresee, as RFC 6455 section 5.3 asks.
func newMask() (mask [4]byte) {
	n := rand.Uint32()
	return [4]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}
}

// send sends one message, or a ping or pong, as one frame.
func (c *client) send(opcode uint8, payload []byte) error {
	mask := newMask()
	frame := ws.AppendFrame(nil, opcode, payload, &mask)
	c.writing.Lock()
	defer c.writing.Unlock()
	c.socket.SetWriteDeadline(time.Now().Add(defaultTimeout))
	return c.writeLocked(frame)
}

// write sends whole frames in one piece, for as long as the proxy takes to read them; once ctx is done, for
// farewell at most.
func (c *client) write(ctx context.Context, frames []byte) error {
	return c.writeParts(ctx, func() []byte {
		part := frames
		frames = nil
		return part
	})
}

// writeParts is write for what comes in several parts, with nothing of this side's between them; an empty one
// ends them.
func (c *client) writeParts(ctx context.Context, next func() []byte) (err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	hurry := func() { c.socket.SetWriteDeadline(time.Now().Add(farewell)) }
	c.socket.SetWriteDeadline(time.Time{})
	stop := context.AfterFunc(ctx, hurry)
	defer stop()
	for part := next(); err == nil && len(part) > 0; part = next() {
		err = c.writeLocked(part)
	}
	return err
}

// writeLocked writes with c.writing held. A write that failed may have left half a frame behind, so none
// follows it.
func (c *client) writeLocked(frame []byte) error {
	if c.finished {
		return errGone
	}
	if c.failed == nil {
		_, c.failed = c.socket.Write(frame)
	}
	return c.failed
}

// sendClose sends a Close, and reports whether none was sent before.
func (c *client) sendClose(code uint16) (first bool) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.finished {
		return false
	}
	mask := newMask()
	c.socket.SetWriteDeadline(time.Now().Add(defaultTimeout))
	if c.writeLocked(ws.AppendClose(nil, code, "", &mask)) == nil {
		c.sent = code
	}
	c.finished = true
	return true
}

// wait waits until the connection has ended. Messages that still come are thrown away.
func (c *client) wait(ctx context.Context) error {
	for {
		select {
		case <-c.messages:
		case <-c.gone:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// halfClose ends what is sent in order, without a Close.
func (c *client) halfClose() {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.finished = true
	if half, ok := c.socket.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}

// settle waits until the proxy has read what was sent, which its answer to a ping says, for farewell at most: a reset
// throws away what it has not.
func (c *client) settle(ctx context.Context) {
	if c.send(ws.OpPing, nil) != nil {
		return
	}
	late := time.NewTimer(farewell)
	defer late.Stop()
	select {
	case <-c.ponged:
	case <-c.gone:
	case <-late.C:
	case <-ctx.Done():
	}
}

// abort ends the connection with a reset.
func (c *client) abort() {
	if tcp, ok := c.socket.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.end()
}

// end ends the connection, if need be without a handshake, and waits for the reader.
func (c *client) end() {
	c.ending.Do(func() {
		close(c.stop)
		c.socket.Close()
	})
	<-c.gone
}
