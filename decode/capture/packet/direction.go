package packet

// The own reassembler stands here and not gopacket's (v1.7.7), which was measured against
// the same segments: of a connection without its SYN it yields nothing until it is flushed;
// behind a segment that the snap length cut it holds everything back until then, since it
// knows nothing of the segment's real length; of overlapping segments that wait the last
// wins, of others the first. Nor does its source look at acknowledgements to let a gap go.

const (
	// maxHeld is how many segments of one direction may wait.
	maxHeld = 16384
	// heldCost is what a waiting segment takes besides its data, in bytes, and the Piece
	// that it becomes.
	heldCost = 160
	// oldSegment is how far behind what was read a segment may be and still be a
	// retransmission, in bytes. One further behind is of a new connection whose SYN was not
	// captured. No receiver's window is much larger in practice; RFC 7323 allows 1 GiB.
	oldSegment = 64 << 20
	// lateSYN is how far behind the first data its SYN may come, in bytes.
	lateSYN = 64 << 10
)

// direction is what one side sends. Places in it are offsets of 64 bits whose lower half is
// the sequence number, so that they compare without wrapping.
type direction struct {
	next    int64  // the offset of the next byte to yield
	started bool   // next is known
	isn     uint32 // the sequence number of the SYN
	known   bool   // isn is known
	data    bool   // a segment with data was seen
	ended   bool   // its End was yielded
	fin     int64  // the offset behind the last byte, once hasFin
	hasFin  bool

	acked    int64  // the highest that the other side acknowledged, once started
	rawAck   uint32 // the first acknowledgement, while not started
	hasAck   bool   // rawAck or acked is known
	ackMoves bool   // the other side acknowledged data, while not started

	pending     uint32 // the sequence number of a SYN that may open a new connection
	pendingSide uint8  // which endpoint would open it
	hasPending  bool

	gone []span // holes that were given up, the last few

	missing int64 // to be said with the next piece; Unknown wins
	last    int64 // time of the last piece
	held    []held
	bytes   int // cost of held

	mark      mark // while something is held back
	confirmed int64
}

// mark remembers when how much was acknowledged: what is below off was so from then on. Once
// that is long ago it is confirmed.
type mark struct {
	set     bool
	off     int64
	time    int64
	packets int64
}

// span is bytes of a direction, from up to to.
type span struct{ from, to int64 }

// maxGone is how many holes of a direction are kept in mind that were given up.
const maxGone = 16

// abandon keeps in mind that a hole was given up.
func (d *direction) abandon(from, to int64) {
	if len(d.gone) == maxGone {
		d.gone = d.gone[:copy(d.gone, d.gone[1:])]
	}
	d.gone = append(d.gone, span{from, to})
}

// late returns how many bytes of a segment stand in holes that were given up, each byte once so long as it comes in
// order.
func (d *direction) late(from, to int64) (n int64) {
	for i := range d.gone {
		g := &d.gone[i]
		start, end := max(from, g.from), min(to, g.to)
		if start < end {
			n += end - start
			g.from = end
		}
	}
	return n
}

// held is a segment that waits for earlier ones. Those of a direction are in order and do
// not overlap.
type held struct {
	off  int64
	size int // at least len(data): the rest was cut
	time int64
	data []byte
}

// offset returns the place of the sequence number that is nearest to next.
func (d *direction) offset(seq uint32) int64 {
	return d.next + int64(int32(seq-uint32(d.next)))
}

// start says where the direction starts. The offset has room below it for what is older.
func (d *direction) start(seq uint32) {
	d.next, d.started = 1<<32+int64(seq), true
	if d.hasAck {
		d.acked = d.offset(d.rawAck)
	}
}

// synchronise starts the direction behind a SYN of that sequence number.
func (d *direction) synchronise(isn uint32) {
	d.isn, d.known = isn, true
	d.start(isn + 1)
}

// acknowledge notes an acknowledgement by the other side.
func (d *direction) acknowledge(ack uint32) {
	switch {
	case !d.started:
		d.ackMoves = d.ackMoves || d.hasAck && ack != d.rawAck
		if !d.hasAck {
			d.rawAck, d.hasAck = ack, true
		}
	case !d.hasAck || d.offset(ack) > d.acked:
		d.acked, d.hasAck = d.offset(ack), true
	}
}

// waits says whether something is held back.
func (d *direction) waits() bool { return len(d.held) > 0 || d.hasFin && !d.ended }

// hole returns the offset at which what was captured goes on, where something is held back.
func (d *direction) hole() int64 {
	if len(d.held) > 0 {
		return d.held[0].off
	}
	return d.fin
}

// lose counts n bytes as missing.
func (d *direction) lose(n int64) {
	switch {
	case n == Unknown || d.missing == Unknown:
		d.missing = Unknown
	default:
		d.missing += n
	}
}

// insert holds what of the segment is not held yet, and returns by how much the cost of what
// is held grew. The bytes are copied.
func (d *direction) insert(off int64, data []byte, size int, now int64) int {
	grown := 0
	at := d.place(off)
	if at > 0 {
		if before := &d.held[at-1]; before.off+int64(before.size) > off {
			data, size, off = cutFront(data, size, off, before.off+int64(before.size))
		}
	}
	for size > 0 && len(d.held) < maxHeld {
		part := size
		if at < len(d.held) {
			part = int(min(int64(size), d.held[at].off-off))
		}
		if part > 0 {
			h := held{off: off, size: part, time: now}
			h.data = append(h.data, data[:min(part, len(data))]...)
			d.held = append(d.held, held{})
			copy(d.held[at+1:], d.held[at:])
			d.held[at] = h
			grown += heldCost + cap(h.data)
			at++
		}
		if at == len(d.held) {
			break
		}
		data, size, off = cutFront(data, size, off, d.held[at].off+int64(d.held[at].size))
		at++
	}
	d.bytes += grown
	return grown
}

// place returns the index of the first held segment that starts at off or behind it.
func (d *direction) place(off int64) int {
	at := len(d.held)
	if at == 0 || d.held[at-1].off < off {
		return at
	}
	lo, hi := 0, at
	for lo < hi {
		if mid := (lo + hi) / 2; d.held[mid].off < off {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// cutFront takes from a segment what is in front of to.
func cutFront(data []byte, size int, off, to int64) ([]byte, int, int64) {
	n := int(min(int64(size), max(0, to-off)))
	return data[min(n, len(data)):], size - n, off + int64(n)
}
