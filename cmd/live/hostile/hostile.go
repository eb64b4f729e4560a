// Package hostile is a table of what a peer may send on a WebSocket path, section by section of RFC 6455: rules broken,
// each in every way, and what only looks broken. A Case also says what is to become of it wherever it is cut off, from
// how its frames were laid out and not by reading its bytes. It is for tests.
package hostile

import (
	"encoding/binary"
	"slices"

	"kind4/decode"
	"kind4/decode/session"
)

// MaxSize is the limit of a message, in bytes, that the cases are made for.
const MaxSize = 128 << 10

// Case is what a peer sends on one path, behind the upgrade.
type Case struct {
	Name     string // begins with the section of RFC 6455
	Frames   []Frame
	Findings []decode.Code // that all of it gives: of the messages, then of the ending
	Exit     int           // of tail --once
}

// Frame is one frame, right or wrong.
type Frame struct {
	first   byte
	payload string
	form    int    // bytes of the extended length: 0, 2 or 8; -1 for the shortest that holds it
	length  uint64 // said in the header; the payload may be less where the frame is the last
	flipped bool   // masked where it must not be, or the reverse
	key     [4]byte
	fault   *fault
}

// fault is the rule that a frame breaks.
type fault struct {
	section string
	code    uint16 // that answers it
	seen    int    // bytes of the frame that show it; whole for all of them
}

// The bytes of a frame that show a fault.
const (
	firstByte  = 1
	secondByte = 2
	length16   = 4
	length64   = 10
	whole      = 0
)

// frame makes a frame of FIN, RSV and opcode, and a payload.
func frame(first byte, payload string) Frame {
	return Frame{first: first, payload: payload, form: -1, length: uint64(len(payload)), key: [4]byte{0x37, 0xfa, 0x21, 0x3d}}
}

func bin(payload string) Frame     { return frame(0x82, payload) }
func text(payload string) Frame    { return frame(0x81, payload) }
func begin(payload string) Frame   { return frame(0x02, payload) } // the first fragment
func more(payload string) Frame    { return frame(0x00, payload) }
func last(payload string) Frame    { return frame(0x80, payload) }
func ping(payload string) Frame    { return frame(0x89, payload) }
func pong(payload string) Frame    { return frame(0x8A, payload) }
func closing(payload string) Frame { return frame(0x88, payload) }

// closeCode is a Close with a code and a reason.
func closeCode(code uint16, reason string) Frame {
	return closing(string(binary.BigEndian.AppendUint16(nil, code)) + reason)
}

// broken says which rule the frame breaks, what answers it, and how many of its bytes show it.
func (f Frame) broken(section string, code uint16, seen int) Frame {
	f.fault = &fault{section, code, seen}
	return f
}

// in writes the length in so many bytes behind the second.
func (f Frame) in(form int) Frame { f.form = form; return f }

// claims has the header say another length, in eight bytes.
func (f Frame) claims(length uint64) Frame { f.form, f.length = 8, length; return f }

// keyed is the frame under another masking key.
func (f Frame) keyed(key [4]byte) Frame { f.key = key; return f }

// flip masks the frame where it must not be, and the reverse (section 5.1).
func (f Frame) flip() Frame { f.flipped = true; return f.broken("5.1", 1002, secondByte) }

func (f *Frame) control() bool { return f.first&0x08 != 0 }

// header is the frame's header; the role of the sender says whether it is masked.
func (f *Frame) header(client bool) []byte {
	masked := client != f.flipped
	form := f.form
	if form < 0 {
		switch {
		case f.length > 0xFFFF:
			form = 8
		case f.length > 125:
			form = 2
		default:
			form = 0
		}
	}
	var b []byte
	switch form {
	case 0:
		b = []byte{f.first, byte(f.length)}
	case 2:
		b = binary.BigEndian.AppendUint16([]byte{f.first, 126}, uint16(f.length))
	default:
		b = binary.BigEndian.AppendUint64([]byte{f.first, 127}, f.length)
	}
	if masked {
		b[1] |= 0x80
		b = append(b, f.key[:]...)
	}
	return b
}

