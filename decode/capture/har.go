package capture

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"kind4/decode/session"
)

const (
	// maxHeld is how many bytes of messages are held of a WebSocket whose URL has not come: Chrome writes it behind them.
	maxHeld = 64 << 20
	// heldChunk is how many bytes of them are held together, in one piece of memory.
	heldChunk = 64 << 10
	// maxURL and maxHarHeader are how many bytes are kept of an entry's URL, and of its request's header.
	maxURL       = 64 << 10
	maxHarHeader = 16 << 10
	// maxWord is how many bytes are kept of every other string.
	maxWord = 1 << 10
)

// harRole is what an object or array of an archive is, as far as it matters (HAR 1.2).
type harRole uint8

const (
	harOther harRole = iota
	harFile          // the outermost object
	harLog
	harEntries
	harEntryObject
	harRequest
	harResponse
	harHeaders // of the request
	harHeaderObject
	harMessages
	harMessageObject
)

// harPlace is a member, or an element, of an object or array.
type harPlace struct {
	in     harRole
	member string
}

// harRoles says what the objects and arrays are that matter, by where they stand.
var harRoles = map[harPlace]harRole{
	{harFile, "log"}:                       harLog,
	{harLog, "entries"}:                    harEntries,
	{harEntries, ""}:                       harEntryObject,
	{harEntryObject, "request"}:            harRequest,
	{harEntryObject, "response"}:           harResponse,
	{harEntryObject, "_webSocketMessages"}: harMessages,
	{harRequest, "headers"}:                harHeaders,
	{harHeaders, ""}:                       harHeaderObject,
	{harMessages, ""}:                      harMessageObject,
}

// harDecoder reads an HTTP Archive: of each entry that is a WebSocket its opening, its messages, and how it ended as far
// as the archive says that. The entries are read one after the other, as they stand.
type harDecoder struct {
	reader  *Reader
	scan    jsonScanner
	roles   []harRole
	member  string
	name    string // of the header line under way
	entry   harEntry
	message harMessage
	data    []byte // of the message under way, as the archive has it

	emitting bool // what is held of the entry is being yielded
	err      error

	entries, sockets, decoded int
	told                      bool // an entry had messages
}

// newHARDecoder returns what reads an HTTP Archive.
func newHARDecoder(r *Reader) decoder { return &harDecoder{reader: r, scan: jsonScanner{in: &r.in}} }

func (d *harDecoder) read(r *Reader, b *session.Batch) error {
	for !r.enough(b) {
		if d.emitting {
			d.emit(r, b)
			continue
		}
		if d.err != nil {
			return d.err
		}
		token, ok, fault := d.scan.next()
		switch {
		case fault != "":
			d.end(r.fail(0, r.in.offset(), fault))
		case ok:
			d.take(r, b, token)
		case r.some(b):
			return nil
		default:
			d.more(r)
		}
	}
	return nil
}

// more reads more of the archive.
func (d *harDecoder) more(r *Reader) {
	switch err := r.in.fill(); {
	case err == nil:
	case err == io.EOF && r.in.read == 0:
		d.end(err)
	case err == io.EOF && d.scan.expects != anEnding:
		d.end(r.torn(0, r.in.read, "the archive ends before its end"))
	case err == io.EOF:
		if !d.told {
			r.hint = "no entry has _webSocketMessages: Chrome saves the messages of those WebSockets alone that were opened " +
				"while its developer tools were open, and Firefox saves none"
		}
		d.end(err)
	default:
		d.end(r.readError(err))
	}
	if d.err != nil {
		r.contents = fmt.Sprintf("%s, %d of them WebSockets, %d on a path of the protocol", count(int64(d.entries), "request"),
			d.sockets, d.decoded)
	}
}

// end ends the reading once what came of the entry under way was yielded.
func (d *harDecoder) end(err error) {
	d.err = err
	e := &d.entry
	if !e.known && e.url != "" {
		e.requested()
	}
	if len(e.held) > 0 || e.opened || e.left {
		if !e.known {
			e.assume(d.reader, "the archive lacks its URL")
		}
		e.over, d.emitting = true, true
	}
}

// take takes in one token.
func (d *harDecoder) take(r *Reader, b *session.Batch, t *jsonToken) {
	switch t.kind {
	case jsonName:
		d.member = ""
		if t.size <= maxMember {
			d.member = string(t.text)
		}
	case jsonOpen:
		d.push(t)
	case jsonClose:
		d.pop(r)
	case jsonString:
		d.text(t)
	case jsonOther:
		d.number(t)
	}
	if d.role() == harMessages && (t.kind == jsonString || t.kind == jsonOther) {
		d.stray(t)
	}
	if t.kind != jsonName && t.kind != jsonOpen {
		d.member = ""
	}
	d.scan.limit = d.limit(r)
}

// role returns what the innermost object or array is that is open.
func (d *harDecoder) role() harRole {
	if len(d.roles) == 0 {
		return harOther
	}
	return d.roles[len(d.roles)-1]
}

// stray takes in an element that stands in the place of a message and is none.
func (d *harDecoder) stray(t *jsonToken) {
	d.entry.add(d.reader, &harMessage{at: t.at, fault: "no object, which a message is", faultAt: t.at}, nil)
	d.emitting = d.entry.due(d.reader)
}

