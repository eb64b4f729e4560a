package packet

import "io"

const (
	// firstBuffer is the window of the capture that is held at first, in bytes.
	firstBuffer = 256 << 10
	// maxRecord is the longest block or packet record that is read, in bytes; the window
	// grows to it as the bytes arrive, never on a length's word. It is four times the
	// longest packet that tcpdump writes (262144 bytes).
	maxRecord = 1 << 20
	// maxEmptyReads is how often in a row a source may return nothing.
	maxEmptyReads = 100
)

// source is a window of the capture that knows its place in it.
type source struct {
	src      io.Reader
	buf      []byte
	pos, end int
	off      int64 // of buf[pos] from the start of the capture
	err      error // of the source, io.EOF included; for good once set
}

// held returns how many bytes are in the window.
func (s *source) held() int { return s.end - s.pos }

// peek returns the next n bytes, and fewer only where the source ends or fails before. They
// are valid until the next peek or skip of more than is held. n is at most maxRecord.
func (s *source) peek(n int) []byte {
	for s.held() < n && s.err == nil {
		s.fill(n)
	}
	return s.buf[s.pos : s.pos+min(n, s.held())]
}

// fill reads once, making room for n bytes as they arrive.
func (s *source) fill(n int) {
	if s.pos > 0 && s.pos+n > len(s.buf) {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos = 0
	}
	if s.end == len(s.buf) {
		grown := make([]byte, max(firstBuffer, min(2*len(s.buf), maxRecord)))
		s.end = copy(grown, s.buf[s.pos:s.end])
		s.buf, s.pos = grown, 0
	}
	for range maxEmptyReads {
		m, err := s.src.Read(s.buf[s.end:])
		s.end += m
		s.err = err
		if m > 0 || err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}

// take goes past n bytes that are held.
func (s *source) take(n int) {
	s.pos += n
	s.off += int64(n)
}

// skip goes past n bytes, or to the end of the source, and reports how many they were.
func (s *source) skip(n int64) int64 {
	var done int64
	for done < n {
		if s.held() == 0 && len(s.peek(1)) == 0 {
			break
		}
		m := min(n-done, int64(s.held()))
		s.take(int(m))
		done += m
	}
	return done
}

// ended is the error for a record that starts at start and of which have bytes were there
// before the source ended or failed.
func (s *source) ended(start, have int64) error {
	if s.err != io.EOF {
		return &Error{Offset: start, Err: s.err}
	}
	if start == 0 && have == 0 {
		return io.EOF // nothing at all is no capture, but not a torn one
	}
	return &Error{Offset: start, Torn: true, Have: have}
}
