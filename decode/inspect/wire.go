package inspect

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"kind4/decode"
	"kind4/decode/session"
)

// The limits that the reference proxy and provider keep (their WebSocket library's defaults), in bytes.
const (
	MaxFrameSize   = 16 << 20
	MaxMessageSize = 64 << 20
)

// wire appends what is to be said of how a message arrived.
func wire(dst []Finding, ev *session.Event, f *decode.Frame) []Finding {
	switch {
	case f.Type == decode.TypeText && ev.Withheld:
		dst = append(dst, withheldText(f.Size))
	case f.Type == decode.TypeText:
		dst = append(dst, textMessage(f.Message))
	case f.Type == decode.TypeOversize && ev.Withheld && ev.Verdict != nil:
		dst = append(dst, withheldOversize(f.Size))
	case f.Type == decode.TypeOversize && ev.Withheld:
		dst = append(dst, newFinding(decode.Oversize, NoOffset, "%, which the record leaves out: nothing can be said of them", size(f.Size)))
	case f.Type == decode.TypeOversize:
		dst = append(dst, newFinding(decode.Oversize, NoOffset, "%, more than --max-size: the first % are here, the rest was skipped",
			size(f.Size), number(int64(len(f.Message)))))
	}
	if f.Type == decode.TypeOversize && cameAsText(ev, f) {
		dst = append(dst, withheldText(f.Size))
	}
	if ev.Fragments > 1 {
		dst = append(dst, newFinding(decode.Fragmented, NoOffset,
			"the message came in % data frames, where the protocol wants one", number(int64(ev.Fragments))))
	}
	total := max(ev.Size, f.Size)
	largest := ev.MaxFrame
	if ev.Fragments == 1 {
		largest = max(largest, total)
	}
	switch {
	case total > MaxMessageSize:
		dst = append(dst, newFinding(decode.FrameTooLarge, NoOffset,
			"a message of %: the reference proxy and provider drop the connection at more than 64 MiB", size(total)))
	case largest > MaxFrameSize:
		dst = append(dst, newFinding(decode.FrameTooLarge, NoOffset,
			"a frame of %: the reference proxy and provider drop the connection at more than 16 MiB", size(largest)))
	}
	return dst
}

// cameAsText reports whether a message is a text message, whatever its size.
func cameAsText(ev *session.Event, f *decode.Frame) bool {
	return f.Type == decode.TypeText || f.Type == decode.TypeOversize && ev.Opcode == session.OpText
}

const textFormat = "a text message of % carries no meaning"

func textMessage(text []byte) Finding {
	f := newFinding(decode.TextMessage, NoOffset, textFormat, size(int64(len(text))))
	switch {
	case len(text) > 0 && text[0] <= 1 && verdict(decode.Tag(text[0]), text[1:]) != "":
		f.format += "; the same bytes in a binary message are %"
		f.args[1] = words(verdict(decode.Tag(text[0]), text[1:]))
	case verdict(decode.TagNotification, text) != "":
		f.format += "; in a binary message, behind tag 0, its text would be a valid notification"
	case verdict(decode.TagError, text) != "":
		f.format += "; in a binary message, behind tag 1, its text would be a valid error"
	case len(text) > 1 && (text[0] == '0' || text[0] == '1') && verdict(decode.Tag(text[0]-'0'), text[1:]) != "":
		f.format += "; its text would be % with the byte, not the character, as its tag, in a binary message"
		f.args[1] = words(verdict(decode.Tag(text[0]-'0'), text[1:]))
	case !utf8.Valid(text):
		f.format += " and is not UTF-8, for which a receiver fails the connection (RFC 6455 section 8.1)"
	default:
		f.format += ", and would not decode in a binary message either"
	}
	return f
}

// Event appends what is to be said of an event that is no message of a notification path: how a path ended, a
// message on /requests, an ask, a capture that is torn, bytes that it lacks.
func (s *Session) Event(dst []Finding, ev *session.Event) []Finding {
	before := len(dst)
	switch ev.Kind {
	case session.Opened:
		s.forget(ev.Opening().First())
	case session.Asked:
		dst = asked(dst, ev)
	case session.Message:
		if ev.Path == requestsPath && !ev.FromKind4 {
			dst = append(dst, newFinding(decode.RequestsMessage, NoOffset,
				"the provider sent a message of % on /requests, where only the proxy sends", size(max(ev.Size, int64(len(ev.Data))))))
		}
	case session.Closed:
		dst = s.closed(dst, ev)
	case session.Note:
		switch ev.Note {
		case session.NoteTorn:
			dst = append(dst, torn(ev.Reason))
		case session.NoteGap:
			dst = append(dst, gapIn(ev))
		}
	}
	if len(dst)-before > 1 {
		sortBySeverity(dst[before:])
	}
	return dst
}

// gapIn says what a capture lacks of what was sent on a path.
func gapIn(ev *session.Event) Finding {
	f := newFinding(decode.CaptureGap, NoOffset, "")
	what := "an unknown number of bytes is missing"
	switch {
	case ev.Size == 1:
		what = "1 byte is missing"
	case ev.Size > 1:
		what = strconv.FormatInt(ev.Size, 10) + " bytes are missing"
	}
	f.lead = what + " of what the " + ev.From.String() + " sent on " + string(appendCut(nil, []byte(ev.Path))) + ", " +
		string(decode.AppendSafe(nil, []byte(ev.Reason)))
	return f
}

