// Package conversation makes session events of what the two sides of TCP connections said, as a packet capture has it:
// the same events that a tap between provider and proxy yields. It knows nothing of packets.
//
// A connection is read as HTTP until an answer with 101 upgrades it; what the two sides then send is taken apart by
// the path that the request named. What is no HTTP, and no path of the protocol, is counted and no error.
package conversation

import (
	"slices"

	"kind4/decode/capture/packet"
	"kind4/decode/session"
)

// What is held at most.
const (
	maxHead    = 64 << 10  // bytes of a request's or an answer's head
	maxEarly   = 1 << 20   // bytes of one side that wait for what the other says
	maxHeader  = 16 << 10  // bytes of the header in an Opened
	maxPending = 64        // requests of one connection that wait for their answers
	maxSearch  = 1 << 20   // bytes in which the next frame is looked for behind a gap
	maxKept    = 1 << 20   // bytes of memory that an idle connection keeps
	maxNamed   = 8         // paths, and proxies, that Counts names
	maxHeld    = 256 << 20 // bytes of unfinished messages, of all connections together
)

// Options say how connections are read.
type Options struct {
	MaxSize    int64  // bytes; longer messages are cut to their first 64, or to so many where that is less
	MaxHeld    int64  // bytes of unfinished messages, of all connections together; 0: 256 MiB
	Channel    uint32 // of the notification path that a connection is taken for whose upgrade the capture does not hold
	HasChannel bool
}

// Counts say what the connections were.
type Counts struct {
	Conns       int
	Upgraded    int      // to a WebSocket
	MidStream   int      // taken for a path of the protocol, without an upgrade
	HTTP        int      // HTTP without an upgrade
	TLS         int      // which is not read
	Other       int      // anything else
	Unopened    int      // requests for a path that opened nothing
	Messages    int      // of notifications
	Paths       []string // that were opened, or taken for one; the first 8 different ones
	MorePaths   bool
	Proxies     []string // HOST:PORT of whom they were opened at; the first 8
	MoreProxies bool
}

// Set is the connections of one capture. It is for one goroutine.
type Set struct {
	options Options
	counts  Counts
	opened  map[session.Opening][]*conn // of each path that is open and decoded
	held    int64
	asks    asks

	batch *session.Batch // what Take appends to
	now   int64          // time of the piece at hand
}

// New returns a set without connections.
func New(o Options) *Set {
	if o.MaxHeld <= 0 {
		o.MaxHeld = maxHeld
	}
	return &Set{options: o, opened: make(map[session.Opening][]*conn)}
}

// Take takes in a piece of a connection and appends to b the events that it leads to, whose Data are views of b's
// memory. Pieces come in the order of the capture, and each direction ends once. It uses the State of the connection.
func (s *Set) Take(b *session.Batch, p *packet.Piece) {
	s.batch, s.now = b, p.Time
	c, ok := p.Conn.State.(*conn)
	if !ok {
		c = newConn(s, p.Conn)
		p.Conn.State = c
	}
	if p.Missing != 0 {
		c.lose(p.From, p.Missing)
	}
	if len(p.Data) > 0 {
		c.feed(p.From, p.Data)
	}
	if p.End != packet.None {
		c.end(p.From, p.End)
	}
	s.hold(c)
	s.batch = nil
}

// Counts returns what the connections were so far.
func (s *Set) Counts() Counts { return s.counts }

// hold counts what a connection holds.
func (s *Set) hold(c *conn) {
	held := int64(len(c.sides[0].buf) + len(c.sides[1].buf))
	s.held += held - c.held
	c.held = held
}

func (s *Set) add(e session.Event) { s.batch.Events = append(s.batch.Events, e) }

// data copies what an event is to hold into the batch's memory.
func (s *Set) data(b []byte) []byte {
	start := len(s.batch.Buf)
	s.batch.Buf = append(s.batch.Buf, b...)
	return s.batch.Buf[start:len(s.batch.Buf):len(s.batch.Buf)]
}

// open enters a path that is open from here on.
func (s *Set) open(c *conn) {
	path := c.base.Opening().First()
	before := s.opened[path]
	s.opened[path] = append(before, c)
	c.again = len(before) > 0
}

// close takes a path out that has ended.
func (s *Set) close(c *conn) {
	path := c.base.Opening().First()
	rest := slices.DeleteFunc(s.opened[path], func(other *conn) bool { return other == c })
	if s.opened[path] = rest; len(rest) == 0 {
		delete(s.opened, path)
	}
}

// isOpen reports whether a path is open of which nothing has ended yet.
func (s *Set) isOpen(path session.Opening) bool {
	return slices.ContainsFunc(s.opened[path], func(other *conn) bool { return !other.ending })
}

// name counts a path that was opened, and the proxy.
func (c *Counts) name(base *session.Event) {
	c.Paths, c.MorePaths = named(c.Paths, base.Path, c.MorePaths)
	c.Proxies, c.MoreProxies = named(c.Proxies, base.Proxy, c.MoreProxies)
}

// named adds a name to a list that does not have it, and reports whether there are more than the list may have.
func named(list []string, name string, more bool) ([]string, bool) {
	switch {
	case slices.Contains(list, name):
		return list, more
	case len(list) == maxNamed:
		return list, true
	}
	return append(list, name), more
}
