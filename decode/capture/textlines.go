package capture

import "bytes"

// textLines takes lines of any length out of an input. Of one that is longer than a message may be it keeps the
// beginning.
type textLines struct {
	returns bool // a CR ends a line too

	begun  bool   // the first bytes were seen
	number int    // of the last line, from 1
	kept   []byte // the line under way, where earlier windows held a part of it
	size   int64  // how long that part is
	taken  bool   // kept was handed out
	skip   bool   // a LF belongs to the CR before it
}

// next returns the next line without its end, valid until the call after it; size is greater than its length where
// it was cut. ok is false where more must be read first, and at the end.
func (l *textLines) next(r *Reader) (line []byte, size int64, ok bool) {
	in := &r.in
	if l.taken {
		l.kept, l.size, l.taken = spare(l.kept), 0, false
	}
	if !l.begun && !l.begin(in) {
		return nil, 0, false
	}
	w := in.window()
	if l.skip && len(w) > 0 {
		l.skip = false
		if w[0] == '\n' {
			in.pos++
			w = w[1:]
		}
	}
	end := l.end(w)
	switch {
	case end >= 0:
		in.pos += end + 1
		l.skip = l.returns && w[end] == '\r'
		w = w[:end]
	case !in.ended():
		l.keep(r, w)
		in.pos = in.end
		return nil, 0, false
	case len(w) == 0 && l.size == 0:
		return nil, 0, false
	default:
		in.pos = in.end
	}
	l.number++
	if l.size == 0 && int64(len(w)) <= r.max+aroundMessage {
		return w, int64(len(w)), true
	}
	l.keep(r, w)
	l.taken = true
	return l.kept, l.size, true
}

// end returns where in w the line ends, -1 where it does not.
func (l *textLines) end(w []byte) int {
	end := bytes.IndexByte(w, '\n')
	if !l.returns {
		return end
	}
	if end >= 0 {
		w = w[:end]
	}
	if cr := bytes.IndexByte(w, '\r'); cr >= 0 {
		return cr
	}
	return end
}

// keep takes in more of the line under way.
func (l *textLines) keep(r *Reader, w []byte) {
	if int64(len(l.kept)) == l.size {
		l.kept = append(grown(l.kept, len(w), r.longest(1, 1)), w...)
	}
	l.size += int64(len(w))
	if l.size > r.max+aroundMessage {
		l.kept = l.kept[:min(len(l.kept), r.head()+aroundMessage)]
	}
}

// pending reports whether a part of a line was read whose end has not come.
func (l *textLines) pending() bool { return l.size > 0 && !l.taken }

// begin passes over a byte order mark; false where more must be read to know whether there is one.
func (l *textLines) begin(in *input) bool {
	w := in.window()
	if len(w) < len(byteOrderMark) && !in.ended() && bytes.HasPrefix([]byte(byteOrderMark), w) {
		return false
	}
	if bytes.HasPrefix(w, []byte(byteOrderMark)) {
		in.pos += len(byteOrderMark)
	}
	l.begun = true
	return true
}
