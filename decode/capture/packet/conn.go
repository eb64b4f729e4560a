package packet

import (
	"net/netip"
	"sort"
)

// connKey names a connection whoever sends: the lower endpoint comes first.
type connKey struct {
	lo, hi         address
	loPort, hiPort uint16
}

// keyOf returns the key, and whether the sender is the higher endpoint.
func keyOf(d *datagram, s *segment) (connKey, int) {
	for i := range d.src {
		if d.src[i] != d.dst[i] {
			return ordered(d, s, d.src[i] < d.dst[i])
		}
	}
	return ordered(d, s, s.srcPort <= s.dstPort)
}

func ordered(d *datagram, s *segment, rising bool) (connKey, int) {
	if rising {
		return connKey{d.src, d.dst, s.srcPort, s.dstPort}, 0
	}
	return connKey{d.dst, d.src, s.dstPort, s.srcPort}, 1
}

// conn is a connection that is followed. Once both directions ended it stays for a while, so
// that what comes late is not taken for a new one.
type conn struct {
	key     connKey
	pub     *Conn // nil once both directions ended
	number  int64 // of the connection in the capture
	client  int   // which of the two endpoints it is
	yielded bool
	dirs    [2]direction // what the lower endpoint sends, and the higher

	now   int64 // when its last packet was captured
	lists [2]links
	idle  bool // in the list of idle connections, else in that of busy ones
}

func (c *conn) ended() bool { return c.dirs[0].ended && c.dirs[1].ended }

// waits says whether either direction holds something back.
func (c *conn) waits() bool { return c.dirs[0].waits() || c.dirs[1].waits() }

// side returns which side the endpoint i is.
func (c *conn) side(i int) Side {
	if i == c.client {
		return Client
	}
	return Server
}

// name sets who is the client.
func (c *conn) name(client int) {
	lo := endpoint(c.key.lo, c.key.loPort)
	hi := endpoint(c.key.hi, c.key.hiPort)
	c.client = client
	c.pub.Client, c.pub.Server = lo, hi
	if client == 1 {
		c.pub.Client, c.pub.Server = hi, lo
	}
}

func endpoint(a address, port uint16) string {
	return netip.AddrPortFrom(netip.AddrFrom16(a).Unmap(), port).String()
}

// opened notes that the endpoint i is known to have opened the connection. Once something
// was yielded the sides stay as they are.
func (c *conn) opened(i int) {
	if c.yielded && c.client != i {
		return
	}
	if c.client != i {
		c.name(i)
	}
	c.pub.Certain = true
}

// guess returns which endpoint is the client of a connection of which no SYN was seen: that
// with the higher port, or the sender where they are equal.
func guess(key *connKey, from int) int {
	switch {
	case key.loPort > key.hiPort:
		return 0
	case key.loPort < key.hiPort:
		return 1
	}
	return from
}

// table holds the connections.
type table struct {
	conns  map[connKey]*conn
	recent *conn // the one of the last packet
	busy   queue // open ones with data, by their last packet
	idle   queue // those that ended or never had data, likewise
	held   queue // those that hold something back, likewise
	bytes  int   // cost of what is held
	made   int64 // connections so far
}

// find returns the connection, or nil.
func (t *table) find(key *connKey) *conn {
	if t.recent != nil && t.recent.key == *key {
		return t.recent
	}
	c := t.conns[*key]
	if c != nil {
		t.recent = c
	}
	return c
}

// add makes a connection of which the endpoint from is the first to be seen.
func (t *table) add(key *connKey, from int) *conn {
	if t.conns == nil {
		t.conns = make(map[connKey]*conn)
	}
	t.made++
	c := &conn{key: *key, pub: &Conn{}, number: t.made, idle: true}
	c.name(guess(key, from))
	t.conns[*key] = c
	t.recent = c
	t.idle.push(c, orderList)
	return c
}

// touch puts the connection where it belongs after a packet of it.
func (t *table) touch(c *conn, now int64) {
	c.now = now
	idle := c.ended() || !c.dirs[0].data && !c.dirs[1].data
	t.order(c.idle).remove(c, orderList)
	c.idle = idle
	t.order(idle).push(c, orderList)
	t.held.remove(c, heldList)
	if c.waits() {
		t.held.push(c, heldList)
	}
}

func (t *table) order(idle bool) *queue {
	if idle {
		return &t.idle
	}
	return &t.busy
}

// remove forgets the connection.
func (t *table) remove(c *conn) {
	t.order(c.idle).remove(c, orderList)
	t.held.remove(c, heldList)
	delete(t.conns, c.key)
	if t.recent == c {
		t.recent = nil
	}
}

// oldest returns the connection to let go first.
func (t *table) oldest() *conn {
	if t.idle.last != nil {
		return t.idle.last
	}
	return t.busy.last
}

// all returns the connections in the order in which they came up.
func (t *table) all() []*conn {
	list := make([]*conn, 0, len(t.conns))
	for _, c := range t.conns {
		list = append(list, c)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].number < list[j].number })
	return list
}

// The lists that a connection may be in.
const (
	orderList = iota
	heldList
)

type links struct {
	in         bool
	prev, next *conn
}

// queue is a list of connections, the one that was pushed last in front.
type queue struct{ first, last *conn }

func (q *queue) push(c *conn, list int) {
	l := &c.lists[list]
	*l = links{in: true, next: q.first}
	if q.first != nil {
		q.first.lists[list].prev = c
	} else {
		q.last = c
	}
	q.first = c
}

func (q *queue) remove(c *conn, list int) {
	l := &c.lists[list]
	if !l.in {
		return
	}
	if l.prev != nil {
		l.prev.lists[list].next = l.next
	} else {
		q.first = l.next
	}
	if l.next != nil {
		l.next.lists[list].prev = l.prev
	} else {
		q.last = l.prev
	}
	*l = links{}
}
