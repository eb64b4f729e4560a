package render

import (
	"bytes"
	"strconv"

	"kind4/decode"
)

// prettyPrinter writes a header line, the body, the findings and a blank line.
type prettyPrinter struct {
	theme   *Theme
	options Options
	clock   localClock
	scratch []byte
}

func newPrettyPrinter(o Options) Printer {
	return &prettyPrinter{theme: NewTheme(o.Color), options: o, clock: localClock{zone: o.Zone}}
}

func (p *prettyPrinter) AppendMessage(dst []byte, m *Message) []byte {
	dst = p.appendHeader(dst, m)
	dst = p.appendBody(dst, m)
	for i := range m.Findings {
		dst = p.appendFinding(dst, &m.Findings[i], m.Frame)
	}
	return append(dst, '\n')
}

const gap = "  " // between two columns

// appendHeader appends the header line. A column that does not apply is left out.
func (p *prettyPrinter) appendHeader(dst []byte, m *Message) []byte {
	f, t := m.Frame, p.theme
	dst = append(dst, t.Dim.Open...)
	dst = append(dst, '#')
	dst = strconv.AppendUint(dst, m.Seq, 10)
	dst = p.appendTimes(dst, m)
	dst = append(dst, t.Dim.Close...)
	if m.Event != nil && m.Event.HasChannel {
		dst = append(dst, gap+"ch "...)
		dst = strconv.AppendUint(dst, uint64(m.Event.Channel), 10)
	}
	if proxy := m.proxy(); proxy != "" {
		dst = decode.AppendSafe(append(dst, gap+"of "...), []byte(proxy))
	}
	dst = append(dst, gap...)
	verdict := t.Verdict(f)
	dst = append(dst, verdict.Open...)
	dst = appendVerdictWords(dst, f)
	dst = append(dst, verdict.Close...)
	dst = p.appendSubject(dst, f)
	if f.Type != decode.TypeEmpty {
		dst = append(dst, gap...)
		dst = append(dst, t.Dim.Open...)
		dst = strconv.AppendInt(dst, f.Size, 10)
		dst = append(dst, " B"...)
		dst = append(dst, t.Dim.Close...)
	}
	return append(dst, '\n')
}

// appendTimes appends the time columns.
func (p *prettyPrinter) appendTimes(dst []byte, m *Message) []byte {
	var at int64
	if m.Event != nil {
		at = m.Event.Time
	}
	switch p.options.Timestamp {
	case None:
		return dst
	case Start:
		if at != 0 {
			dst = appendSeconds(append(dst, gap...), at-p.options.Start, 6)
			dst = append(dst, 's')
		}
		return dst
	case Clock:
		if at != 0 {
			dst = p.clock.append(append(dst, gap...), at, 6)
		}
	}
	if m.HasDelta {
		dst = appendDelta(append(dst, gap...), m.Delta)
	}
	return dst
}

// appendDelta appends the time since the message before, to the millisecond: "+0.011s".
func appendDelta(dst []byte, micros int64) []byte {
	if micros >= 0 {
		dst = append(dst, '+')
	}
	return append(appendSeconds(dst, micros, 3), 's')
}

// appendVerdictWords appends what became of the message.
func appendVerdictWords(dst []byte, f *decode.Frame) []byte {
	switch f.Type {
	case decode.TypeNotification:
		if f.Variant == decode.Custom {
			return append(dst, "custom"...)
		}
	case decode.TypeUnknown:
		dst = append(dst, "unknown tag "...)
		dst = strconv.AppendUint(dst, uint64(f.Tag), 10)
		dst = appendTagHex(append(dst, " ("...), f.Tag)
		if f.Tag >= 0x20 && f.Tag < 0x7f {
			dst = strconv.AppendQuote(append(dst, ", "...), string(rune(f.Tag)))
		}
		return append(dst, ')')
	case decode.TypeEmpty:
		return append(dst, "empty message (0 bytes)"...)
	case decode.TypeUndecodable:
		if f.Tag == decode.TagError {
			return append(dst, "undecodable (tag 1)"...)
		}
	case decode.TypeText:
		return append(dst, "text message"...)
	}
	return append(dst, f.Type.String()...)
}

// appendTagHex appends a tag in hexadecimal, 0x7b for instance.
func appendTagHex(dst []byte, tag decode.Tag) []byte {
	return append(append(dst, "0x"...), hexDigits[tag>>4], hexDigits[tag&15])
}

// maxMethod is the most characters of a method in a header.
const maxMethod = 200

// appendSubject appends a notification's method, or an error's code and what it is called.
func (p *prettyPrinter) appendSubject(dst []byte, f *decode.Frame) []byte {
	switch f.Type {
	case decode.TypeNotification:
		p.scratch = f.AppendMethodHead(p.scratch[:0])
		dst = append(dst, gap...)
		dst = append(dst, p.theme.Method.Open...)
		if len(p.scratch) == 0 {
			dst = append(dst, `""`...)
		}
		dst = appendSafeCut(dst, p.scratch, maxMethod, ellipsis(p.options.ASCII))
		dst = append(dst, p.theme.Method.Close...)
	case decode.TypeError:
		dst = append(dst, gap...)
		dst = appendErrorCode(dst, f.Code)
	}
	return dst
}

// appendErrorCode appends a JSON-RPC error code and its name, where it has one.
func appendErrorCode(dst []byte, code int32) []byte {
	dst = strconv.AppendInt(dst, int64(code), 10)
	if name := decode.ErrorName(code); name != "" {
		dst = append(append(dst, ' '), name...)
	}
	return dst
}

// maxText is the most characters that are shown of a text message, which carries no meaning.
const maxText = 4096

// appendBody appends what the message holds: its JSON indented, or escaped on one line where it can not be,
// a dump of what did not decode, the text of a text message.
func (p *prettyPrinter) appendBody(dst []byte, m *Message) []byte {
	f := m.Frame
	switch f.Type {
	case decode.TypeNotification, decode.TypeError:
		if v, ok := f.JSONBody(); ok {
			return appendPretty(dst, f.Message[v.Start:v.End], m)
		}
		dst = m.appendParts(dst, bytes.Trim(body(f), " \t\r\n"), decode.AppendSafe)
		return append(dst, '\n')
	case decode.TypeText:
		n := prefixRunes(f.Message, maxText)
		dst = append(decode.AppendSafe(dst, f.Message[:n]), '\n')
		if left := f.Size - int64(n); left > 0 {
			dst = p.appendLeftOut(dst, left, left > int64(len(f.Message)-n))
		}
		return dst
	case decode.TypeEmpty:
		return dst
	case decode.TypeUndecodable:
		if f.Err != nil {
			return p.appendDump(dst, f, f.Err.Offset)
		}
	}
	return p.appendDump(dst, f, noMark)
}
