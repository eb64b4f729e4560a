package packet

const (
	// ackWait and ackPackets are how long bytes that the receiver acknowledged, but that
	// were not captured, are still waited for, in microseconds and in packets of the
	// capture, whichever is first; twice as long at most where there are several holes. Such
	// bytes are not sent again; they may only come a little late, where packets of several
	// interfaces or processors were written in another order.
	ackWait    = 1e6
	ackPackets = 4096
	// idleWait is how long, in microseconds, a connection that shows no packet may hold back
	// what it has. A sender tries again for at most 60 seconds at a time (RFC 6298, section
	// 2.4).
	idleWait = 120e6
	// maxWindow is the largest window that a receiver can offer (RFC 7323, section 2.3), in
	// bytes.
	maxWindow = 1 << 30
)

// segment puts one segment of the connection key, sent by its endpoint from, where it
// belongs.
func (r *Reader) segment(key *connKey, from int, s *segment) {
	c := r.conns.find(key)
	if c != nil {
		c = r.renewed(c, from, s)
	}
	if c == nil {
		c = r.open(key, from)
	}
	if !c.ended() {
		r.take(c, from, s)
	}
	r.conns.touch(c, r.now)
}

// open starts a connection, and lets the oldest go where there are too many.
func (r *Reader) open(key *connKey, from int) *conn {
	if len(r.conns.conns) >= r.maxConns {
		old := r.conns.oldest()
		if !old.ended() {
			r.stats.GivenUpConns++
		}
		r.close(old, 0, GivenUp)
		r.conns.remove(old)
	}
	r.stats.Conns++
	return r.conns.add(key, from)
}

// renewed returns c, the connection that replaces it when the segment shows that its
// addresses and ports are used again, or nil when that one starts with this segment.
//
// Where c is still open a SYN alone does not end it: anyone can send one, and a receiver
// answers it with where it stands (RFC 9293, section 3.10.7.4). It has to be answered, or
// followed, by what fits it.
func (r *Reader) renewed(c *conn, from int, s *segment) *conn {
	d, other := &c.dirs[from], &c.dirs[1-from]
	syn := s.has(flagSYN)
	switch {
	case other.hasPending && s.has(flagACK) && s.ack == other.pending+1:
		return r.reopen(c, 1-from)
	case !syn && d.hasPending && s.seq == d.pending+1:
		return r.reopen(c, from)
	case syn && d.known && d.isn == s.seq:
		// Sent again, or captured twice. Only where the first try was refused may it be
		// another try.
		if c.ended() && !d.data && !other.data {
			d.suspect(from, s)
		}
	case syn && c.ended(), s.size > 0 && !syn && c.strange(d, s):
		r.replace(c)
		return nil
	case syn && !fits(d, other, s):
		d.suspect(from, s)
	}
	return c
}

// suspect notes a SYN that may open a connection in place of this one.
func (d *direction) suspect(from int, s *segment) {
	d.pending, d.hasPending, d.pendingSide = s.seq, true, uint8(from)
	if s.has(flagACK) {
		d.pendingSide = uint8(1 - from)
	}
}

// fits says whether a SYN, or the answer to one, may be of the open connection of d: nothing
// is known of its start, or it was captured a little late.
func fits(d, other *direction, s *segment) bool {
	if d.started && (d.known || !late(d, s.seq+1)) {
		return false
	}
	return !other.started || other.known || s.has(flagACK) && late(other, s.ack)
}

// late says whether the sequence number is that of the next byte, or a little in front of
// it.
func late(d *direction, seq uint32) bool {
	by := lateBy(d, seq)
	return by >= 0 && by <= lateSYN
}

// lateBy returns how far in front of what was read the sequence number is.
func lateBy(d *direction, seq uint32) int64 { return d.next - d.offset(seq) }

// strange says whether data of d cannot be of c: it is too far behind what was read, or c
// ended and it is far from that end or of a direction that had nothing.
func (c *conn) strange(d *direction, s *segment) bool {
	if !d.started {
		return c.ended()
	}
	by := lateBy(d, s.seq)
	return by > oldSegment || c.ended() && by < -oldSegment
}

// replace ends c because another connection takes its place.
func (r *Reader) replace(c *conn) {
	r.close(c, 0, Reused)
	r.conns.remove(c)
}

// reopen replaces c by the connection whose SYN the endpoint i sent before.
func (r *Reader) reopen(c *conn, i int) *conn {
	d := &c.dirs[i]
	r.replace(c)
	fresh := r.open(&c.key, i)
	fresh.dirs[i].synchronise(d.pending)
	fresh.opened(int(d.pendingSide))
	return fresh
}