const (
	requestsPath      = session.RequestsPath
	notificationsPath = "/mcp/notifications/"
)

// closed appends what is to be said of how a path ended, and forgets the path. What a capture says of its messages
// counts too: some may have been cut out of it.
func (s *Session) closed(dst []Finding, ev *session.Event) []Finding {
	opening := ev.Opening()
	p := s.paths[opening]
	if p == nil {
		opening = opening.First()
		p = s.paths[opening]
	}
	silent := p == nil && !s.evicted || p != nil && p.messages == p.texts
	var texts uint64
	if p != nil {
		texts = p.texts
	}
	s.forget(opening)
	end := ev.End
	if end == nil {
		return dst
	}
	switch end.Kind {
	case session.EndClose:
		if silent && end.Messages <= texts && strings.HasPrefix(ev.Path, notificationsPath) {
			dst = append(dst, newFinding(decode.NotServed, NoOffset, "the path closed with no message that carries a meaning: the ask was not served"))
		}
		dst = oddCode(dst, end)
	case session.EndReceiver:
		dst = oddCode(dst, end)
	case session.EndBroken:
		if v := end.Violation; v != nil {
			dst = append(dst, newFinding(decode.BrokenWebSocket, NoOffset, "%, % behind the upgrade (RFC 6455 section %)",
				plain([]byte(v.Message)), size(v.Offset), plain([]byte(v.Section))))
		} else {
			dst = append(dst, newFinding(decode.BrokenWebSocket, NoOffset, "the peer broke RFC 6455"))
		}
	}
	return dst
}

// oddCode appends that a path was closed with another code than 1000 or 1001.
func oddCode(dst []Finding, end *session.End) []Finding {
	if end.Code != 0 && end.Code != 1000 && end.Code != 1001 {
		dst = append(dst, closeCode(end))
	}
	return dst
}

func closeCode(end *session.End) Finding {
	f := newFinding(decode.CloseCode, NoOffset, "closed with %, %", number(int64(end.Code)), words(CloseName(end.Code)))
	if end.Reason != "" {
		f.format += ": %"
		f.args[2] = quoted([]byte(end.Reason))
	}
	return f
}

// closeNames are the names in IANA's WebSocket Close Code Number Registry.
var closeNames = map[uint16]string{
	1000: "normal closure",
	1001: "going away",
	1002: "protocol error",
	1003: "unsupported data",
	1005: "no status received",
	1006: "abnormal closure",
	1007: "invalid frame payload data",
	1008: "policy violation",
	1009: "message too big",
	1010: "mandatory extension",
	1011: "internal error",
	1012: "service restart",
	1013: "try again later",
	1014: "bad gateway",
	1015: "TLS handshake",
	3000: "unauthorized",
	3003: "forbidden",
	3008: "timeout",
}

// CloseName is what a close code is called (RFC 6455 section 7.4 and IANA's registry); for a code without a
// name, what its range is for.
func CloseName(code uint16) string {
	switch name := closeNames[code]; {
	case name != "":
		return name
	case code >= 4000 && code <= 4999:
		return "a private code"
	case code >= 3000 && code <= 3999:
		return "a registered code of a library or framework"
	case code >= 1000 && code <= 2999:
		return "a code kept for the protocol"
	}
	return "no legal code"
}

// asked appends what is to be said of an ask, whose payload may be withheld.
func asked(dst []Finding, ev *session.Event) []Finding {
	var ask decode.Ask
	err := ask.Decode(ev.Data)
	if !ev.Withheld {
		return Ask(dst, &ask, err, ev.Data)
	}
	if v := ev.Verdict; v != nil {
		dst = append(dst, Finding{Code: v.Code, Severity: v.Code.Severity(), Offset: v.Offset, lead: string(decode.AppendSafe(nil, []byte(v.Text)))})
	}
	return askKind(dst, &ask, max(ev.Size, int64(len(ev.Data))))
}

// Ask appends what is to be said of one ask: a as [decode.Ask.Decode] filled it, the error that gave, and the
// bytes.
func Ask(dst []Finding, a *decode.Ask, err error, message []byte) []Finding {
	if e, ok := err.(*decode.DecodeError); ok && e != nil {
		dst = append(dst, Finding{Code: e.Code, Severity: e.Code.Severity(), Offset: e.Offset, lead: e.Message})
	}
	return askKind(dst, a, int64(len(message)))
}

// askKind appends what is to be said of an ask's kind, and of a payload where the kind has none.
func askKind(dst []Finding, a *decode.Ask, length int64) []Finding {
	if a.Header < 5 {
		return dst
	}
	if a.Kind > decode.KindFuseStat {
		dst = append(dst, newFinding(decode.AskUnknownKind, 4, "kind % is unknown: kinds are 0 to 18", number(int64(a.Kind))))
	}
	if trailing := length - 5; a.Kind == decode.KindNotifications && trailing > 0 {
		dst = append(dst, newFinding(decode.AskTrailing, 5,
			"% behind a kind-4 ask, which has no payload: a reader ignores what stands there", size(trailing)))
	}
	return dst
}