func (d *harDecoder) push(t *jsonToken) {
	role := harRoles[harPlace{d.role(), d.member}]
	switch {
	case len(d.roles) == 0 && !t.array:
		role = harFile
	case role == harMessageObject && t.array:
		role = harOther
		d.stray(t)
	case d.role() == harMessageObject:
		d.misfit(t)
	}
	d.roles = append(d.roles, role)
	d.member = ""
	switch role {
	case harEntryObject:
		d.entries++
		d.entry.reset()
	case harMessages:
		d.entry.socket, d.told = true, true
	case harMessageObject:
		d.message = harMessage{at: t.at, noOpcode: true, noData: true}
		d.data = d.data[:0]
	case harHeaderObject:
		d.name = ""
	}
}

func (d *harDecoder) pop(r *Reader) {
	role := d.role()
	d.roles = d.roles[:len(d.roles)-1]
	switch role {
	case harRequest:
		d.entry.requested()
	case harMessageObject:
		d.message.settle()
		d.entry.add(r, &d.message, d.data)
		d.data, d.scan.text = spare(d.data), spare(d.scan.text)
		d.emitting = d.entry.due(r)
	case harEntryObject:
		d.entry.over = true
		d.emitting = d.entry.ended()
		if d.entry.socket {
			d.sockets++
		}
		if d.emitting && d.entry.sender != 0 {
			d.decoded++
		}
	}
}

// limit returns how many bytes are kept of the string that comes next, should it be a value.
func (d *harDecoder) limit(r *Reader) int {
	d.scan.head = 0
	switch (harPlace{d.role(), d.member}) {
	case harPlace{harMessageObject, "data"}:
		d.scan.head = headBase64
		return int(min(r.max, math.MaxInt32)/3*4) + headBase64
	case harPlace{harRequest, "url"}:
		return maxURL
	case harPlace{harHeaderObject, "value"}:
		return maxHarHeader
	}
	switch d.role() {
	case harMessageObject, harRequest, harResponse, harHeaderObject, harEntryObject:
		return maxWord
	}
	return 0
}

// text takes in a string.
func (d *harDecoder) text(t *jsonToken) {
	e, m := &d.entry, &d.message
	switch (harPlace{d.role(), d.member}) {
	case harPlace{harMessageObject, "type"}:
		m.way = wayOf(t.text)
	case harPlace{harMessageObject, "opcode"}:
		d.misfit(t)
	case harPlace{harMessageObject, "data"}:
		m.noData = false
		m.dataAt, m.size, m.last = t.at, t.size, t.last
		d.data, d.scan.text = d.scan.text, d.data[:0]
	case harPlace{harRequest, "url"}:
		e.url = string(t.text)
	case harPlace{harRequest, "method"}:
		e.method = string(t.text)
	case harPlace{harResponse, "statusText"}:
		e.statusText = string(t.text)
	case harPlace{harHeaderObject, "name"}:
		d.name = string(t.text)
	case harPlace{harHeaderObject, "value"}:
		e.addHeader(d.name, t.text)
	case harPlace{harEntryObject, "startedDateTime"}:
		if when, err := time.Parse(time.RFC3339Nano, string(t.text)); err == nil {
			e.started = when.UnixMicro()
		}
	case harPlace{harEntryObject, "_resourceType"}:
		e.socket = e.socket || string(t.text) == "websocket"
	}
}

// misfit takes in a value of another type than the member has that it is of.
func (d *harDecoder) misfit(t *jsonToken) {
	m := &d.message
	switch (harPlace{d.role(), d.member}) {
	case harPlace{harMessageObject, "data"}:
		m.fault, m.faultAt = "its data is no string", t.at
	case harPlace{harMessageObject, "opcode"}:
		m.fault, m.faultAt = "its opcode is no number", t.at
	}
}

// number takes in a number; true, false and null are none.
func (d *harDecoder) number(t *jsonToken) {
	n, err := strconv.ParseFloat(string(t.text), 64)
	if err != nil || d.role() == harMessageObject && d.member == "data" {
		d.misfit(t)
		return
	}
	switch (harPlace{d.role(), d.member}) {
	case harPlace{harMessageObject, "time"}:
		d.message.time = harTime(n)
	case harPlace{harMessageObject, "opcode"}:
		d.message.opcode, d.message.noOpcode = int(max(min(n, math.MaxUint8), -1)), false
	case harPlace{harMessageObject, "code"}:
		d.message.code = uint16(max(min(n, math.MaxUint16), 0))
	case harPlace{harResponse, "status"}:
		d.entry.status = int(max(min(n, 999), 0))
	}
}

// harTime turns the time of a message into microseconds since the Unix epoch. Browsers give seconds; what is far in the
// future as such is milliseconds, or microseconds.
func harTime(n float64) int64 {
	const milliseconds, microseconds, never = 1e11, 1e14, 1e17
	switch {
	case n < 0 || n >= never:
		return 0
	case n < milliseconds:
		n *= 1e6
	case n < microseconds:
		n *= 1e3
	}
	return int64(math.Round(n))
}
