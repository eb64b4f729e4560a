package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// jsonPrinter writes one RFC 8259 object a line. Members that do not apply are absent.
type jsonPrinter struct {
	jsonWriter
	place place
}

// place is the channel and path of the last message, and the members that name them.
type place struct {
	path       string
	channel    uint32
	hasChannel bool
	json       []byte
}

// jsonWriter holds what stays from one object to the next.
type jsonWriter struct {
	scratch   []byte // a text before it is quoted
	proxy     string // whose literal is proxyJSON
	proxyJSON []byte
	clock     utcClock
}

var noEvent session.Event

func (p *jsonPrinter) AppendMessage(dst []byte, m *Message) []byte {
	ev, f := m.Event, m.Frame
	if ev == nil {
		ev = &noEvent
	}
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, m.Seq, 10)
	dst = p.appendTime(dst, ev.Time)
	if m.HasDelta {
		dst = append(dst, `,"delta":`...)
		dst = appendSeconds(dst, m.Delta, 6)
	}
	dst = append(dst, p.placeOf(ev)...)
	dst = p.appendProxy(dst, ev.Proxy)
	dst = append(dst, `,"size":`...)
	dst = strconv.AppendInt(dst, f.Size, 10)
	dst = p.appendVerdict(dst, m, ev.Opcode == session.OpText)
	dst = appendBody(dst, m)
	if f.Err != nil {
		dst = p.appendFailure(dst, f.Err)
	}
	dst = p.appendFindings(dst, m.Findings)
	return append(dst, '}', '\n')
}

// placeOf returns the members channel and path.
func (p *jsonPrinter) placeOf(ev *session.Event) []byte {
	at := &p.place
	if ev.Path != at.path || ev.Channel != at.channel || ev.HasChannel != at.hasChannel {
		at.path, at.channel, at.hasChannel, at.json = ev.Path, ev.Channel, ev.HasChannel, at.json[:0]
		if ev.HasChannel {
			at.json = appendNumber(at.json, "channel", int64(ev.Channel))
		}
		at.json = p.appendPath(at.json, ev.Path)
	}
	return at.json
}

// appendTime appends the time member; nothing without a clock, or outside the years that RFC 3339 can write.
func (w *jsonWriter) appendTime(dst []byte, micros int64) []byte {
	if micros == 0 || !w.clock.holds(micros) {
		return dst
	}
	dst = append(dst, `,"time":"`...)
	dst = w.clock.append(dst, micros)
	return append(dst, '"')
}

func (w *jsonWriter) appendPath(dst []byte, path string) []byte {
	if path == "" {
		return dst
	}
	w.scratch = append(w.scratch[:0], path...)
	return appendQuotedJSON(append(dst, `,"path":`...), w.scratch)
}

func (w *jsonWriter) appendProxy(dst []byte, proxy string) []byte {
	if proxy == "" {
		return dst
	}
	if proxy != w.proxy {
		w.proxy = proxy
		w.proxyJSON = appendQuotedJSON(w.proxyJSON[:0], []byte(proxy))
	}
	return append(append(dst, `,"proxy":`...), w.proxyJSON...)
}

// usualVerdicts are tag, type, variant and method of the notifications that have a type of their own.
var usualVerdicts = func() (t [decode.Custom][]byte) {
	for _, m := range decode.KnownMethods() {
		t[m.Variant] = fmt.Appendf(nil, `,"tag":0,"type":"notification","variant":"%s","method":"%s"`, m.Variant, m.Name)
	}
	return t
}()

// appendVerdict appends tag, type, variant and method.
func (p *jsonPrinter) appendVerdict(dst []byte, m *Message, text bool) []byte {
	f := m.Frame
	if f.Type == decode.TypeNotification && f.Variant < decode.Custom && len(f.Message) > 0 && !text {
		if usual := usualVerdicts[f.Variant]; bytes.HasSuffix(usual, f.Raw(f.Method)) { // not spelled with escapes
			return append(dst, usual...)
		}
	}
	if len(f.Message) > 0 && f.Type != decode.TypeText && !text {
		dst = append(dst, `,"tag":`...)
		dst = strconv.AppendUint(dst, uint64(f.Message[0]), 10)
	}
	dst = append(dst, `,"type":"`...)
	dst = append(dst, f.Type.String()...)
	if f.Type == decode.TypeNotification {
		dst = append(dst, `","variant":"`...)
		dst = append(dst, f.Variant.String()...)
	}
	dst = append(dst, '"')
	if f.Method.Kind != decode.String {
		return dst
	}
	dst = append(dst, `,"method":`...)
	if f.Type == decode.TypeNotification {
		return m.appendCompact(dst, f.Raw(f.Method))
	}
	p.scratch = f.AppendMethod(p.scratch[:0])
	return appendQuotedJSON(dst, p.scratch)
}

