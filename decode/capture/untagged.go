package capture

import (
	"bytes"

	"kind4/decode"
	"kind4/decode/session"
)

// Tally says what an untagged input held, by what it is. What is no notification is counted and passed over.
type Tally struct {
	Messages  int64  // notifications, good or bad: what was yielded
	Requests  int64  // of JSON-RPC
	Responses int64  // likewise, errors included
	Others    int64  // lines, or events of a stream, that are none of these; empty lines are not counted
	Comments  int64  // of an event stream
	Fields    int64  // lines of an event stream that are no field of the standard
	Named     int64  // events of another name than message
	Name      string // the first of these names: text from outside, cut where it is longer than 64 bytes
	Wrapper   string // a member of an object whose string holds JSON-RPC, as a logger wraps it; "" for none
}

// Tally returns what an untagged input held so far; nothing but zeros for any other.
func (r *Reader) Tally() Tally { return r.tally }

// count takes in what a text is that is not yielded.
func (t *Tally) count(s text) {
	switch {
	case s.class == request:
		t.Requests++
	case s.class == response:
		t.Responses++
	case s.requests+s.responses > 0:
		t.Requests += int64(s.requests)
		t.Responses += int64(s.responses)
	default:
		t.Others++
	}
	if t.Wrapper == "" {
		t.Wrapper = s.wrapper
	}
}

// recogniseUntagged is recognise for JSON-RPC without tags.
func recogniseUntagged(seen []byte) (Format, string) {
	format, _ := untaggedFormat(seen)
	if known := recogniseFirst(seen); known != Auto {
		return format, "the input looks like " + known.String() + ", whose messages have tags: read it without --untagged"
	}
	if name, mark := decode.EncodingOf(seen); name != "" {
		return format, "the input is " + name + ", where lines and event streams are read in UTF-8: convert it first, with " + iconv(name, mark)
	}
	return format, ""
}

// untaggedFormat tells an event stream from lines by its first lines: the field data, and an object or array at the
// beginning of a line, are sure. A stream's other fields and comments are a sign of one where nothing else comes, and
// whatever else stands there, as the head of an HTTP response, is passed over.
func untaggedFormat(seen []byte) (f Format, sure bool) {
	f = Lines
	for len(seen) > 0 {
		end := bytes.IndexAny(seen, "\r\n")
		if end < 0 {
			end = len(seen)
		}
		line := seen[:end]
		seen = seen[min(end+1, len(seen)):]
		if end == 0 {
			continue
		}
		name, _, found := bytes.Cut(line, []byte(":"))
		begin := bytes.TrimLeft(line, " \t")
		switch {
		case found && string(name) == "data":
			return SSE, true
		case len(begin) > 0 && begin[0] == '{', found && !isField(name) && holdsMessage(line):
			return Lines, true
		case found && isField(name):
			f = SSE
		}
	}
	return f, false
}

// holdsMessage reports whether JSON-RPC stands behind other text in a line.
func holdsMessage(line []byte) bool {
	at, _ := behindText(line)
	return at >= 0
}

// isField reports whether a line with this before its colon is a field of an event, or a comment (WHATWG HTML section
// 9.2.6).
func isField(name []byte) bool {
	switch string(name) {
	case "", "data", "event", "id", "retry":
		return true
	}
	return false
}

// untaggedBeginning reads until the format is known, and no further: what follows may be long in coming.
func (r *Reader) untaggedBeginning() []byte {
	lines, looked := 0, 0 // how much of the window is whole lines that do not tell, and how much was looked at
	for {
		seen := r.in.window()
		if end := looked + bytes.LastIndexAny(seen[looked:], "\r\n") + 1; end > looked {
			told := seen[lines:end]
			if lines == 0 {
				told = bytes.TrimPrefix(told, []byte(byteOrderMark))
			}
			if _, sure := untaggedFormat(told); sure {
				return seen
			}
			lines = end
		}
		if looked = len(seen); r.in.fill() != nil {
			return r.in.window()
		}
	}
}

// untaggedHint is the hint for an input that holds JSON-RPC without tags, and is to be read as one raw message.
func untaggedHint(seen []byte) string {
	format, sure := untaggedFormat(seen)
	switch {
	case sure && format == SSE:
		return "the input looks like an event stream (SSE) and is taken for one raw message: --untagged reads its events"
	case sure && (bytes.Contains(seen, []byte(`"jsonrpc"`)) || bytes.Count(seen, []byte("\n{\"method\"")) > 0):
		return "the input looks like JSON-RPC without tags and is taken for one raw message: --untagged reads it, line by line"
	}
	return ""
}

