package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	gobwas "github.com/gobwas/ws"

	"kind4/decode/ws"
)

// client is one path that the stand-in provider opened. Its reader answers pings and the proxy's Close at
// once, whatever is being sent.
type client struct {
	socket   net.Conn
	messages chan []byte
	gone     chan struct{} // closed when the reader has ended
	stop     chan struct{} // closed by end
	ending   sync.Once

	writing  sync.Mutex
	finished bool // a Close was sent
}

// dial opens a path of the proxy at addr.
func dial(ctx context.Context, addr, path string) (*client, error) {
	var failure error
	dialer := gobwas.Dialer{
		OnStatusError: func(status int, _ []byte, r io.Reader) {
			failure = refused(path, status, r)
		},
	}
	socket, early, _, err := dialer.Dial(ctx, "ws://"+addr+path)
	if err != nil {
		if socket != nil {
			socket.Close()
		}
		if failure == nil {
			failure = fmt.Errorf("%s: %w", path, cause(err))
		}
		return nil, failure
	}
	c := &client{socket: socket, messages: make(chan []byte), gone: make(chan struct{}), stop: make(chan struct{})}
	go c.read(early)
	return c, nil
}

// read takes the proxy's frames apart until the connection ends.
func (c *client) read(early *bufio.Reader) {
	defer close(c.gone)
	defer c.socket.Close()
	parser := ws.Parser{MaxSize: defaultMaxSize}
	buf := make([]byte, 0, 4<<10)
	if early != nil {
		ahead, _ := early.Peek(early.Buffered())
		buf = append(buf, ahead...)
	}
	for {
		for item, ok := parser.Next(buf); ok; item, ok = parser.Next(buf) {
			if !c.take(&item) {
				return
			}
		}
		if buf = parser.Compact(buf); len(buf) == cap(buf) {
			buf = parser.Carry(make([]byte, 0, 2*cap(buf)), buf)
		}
		n, err := c.socket.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			return
		}
	}
}

// take handles one item, and reports whether to go on.
func (c *client) take(item *ws.Item) bool {
	switch item.Kind {
	case ws.Message:
		select {
		case c.messages <- append([]byte(nil), item.Data...):
			return true
		case <-c.stop:
			return false
		}
	case ws.Control:
		if item.Opcode == ws.OpPing {
			c.send(ws.OpPong, item.Data)
		}
		return true
	default:
		c.sendClose(item.Code)
		return false
	}
}

// next returns the next message.
func (c *client) next(ctx context.Context) ([]byte, error) {
	select {
	case message := <-c.messages:
		return message, nil
	case <-c.gone:
		return nil, errors.New("the proxy closed it")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// send sends one message, or a ping or pong, as one frame.
func (c *client) send(opcode uint8, payload []byte) error {
	mask := gobwas.NewMask()
	return c.write(ws.AppendFrame(nil, opcode, payload, &mask))
}

func (c *client) write(frame []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.writeLocked(frame)
}

func (c *client) writeLocked(frame []byte) error {
	if c.finished {
		return errGone
	}
	c.socket.SetWriteDeadline(time.Now().Add(defaultTimeout))
	_, err := c.socket.Write(frame)
	return err
}

// sendClose sends a Close, unless one was sent.
func (c *client) sendClose(code uint16) {
	c.writing.Lock()
	defer c.writing.Unlock()
	mask := gobwas.NewMask()
	c.writeLocked(ws.AppendClose(nil, code, "", &mask))
	c.finished = true
}

// close makes the closing handshake and waits for the proxy's part of it.
func (c *client) close(ctx context.Context, code uint16) error {
	c.sendClose(code)
	select {
	case <-c.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end ends the connection, if need be without a handshake, and waits for the reader.
func (c *client) end() {
	c.ending.Do(func() {
		close(c.stop)
		c.socket.Close()
	})
	<-c.gone
}
