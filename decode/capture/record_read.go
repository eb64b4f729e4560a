package capture

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"kind4/decode"
	"kind4/decode/session"
)

// lineSlack is how long a record's line may be beyond the base64 of the longest message, in bytes: request
// targets and headers are at most 64 KiB, and an escape takes up to six bytes.
const lineSlack = 1 << 20

// recordDecoder reads a record. A line that is no event ends the reading, unless it is torn: it is the last
// and lacks its end, or the next line begins a session, because somebody appended to a record whose writer
// was killed. A torn line is a Note.
type recordDecoder struct {
	long    []byte // what came of a line that spans windows
	cut     bool   // the line passed the cap: long is its beginning
	ended   bool   // the line has its end
	line    int    // of the input, from 1
	at      int64  // where the line begins in the input
	begun   bool   // a header or an event came
	pending *Error // of the line before, while it is not known whether it is torn

	path, remote, proxy string // of the event before, to be used again
}

func (d *recordDecoder) read(r *Reader, b *session.Batch) error {
	for {
		line, ok := d.next(r)
		if ok {
			if err := d.take(r, b, line); err != nil {
				return err
			}
			if r.enough(b) && !asked(b) {
				return nil
			}
			continue
		}
		if r.some(b) && !(asked(b) && r.in.end == len(r.in.buf)) {
			return nil
		}
		switch err := r.in.fill(); {
		case err == errFull:
			d.keep(r, r.in.window())
			r.in.pos = r.in.end
		case err == io.EOF && (r.in.pos < r.in.end || len(d.long) > 0):
		case err == io.EOF && d.pending != nil:
			return d.pending
		case err != nil:
			return r.readError(err)
		}
	}
}

// asked reports whether the last event is an ask: those that go out together stay in one batch, as far as
// that costs no waiting.
func asked(b *session.Batch) bool {
	n := len(b.Events)
	return n > 0 && b.Events[n-1].Kind == session.Asked
}

// next returns the next line, its end included where it has one. It reports false where more has to be read.
func (d *recordDecoder) next(r *Reader) ([]byte, bool) {
	if len(d.long) == 0 {
		d.at = r.in.offset()
	}
	w := r.in.window()
	i := bytes.IndexByte(w, '\n')
	switch {
	case i >= 0:
		w = w[:i+1]
	case !r.in.ended() || len(w)+len(d.long) == 0:
		return nil, false
	}
	r.in.pos += len(w)
	d.line++
	d.ended = i >= 0
	if len(d.long) == 0 {
		return w, true
	}
	d.keep(r, w)
	w, d.long = d.long, spare(d.long)
	return w, true
}

// keep adds to a line that spans windows, up to the cap.
func (d *recordDecoder) keep(r *Reader, part []byte) {
	if d.cut {
		part = part[:0]
	}
	d.long = append(grown(d.long, len(part), r.longest(4, 3)+lineSlack), part...)
	if int64(len(d.long)) > r.max/3*4+lineSlack {
		d.cut, d.long = true, append([]byte(nil), d.long[:lineSlack]...)
	}
}

// take takes one line.
func (d *recordDecoder) take(r *Reader, b *session.Batch, line []byte) error {
	cut := d.cut
	d.cut = false
	text := bytes.Trim(line, " \t\r\n")
	if len(text) == 0 {
		return nil
	}
	if version, is, fault := parseHeader(text); is {
		return d.header(r, b, version, fault)
	}
	if d.pending != nil {
		return d.pending
	}
	if cut {
		text = shortened(text)
	}
	before := len(b.Buf)
	p := recordParser{decoder: d, reader: r, batch: b, line: text, cut: cut}
	ev, ok := p.parse()
	d.begun = true
	switch {
	case !d.ended && (cut || p.fault != ""):
		b.Buf = b.Buf[:before]
		d.torn(r, b, fmt.Sprintf("the record ends inside a line, %d bytes into it", r.in.read-d.at))
	case p.fault != "":
		d.pending = r.fail(d.line, d.at+int64(p.offset), p.fault)
	case !ok:
		b.Buf = b.Buf[:before]
	default:
		b.Events = append(b.Events, ev)
	}
	return nil
}

// header takes a line that begins a session.
func (d *recordDecoder) header(r *Reader, b *session.Batch, major int, fault string) error {
	if d.pending != nil {
		d.torn(r, b, fmt.Sprintf("line %d ends inside an event, and another session begins behind it", d.line-1))
		d.pending = nil
	}
	switch {
	case fault != "":
		return r.fail(d.line, d.at, fault)
	case major > recordMajor:
		return r.fail(d.line, d.at, fmt.Sprintf("a record of version %d, and this kind4 reads version %d", major, recordMajor))
	case d.begun:
		b.Events = append(b.Events, session.Event{Kind: session.Begun})
	}
	d.begun = true
	return nil
}

// torn appends the note that something is missing at the current line.
func (d *recordDecoder) torn(r *Reader, b *session.Batch, what string) {
	b.Events = append(b.Events, session.Event{Kind: session.Note, Note: session.NoteTorn,
		Reason: r.torn(d.line, d.at, what).Error()})
}

// shortened makes an event of the beginning of a line that is over the cap: data, which comes last, is cut.
func shortened(line []byte) []byte {
	const mark = `,"` + memberData + `":"`
	i := bytes.Index(line, []byte(mark))
	if i < 0 || len(line) < i+len(mark)+headBase64 {
		return line
	}
	return append(line[:i+len(mark)+headBase64:i+len(mark)+headBase64], `"}`...)
}

// headBase64 is how many digits of base64 hold what is kept of a message over the cap, and no byte more.
const headBase64 = (headSize + 2) / 3 * 4

// recogniseRecord reports whether an input begins with a record's header or, where somebody left that out,
// with one of its events.
func recogniseRecord(seen []byte) bool {
	head := compact(seen, 64)
	if bytes.HasPrefix(head, []byte(`{"`+memberRecord+`":`)) {
		return true
	}
	rest, ok := bytes.CutPrefix(head, []byte(`{"`+memberTime+`":`))
	rest = bytes.TrimLeft(rest, "-0123456789")
	return ok && bytes.HasPrefix(rest, []byte(`,"`+memberEvent+`":"`))
}

// parseHeader reports whether a line begins a session, and of which major version; fault says what is wrong
// with a header.
func parseHeader(line []byte) (major int, is bool, fault string) {
	w := decode.NewWalker(line, 0)
	if t, ok := w.Next(); !ok || t.Kind != decode.BeginObject {
		return 0, false, ""
	}
	name, ok := w.Next()
	if !ok || name.Kind != decode.TokenName || string(line[name.Start:name.End]) != `"`+memberRecord+`"` {
		return 0, false, ""
	}
	value, ok := w.Next()
	if !ok {
		return 0, false, ""
	}
	version, _, _ := bytes.Cut(bytes.Trim(line[value.Start:value.End], `"`), []byte("."))
	major, err := strconv.Atoi(string(version))
	if value.Kind != decode.TokenString || err != nil || major < 1 {
		return 0, true, "a record of no version: " + quote(line[value.Start:value.End])
	}
	return major, true, ""
}
