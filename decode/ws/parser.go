package ws

import (
	"math"

	gobwas "github.com/gobwas/ws"

	"kind4/decode/session"
)

// Kind is what an Item is.
type Kind uint8

// The kinds of Item.
const (
	Message Kind = iota + 1 // a message is whole: Opcode, Data, Size, Fragments, MaxFrame
	Control                 // a ping or a pong: Opcode, Data
	Close                   // a Close: Code, Reason; nothing follows
	Broken                  // RFC 6455 is broken: Violation, Code; nothing follows
)

// Close codes that kind4 itself sends (RFC 6455 section 7.4.1).
const (
	CloseNormal        = 1000
	CloseProtocolError = 1002
	CloseInvalidData   = 1007
)

// HeadSize is how many bytes of a message longer than the limit are kept, where the limit is not below it.
const HeadSize = 64

// Item is one thing that a Parser found.
type Item struct {
	Kind      Kind
	Opcode    uint8
	Data      []byte             // unmasked, a view of the buffer; where Size is beyond the limit the first HeadSize bytes, or as many as the limit
	Size      int64              // bytes of the whole message
	Fragments int                // data frames that the message came in
	MaxFrame  int64              // payload bytes of the largest of them
	Code      uint16             // Close: the peer's, 0 for none. Broken: what to close with
	Reason    string             // Close: the peer's, valid UTF-8
	Violation *session.Violation // Broken
}

// End returns how a path ends of which one side sent a Close, or broke a rule.
func (i *Item) End() *session.End {
	if i.Kind == Broken {
		return &session.End{Kind: session.EndBroken, Violation: i.Violation}
	}
	return &session.End{Kind: session.EndClose, Code: i.Code, Reason: i.Reason}
}

// Parser takes a stream of frames apart, in place: the caller reads into one buffer, calls Next with all of
// it until there is no more, and only then moves what is left with Compact or Carry. Payloads are
// unmasked where they stand, and fragments are joined by moving them down, so the Data of an Item is
// overwritten only by what the caller does. A length is never trusted: a message that will be longer than
// MaxSize is dropped as it comes, and a shorter one lies in the buffer as far as it has come.
//
// The same bytes give the same Items however they were split. The zero Parser reads a server's frames
// without a limit.
type Parser struct {
	Masked  bool  // the peer is a client: its frames must be masked
	MaxSize int64 // bytes beyond which a message is dropped; 0 for no limit

	read   int   // buf[read:] is still to be looked at
	offset int64 // in the stream, of buf[read]
	need   int   // bytes the buffer must hold for the frame at buf[read] to be whole; 0 if unknown
	done   bool

	// The unfinished message.
	start, end int // its payload so far is buf[start:end]
	opcode     uint8
	fragments  int // its frames so far; 0 where there is no unfinished message
	size       int64
	maxFrame   int64
	wire       int64 // bytes of it so far, frame headers included, the frame at buf[read] not

	// A message longer than MaxSize.
	dropping bool
	left     int64 // of the current frame's payload
	fin      bool  // of the current frame
	mask     [4]byte
	masked   int // bytes of this frame's payload that were unmasked or passed over, modulo 4
	head     []byte

	// Behind a gap.
	orphan bool  // a message may go on whose beginning is missing
	skip   int64 // bytes that are still to come of a frame that is passed over

	item Item // that Next returned
}

// Next returns the next Item in buf, which is the caller's until the next call, and nil where more bytes are needed or
// nothing may follow. Between calls, buf may only have grown.
func (p *Parser) Next(buf []byte) *Item {
	var h header
	for !p.done {
		if p.skip > 0 {
			p.need = 0
			if !p.pass(buf) {
				return nil
			}
		}
		if p.dropping && (p.left > 0 || p.fin) {
			if item := p.drop(buf); item != nil || p.left > 0 {
				return item
			}
			continue
		}
		whole, f := p.header(buf[p.read:], &h)
		if f != nil {
			return p.broken(f, CloseProtocolError, p.offset)
		}
		if !whole {
			p.need = 0
			return nil
		}
		if p.orphan && !h.control() {
			p.orphan = h.opcode == OpContinuation && !h.fin
			if h.opcode == OpContinuation {
				p.read += h.size
				p.offset += int64(h.size)
				p.skip = h.length
				continue
			}
		}
		if !h.control() && (p.dropping || h.length > p.limit()-p.size) {
			p.startDrop(buf, &h)
			continue
		}
		total := h.size + int(h.length)
		if len(buf)-p.read < total {
			p.need = p.end - p.start + total
			return nil
		}
		payload := buf[p.read+h.size : p.read+total]
		if h.masked {
			gobwas.Cipher(payload, h.mask, 0)
		}
		at := p.offset
		p.read += total
		p.offset += int64(total)
		if h.control() {
			return p.control(&h, payload, at)
		}
		if item := p.data(&h, buf, payload); item != nil {
			return item
		}
	}
	return nil
}

// found keeps what was found, and returns it.
func (p *Parser) found(item Item) *Item {
	p.item = item
	return &p.item
}

// limit is MaxSize, or what this machine can address.
func (p *Parser) limit() int64 {
	const most = math.MaxInt - 1<<16
	if p.MaxSize <= 0 {
		return most
	}
	return min(p.MaxSize, most)
}

// keep returns how many bytes of a message beyond the limit are kept: always fewer than it has.
func (p *Parser) keep() int { return int(min(p.limit(), HeadSize)) }

// data takes a data frame that is whole, payload being the end of what was read of buf.
func (p *Parser) data(h *header, buf, payload []byte) *Item {
	p.count(h)
	if p.fragments == 1 {
		p.end = p.read
		p.start = p.end - len(payload)
	} else {
		p.end += copy(buf[p.end:], payload)
	}
	if !h.fin {
		return nil
	}
	return p.finish(buf[p.start:p.end:p.end])
}

