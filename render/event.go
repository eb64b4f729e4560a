package render

import (
	"encoding/binary"
	"strconv"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// AppendEvent appends a session event as one RFC 8259 object and a newline, for --events. Its members, of which
// those that do not apply are absent:
//
//	event     opened, asked, refused, closed, note, ping, pong; message for one on /requests or in text
//	time      RFC 3339, UTC, microseconds
//	path      the path; of a refusal the request target
//	channel   number
//	proxy     HOST:PORT of the proxy, in a packet capture
//	remote    HOST:PORT of the peer
//	from      provider or proxy, of what a tap saw: who sent, refused or ended it
//	asked     kind (number), ask (its words), size (bytes of the ask)
//	refused   method, status (number), reason
//	closed    outcome: complete, not-served, failed, died or ended (kind4 closed it), with messages, how many came;
//	          ending: close (the peer's Close frame), eof (TCP ended in order), reset, broken (RFC 6455), ours,
//	          receiver (the Close of the side that receives the messages came first);
//	          code and reason of the Close frame; error of a reset; inside: header, payload or fragments, where
//	          the end fell into a message, and partial, the bytes of it that had come; violation {section,
//	          offset, message}; sent, the code of the Close that went out
//	note      which one, size (bytes), reason; of first-answer what closed has
//	message   opcode (text or binary), size
//	ping,pong size, and data_base64 where there is data
//	findings  as in a message's object
//
// What an ask carries beyond its channel and kind is never shown: it may be a secret.
func AppendEvent(dst []byte, ev *session.Event, findings []inspect.Finding) []byte {
	var w jsonWriter
	dst = append(dst, `{"event":"`...)
	dst = append(dst, eventName(ev)...)
	dst = w.appendTime(append(dst, '"'), ev.Time)
	dst = w.appendPath(dst, ev.Path)
	if ev.Kind != session.Asked && ev.HasChannel {
		dst = appendNumber(dst, "channel", int64(ev.Channel))
	}
	dst = w.appendProxy(dst, ev.Proxy)
	dst = w.appendFilled(dst, "remote", ev.Remote)
	dst = w.appendFilled(dst, "from", ev.From.String())
	switch ev.Kind {
	case session.Asked:
		dst = w.appendAsk(dst, ev)
	case session.Refused:
		dst = w.appendFilled(dst, "method", ev.Method)
		dst = appendNumber(dst, "status", int64(ev.Status))
		dst = w.appendFilled(dst, "reason", ev.Reason)
	case session.Closed:
		if ev.End != nil {
			dst = w.appendEnd(dst, ev.End)
		}
	case session.Note:
		dst = w.appendMember(dst, "note", ev.Note.String())
		if ev.Size > 0 {
			dst = appendNumber(dst, "size", ev.Size)
		}
		if ev.End != nil {
			dst = w.appendEnd(dst, ev.End)
		} else {
			dst = w.appendFilled(dst, "reason", ev.Reason)
		}
	case session.Message:
		if ev.Opcode != 0 {
			dst = w.appendMember(dst, "opcode", opcodeName(ev.Opcode))
		}
		dst = appendNumber(dst, "size", ev.Size)
	case session.Control:
		dst = appendNumber(dst, "size", max(ev.Size, int64(len(ev.Data))))
		if len(ev.Data) > 0 {
			dst = appendBase64(append(dst, `,"data_base64":"`...), ev.Data)
		}
	}
	dst = w.appendFindings(dst, findings)
	return append(dst, '}', '\n')
}

func eventName(ev *session.Event) string {
	if ev.Kind == session.Control {
		return opcodeName(ev.Opcode)
	}
	return ev.Kind.String()
}

// opcodeName returns the name that RFC 6455 section 5.2 gives an opcode.
func opcodeName(opcode uint8) string {
	switch opcode {
	case session.OpText:
		return "text"
	case session.OpBinary:
		return "binary"
	case session.OpClose:
		return "close"
	case session.OpPing:
		return "ping"
	case session.OpPong:
		return "pong"
	}
	return "control"
}

// askHeader is the size of an ask's channel and kind, in bytes (Diverge Provider 2.3.0, /requests).
const askHeader = 5

// appendAsk appends what one ask says before its payload.
func (w *jsonWriter) appendAsk(dst []byte, ev *session.Event) []byte {
	if len(ev.Data) >= askHeader {
		kind := decode.AskKind(ev.Data[4])
		dst = appendNumber(dst, "channel", int64(binary.BigEndian.Uint32(ev.Data)))
		dst = appendNumber(dst, "kind", int64(kind))
		dst = w.appendMember(dst, "ask", kind.String())
	}
	return appendNumber(dst, "size", max(ev.Size, int64(len(ev.Data))))
}

var outcomeNames = [...]string{
	session.Complete:  "complete",
	session.NotServed: "not-served",
	session.Failed:    "failed",
	session.Died:      "died",
	session.Ended:     "ended",
}

// appendEnd appends how a path ended.
func (w *jsonWriter) appendEnd(dst []byte, e *session.End) []byte {
	if e.Outcome != session.Open && int(e.Outcome) < len(outcomeNames) {
		dst = w.appendMember(dst, "outcome", outcomeNames[e.Outcome])
		dst = appendNumber(dst, "messages", int64(e.Messages))
	}
	dst = w.appendFilled(dst, "ending", e.Kind.String())
	if e.Code != 0 {
		dst = appendNumber(dst, "code", int64(e.Code))
	}
	dst = w.appendFilled(dst, "reason", e.Reason)
	dst = w.appendFilled(dst, "error", e.Error)
	dst = w.appendFilled(dst, "inside", e.Where.String())
	if e.Partial > 0 {
		dst = appendNumber(dst, "partial", e.Partial)
	}
	if v := e.Violation; v != nil {
		dst = append(dst, `,"violation":{"section":`...)
		dst = appendQuotedJSON(dst, []byte(v.Section))
		dst = appendNumber(dst, "offset", v.Offset)
		dst = append(w.appendMember(dst, "message", v.Message), '}')
	}
	if e.Sent != 0 {
		dst = appendNumber(dst, "sent", int64(e.Sent))
	}
	return dst
}

// appendFilled appends a member that holds a text, unless the text is empty.
func (w *jsonWriter) appendFilled(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return w.appendMember(dst, name, text)
}

// appendNumber appends a member that holds a number, behind a comma.
func appendNumber(dst []byte, name string, n int64) []byte {
	dst = append(append(dst, ',', '"'), name...)
	return strconv.AppendInt(append(dst, '"', ':'), n, 10)
}
