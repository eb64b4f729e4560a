// Package ws reads and writes RFC 6455: bytes → messages, close codes and violations; an upgrade request
// → path or refusal. It knows nothing of sockets.
package ws

import (
	"encoding/binary"

	gobwas "github.com/gobwas/ws"
)

// Opcodes of RFC 6455 section 5.2.
const (
	OpContinuation = 0x0
	OpText         = 0x1
	OpBinary       = 0x2
	OpClose        = 0x8
	OpPing         = 0x9
	OpPong         = 0xA
)

// MaxControl is the largest payload of a control frame, in bytes (RFC 6455 section 5.5).
const MaxControl = 125

// AppendFrame appends one whole message as one frame with FIN set, its length in the shortest form. A
// client gives the mask that RFC 6455 section 5.3 asks of it, a server nil.
func AppendFrame(dst []byte, opcode uint8, payload []byte, mask *[4]byte) []byte {
	var bit byte
	if mask != nil {
		bit = 0x80
	}
	dst = append(dst, 0x80|opcode)
	switch n := len(payload); {
	case n <= 125:
		dst = append(dst, bit|byte(n))
	case n <= 0xFFFF:
		dst = binary.BigEndian.AppendUint16(append(dst, bit|126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, bit|127), uint64(n))
	}
	if mask == nil {
		return append(dst, payload...)
	}
	dst = append(dst, mask[:]...)
	start := len(dst)
	dst = append(dst, payload...)
	gobwas.Cipher(dst[start:], *mask, 0)
	return dst
}

// AppendClose appends a Close frame. Code 0 is a Close without a code (RFC 6455 section 7.1.5); a reason
// is cut, at a character, to the 123 bytes that section 5.5 leaves for it.
func AppendClose(dst []byte, code uint16, reason string, mask *[4]byte) []byte {
	if code == 0 {
		return AppendFrame(dst, OpClose, nil, mask)
	}
	for len(reason) > MaxControl-2 {
		cut := MaxControl - 2
		for cut > 0 && reason[cut]&0xC0 == 0x80 {
			cut--
		}
		reason = reason[:cut]
	}
	payload := make([]byte, 0, MaxControl)
	payload = binary.BigEndian.AppendUint16(payload, code)
	return AppendFrame(dst, OpClose, append(payload, reason...), mask)
}
