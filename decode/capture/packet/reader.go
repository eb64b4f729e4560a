package packet

import "io"

const (
	defaultMemory = 16 << 20
	defaultConns  = 16384
)

// Options are the limits of a Reader; the zero value stands for the defaults.
type Options struct {
	// MaxMemory is how many bytes of segments that wait for earlier ones are held, of all
	// connections together, what it takes to hold them counted in: 16 MiB when zero. One
	// direction has half of them at most, and 16384 segments. Where that is not enough, gaps
	// are given up.
	MaxMemory int
	// MaxConns is how many connections are followed at once: 16384 when zero. Each takes
	// about 1 KiB. Where they are not enough, those that ended or never had data go first,
	// then those without a packet for longest.
	MaxConns int
}

// Stats counts what a Reader met so far.
type Stats struct {
	Packets      int64 // packets in the file
	TCP          int64 // packets that carry TCP
	Conns        int64 // TCP connections
	OtherLink    int64 // packets of link types that are not read
	OtherProto   int64 // packets of other protocols than TCP over IP
	Malformed    int64 // packets whose headers contradict themselves
	CutHeader    int64 // packets whose headers the snap length cut
	Cut          int64 // TCP segments whose data the snap length cut
	Fragments    int64 // IP fragments
	Unfinished   int64 // IP fragments that could not be put together
	GivenUpGaps  int64 // gaps that were given up because of MaxMemory, though they could still have been filled
	Late         int64 // bytes that came after the gap in which they belong was given up, and are not read
	GivenUpConns int64 // connections that were let go, still open, because of MaxConns
}

// Reader reads one capture. It holds a window of 256 KiB of it, up to 1 MiB where a packet
// is longer, what the Options allow, and 4 MiB of IP fragments at most.
type Reader struct {
	src       source
	in        format
	rec       packetRecord
	ip        datagram
	tcp       segment
	parts     fragments
	conns     table
	stats     Stats
	maxMemory int
	maxConns  int

	now  int64 // the time of the packet that is read
	out  []Piece
	done int   // of out
	err  error // for good once set; yielded behind out
}

// NewReader returns a reader of the capture in src, pcap or pcapng. It reads nothing yet.
func NewReader(src io.Reader, o Options) *Reader {
	r := &Reader{src: source{src: src}, maxMemory: o.MaxMemory, maxConns: o.MaxConns}
	if r.maxMemory <= 0 {
		r.maxMemory = defaultMemory
	}
	if r.maxConns <= 0 {
		r.maxConns = defaultConns
	}
	r.parts.count = &r.stats
	return r
}

// Next returns the next piece. At the end of the capture, or where there is nothing at all,
// it returns io.EOF; a capture that breaks off or is broken yields everything before that
// first, the ends of open connections included, and then an *Error. It returns the same
// error ever after.
func (r *Reader) Next() (Piece, error) {
	for r.done == len(r.out) {
		if r.err != nil {
			return Piece{}, r.err
		}
		r.step()
	}
	r.done++
	return r.out[r.done-1], nil
}

// Buffered reports whether Next has something to return without reading from the source. A
// consumer of a live capture shows what it has before it calls Next without.
func (r *Reader) Buffered() bool {
	for r.done == len(r.out) && r.err == nil && r.in != nil && r.in.whole(&r.src) {
		r.step()
	}
	return r.done < len(r.out) || r.err != nil
}

// Stats returns the counts up to here.
func (r *Reader) Stats() Stats { return r.stats }

// step reads one record. The pieces that were yielded before are not needed any longer.
func (r *Reader) step() {
	if r.done > maxHeld {
		r.out = nil // it grew for one packet that let many segments go
	}
	clear(r.out)
	r.out, r.done = r.out[:0], 0
	err := r.record()
	if err != nil {
		r.parts.finish()
		for _, c := range r.conns.all() {
			r.close(c, 0, EndCapture)
		}
		r.conns = table{}
		r.err = err
	}
}

func (r *Reader) record() (err error) {
	if r.in == nil {
		r.in, err = openFormat(&r.src)
		return err
	}
	isPacket, err := r.in.next(&r.src, &r.rec)
	if err != nil || !isPacket {
		return err
	}
	r.packet()
	return nil
}

// packet reads a packet.
func (r *Reader) packet() {
	r.stats.Packets++
	switch r.parse() {
	case good:
		if r.ip.fragment {
			return
		}
		r.stats.TCP++
		if len(r.tcp.data) < r.tcp.size {
			r.stats.Cut++
		}
		r.now = r.rec.time
		key, from := keyOf(&r.ip, &r.tcp)
		r.segment(&key, from, &r.tcp)
		r.expire()
	case otherLink:
		r.stats.OtherLink++
	case otherProto:
		r.stats.OtherProto++
	case malformed:
		if r.rec.data != nil && len(r.rec.data) < r.rec.wire {
			r.stats.CutHeader++
		} else {
			r.stats.Malformed++
		}
	}
}

// parse takes the packet's headers off; of a fragment that makes no datagram whole there is
// no TCP header to read.
func (r *Reader) parse() verdict {
	if r.rec.data == nil {
		return malformed
	}
	p, version, v := unwrap(r.rec.link, r.rec.data)
	if v != good {
		return v
	}
	wire := r.rec.wire - (len(r.rec.data) - len(p))
	if v := parseIP(p, wire, version, &r.ip); v != good {
		return v
	}
	if r.ip.fragment && r.ip.proto == protoTCP && !r.parts.add(&r.ip, r.rec.time) {
		return good
	}
	if r.ip.proto != protoTCP {
		return otherProto
	}
	return parseTCP(&r.ip, &r.tcp)
}
