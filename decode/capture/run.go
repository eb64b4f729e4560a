package capture

import "kind4/decode"

// quoteMax is how many characters of the input an error quotes.
const quoteMax = 32

// quote quotes input for an error: safe for a terminal, and not much of it.
func quote(s []byte) string { return string(decode.AppendQuoted(nil, s, quoteMax)) }

// run remembers the beginning of a stretch of input that may span windows, for errors to quote.
type run struct {
	active bool
	at     int64  // where it begins in the input
	start  int    // where it begins in the window, 0 where it came from the one before
	before []byte // what stood in earlier windows, as much as an error quotes
}

// begin starts a run at index i of r's window.
func (s *run) begin(r *Reader, i int) {
	s.active, s.start, s.at, s.before = true, i, r.in.offset()+int64(i), s.before[:0]
}

// leave keeps what is needed of the window w, which is used up.
func (s *run) leave(w []byte) {
	if s.active {
		s.before, s.start = s.upTo(w, len(w)), 0
	}
}

// upTo returns the run up to index i of the window w, or the beginning of it.
func (s *run) upTo(w []byte, i int) []byte {
	const enough = 4*quoteMax + 4
	if room := enough - len(s.before); s.start < i && room > 0 {
		return append(s.before, w[s.start:min(i, s.start+room)]...)
	}
	return s.before
}

// end ends the run.
func (s *run) end() { s.active, s.before = false, s.before[:0] }