// take reads what the segment says to an open connection.
func (r *Reader) take(c *conn, from int, s *segment) {
	d, other := &c.dirs[from], &c.dirs[1-from]
	seq := s.seq
	if s.has(flagSYN) {
		if d.hasPending {
			return
		}
		r.synchronise(c, from, s)
		seq++
	}
	if s.has(flagACK) {
		other.acknowledge(s.ack)
	}
	if s.has(flagRST) {
		if r.resets(d, s) {
			r.close(c, from, RST)
		}
		return
	}
	if s.size > 0 {
		r.data(c, from, seq, s)
	}
	if s.has(flagFIN) && !d.ended && !d.hasFin {
		if !d.started {
			d.start(seq + uint32(s.size))
			d.lose(Unknown)
		}
		d.fin, d.hasFin = d.offset(seq+uint32(s.size)), true
		d.hasFin = d.fin >= d.next
		r.advance(c, from)
	}
	r.doubt(c, 0)
	r.doubt(c, 1)
}

// synchronise starts what a SYN, or the answer to one, says the start of.
func (r *Reader) synchronise(c *conn, from int, s *segment) {
	d, other := &c.dirs[from], &c.dirs[1-from]
	opener := from
	if s.has(flagACK) {
		opener = 1 - from
		if !other.started {
			other.synchronise(s.ack - 1)
		}
	}
	if !d.started {
		d.synchronise(s.seq)
	} else if !d.known {
		d.isn, d.known = s.seq, true
		if d.missing == Unknown {
			d.missing = lateBy(d, s.seq+1)
		}
	}
	if !c.pub.Certain {
		c.opened(opener)
	}
}

// resets says whether the other side takes the RST: not where it is older than what that
// side acknowledged, or beyond every window (RFC 9293, section 3.5.3; RFC 5961, section 3.2,
// is stricter, but what a capture misses moves what is expected).
func (r *Reader) resets(d *direction, s *segment) bool {
	if !d.started {
		return true
	}
	off := d.offset(s.seq)
	if off < d.next && d.hasAck && off < d.acked {
		return false
	}
	return off-d.next <= maxWindow
}

// data yields the segment's data where it is next, and else holds it.
func (r *Reader) data(c *conn, from int, seq uint32, s *segment) {
	d := &c.dirs[from]
	if d.ended {
		return
	}
	if !d.started {
		if s.size == 1 && d.hasAck && d.rawAck == seq+1 {
			return // a keep-alive (RFC 9293, section 3.8.4): the byte is an old one
		}
		d.start(seq)
		d.lose(Unknown)
	}
	d.data = true
	begins := d.offset(seq)
	r.stats.Late += d.late(begins, begins+int64(len(s.data)))
	data, size, off := cutFront(s.data, s.size, begins, d.next)
	if d.hasFin && off+int64(size) > d.fin {
		size = int(max(0, d.fin-off))
		data = data[:min(size, len(data))]
	}
	switch {
	case size == 0:
	case off == d.next && len(d.held) == 0:
		r.pass(c, from, data, size, r.now)
	case off == d.next:
		part := int(min(int64(size), d.held[0].off-off))
		r.pass(c, from, data[:min(part, len(data))], part, r.now)
		if part < size {
			data, size, off = cutFront(data, size, off, d.next)
			r.conns.bytes += d.insert(off, data, size, r.now)
		}
	default:
		r.conns.bytes += d.insert(off, data, size, r.now)
	}
	r.advance(c, from)
	r.shrink(c, from)
}

// pass yields the next size bytes, of which data were captured.
func (r *Reader) pass(c *conn, from int, data []byte, size int, now int64) {
	d := &c.dirs[from]
	d.next += int64(size)
	if len(data) > 0 {
		r.emit(c, from, Piece{Data: data, Time: now})
	}
	if cut := size - len(data); cut > 0 {
		d.lose(int64(cut))
	}
}

// emit yields a piece, with what is missing before it.
func (r *Reader) emit(c *conn, from int, p Piece) {
	d := &c.dirs[from]
	d.last = p.Time
	p.Conn, p.From, p.Missing = c.pub, c.side(from), d.missing
	d.missing = 0
	c.yielded = true
	r.out = append(r.out, p)
}

