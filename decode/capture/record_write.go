package capture

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"kind4/decode"
	"kind4/decode/session"
)

// errNoRecord says that Continue was given something else.
var errNoRecord = errors.New("it is no record of kind4's")

// Writer writes a record. It gathers whole lines, about 64 KiB of them, and hands them on in one write. A
// Writer that failed returns the same error for good and writes nothing more. It is for one goroutine.
type Writer struct {
	// Secrets says that the bytes of asks of kinds other than 0 to 4, which hold keys and values of a vault
	// or the contents of files, are kept. Else only channel, kind and length of such an ask are.
	Secrets bool

	w   io.Writer
	buf []byte
	err error
}

// NewWriter returns a writer of a record to w. It writes nothing before the first event, Begin or Flush.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Begin begins a session: state starts anew behind it. A record begins with it.
func (w *Writer) Begin() error {
	w.buf = append(w.buf, headerLine...)
	return w.full()
}

// Write adds an event. Of one whose kind is unknown it writes nothing. The event and its data are the
// caller's again when Write returns.
func (w *Writer) Write(ev *session.Event) error {
	if ev.Kind == session.Begun {
		return w.Begin()
	}
	if ev.Kind.String() == "" || w.err != nil {
		return w.err
	}
	if ev.Kind == session.Asked && !w.Secrets && secretAsk(ev.Data) {
		kept := withoutSecrets(ev)
		ev = &kept
	}
	w.buf = appendEvent(w.buf, ev)
	return w.full()
}

// askHead is the channel and the kind of an ask, in bytes (Diverge Provider 2.3.0, /requests).
const askHead = 5

// secretAsk reports whether an ask is of a kind whose payload may hold secrets.
func secretAsk(ask []byte) bool {
	return len(ask) >= askHead && decode.AskKind(ask[askHead-1]) > decode.KindNotifications
}

// withoutSecrets returns an ask without its payload, and with the verdict on it.
func withoutSecrets(ask *session.Event) session.Event {
	kept := *ask
	if !ask.Withheld {
		kept.Verdict = session.AskVerdict(ask.Data)
	}
	kept.Data, kept.Withheld = ask.Data[:askHead], ask.Withheld || len(ask.Data) > askHead
	return kept
}

// full writes what was gathered once it is enough.
func (w *Writer) full() error {
	if len(w.buf) < chunkSize {
		return w.err
	}
	return w.Flush()
}

// Flush writes what was gathered.
func (w *Writer) Flush() error {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	if cap(w.buf) > 16*chunkSize {
		w.buf = nil
	}
	w.buf = w.buf[:0]
	return w.err
}

// Continue prepares a record that exists for what is appended to it: it reports whether the last line lacks
// its end, so that a line feed has to come first, and fails where what it reads does not begin a record of
// this major version.
func Continue(record io.ReadSeeker) (unterminated bool, err error) {
	var head [len(headerLine) + 64]byte
	n, err := io.ReadFull(record, head[:])
	if err != nil && err != io.ErrUnexpectedEOF {
		return false, err
	}
	if !recogniseRecord(head[:n]) {
		return false, errNoRecord
	}
	first, _, _ := bytes.Cut(head[:n], []byte("\n"))
	if version, is, fault := parseHeader(first); is && (fault != "" || version > recordMajor) {
		return false, errors.New("it is a record of another version")
	}
	if _, err := record.Seek(-1, io.SeekEnd); err != nil {
		return false, err
	}
	_, err = io.ReadFull(record, head[:1])
	return head[0] != '\n', err
}

// appendEvent appends one event's line.
func appendEvent(dst []byte, ev *session.Event) []byte {
	dst = append(dst, `{"`+memberTime+`":`...)
	dst = strconv.AppendInt(dst, ev.Time, 10)
	dst = appendText(dst, memberEvent, ev.Kind.String())
	dst = appendText(dst, memberPath, ev.Path)
	if ev.HasChannel {
		dst = appendInteger(dst, memberChannel, int64(ev.Channel))
	}
	dst = appendTrue(dst, memberFromKind4, ev.FromKind4)
	dst = appendText(dst, memberFrom, ev.From.String())
	dst = appendCount(dst, memberOpcode, int64(ev.Opcode))
	dst = appendCount(dst, memberFragments, int64(ev.Fragments))
	dst = appendCount(dst, memberMaxFrame, ev.MaxFrame)
	dst = appendCount(dst, memberSize, ev.Size)
	dst = appendTrue(dst, memberWithheld, ev.Withheld)
	dst = appendText(dst, memberRemote, ev.Remote)
	dst = appendText(dst, memberProxy, ev.Proxy)
	dst = appendText(dst, memberHeader, ev.Header)
	dst = appendText(dst, memberMethod, ev.Method)
	dst = appendCount(dst, memberStatus, int64(ev.Status))
	dst = appendText(dst, memberReason, ev.Reason)
	dst = appendText(dst, memberNote, ev.Note.String())
	if ev.End != nil {
		dst = appendEnd(dst, ev.End)
	}
	if ev.Verdict != nil {
		dst = appendVerdict(dst, ev.Verdict)
	}
	if ev.Data != nil || ev.Kind == session.Message {
		dst = append(dst, `,"`+memberData+`":"`...)
		dst = append(recordBase64.AppendEncode(dst, ev.Data), '"')
	}
	return append(dst, '}', '\n')
}