func (f *Frame) append(b []byte, client bool) []byte {
	b = append(b, f.header(client)...)
	at := len(b)
	b = append(b, f.payload...)
	if client != f.flipped {
		for i := range b[at:] {
			b[at+i] ^= f.key[i&3]
		}
	}
	return b
}

// Bytes returns what is sent: a client's frames are masked, a server's are not (section 5.1).
func (c *Case) Bytes(client bool) []byte {
	var b []byte
	for i := range c.Frames {
		b = c.Frames[i].append(b, client)
	}
	return b
}

// Message is one that is whole.
type Message struct {
	Opcode    uint8
	Data      string // all of it, or the first 64 bytes where it is longer than MaxSize
	Size      int64
	Fragments int
	MaxFrame  int64
}

// Facts is what is to be made of a path.
type Facts struct {
	Messages []Message
	Pings    []string // and their answers
	Pongs    []string
	End      session.End // of an end of TCP in order, where nothing ended the path before; the Violation without a text
}

// unfinished is the message that a path is in the middle of.
type unfinished struct {
	opcode    uint8
	data      string
	fragments int
	largest   int64
	wire      int64 // bytes of its frames
}

// At says what is to be made of the first n bytes and the end behind them.
func (c *Case) At(n int, client bool) (facts Facts) {
	var open unfinished
	at := 0 // where the frame begins
	for i := range c.Frames {
		f := &c.Frames[i]
		came := n - at
		header := len(f.header(client))
		here := min(came, header+len(f.payload))
		complete := came >= header && uint64(came-header) >= f.length
		if b := f.fault; b != nil && (b.seen != whole && came >= b.seen || b.seen == whole && complete) {
			facts.End = session.End{Kind: session.EndBroken, Sent: b.code,
				Violation: &session.Violation{Section: b.section, Offset: int64(at)}}
			return facts
		}
		if !complete {
			facts.End = cutOff(f, &open, int64(here), here >= header)
			return facts
		}
		if f.first&0x0F == 0x8 {
			facts.End = closed(f.payload)
			return facts
		}
		facts.take(f, &open, header)
		at += header + len(f.payload)
	}
	facts.End = cutOff(nil, &open, 0, false)
	return facts
}

// cutOff is the end of TCP after so many bytes of a frame, none for between two.
func cutOff(f *Frame, open *unfinished, came int64, header bool) session.End {
	end := session.End{Kind: session.EndEOF}
	switch {
	case (came == 0 || f.control()) && open.fragments > 0:
		end.Where, end.Partial = session.BetweenFragments, open.wire
	case came == 0:
	case f.control():
		end.Where, end.Partial = session.InControl, came
	case header:
		end.Where, end.Partial = session.InPayload, open.wire+came
	default:
		end.Where, end.Partial = session.InHeader, open.wire+came
	}
	return end
}

// closed is the end by a Close with that payload, which is answered with its code.
func closed(payload string) session.End {
	if payload == "" {
		return session.End{Kind: session.EndClose}
	}
	code := binary.BigEndian.Uint16([]byte(payload))
	return session.End{Kind: session.EndClose, Code: code, Reason: payload[2:], Sent: code}
}

// take enters a frame that is whole and breaks no rule.
func (facts *Facts) take(f *Frame, open *unfinished, header int) {
	switch f.first & 0x0F {
	case 0x9:
		facts.Pings = append(facts.Pings, f.payload)
		return
	case 0xA:
		facts.Pongs = append(facts.Pongs, f.payload)
		return
	}
	if open.fragments == 0 {
		open.opcode = f.first & 0x0F
	}
	open.fragments++
	open.data += f.payload
	open.largest = max(open.largest, int64(f.length))
	open.wire += int64(header + len(f.payload))
	if f.first&0x80 == 0 {
		return
	}
	m := Message{open.opcode, open.data, int64(len(open.data)), open.fragments, open.largest}
	if m.Size > MaxSize {
		m.Data = m.Data[:64]
	}
	facts.Messages = append(facts.Messages, m)
	*open = unfinished{}
}

// Cases returns the table.
func Cases() []Case { return slices.Concat(framing(), fragmenting(), controls(), closes(), limits()) }