// linesDecoder reads JSON-RPC, a message a line. What is no notification is counted, see classify. Text may stand
// before an object that has jsonrpc, and then behind it too: neither belongs to the message. A line of one "{" begins
// an object over several lines, up to the "}" as far from the margin as that is; a line before it that is no
// further from the margin is none of it. Any other object or array that a line ends inside of, though not inside a string,
// goes on in the next one as long as that is JSON; what begins behind other text, and an array, is taken line by line where
// it comes to no end.
//
// Each message is yielded behind the tag 0 that it has on a channel.
type linesDecoder struct {
	lines  textLines
	open   bool // an object over several lines is under way
	margin int  // how many blanks stand before its first brace, or before the line that it begins in

	joined bool    // that goes by what is JSON, and not by the margin
	behind bool    // it began behind other text
	apart  bool    // it is taken line by line where it comes to no end
	json   nesting // of what is joined
}

func (d *linesDecoder) read(r *Reader, b *session.Batch) error {
	r.resume(b)
	return r.readLines(b, &d.lines, d)
}

// lineTaker takes one line after the other, and the end.
type lineTaker interface {
	take(r *Reader, b *session.Batch, line []byte, size int64)
	end(r *Reader, b *session.Batch, err error) error
}

// readLines hands on the lines that are there until there is something to yield, as decoder's read does.
func (r *Reader) readLines(b *session.Batch, lines *textLines, to lineTaker) error {
	for {
		line, size, ok := lines.next(r)
		if ok {
			to.take(r, b, line, size)
		}
		if r.enough(b) || !ok && r.some(b) {
			r.stash(b)
			return nil
		}
		if ok {
			continue
		}
		if err := r.in.fill(); err != nil && !lines.pending() {
			return to.end(r, b, err)
		}
	}
}

func (d *linesDecoder) take(r *Reader, b *session.Batch, line []byte, size int64) {
	if rest, ended := bytes.CutSuffix(line, []byte("\r")); ended && size == int64(len(line)) {
		line, size = rest, size-1
	}
	begin := bytes.TrimLeft(line, " \t")
	margin := len(line) - len(begin)
	if d.open && d.joined {
		if d.goOn(r, b, line, margin, size) {
			return
		}
		d.close(r, b)
	}
	if d.open {
		last := margin == d.margin && len(bytes.TrimRight(begin, " \t")) == 1 && begin[0] == '}'
		if len(begin) == 0 || margin > d.margin || last {
			r.gather(b, '\n', line, size)
			if last {
				d.close(r, b)
			}
			return
		}
		d.close(r, b)
	}
	switch {
	case len(begin) == 0:
	case len(begin) == 1 && begin[0] == '{':
		d.open, d.joined, d.apart, d.margin = true, false, false, margin
		r.gather(b, byte(decode.TagNotification), line, size)
	case bytes.Contains(begin, []byte("\r{")):
		r.hint = "a line has JSON behind a CR alone, which ends no line: turn those into line feeds first, with tr '\\r' '\\n'"
		d.single(r, b, line, margin, size)
	case !d.begin(r, b, line, margin, size):
		d.single(r, b, line, margin, size)
	}
}

// single takes a line that is not part of an object over several.
func (d *linesDecoder) single(r *Reader, b *session.Batch, line []byte, margin int, size int64) {
	s := text{}
	if c := line[margin]; c == '{' || c == '[' {
		s = classifyWhole(line[margin:])
	}
	if s.class == other && s.wrapper == "" && s.requests+s.responses == 0 {
		if at, found := behindText(line); at > margin {
			s, line, size = found, line[at:], size-int64(at)
			if s.whole {
				line, size = line[:s.end], int64(s.end)
			}
		}
	}
	if s.class != message {
		r.tally.count(s)
		return
	}
	r.gather(b, byte(decode.TagNotification), line, size)
	r.yield(b)
}

// close ends the object over several lines that is under way.
func (d *linesDecoder) close(r *Reader, b *session.Batch) {
	d.open = false
	if d.apart && r.dropped == 0 {
		d.takeApart(r, b)
		return
	}
	r.judge(b)
}

func (d *linesDecoder) end(r *Reader, b *session.Batch, err error) error {
	if d.open {
		d.close(r, b)
	}
	return r.readError(err)
}

// gather adds a byte and a line of size bytes, of which more may be missing, to the message under way.
func (r *Reader) gather(b *session.Batch, before byte, line []byte, size int64) {
	r.reserve(b, len(line)+1)
	b.Buf = append(append(b.Buf, before), line...)
	r.trim(b)
	r.dropped += size - int64(len(line))
}

// yield ends the message under way.
func (r *Reader) yield(b *session.Batch) {
	r.tally.Messages++
	r.emit(b)
}

// judge ends the message under way where it is one, and else counts and drops it.
func (r *Reader) judge(b *session.Batch) {
	if s := classifyWhole(b.Buf[r.start+1:]); s.class != message {
		r.tally.count(s)
		r.drop(b)
		return
	}
	r.yield(b)
}

// drop takes the message under way back.
func (r *Reader) drop(b *session.Batch) { b.Buf, r.dropped = b.Buf[:r.start], 0 }
