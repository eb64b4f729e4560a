package conversation

import (
	"bytes"
	"fmt"

	"kind4/decode/capture/packet"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// stage is how far a connection has come.
type stage uint8

const (
	fresh   stage = iota // nobody knows yet who the client is
	heads                // HTTP: requests and answers
	middle               // no upgrade was seen: frames are looked for
	frames               // a path that is decoded
	carried              // a path that is counted
	other                // nothing is looked at any more
)

// conn is one connection.
type conn struct {
	set     *Set
	packets *packet.Conn
	stage   stage
	class   *int        // what of Counts it counts in
	client  packet.Side // once the stage is not fresh
	sides   [2]side     // by packet.Side
	held    int64
	reset   bool // one side was reset
	started bool // the beginning of the connection was seen
	unsure  bool // the capture may lack what the server began with

	// While heads are read.
	pending []*request
	refusal *refusal // the answer at hand, where it opens nothing and nothing is said of it yet

	// Once the path is known.
	base   session.Event
	told   string // where the path is not decoded: why it is taken for that one
	sender session.Side
	again  bool // the path was open already
	ending bool // one side's direction has ended
	over   session.Ending
}

// side is what one side sends.
type side struct {
	buf     []byte // that was not taken apart yet
	scanned int    // bytes of buf in which a head does not end
	body    ws.Body
	parser  ws.Parser
	gap     *gap  // behind which no frame was found yet
	passed  int   // bytes in which no frame was found
	behind  bool  // what comes next stands directly behind bytes that are missing
	looked  int   // bytes of buf in which none was, yet
	bytes   int64 // behind the upgrade
	endedAt int64 // when it ended
	ended   bool  // nothing of it is decoded any more
	closed  bool  // its direction has ended
	how     packet.End
}

func newConn(s *Set, p *packet.Conn) *conn {
	c := &conn{set: s, packets: p}
	s.counts.Conns++
	c.count(&s.counts.Other)
	if p.Certain {
		c.stage, c.client, c.started = heads, packet.Client, true
	}
	return c
}

// count counts the connection as what it is known to be now.
func (c *conn) count(class *int) {
	if c.class != nil {
		*c.class--
	}
	c.class = class
	*class++
}

// role is the side of the protocol that a side of the connection is: the provider dials.
func (c *conn) role(from packet.Side) session.Side {
	if from == c.client {
		return session.Provider
	}
	return session.Proxy
}

// on makes what every event of a path says: the path, and the addresses of the provider and of the proxy.
func (c *conn) on(path session.Event) session.Event {
	path.Remote, path.Proxy = c.packets.Client, c.packets.Server
	if c.client == packet.Server {
		path.Remote, path.Proxy = path.Proxy, path.Remote
	}
	return path
}

// event makes an event of the path's.
func (c *conn) event(kind session.Kind, from session.Side) session.Event {
	e := c.base
	e.Kind, e.From, e.Time = kind, from, c.set.now
	return e
}

func (c *conn) note(kind session.NoteKind, from session.Side, reason string) session.Event {
	e := c.event(session.Note, from)
	e.Note, e.Reason = kind, reason
	return e
}

// feed takes in what a side sent.
func (c *conn) feed(from packet.Side, data []byte) {
	s := &c.sides[from]
	switch {
	case c.stage == carried:
		s.bytes += int64(len(data))
		return
	case c.stage == other || s.ended:
		return
	case c.set.held+int64(len(data)) > c.set.options.MaxHeld:
		c.full(from)
		return
	}
	s.buf = append(s.buf, data...)
	switch c.stage {
	case fresh:
		c.meet(false)
	case heads:
		c.converse()
	case middle:
		c.look(from, false)
	case frames:
		c.frames(from)
	}
}

// full gives up a side because there is no more room.
func (c *conn) full(from packet.Side) {
	why := fmt.Sprintf("more than %d MiB of unfinished messages would have to be held", c.set.options.MaxHeld>>20)
	if c.stage == frames {
		c.leave(from, why)
		return
	}
	if c.stage == heads && len(c.pending) > 0 {
		c.unread("an answer that is not read, since " + why)
	}
	c.forget()
}

// forget looks at nothing of the connection any more.
func (c *conn) forget() {
	c.stage, c.pending, c.refusal = other, nil, nil
	for i := range c.sides {
		c.sides[i].buf, c.sides[i].gap = nil, nil
	}
}

// lose takes in that n bytes are missing of what a side sent.
func (c *conn) lose(from packet.Side, n int64) {
	s := &c.sides[from]
	unbegun := n == packet.Unknown && len(s.buf) == 0
	switch c.stage {
	case fresh:
		s.buf = s.buf[:0]
	case heads:
		if unbegun && s.body.Over() && (len(c.pending) == 0 || from != c.client) {
			c.unsure = true // the capture lacks the packet that says where the side begins
			return
		}
		if !c.cutRequest(c.sides[c.client].buf) {
			c.forget()
			return
		}
		s.buf = s.buf[:0]
		c.seek()
		s.behind = true
	case middle:
		s.buf, s.behind = s.buf[:0], true
	case frames:
		if !s.ended {
			c.gap(from, n)
		}
	}
}

// meet finds out who the client is where that is not certain: who sends a request is.
func (c *conn) meet(ended bool) {
	for from := packet.Client; from <= packet.Server; from++ {
		b := c.sides[from].buf
		if len(b) == 0 {
			continue
		}
		switch {
		case isTLS(b):
			c.count(&c.set.counts.TLS)
			c.forget()
			return
		case mayBeRequest(b) && (bytes.IndexByte(b, '\n') >= 0 || ended):
			c.stage, c.client = heads, from
			c.converse()
			return
		case mayBeRequest(b) && len(b) < maxHead:
		default:
			c.client = packet.Client
			c.seek()
			return
		}
	}
}

// isTLS reports whether b begins with a record of TLS (RFC 8446 section 5.1).
func isTLS(b []byte) bool {
	return len(b) >= 3 && b[0] >= 0x14 && b[0] <= 0x17 && b[1] == 3 && b[2] <= 4
}

// mayBeRequest reports whether b may begin a request of HTTP/1 (RFC 9112 section 3).
func mayBeRequest(b []byte) bool {
	b = bytes.TrimLeft(b, "\r\n")
	method, _, whole := bytes.Cut(b[:min(len(b), maxMethod)], []byte(" "))
	if !whole && len(b) >= maxMethod {
		return false
	}
	for _, letter := range method {
		if letter < 'A' || letter > 'Z' {
			return false
		}
	}
	if whole && len(method) == 0 {
		return false
	}
	_, ok := ws.RequestLine(b)
	return ok
}

// maxMethod is how long the method of a request is that is read, in bytes, the space behind it included.
const maxMethod = 24

// end takes in how the direction of a side ended.
func (c *conn) end(from packet.Side, how packet.End) {
	s := &c.sides[from]
	s.closed, s.how = true, how
	both := c.sides[from.Other()].closed
	switch c.stage {
	case fresh:
		if both {
			c.meet(true)
		}
	case heads:
		switch {
		case c.unsure && from != c.client && len(s.buf) == 0 && c.asksPath():
			c.seek()
		case both || from != c.client || how != packet.FIN:
			c.unanswered()
		}
	case middle:
		c.look(from, true)
	}
	switch c.stage {
	case frames:
		if first := from.Other(); both && !c.sides[first].ended { // it ended before the path was known
			c.endFrames(first, c.sides[first].how)
		}
		c.endFrames(from, how)
	case carried:
		if both {
			c.endCarried()
		}
	}
	if both {
		c.forget()
	}
}

// endCarried says how much passed on a path that is not decoded.
func (c *conn) endCarried() {
	provider, proxy := c.sides[c.client].bytes, c.sides[c.client.Other()].bytes
	e := c.note(session.NoteCarried, 0, fmt.Sprintf("%s from the provider, %s from the proxy", byteCount(provider), byteCount(proxy))+c.told)
	e.Size = provider + proxy
	c.set.add(e)
}

func byteCount(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