// appendVerdict appends the verdict on what is withheld.
func appendVerdict(dst []byte, v *session.Verdict) []byte {
	dst = append(dst, `,"`+memberVerdict+`":{"`+memberTag+`":`...)
	dst = strconv.AppendUint(dst, uint64(v.Tag), 10)
	dst = appendText(dst, memberType, v.Type.String())
	if v.Code != 0 {
		dst = appendText(dst, memberCode, v.Code.String())
	}
	dst = appendCount(dst, memberOffset, int64(v.Offset))
	dst = appendText(dst, memberText, v.Text)
	dst = appendTrue(dst, memberRepeats, v.Repeats)
	dst = appendCount(dst, memberErrorCode, int64(v.ErrorCode))
	for i := range v.Said {
		if i == 0 {
			dst = append(dst, `,"`+memberFindings+`":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = appendSaid(dst, &v.Said[i])
	}
	if len(v.Said) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendSaid appends a finding.
func appendSaid(dst []byte, s *session.Said) []byte {
	dst = append(append(dst, `{"`+memberCode+`":"`...), s.Code.String()...)
	dst = append(append(dst, `","`+memberSeverity+`":"`...), s.Severity.String()...)
	dst = append(dst, '"')
	if s.Offset >= 0 {
		dst = appendInteger(dst, memberOffset, int64(s.Offset))
	}
	return append(appendText(dst, memberText, s.Text), '}')
}

func appendEnd(dst []byte, e *session.End) []byte {
	dst = append(dst, `,"`+memberEnd+`":{"`+memberEnding+`":"`...)
	dst = append(append(dst, e.Kind.String()...), '"')
	dst = appendCount(dst, memberCode, int64(e.Code))
	dst = appendText(dst, memberReason, e.Reason)
	dst = appendText(dst, memberError, e.Error)
	dst = appendText(dst, memberInside, e.Where.String())
	dst = appendCount(dst, memberPartial, e.Partial)
	if v := e.Violation; v != nil {
		dst = append(dst, `,"`+memberViolation+`":{"`+memberOffset+`":`...)
		dst = strconv.AppendInt(dst, v.Offset, 10)
		dst = appendText(dst, memberSection, v.Section)
		dst = append(appendText(dst, memberMessage, v.Message), '}')
	}
	dst = appendCount(dst, memberSent, int64(e.Sent))
	if e.Outcome != session.Open {
		dst = appendText(dst, memberOutcome, e.Outcome.String())
	}
	if e.Messages > 0 {
		dst = append(dst, `,"`+memberMessages+`":`...)
		dst = strconv.AppendUint(dst, e.Messages, 10)
	}
	return append(dst, '}')
}

// appendInteger appends a member that holds an integer.
func appendInteger(dst []byte, name string, n int64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendInt(dst, n, 10)
}

// appendCount appends a member that holds an integer; nothing for 0.
func appendCount(dst []byte, name string, n int64) []byte {
	if n == 0 {
		return dst
	}
	return appendInteger(dst, name, n)
}

// appendTrue appends a member that is true; nothing for false.
func appendTrue(dst []byte, name string, is bool) []byte {
	if !is {
		return dst
	}
	return append(append(append(dst, `,"`...), name...), `":true`...)
}

// appendText appends a member that holds a text; nothing for an empty one.
func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(append(dst, `,"`...), name...)
	if !utf8.ValidString(text) {
		dst = append(dst, base64Suffix+`":"`...)
		return append(recordBase64.AppendEncode(dst, []byte(text)), '"')
	}
	return append(appendEscaped(append(dst, `":"`...), text), '"')
}

// appendEscaped appends a text that is UTF-8 as it stands in a JSON string, safe for a terminal.
func appendEscaped(dst []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case !decode.Unsafe(r):
			dst = utf8.AppendRune(dst, r)
		case r == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = decode.AppendSafe(dst, []byte(string(r)))
		}
	}
	return dst
}