// count enters a data frame into the unfinished message, or begins one with it.
func (p *Parser) count(h *header) {
	if p.fragments == 0 {
		p.opcode, p.size, p.maxFrame, p.wire = h.opcode, 0, 0, 0
	}
	p.fragments++
	if p.size > math.MaxInt64-h.length {
		p.size = math.MaxInt64
	} else {
		p.size += h.length
	}
	p.maxFrame = max(p.maxFrame, h.length)
	p.wire += int64(h.size) + h.length
}

// finish ends the unfinished message.
func (p *Parser) finish(data []byte) *Item {
	item := &p.item
	item.Kind, item.Opcode, item.Data, item.Size = Message, p.opcode, data, p.size
	item.Fragments, item.MaxFrame = p.fragments, p.maxFrame
	p.fragments, p.size, p.wire = 0, 0, 0
	p.start, p.end = 0, 0
	p.dropping, p.fin, p.head = false, false, nil
	return item
}

// startDrop begins to drop the message that the frame of header h, at buf[read], belongs to.
func (p *Parser) startDrop(buf []byte, h *header) {
	if !p.dropping {
		p.dropping = true
		p.head = append(make([]byte, 0, HeadSize), buf[p.start:min(p.end, p.start+p.keep())]...)
		p.start, p.end = 0, 0
	}
	p.count(h)
	p.wire -= h.length
	p.read += h.size
	p.offset += int64(h.size)
	p.left, p.fin, p.mask, p.masked = h.length, h.fin, h.mask, 0
}

// drop passes over the payload that has come. It returns the message once its last frame has passed.
func (p *Parser) drop(buf []byte) *Item {
	p.need = 0
	n := int(min(p.left, int64(len(buf)-p.read)))
	if room := min(n, p.keep()-len(p.head)); room > 0 {
		was := len(p.head)
		p.head = append(p.head, buf[p.read:p.read+room]...)
		if p.Masked {
			gobwas.Cipher(p.head[was:], p.mask, p.masked)
		}
	}
	p.masked = (p.masked + n) & 3
	p.read += n
	p.offset += int64(n)
	p.wire += int64(n)
	p.left -= int64(n)
	if p.left > 0 || !p.fin {
		return nil
	}
	return p.finish(p.head)
}

// control takes a control frame that is whole. Between the fragments of a message its payload is copied,
// since the next fragment will be moved over it.
func (p *Parser) control(h *header, payload []byte, at int64) *Item {
	if h.opcode == OpClose {
		return p.close(payload, at)
	}
	if p.fragments > 0 {
		payload = append([]byte(nil), payload...)
	}
	return p.found(Item{Kind: Control, Opcode: h.opcode, Data: payload[:len(payload):len(payload)], Size: h.length})
}

// close takes the payload of a Close frame.
func (p *Parser) close(payload []byte, at int64) *Item {
	code, reason, f := closePayload(payload)
	if f != nil {
		return p.broken(&f.fault, f.code, at)
	}
	p.done = true
	return p.found(Item{Kind: Close, Opcode: OpClose, Code: code, Reason: reason})
}

func (p *Parser) broken(f *fault, code uint16, at int64) *Item {
	p.done = true
	return p.found(Item{Kind: Broken, Code: code, Violation: &session.Violation{Section: f.section, Offset: at, Message: f.message}})
}

// Offset returns how many bytes of the stream were taken apart.
func (p *Parser) Offset() int64 { return p.offset }

// Unfinished says what the end of the stream would cut off: where, and how many bytes of the message had come,
// frame headers included; of a control frame between two messages, how many of the frame. A control frame
// inside a message is no part of it. buf is as in the last call of Next.
func (p *Parser) Unfinished(buf []byte) (session.Where, int64) {
	rest := buf[p.read:]
	partial := p.wire + int64(len(rest))
	switch {
	case p.done:
		return 0, 0
	case p.skip > 0:
		return session.InPayload, 0
	case p.dropping && p.left > 0:
		return session.InPayload, partial
	case len(rest) > 0 && rest[0]&0x0F >= OpClose:
		if p.fragments > 0 {
			return session.BetweenFragments, p.wire
		}
		return session.InControl, partial
	case len(rest) > 0:
		if whole, _ := p.header(rest, new(header)); whole {
			return session.InPayload, partial
		}
		return session.InHeader, partial
	case p.fragments > 0:
		return session.BetweenFragments, partial
	}
	return 0, 0
}

// Kept returns how many bytes of buf are still needed.
func (p *Parser) Kept(buf []byte) int { return p.end - p.start + len(buf) - p.read }

// Need returns how many bytes a buffer must hold for the message's next frame to be whole in it, 0 where
// that is not known yet. It is a peer's word: never allocate that much before it has come.
func (p *Parser) Need() int { return p.need }

// Compact moves what is still needed to the front of buf and returns it.
func (p *Parser) Compact(buf []byte) []byte {
	if p.start > 0 {
		p.end = copy(buf, buf[p.start:p.end])
		p.start = 0
	}
	n := p.end
	if p.read > n {
		n += copy(buf[n:], buf[p.read:])
		p.read = p.end
		return buf[:n]
	}
	return buf
}

// Carry appends what is still needed to dst, which is empty and of other memory, and returns it: the
// buffer to go on with.
func (p *Parser) Carry(dst, buf []byte) []byte {
	p.item.Data = nil // or it would keep the other memory
	dst = append(dst, buf[p.start:p.end]...)
	p.start, p.end = 0, len(dst)
	dst = append(dst, buf[p.read:]...)
	p.read = p.end
	return dst
}
