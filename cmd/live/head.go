package live

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// tlsHandshake is the first byte of a TLS connection (RFC 8446 section 5.1).
const tlsHandshake = 0x16

// headError says why a connection brought no request head. A status answers it.
type headError struct {
	note   session.NoteKind
	reason string
	status int
}

// serve takes a connection from its request to its end.
func (c *conn) serve() {
	defer c.done()
	c.socket.SetDeadline(time.Now().Add(c.proxy.options.headTimeout))
	head, rest, failure := c.readHead()
	if failure != nil {
		c.noRequest(failure)
		return
	}
	r, err := ws.ParseHead(head)
	if err != nil {
		c.noRequest(&headError{session.NoteBadRequest, err.Error(), http.StatusBadRequest})
		return
	}
	if t := c.proxy.tap; t != nil {
		t.serve(c, r, head, rest)
		return
	}
	// Nothing else may be written before the answer, a Close of Shutdown in particular.
	c.writing.Lock()
	send, refusal := c.proxy.grant(c, r, ws.HeaderText(head))
	if refusal != nil {
		c.writing.Unlock()
		c.refuse(r.Method, refusal)
		return
	}
	c.socket.SetReadDeadline(time.Time{})
	if c.writeLocked(ws.AppendAccept(nil, r)) == nil && len(send) > 0 {
		c.writeLocked(send)
	}
	c.writing.Unlock()
	newReader(c, rest).run()
}

// readHead reads up to the empty line that ends a request's head, and returns the bytes behind it too.
func (c *conn) readHead() (head, rest []byte, failure *headError) {
	buf := make([]byte, 0, 4<<10)
	for {
		if len(buf) == cap(buf) {
			if len(buf) >= maxHead {
				return nil, nil, &headError{session.NoteBadRequest, "the request's head is longer than 64 KiB",
					http.StatusRequestHeaderFieldsTooLarge}
			}
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := c.socket.Read(buf[len(buf):cap(buf)])
		was := len(buf)
		buf = buf[:was+n]
		if was == 0 { // RFC 9112 section 2.2: empty lines ahead of a request are passed over
			buf = buf[:copy(buf, bytes.TrimLeft(buf, "\r\n"))]
		}
		if len(buf) > 0 && buf[0] == tlsHandshake {
			return nil, nil, &headError{note: session.NoteTLS}
		}
		if line, ok := ws.RequestLine(buf); !ok {
			return nil, nil, &headError{session.NoteBadRequest, fmt.Sprintf("%.60q is no request line of HTTP", line),
				http.StatusBadRequest}
		}
		if end := ws.HeadEnd(buf, was-2); end > 0 {
			return buf[:end], buf[end:], nil
		}
		if err != nil {
			return nil, nil, &headError{session.NoteNoRequest, c.headEnded(err, len(buf)), headStatus(err, len(buf))}
		}
	}
}

// headEnded says how a connection ended after n bytes of a head.
func (c *conn) headEnded(err error, n int) string {
	how := "it ended"
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		how = fmt.Sprintf("no whole request within %v", c.proxy.options.headTimeout)
	case errors.Is(err, syscall.ECONNRESET):
		how = "connection reset"
	case err != io.EOF:
		how = cause(err).Error()
	}
	if n > 0 {
		return fmt.Sprintf("%s, after %d bytes of one", how, n)
	}
	return how
}

// headStatus is 408 for a head that takes too long, 400 for one cut off, 0 where there is nobody to tell.
func headStatus(err error, n int) int {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout
	case err == io.EOF && n > 0:
		return http.StatusBadRequest
	}
	return 0
}

// noRequest says that no request came, unless kind4 itself ended the connection.
func (c *conn) noRequest(failure *headError) {
	c.proxy.mu.Lock()
	ours := c.evicted || c.proxy.closing
	if !ours {
		c.proxy.note(failure.note, c, failure.reason)
	}
	c.proxy.mu.Unlock()
	if !ours && failure.status != 0 {
		c.refuse("", &ws.Refusal{Status: failure.status, Reason: failure.reason})
	}
}

// refuse answers with a status and one line of text that says why.
func (c *conn) refuse(method string, refusal *ws.Refusal) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", refusal.Status, http.StatusText(refusal.Status))
	for _, line := range refusal.Header {
		fmt.Fprintf(&b, "%s\r\n", line)
	}
	connection := "close"
	if refusal.Status == http.StatusUpgradeRequired {
		connection = "close, Upgrade"
	}
	fmt.Fprintf(&b, "Connection: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		connection, len(refusal.Reason)+1)
	if method != http.MethodHead {
		fmt.Fprintf(&b, "%s\n", refusal.Reason)
	}
	if c.write(b.Bytes()) == nil {
		c.linger()
	}
}
