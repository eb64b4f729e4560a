package render

import (
	"strconv"

	"kind4/decode"
)

// hexPrinter writes each message as a dump whose offsets begin at 0, with a note behind the characters of the
// first row. xxd -r ignores the note and turns the dump of one message back into its bytes. An empty message is
// an offset with its note.
type hexPrinter struct {
	theme   *Theme
	ascii   bool
	scratch []byte
}

func newHexPrinter(o Options) Printer {
	return &hexPrinter{theme: NewTheme(o.Color), ascii: o.ASCII}
}

func (p *hexPrinter) AppendMessage(dst []byte, m *Message) []byte {
	b := m.Frame.Message
	if len(b) == 0 {
		return append(p.appendNote(append(dst, "00000000:  "...), m), '\n')
	}
	first := b[:min(len(b), rowBytes)]
	if m.Frame.Type == decode.TypeText {
		dst = appendRow(dst, first, 0)
	} else {
		dst = appendTagRow(dst, first, 0, p.theme.Tag)
	}
	dst = appendSpaces(dst, rowBytes-len(first)+2)
	dst = append(p.appendNote(dst, m), '\n')
	at := len(first)
	for m.Spill != nil && len(b)-at > spillRows {
		dst = m.spill(appendRows(dst, b[at:at+spillRows], at))
		at += spillRows
	}
	return appendRows(dst, b[at:], at)
}

// appendNote appends what the message is: "#12 ch 2 notification progress 84 B".
func (p *hexPrinter) appendNote(dst []byte, m *Message) []byte {
	f := m.Frame
	dst = append(dst, '#')
	dst = strconv.AppendUint(dst, m.Seq, 10)
	if m.Event != nil && m.Event.HasChannel {
		dst = append(dst, " ch "...)
		dst = strconv.AppendUint(dst, uint64(m.Event.Channel), 10)
	}
	if proxy := m.proxy(); proxy != "" {
		dst = decode.AppendSafe(append(dst, " of "...), []byte(proxy))
	}
	dst = append(dst, ' ')
	verdict := p.theme.Verdict(f)
	dst = append(dst, verdict.Open...)
	dst = append(dst, f.Type.String()...)
	if f.Type == decode.TypeUnknown {
		dst = append(dst, " tag "...)
		dst = strconv.AppendUint(dst, uint64(f.Tag), 10)
	}
	dst = append(dst, verdict.Close...)
	dst = p.appendDetail(dst, f)
	dst = append(dst, ' ')
	dst = append(dst, p.theme.Dim.Open...)
	dst = strconv.AppendInt(dst, f.Size, 10)
	dst = append(dst, " B"...)
	dst = append(dst, p.theme.Dim.Close...)
	if f.Size > int64(len(f.Message)) {
		dst = append(dst, ", the first "...)
		dst = strconv.AppendInt(dst, int64(len(f.Message)), 10)
		dst = append(dst, " here"...)
	}
	return dst
}

// maxNoted is the most characters of a method in a note.
const maxNoted = 64

// appendDetail appends the variant, and the method where that says more, an error's code or a failure's.
func (p *hexPrinter) appendDetail(dst []byte, f *decode.Frame) []byte {
	switch f.Type {
	case decode.TypeNotification:
		dst = append(dst, ' ')
		dst = append(dst, f.Variant.String()...)
		if f.Variant == decode.Custom {
			dst = append(dst, ' ')
			p.scratch = f.AppendMethodHead(p.scratch[:0])
			dst = append(dst, p.theme.Method.Open...)
			if len(p.scratch) == 0 {
				dst = append(dst, `""`...)
			}
			dst = appendSafeCut(dst, p.scratch, maxNoted, ellipsis(p.ascii))
			dst = append(dst, p.theme.Method.Close...)
		}
	case decode.TypeError:
		dst = append(dst, ' ')
		dst = strconv.AppendInt(dst, int64(f.Code), 10)
	case decode.TypeUndecodable:
		if f.Err != nil {
			dst = append(dst, ' ')
			dst = append(dst, f.Err.Code.String()...)
		}
	}
	return dst
}