// advance yields what is held and has become next, and the FIN behind it.
func (r *Reader) advance(c *conn, from int) {
	d := &c.dirs[from]
	n := 0
	for n < len(d.held) && d.held[n].off <= d.next {
		h := &d.held[n]
		r.release(d, h)
		r.pass(c, from, h.data, h.size, r.now)
		n++
	}
	d.drop(n)
	if d.hasFin && !d.ended && d.next >= d.fin {
		r.end(c, from, FIN)
	}
}

// release takes a held segment off the account.
func (r *Reader) release(d *direction, h *held) {
	cost := heldCost + cap(h.data)
	d.bytes -= cost
	r.conns.bytes -= cost
}

// drop removes the first n held segments.
func (d *direction) drop(n int) {
	if n == 0 {
		return
	}
	rest := copy(d.held, d.held[n:])
	clear(d.held[rest:])
	d.held = d.held[:rest]
	if rest == 0 && cap(d.held) > 64 {
		d.held = nil
	}
}

// giveUp gives the hole in front up and yields what stands behind it, with the times of the
// segments, since no packet completed them.
func (r *Reader) giveUp(c *conn, from int) {
	d := &c.dirs[from]
	d.lose(d.hole() - d.next)
	d.abandon(d.next, d.hole())
	d.next = d.hole()
	n := 0
	for n < len(d.held) && d.held[n].off <= d.next {
		h := &d.held[n]
		r.release(d, h)
		when := h.time
		if when < d.last && d.last <= r.now {
			when = d.last
		}
		r.pass(c, from, h.data, h.size, when)
		n++
	}
	d.drop(n)
	r.advance(c, from)
}

// flush gives up every hole of a direction.
func (r *Reader) flush(c *conn, from int) {
	for d := &c.dirs[from]; d.waits(); {
		r.giveUp(c, from)
	}
}

// doubt gives up the holes that the other side acknowledged long enough ago.
func (r *Reader) doubt(c *conn, from int) {
	d := &c.dirs[from]
	if !d.waits() {
		d.mark, d.confirmed = mark{}, 0
		return
	}
	m := &d.mark
	if !m.set && (!d.hasAck || d.acked < d.hole()) {
		return
	}
	if !m.set || r.now-m.time >= ackWait || r.stats.Packets-m.packets >= ackPackets {
		if m.set {
			d.confirmed = m.off
		}
		*m = mark{true, d.acked, r.now, r.stats.Packets}
	}
	for d.waits() && d.hole() <= d.confirmed {
		r.giveUp(c, from)
	}
}

// shrink gives holes up where too much is held: of the direction itself where it has more
// than half of what may be held, and else of the connection that had no packet for
// longest.
func (r *Reader) shrink(c *conn, from int) {
	d := &c.dirs[from]
	if d.bytes > r.maxMemory/2 || len(d.held) >= maxHeld {
		if !d.hasAck || d.acked < d.hole() {
			r.stats.GivenUpGaps++
		}
		r.giveUp(c, from)
	}
	for r.conns.bytes > r.maxMemory && r.conns.held.last != nil {
		r.stats.GivenUpGaps++
		r.letGo(r.conns.held.last)
	}
}

// letGo yields everything that a connection holds back.
func (r *Reader) letGo(c *conn) {
	r.flush(c, 0)
	r.flush(c, 1)
	r.conns.held.remove(c, heldList)
	r.retire(c)
}

// expire lets connections go that hold something back and show no packet.
func (r *Reader) expire() {
	for c := r.conns.held.last; c != nil && r.now-c.now > idleWait; c = r.conns.held.last {
		r.letGo(c)
	}
}

// close ends what is open of a connection.
func (r *Reader) close(c *conn, first int, why End) {
	for i := range c.dirs {
		r.flush(c, i)
	}
	for _, i := range [2]int{first, 1 - first} {
		if !c.dirs[i].ended {
			r.end(c, i, why)
		}
	}
}

// end yields the end of a direction. What the other side acknowledged behind the last
// captured byte is missing; not a single byte, which may be the FIN.
func (r *Reader) end(c *conn, from int, why End) {
	d := &c.dirs[from]
	switch {
	case !d.started && d.ackMoves:
		d.lose(Unknown)
	case why != FIN && d.started && d.hasAck && d.acked-d.next > 1 && d.acked-d.next <= maxWindow:
		d.lose(d.acked - d.next)
	}
	for i := range d.held { // behind the FIN
		r.release(d, &d.held[i])
	}
	d.drop(len(d.held))
	d.ended = true
	r.emit(c, from, Piece{End: why, Time: r.now})
	r.retire(c)
}

// retire drops what a connection that ended need not keep.
func (r *Reader) retire(c *conn) {
	if !c.ended() {
		return
	}
	c.pub = nil
}
