package capture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"kind4/decode"
	"kind4/decode/capture/conversation"
	"kind4/decode/session"
)

// harMessage is an element of _webSocketMessages. Its data is text, or base64 where the opcode is that of a binary message.
type harMessage struct {
	at, dataAt int64 // where it, and its data, begin in the input
	way        string
	time       int64 // microseconds since the Unix epoch
	opcode     int   // RFC 6455 section 5.2; -1 where the browser tells of an error
	code       uint16
	size       int64   // bytes of its data as the archive has it
	last       [2]byte // of these
	fault      string  // what is wrong with it in the archive
	faultAt    int64   // and where

	noOpcode, noData bool
}

// settle takes in that the message is over: one that has no opcode, or no data where it is to have some, has a fault.
func (m *harMessage) settle() {
	data := m.noOpcode || m.opcode == session.OpText || m.opcode == session.OpBinary
	switch {
	case m.fault != "" || m.way == wayError:
	case m.noOpcode:
		m.fault, m.faultAt = "it has no opcode", m.at
	case m.noData && data:
		m.fault, m.faultAt = "it has no data", m.at
	}
}

// The values of type.
const (
	waySend    = "send"
	wayReceive = "receive"
	wayError   = "error"
)

// wayOf returns which of them a message has, "" for another.
func wayOf(text []byte) string {
	for _, way := range [...]string{waySend, wayReceive, wayError} {
		if string(text) == way {
			return way
		}
	}
	return ""
}

// spare returns the memory of a buffer to be used again, but none that a large message left behind.
func spare(buf []byte) []byte {
	if cap(buf) > windowSize {
		return nil
	}
	return buf[:0]
}

// heldMessage is a message as it will be yielded.
type heldMessage struct {
	harMessage
	bytes []byte
	whole int64
}

// harEntry is the entry under way.
type harEntry struct {
	url, method, statusText string
	header                  []byte
	status                  int
	started                 int64
	socket                  bool // it is a WebSocket

	known   bool // the request came, or what it would say is assumed
	assumed bool
	left    bool   // too much came before the request, or it never came, and the messages are none of the protocol's
	reason  string // why the request is not known, and what is assumed
	opened  bool
	over    bool // it ended
	turned  bool // what was received on a notification path are the messages: a gateway turned it around
	began   bool // a message came
	base    session.Event
	sender  session.Side
	ending  session.Ending
	end     *session.End // once that is settled
	by      session.Side
	failed  string // what the browser says that the connection failed with
	latest  int64  // time of an event

	held     []heldMessage
	chunk    []byte                   // what the bytes of the last of them are in
	size     int                      // bytes that are held
	next     int                      // of held
	sent     [session.Proxy + 1]int64 // bytes by the side, of what is left out
	messages int64                    // likewise
}

// reset begins another entry.
func (e *harEntry) reset() {
	*e = harEntry{header: e.header[:0], held: e.held[:0], chunk: e.chunk[:0]}
}

// addHeader adds a line to the header as it was sent. What HTTP/2 has in place of the request line is none of it.
func (e *harEntry) addHeader(name string, value []byte) {
	if name == "" || name[0] == ':' || len(e.header)+len(name)+len(value)+3 > maxHarHeader {
		return
	}
	line := name + ": " + string(value)
	e.header = append(append(e.header, strings.NewReplacer("\r", " ", "\n", " ").Replace(line)...), '\n')
}

// requested takes in that the request is over.
func (e *harEntry) requested() {
	if e.assumed {
		return
	}
	e.known = true
	u, err := url.Parse(e.url)
	if err != nil {
		u = &url.URL{Path: e.url}
	}
	e.socket = e.socket || u.Scheme == "ws" || u.Scheme == "wss"
	e.base = session.BehindGateway(u.EscapedPath())
	e.sender = e.base.Sender()
}

// add takes in a message.
func (e *harEntry) add(r *Reader, m *harMessage, data []byte) {
	if e.left || e.known && e.sender == 0 {
		e.leave(m)
		return
	}
	h := heldMessage{harMessage: *m}
	if h.fault == "" {
		h.faultAt = m.dataAt
		h.bytes, h.whole, h.fault = m.append(e.room(m, data), r, data)
	}
	e.chunk = e.chunk[:len(e.chunk)+len(h.bytes)]
	e.size += len(h.bytes)
	e.held = append(e.held, h)
}

// room returns memory for a message to be held. One that fills a chunk has memory of its own; where it is large and nothing
// else is held, that is where its data stands, which nobody reads again: see inPlace.
func (e *harEntry) room(m *harMessage, data []byte) []byte {
	n := len(data)
	if m.opcode == session.OpBinary {
		n = harBase64.DecodedLen(n)
	}
	switch {
	case n >= inPlace && e.size == 0:
		e.chunk = data[:0]
	case cap(e.chunk)-len(e.chunk) < n:
		e.chunk = make([]byte, 0, max(heldChunk, n))
	}
	return e.chunk[len(e.chunk):]
}

// leave counts a message that is left out.
func (e *harEntry) leave(m *harMessage) {
	if m.opcode == session.OpText || m.opcode == session.OpBinary {
		e.messages++
	}
	e.sent[e.side(m.way)] += m.length()
}