// appendBody appends payload, payload_base64, or message_base64 and truncated.
func appendBody(dst []byte, m *Message) []byte {
	f := m.Frame
	switch f.Type {
	case decode.TypeNotification, decode.TypeError:
		if v, ok := f.JSONBody(); ok {
			dst = append(dst, `,"payload":`...)
			if f.Clues&(decode.ClueSpace|decode.ClueText) == 0 { // as sent: half of what printing a message took was to look for nothing
				return m.appendBytes(dst, f.Message[v.Start:v.End])
			}
			return m.appendCompact(dst, f.Message[v.Start:v.End])
		}
	case decode.TypeText, decode.TypeOversize:
		dst = m.appendBase64(append(dst, `,"message_base64":"`...), f.Message)
		if f.Size > int64(len(f.Message)) {
			dst = append(dst, `,"truncated":true`...)
		}
		return dst
	}
	if len(f.Message) == 0 { // empty, or withheld
		return dst
	}
	return m.appendBase64(append(dst, `,"payload_base64":"`...), body(f))
}

// appendCompact is appendCompact in parts.
func (m *Message) appendCompact(dst, b []byte) []byte {
	if len(b) <= spillAt {
		return appendCompact(dst, b)
	}
	return m.appendParts(dst, b, new(compactor).append)
}

// appendBase64 is appendBase64 in parts.
func (m *Message) appendBase64(dst, b []byte) []byte {
	const part = spillAt / 3 * 3
	for m.Spill != nil && len(b) > part {
		dst = m.spill(base64.StdEncoding.AppendEncode(dst, b[:part]))
		b = b[part:]
	}
	return appendBase64(dst, b)
}

// appendBase64 appends b in base64 (RFC 4648 section 4) and the closing quote.
func appendBase64(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(dst, b), '"')
}

func (w *jsonWriter) appendFailure(dst []byte, e *decode.DecodeError) []byte {
	dst = append(dst, `,"failure":{"layer":"`...)
	dst = append(dst, e.Layer().String()...)
	dst = append(dst, `","code":"`...)
	dst = append(dst, e.Code.String()...)
	dst = append(dst, `","offset":`...)
	dst = strconv.AppendInt(dst, int64(e.Offset), 10)
	dst = w.appendMember(dst, "message", e.Message)
	return append(dst, '}')
}

func (w *jsonWriter) appendFindings(dst []byte, findings []inspect.Finding) []byte {
	if len(findings) == 0 {
		return dst
	}
	dst = append(dst, `,"findings":[`...)
	for i := range findings {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = w.appendFinding(dst, &findings[i])
	}
	return append(dst, ']')
}

func (w *jsonWriter) appendFinding(dst []byte, f *inspect.Finding) []byte {
	dst = append(dst, `{"code":"`...)
	dst = append(dst, f.Code.String()...)
	dst = append(dst, `","layer":"`...)
	dst = append(dst, f.Layer().String()...)
	dst = append(dst, `","severity":"`...)
	dst = append(dst, f.Severity.String()...)
	dst = append(dst, '"')
	if f.Offset != inspect.NoOffset {
		dst = append(dst, `,"offset":`...)
		dst = strconv.AppendInt(dst, int64(f.Offset), 10)
	}
	if f.HasPointer() {
		dst = append(dst, `,"pointer":`...)
		dst = appendQuotedJSON(dst, []byte(f.Pointer()))
	}
	w.scratch = f.AppendText(w.scratch[:0])
	dst = append(dst, `,"message":`...)
	dst = appendQuotedJSON(dst, w.scratch)
	return append(dst, '}')
}

// appendMember appends a member that holds a text, behind a comma.
func (w *jsonWriter) appendMember(dst []byte, name, text string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	w.scratch = append(w.scratch[:0], text...)
	return appendQuotedJSON(dst, w.scratch)
}
