package packet

const (
	// maxDatagrams is how many IP datagrams may be incomplete at once; the oldest goes
	// first. Each holds 64 KiB at most.
	maxDatagrams = 64
	// fragmentWait is how long a datagram's fragments are waited for, in microseconds: 60
	// seconds, as RFC 8200 section 4.5 has it.
	fragmentWait = 60e6
	maxDatagram  = 65535
)

// fragments puts IP datagrams together from their fragments. Of bytes that came twice the
// first are kept. Fragments that the snap length cut are not used.
type fragments struct {
	open  []*partial // oldest first
	count *Stats
}

type fragmentKey struct {
	src, dst address
	id       uint32
	proto    uint8
}

// partial is a datagram that is not whole yet.
type partial struct {
	key    fragmentKey
	since  int64
	data   []byte
	have   [(maxDatagram/8 + 1 + 63) / 64]uint64 // one bit for 8 bytes
	filled int                                   // bits set
	size   int                                   // of the whole, 0 while the last fragment is to come
	count  int64                                 // fragments
}

// add takes the fragment d and reports whether it made a datagram whole, which d then is.
func (f *fragments) add(d *datagram, now int64) bool {
	f.count.Fragments++
	size := len(d.data)
	if d.more {
		size &^= 7
	}
	if len(d.data) < d.size || size == 0 || d.offset+size > maxDatagram {
		f.count.Unfinished++
		return false
	}
	p := f.find(d, now)
	p.count++
	end := d.offset + size
	if p.size != 0 && end > p.size || !d.more && end < len(p.data) {
		f.drop(p) // they contradict each other: a receiver drops them all
		return false
	}
	p.put(d.data[:size], d.offset)
	if !d.more {
		p.size = end
	}
	if p.size == 0 || p.filled < (p.size+7)/8 {
		return false
	}
	d.data, d.size, d.fragment = p.data, p.size, false
	f.remove(p)
	return true
}

// find returns the datagram that d is of.
func (f *fragments) find(d *datagram, now int64) *partial {
	for len(f.open) > 0 && now-f.open[0].since > fragmentWait {
		f.drop(f.open[0])
	}
	key := fragmentKey{d.src, d.dst, d.id, d.proto}
	if d.src[10] != 0xff {
		key.proto = 0 // IPv6 tells datagrams apart without it
	}
	for _, p := range f.open {
		if p.key == key {
			return p
		}
	}
	if len(f.open) == maxDatagrams {
		f.drop(f.open[0])
	}
	p := &partial{key: key, since: now}
	f.open = append(f.open, p)
	return p
}

// put stores b at offset, of bytes that are there already only the new ones.
func (p *partial) put(b []byte, offset int) {
	if end := offset + len(b); end > len(p.data) {
		p.data = append(p.data, make([]byte, end-len(p.data))...)
	}
	for at := 0; at < len(b); at += 8 {
		unit := (offset + at) / 8
		if p.have[unit/64]>>(unit%64)&1 == 0 {
			p.have[unit/64] |= 1 << (unit % 64)
			p.filled++
			copy(p.data[offset+at:], b[at:min(at+8, len(b))])
		}
	}
}

// drop gives p up.
func (f *fragments) drop(p *partial) {
	f.count.Unfinished += p.count
	f.remove(p)
}

// finish gives up what is left at the end of the capture.
func (f *fragments) finish() {
	for len(f.open) > 0 {
		f.drop(f.open[0])
	}
}

func (f *fragments) remove(p *partial) {
	for i, o := range f.open {
		if o == p {
			copy(f.open[i:], f.open[i+1:])
			f.open[len(f.open)-1] = nil
			f.open = f.open[:len(f.open)-1]
			return
		}
	}
}