// length returns how many bytes the message has, as far as its data tells.
func (m *harMessage) length() int64 {
	if m.opcode != session.OpBinary {
		return m.size
	}
	return m.size/4*3 + (m.size%4)*3/4 - int64(bytes.Count(m.last[:], []byte("=")))
}

// append appends the message's bytes to dst, or its first where it is longer than the cap, and returns how many it has; or
// what is wrong with them.
func (m *harMessage) append(dst []byte, r *Reader, data []byte) (message []byte, size int64, fault string) {
	size, message = m.length(), dst
	cut := size > r.max
	switch {
	case m.opcode != session.OpBinary:
		message = append(dst, data[:min(int64(len(data)), r.max)]...)
	case cut:
		message, _ = harBase64.AppendDecode(dst, standard(data[:min(len(data), headBase64)]))
	default:
		var err error
		if message, err = harBase64.AppendDecode(dst, standard(data)); err != nil {
			return dst, 0, "its data is no base64, which that of a binary message is"
		}
		size = int64(len(message) - len(dst))
	}
	if cut {
		message = message[:min(len(message), len(dst)+r.head())]
	}
	return message, size, ""
}

// harBase64 is the base64 of an archive's data once standard has passed over it.
var harBase64 = base64.RawStdEncoding

// standard takes the padding off base64, and makes its alphabet that of RFC 4648 section 4 where it is that of section 5.
func standard(data []byte) []byte {
	data = bytes.TrimRight(data, "=")
	for i, c := range data {
		switch c {
		case '-':
			data[i] = '+'
		case '_':
			data[i] = '/'
		}
	}
	return data
}

// due reports whether what is held is to be yielded before the entry ends.
func (e *harEntry) due(r *Reader) bool {
	switch {
	case e.known:
		return e.size >= chunkSize || len(e.held) >= maxEvents
	case e.left || e.size+len(e.held)*heldSize < maxHeld:
		return false
	}
	e.assume(r, "its URL stands over 64 MiB behind its first message")
	return e.known
}

// heldSize is about how many bytes a message takes beside its own.
const heldSize = 128

// ended reports whether there is something to yield of an entry that ended.
func (e *harEntry) ended() bool { return e.socket || len(e.held) > 0 }

// assume decides what the WebSocket is whose messages are held and whose URL is not known: by --channel, or else by the first
// of them that tells, as a connection of a packet capture is without its upgrade. Where none does they are left out.
func (e *harEntry) assume(r *Reader, why string) {
	e.reason = why
	path, reason := "", ", from its messages"
	for i := 0; i < len(e.held) && path == ""; i++ {
		path = e.held[i].path()
	}
	if r.channel != nil && path != session.RequestsPath {
		path, reason = decode.KindNotifications.Path(*r.channel), ", as --channel says"
	}
	if path == "" {
		e.left = true
		for i := range e.held {
			e.leave(&e.held[i].harMessage)
		}
		e.held, e.chunk, e.size = nil, nil, 0
		return
	}
	e.known, e.assumed = true, true
	e.base = session.OfPath(path)
	e.sender = e.base.Sender()
	if path == session.SomeChannel {
		e.sender, path = session.Provider, "a notification path"
	}
	e.reason = "a WebSocket taken for " + path + reason + ": " + why
}

// path returns the path that a message is likely to be one of, by its first bytes and its direction; "" for none.
func (h *heldMessage) path() string {
	switch {
	case h.opcode != session.OpBinary:
	case frames.begins(h.bytes) && h.way == waySend:
		return session.SomeChannel
	case frames.begins(h.bytes) && h.way == wayReceive:
		return session.ToolPath
	case conversation.IsAsk(h.bytes) && h.way == wayReceive:
		return session.RequestsPath
	}
	return ""
}

// emit yields what is held of the entry.
func (d *harDecoder) emit(r *Reader, b *session.Batch) {
	e := &d.entry
	if !e.opened && e.known {
		e.open(b)
	}
	for ; e.next < len(e.held); e.next++ {
		if r.enough(b) {
			return
		}
		e.yield(r, b, &e.held[e.next])
	}
	if e.over {
		e.close(b)
	}
	clear(e.held)
	e.held, e.chunk, e.size, e.next = e.held[:0], spare(e.chunk), 0, 0
	if e.over {
		e.reset()
	}
	d.emitting = false
}

// open yields the opening of the path, where it is one that is decoded and was not refused.
func (e *harEntry) open(b *session.Batch) {
	if e.sender == 0 || e.left || e.refused() {
		return
	}
	e.opened = true
	ev := e.base
	ev.Kind, ev.Time, ev.Header = session.Opened, e.started, string(e.header)
	if e.assumed {
		ev.Kind, ev.Note, ev.Reason = session.Note, session.NoteMidStream, e.reason
	}
	if ev.Time == 0 && len(e.held) > 0 {
		ev.Time = e.held[0].time
	}
	e.latest = ev.Time
	b.Events = append(b.Events, ev)
}

