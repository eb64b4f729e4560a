package ws

import (
	"encoding/binary"
	"fmt"
)

// header is a frame's header (RFC 6455 section 5.2).
type header struct {
	fin    bool
	opcode uint8
	masked bool
	mask   [4]byte
	size   int   // of the header itself, in bytes
	length int64 // of the payload, in bytes
}

func (h *header) control() bool { return h.opcode >= OpClose }

// fault is a broken rule, before it is known where in the stream.
type fault struct{ section, message string }

// header reads the header at the front of b into h. It says whole=false while bytes are missing, and finds a
// fault as soon as the byte at fault is there, so that the verdict does not hang on how bytes were split.
func (p *Parser) header(b []byte, h *header) (whole bool, f *fault) {
	*h = header{}
	if len(b) < 1 {
		return false, nil
	}
	h.fin, h.opcode = b[0]&0x80 != 0, b[0]&0x0F
	if f = p.firstByte(b[0], h); f != nil || len(b) < 2 {
		return false, f
	}
	h.masked = b[1]&0x80 != 0
	if h.masked != p.Masked {
		if p.Masked {
			return false, &fault{"5.1", "a client's frame is not masked"}
		}
		return false, &fault{"5.1", "a server's frame is masked"}
	}
	short := int64(b[1] & 0x7F)
	if h.control() && short > MaxControl {
		return false, &fault{"5.5", "a " + opcodeName(h.opcode) + " frame is longer than 125 bytes"}
	}
	return h.lengths(b, short)
}

// firstByte checks what FIN, RSV and the opcode say (RFC 6455 sections 5.2, 5.4 and 5.5).
func (p *Parser) firstByte(b byte, h *header) *fault {
	open := p.fragments > 0
	switch {
	case b&0x70 != 0:
		return &fault{"5.2", fmt.Sprintf("reserved bits are set (first byte 0x%02x) and no extension was negotiated", b)}
	case h.opcode > OpBinary && h.opcode < OpClose, h.opcode > OpPong:
		return &fault{"5.2", fmt.Sprintf("reserved opcode 0x%x", h.opcode)}
	case h.control() && !h.fin:
		return &fault{"5.5", "a " + opcodeName(h.opcode) + " frame is fragmented"}
	case h.opcode == OpContinuation && !open && !p.orphan:
		return &fault{"5.4", "a continuation frame, and no message to continue"}
	case h.opcode == OpClose && open:
		return &fault{"5.4", "a close frame inside an unfinished message"}
	case h.opcode != OpContinuation && !h.control() && open:
		return &fault{"5.4", "a new message inside an unfinished one"}
	}
	return nil
}

// lengths reads the extended length and the mask behind the first two bytes.
func (h *header) lengths(b []byte, short int64) (whole bool, f *fault) {
	h.size, h.length = 2, short
	switch short {
	case 126:
		if len(b) < 4 {
			return false, nil
		}
		h.size, h.length = 4, int64(binary.BigEndian.Uint16(b[2:]))
		if h.length < 126 {
			return false, longForm(h.length, 2)
		}
	case 127:
		if len(b) < 10 {
			return false, nil
		}
		length := binary.BigEndian.Uint64(b[2:])
		if length>>63 != 0 {
			return false, &fault{"5.2", "the top bit of a 64-bit length is set"}
		}
		h.size, h.length = 10, int64(length)
		if h.length <= 0xFFFF {
			return false, longForm(h.length, 8)
		}
	}
	if h.masked {
		if len(b) < h.size+4 {
			return false, nil
		}
		copy(h.mask[:], b[h.size:])
		h.size += 4
	}
	return true, nil
}

func longForm(length int64, size int) *fault {
	return &fault{"5.2", fmt.Sprintf("the length %d is not in its shortest form: it stands in %d bytes", length, size)}
}

func opcodeName(opcode uint8) string {
	switch opcode {
	case OpContinuation:
		return "continuation"
	case OpText:
		return "text"
	case OpBinary:
		return "binary"
	case OpClose:
		return "close"
	case OpPing:
		return "ping"
	case OpPong:
		return "pong"
	}
	return fmt.Sprintf("0x%x", opcode)
}
