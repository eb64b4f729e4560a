package render

import (
	"encoding/binary"

	"kind4/decode"
)

// rawPrinter writes messages as received, tag included, with nothing between. Of an oversize message it
// writes the bytes that were kept.
type rawPrinter struct{}

func (rawPrinter) AppendMessage(dst []byte, m *Message) []byte {
	return m.appendBytes(dst, m.Frame.Message)
}

// lp32Printer writes each message behind its length, u32 big-endian. Of an oversize message it writes the bytes
// that were kept, behind their own number: the stream stays well-formed, the message stays cut.
type lp32Printer struct{}

func (lp32Printer) AppendMessage(dst []byte, m *Message) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(m.Frame.Message)))
	return m.appendBytes(dst, m.Frame.Message)
}

// payloadPrinter writes all after the tag, as received, and a newline; of a text message, which has no tag,
// the whole text. An empty message is an empty line. With safe, for a terminal, what would drive it is escaped.
type payloadPrinter struct{ safe bool }

func (p payloadPrinter) AppendMessage(dst []byte, m *Message) []byte {
	if p.safe {
		return append(m.appendParts(dst, body(m.Frame), decode.AppendSafe), '\n')
	}
	return append(m.appendBytes(dst, body(m.Frame)), '\n')
}

// body returns what stands behind the tag, or all of a text message.
func body(f *decode.Frame) []byte {
	if f.Type == decode.TypeText || len(f.Message) == 0 {
		return f.Message
	}
	return f.Message[1:]
}