// refused reports whether the request opened no path: 101 does (RFC 6455 section 4.1), with HTTP/2 200 (RFC 8441 section 5),
// and so does what messages came on.
func (e *harEntry) refused() bool {
	for i := range e.held {
		if e.held[i].way != wayError {
			return false
		}
	}
	return e.status == 0 || e.status >= 300
}

// side returns who sent what the archive says went this way: the provider dials every path.
func (e *harEntry) side(way string) session.Side {
	sent := way == waySend
	if sent != e.turned {
		return session.Provider
	}
	return session.Proxy
}

// yield yields one message.
func (e *harEntry) yield(r *Reader, b *session.Batch, h *heldMessage) {
	if e.base.HasChannel && !e.began {
		e.turned = h.way == wayReceive
	}
	e.began = e.began || h.opcode == session.OpText || h.opcode == session.OpBinary
	side := e.side(h.way)
	if e.sender == 0 {
		e.leave(&h.harMessage)
		return
	}
	e.latest = max(e.latest, h.time)
	start := len(b.Buf)
	if start == 0 && len(h.bytes) > heldChunk {
		b.Buf = h.bytes[:len(h.bytes):len(h.bytes)] // of its own: see room
	} else {
		b.Buf = append(b.Buf, h.bytes...)
	}
	ev := e.base
	ev.Time, ev.From, ev.Opcode, ev.Size = h.time, side, uint8(h.opcode), h.whole
	ev.Data = b.Buf[start:len(b.Buf):len(b.Buf)]
	switch {
	case h.fault != "":
		if h.way == "" {
			ev.From = e.sender
		}
		ev.Time = e.latest
		e.gap(b, ev, r.fail(0, h.faultAt, h.fault))
		return
	case h.way == wayError || h.opcode < 0:
		e.failed = string(decode.AppendSafe(nil, ev.Data[:min(len(ev.Data), maxWord)]))
		return
	case h.opcode == session.OpClose:
		e.ends(side, e.closing(h, ev.Data))
		return
	case h.opcode == session.OpPing || h.opcode == session.OpPong:
		ev.Kind = session.Control
	case h.opcode != session.OpText && h.opcode != session.OpBinary:
		e.gap(b, ev, r.fail(0, h.at, fmt.Sprintf("a message of opcode %d", h.opcode)))
		return
	default:
		ev.Place(e.sender)
	}
	b.Events = append(b.Events, ev)
}

// gap yields that a message is not there.
func (e *harEntry) gap(b *session.Batch, ev session.Event, why *Error) {
	ev.Kind, ev.Note, ev.Data, ev.Size, ev.Opcode, ev.Reason = session.Note, session.NoteGap, nil, 0, 0, why.Error()
	b.Events = append(b.Events, ev)
}

// ends takes in how the direction of a side ended.
func (e *harEntry) ends(side session.Side, end *session.End) {
	if settled, by := e.ending.Take(e.sender, side, end); settled != nil {
		e.end, e.by = settled, by
	}
}

// closing returns how a Close ended a path: its payload, or a member of its own, may have the code.
func (e *harEntry) closing(h *heldMessage, payload []byte) *session.End {
	end := &session.End{Kind: session.EndClose, Code: h.code}
	if raw, err := base64.StdEncoding.DecodeString(string(payload)); err == nil && len(raw) >= 2 && h.code == 0 {
		end.Code, end.Reason = binary.BigEndian.Uint16(raw), string(raw[2:])
	}
	return end
}

// close yields how the path ended, or what became of the request. An archive seldom says how: it ends, and the path may be
// open.
func (e *harEntry) close(b *session.Batch) {
	ev := e.base
	ev.Time = e.started
	switch {
	case e.sender == 0 || e.left:
		ev.Kind, ev.Note, ev.Size = session.Note, session.NoteCarried, e.sent[session.Provider]+e.sent[session.Proxy]
		ev.Reason = fmt.Sprintf("%s sent, %s received", count(e.sent[session.Provider], "byte"), count(e.sent[session.Proxy], "byte"))
		if e.left && (!e.known || e.sender != 0) {
			ev.Reason += fmt.Sprintf(" in %s, none of which begins as one of the protocol, and %s; --channel N takes it for "+
				"notification path N", count(e.messages, "message"), e.reason)
		}
	case e.opened:
		ev.Kind, ev.Time = session.Closed, e.latest
		e.ends(e.sender, &session.End{Kind: session.EndCapture})
		ev.End, ev.From = e.end, e.by
		if e.failed != "" && ev.End.Kind == session.EndCapture {
			ev.End = &session.End{Kind: session.EndReset, Error: e.failed}
		}
	case e.status == 0:
		ev.Kind, ev.Note, ev.Reason = session.Note, session.NoteUnanswered, "no answer"
		if e.failed != "" {
			ev.Reason += ": " + e.failed
		}
	default:
		ev.Kind, ev.Status, ev.Method, ev.From, ev.Reason = session.Refused, e.status, e.method, session.Proxy, e.statusText
		if ev.Reason == "" {
			ev.Reason = http.StatusText(e.status)
		}
	}
	b.Events = append(b.Events, ev)
}
