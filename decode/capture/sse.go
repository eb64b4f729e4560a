package capture

import (
	"bytes"

	"kind4/decode"
	"kind4/decode/session"
)

// sseDecoder reads an event stream (WHATWG HTML section 9.2, "Server-sent events"): lines end with CR LF, LF or CR,
// the data lines of an event are joined with LF, one space behind a colon is left out, comments and unknown fields are
// passed over, and an empty line dispatches the event, where it has data. Data that is no notification is counted, see
// classify; so are events of another name than message, which a client of MCP never looks at (MCP 2025-11-25,
// Transports).
//
// A reader drops an event that the end of the stream cuts off; here it is yielded, and a note behind it says so.
type sseDecoder struct {
	lines textLines
	open  bool   // the event has data
	begin int    // the line of its first data
	name  []byte // what its field event says, cut to maxName
}

// maxName is how much of an event's name is kept, in bytes.
const maxName = 64

// defaultName is the name of an event that gives itself none.
const defaultName = "message"

func (d *sseDecoder) read(r *Reader, b *session.Batch) error {
	r.resume(b)
	return r.readLines(b, &d.lines, d)
}

func (d *sseDecoder) take(r *Reader, b *session.Batch, line []byte, size int64) {
	if len(line) == 0 {
		d.dispatch(r, b)
		return
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "":
		r.tally.Comments++
	case "data":
		before := byte('\n')
		if !d.open {
			before, d.open, d.begin = byte(decode.TagNotification), true, d.lines.number
		}
		r.gather(b, before, value, size-int64(len(line)-len(value)))
	case "event":
		d.name = append(d.name[:0], value[:min(len(value), maxName)]...)
	case "id", "retry":
	default:
		r.tally.Fields++
	}
}

// dispatch ends the event under way.
func (d *sseDecoder) dispatch(r *Reader, b *session.Batch) {
	switch {
	case !d.open:
	case len(d.name) > 0 && string(d.name) != defaultName:
		if r.tally.Named++; r.tally.Name == "" {
			r.tally.Name = string(d.name)
		}
		r.drop(b)
	default:
		r.judge(b)
	}
	d.open, d.name = false, d.name[:0]
}

func (d *sseDecoder) end(r *Reader, b *session.Batch, err error) error {
	if err = r.readError(err); !d.open {
		return err
	}
	before := r.tally.Messages
	d.dispatch(r, b)
	if r.tally.Messages > before {
		b.Events = append(b.Events, session.Event{Kind: session.Note, Note: session.NoteTorn, Reason: r.torn(d.begin, 0,
			"the stream ends inside this event, without the empty line that ends one: a client drops it, and it is shown all the same").Error()})
	}
	return err
}
