package ws

import (
	"math"
	"math/bits"

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
const plausibleStart = 48

// What speaks for a chain of frames is counted in bits: n of them are a chance of 1 in 2 to the n that bytes which are
// none look so. A header alone has 9 of a whole binary message, and 3 of anything else; but below a mask text is not
// random, and letters that differ in their last bits may look like headers over and over. So a frame has all of its 9
// only where its payload is text, which it is not under a mask that is none, or empty.
const (
	fairBits    = 9  // of a binary message that is empty or text
	messageBits = 4  // of another
	otherBits   = 3  // of a text message, a fragment, a ping or a pong
	endBits     = 7  // where the last frame ends with the stream
	closeBits   = 15 // of a Close of 2 bytes that are a code
	tellingBits = 22 // of a message that begins as one does on its path
	firstBits   = 12 // asked for directly behind a gap: 2 messages of text, or 3 of anything
)

// asked is how many bits are asked for at a place, so many bytes behind the gap. A segment that is lost is most often
// lost whole, and segments begin where frames do: directly behind the gap little is asked for. Elsewhere every place
// before was a chance to err, so that what is asked for grows with their number: 3 messages of text within 1 MiB, 6 of
// anything. What is found within 1 MiB is then wrong less than once in 1000 gaps.
func asked(passed int) int {
	if passed == 0 {
		return firstBits
	}
	return min(10+bits.Len(uint(passed)), tellingBits)
}

// Boundary looks in b, which stands so many bytes behind a gap in one side's stream, for the beginning of a frame, and
// returns where the first is that is a frame beyond doubt, since from there on one leads to the next (RFC 6455 section
// 5.2): what they hold, which may be as faulty as it likes, is only looked at where their number is not enough. message
// says of the first bytes of a payload, at most 48, whether a message begins so. Where there is none Boundary says from
// where on there may be one once more has come; what stands before is not needed any more. With b the stream ends where
// ended is true.
//
// At each byte of b at most 16 headers are read, and only frames up to 65535 bytes are waited for.
func Boundary(b []byte, masked, ended bool, passed int, message func(start []byte) bool) (at int, likely Likely) {
	p := Parser{Masked: masked}
	at = len(b)
	for i := range b {
		if !mayBegin(b[i:], masked) {
			continue
		}
		switch p.chain(b[i:], passed+i, ended, message) {
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
	return len(start) >= int(min(h.length, 8)) && message(start)
}

// mayBegin reports whether the first two bytes of a frame may be those of b, so far as they are there.
func mayBegin(b []byte, masked bool) bool {
	const valid = 1<<OpContinuation | 1<<OpText | 1<<OpBinary | 1<<OpClose | 1<<OpPing | 1<<OpPong
	return b[0]&0x70 == 0 && valid>>(b[0]&0x0F)&1 == 1 && (len(b) < 2 || b[1]&0x80 != 0 == masked)
}

// maxChain is how many frames are followed.
const maxChain = 16

// chain judges whether frames begin at the front of b, which stands so many bytes behind a gap.
func (p *Parser) chain(b []byte, passed int, ended bool, message func([]byte) bool) Likely {
	p.orphan, p.fragments = true, 0
	have, need := 0, asked(passed)
	fair := true // every frame so far is a binary message of text, or empty
	for n := range maxChain {
		var h header
		whole, f := p.header(b, &h)
		switch {
		case f != nil:
			return No
		case have >= need:
			return Yes
		case ended && len(b) == 0 && (have+endBits >= need || passed == 0 && have >= messageBits):
			return Yes
		case !whole && ended:
			return No
		case !whole:
			return Maybe
		}
		payload := b[h.size:]
		all := int64(len(payload)) >= h.length
		start := p.beginning(&h, payload)
		if len(start) < int(min(h.length, plausibleStart)) && !ended {
			return Maybe
		}
		speaks := p.speaks(&h, start, payload, message)
		switch {
		case speaks == tellingBits && n > 0 && passed > 0 && !fair:
			return No // what stands before it leads to it by chance: it is found by itself
		case speaks == tellingBits && h.length > math.MaxUint16:
			return Yes
		case h.length > math.MaxUint16, !all && ended:
			return No
		case !all:
			return Maybe
		}
		have += speaks
		fair = fair && speaks == fairBits
		b = payload[h.length:]
		if h.opcode == OpClose {
			return closes(have >= need, ended, len(b))
		}
		if !h.control() {
			p.orphan, p.fragments = false, 1
			if h.fin {
				p.fragments = 0
			}
		}
	}
	return No
}

// closes judges a chain that a Close ends, behind which so many bytes come: none should, and where that is so to the end
// of the stream nothing else is asked for.
func closes(convinced, ended bool, behind int) Likely {
	switch {
	case convinced, ended && behind == 0:
		return Yes
	case behind == 0:
		return Maybe
	}
	return No
}

// speaks returns how many bits a frame has.
func (p *Parser) speaks(h *header, start, payload []byte, message func([]byte) bool) int {
	switch {
	case h.opcode == OpClose && h.length > 0:
		if int64(len(payload)) < h.length {
			return 0
		}
		if _, _, f := closePayload(p.payload(h, payload[:h.length])); f != nil {
			return 0
		}
		if h.length > 2 {
			return fairBits
		}
		return closeBits
	case h.control(), h.opcode == OpContinuation:
		return otherBits
	case message(start):
		return tellingBits
	case h.length > math.MaxUint16 && h.length <= math.MaxUint32 && h.opcode == OpBinary: // four bytes of the length are 0
		return tellingBits
	case h.opcode != OpBinary || !h.fin:
		return otherBits
	case isText(start):
		return fairBits
	}
	return messageBits
}

// isText reports whether a payload begins as text does, its first byte aside, which may be a tag.
func isText(start []byte) bool {
	for _, c := range start[min(1, len(start)):] {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7f {
			return false
		}
	}
	return true
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
