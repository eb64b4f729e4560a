package ws

import (
	"math"

	gobwas "github.com/gobwas/ws"
)

// Lose takes in that n bytes of the stream are missing behind buf, which is as in the last call of Next; n is negative
// where nobody knows how many. The message that they cut is dropped, and so is what comes of it behind them. It returns
// whether the next frame is known to begin: that is so where the bytes belong to one payload. Where it is not, Resume
// goes on. Either way the buffer is empty from here on.
func (p *Parser) Lose(buf []byte, n int64) (known bool) {
	left, open := p.unread(buf)
	p.offset += int64(len(buf)-p.read) + max(n, 0)
	p.read, p.start, p.end, p.need = 0, 0, 0, 0
	p.fragments, p.size, p.wire = 0, 0, 0
	p.dropping, p.left, p.fin, p.head = false, 0, false, nil
	p.orphan, p.skip = true, 0
	if n < 0 || n > left {
		return false
	}
	p.orphan, p.skip = open, left-n
	return true
}

// unread returns how many bytes of the frame under way are still to come behind buf, 0 between two frames and inside a
// header, and whether its message goes on behind it.
func (p *Parser) unread(buf []byte) (left int64, open bool) {
	rest := buf[p.read:]
	switch {
	case p.skip > 0:
		return p.skip, p.orphan
	case p.dropping && p.left > 0:
		return p.left, !p.fin
	case len(rest) == 0:
		return 0, true
	}
	var h header
	if whole, _ := p.header(rest, &h); !whole {
		return 0, true
	}
	if h.length > math.MaxInt64-int64(h.size) {
		return 0, true
	}
	open = !h.fin
	if h.control() {
		open = p.fragments > 0 || p.orphan
	}
	return int64(h.size) + h.length - int64(len(rest)), open
}

// Resume says that a frame begins at buf[at], where buf is what came behind the gap.
func (p *Parser) Resume(at int) {
	p.offset += int64(at)
	p.read = at
}

// pass passes over what has come of a frame that is not looked at, and reports whether that was its end.
func (p *Parser) pass(buf []byte) bool {
	n := int(min(p.skip, int64(len(buf)-p.read)))
	p.read += n
	p.offset += int64(n)
	p.skip -= int64(n)
	return p.skip == 0
}

// Likely says how likely it is that a frame begins somewhere.
type Likely uint8

// The degrees.
const (
	No    Likely = iota
	Maybe        // as far as what has come can tell
	Yes
)

// plausibleStart is how many bytes of a payload a caller of Boundary is given to judge a message by, at most.
const plausibleStart = 8

// Boundary looks in b, which begins anywhere in one side's stream, for the beginning of a frame, and returns where the
// first is that is a frame beyond doubt: from there on one frame leads to the next (RFC 6455 section 5.2), and there is
// a Close with a code, or one without that ends the stream, or a message that begins as one does on its path, which message says of its first bytes, at most
// 8. Where there is none it says from where on there may be one once more has come; what stands before is not needed
// any more. With b the stream ends where ended is true.
func Boundary(b []byte, masked, ended bool, message func(start []byte) bool) (at int, likely Likely) {
	p := Parser{Masked: masked, orphan: true}
	at = len(b)
	for i := range b {
		if !mayBegin(b[i:], masked) {
			continue
		}
		switch p.chain(b[i:], ended, message) {
		case Yes:
			return i, Yes
		case Maybe:
			if likely == No {
				at, likely = i, Maybe
			}
		}
	}
	return at, likely
}

// Begins reports whether b, which begins where a frame is likely to, begins with one that holds a message whole, of which
// message says that it begins as one does on its path. The rest of the frame need not be there.
func Begins(b []byte, masked bool, message func(start []byte) bool) bool {
	p := Parser{Masked: masked}
	if len(b) == 0 {
		return false
	}
	var h header
	whole, f := p.header(b, &h)
	if f != nil || !whole || !h.fin || h.opcode != OpBinary {
		return false
	}
	start := p.beginning(&h, b[h.size:])
	return len(start) == int(min(h.length, plausibleStart)) && message(start)
}

// mayBegin reports whether the first two bytes of a frame may be those of b, so far as they are there.
func mayBegin(b []byte, masked bool) bool {
	const valid = 1<<OpContinuation | 1<<OpText | 1<<OpBinary | 1<<OpClose | 1<<OpPing | 1<<OpPong
	return b[0]&0x70 == 0 && valid>>(b[0]&0x0F)&1 == 1 && (len(b) < 2 || b[1]&0x80 != 0 == masked)
}

// maxChain is how many frames that say nothing by themselves are followed in search of one that does.
const maxChain = 16

// chain judges whether frames begin at the front of b.
func (p *Parser) chain(b []byte, ended bool, message func([]byte) bool) Likely {
	convinced := false
	for range maxChain {
		var h header
		whole, f := p.header(b, &h)
		switch {
		case f != nil:
			return No
		case convinced:
			return Yes
		case !whole && ended:
			return No
		case !whole:
			return Maybe
		}
		payload := b[h.size:]
		all := int64(len(payload)) >= h.length
		start := p.beginning(&h, payload)
		need := int(min(h.length, plausibleStart))
		switch {
		case h.opcode == OpClose && h.length == 0 && len(payload) == 0 && ended:
			return Yes
		case h.opcode == OpClose && all && len(start) >= 2:
			_, _, f := closePayload(p.payload(&h, payload[:h.length]))
			if f != nil {
				return No
			}
			convinced = true
		case h.opcode == OpBinary && len(start) < need && !ended:
			return Maybe
		case h.opcode == OpBinary && !message(start):
			return No
		case h.opcode == OpBinary && h.length > math.MaxUint16: // four bytes of the length are 0
			return Yes
		case h.opcode == OpBinary:
			convinced = true
		case !h.control() && h.length > math.MaxUint16:
			return No
		}
		if !all && ended {
			return No
		}
		if !all {
			return Maybe
		}
		b = payload[h.length:]
	}
	return No
}

// beginning returns the first bytes of a frame's payload, unmasked.
func (p *Parser) beginning(h *header, payload []byte) []byte {
	return p.payload(h, payload[:min(int64(len(payload)), h.length, plausibleStart)])
}

// payload returns a copy of payload, from the frame's first byte on, unmasked.
func (p *Parser) payload(h *header, payload []byte) []byte {
	c := append(make([]byte, 0, MaxControl), payload...)
	if h.masked {
		gobwas.Cipher(c, h.mask, 0)
	}
	return c
}
