package capture

import (
	"bytes"
	"errors"
	"io"
	"unicode/utf8"
)

// windowSize is how much of the input is held at once, and how much Auto looks at, in bytes.
const windowSize = 64 << 10

// errFull says that the window holds windowSize unread bytes.
var errFull = errors.New("capture: window full")

// input is a window on the source: buf[pos:end] was read and not used yet.
type input struct {
	src      io.Reader
	buf      []byte
	pos, end int
	read     int64 // bytes taken from src
	err      error // of src, io.EOF among them; for good once set
}

// offset returns where buf[pos] stands in the input.
func (in *input) offset() int64 { return in.read - int64(in.end-in.pos) }

// window returns what was read and not used yet.
func (in *input) window() []byte { return in.buf[in.pos:in.end] }

// fill reads more behind the window. It returns errFull when there is no room, io.EOF or the source's
// error when nothing more comes.
func (in *input) fill() error {
	if in.err != nil {
		return in.err
	}
	if in.buf == nil {
		in.buf = make([]byte, windowSize)
	}
	if in.pos == in.end {
		in.pos, in.end = 0, 0
	} else if in.end == len(in.buf) {
		if in.pos == 0 {
			return errFull
		}
		in.end = copy(in.buf, in.window())
		in.pos = 0
	}
	n, err := in.readSource(in.buf[in.end:])
	in.end += n
	return err
}

// peek fills the window and returns it: all of the input where that is shorter.
func (in *input) peek() []byte {
	for in.end-in.pos < windowSize && in.fill() == nil {
	}
	return in.window()
}

// ended reports whether the source has nothing beyond the window.
func (in *input) ended() bool { return in.err != nil }

// readInto reads into p what the window holds, or straight from the source where it is empty.
func (in *input) readInto(p []byte) (int, error) {
	if in.pos < in.end {
		n := copy(p, in.window())
		in.pos += n
		return n, nil
	}
	return in.readSource(p)
}

// readSource reads once from the source and returns at least one byte, or an error and none.
func (in *input) readSource(p []byte) (int, error) {
	for range 100 {
		if in.err != nil {
			return 0, in.err
		}
		n, err := in.src.Read(p)
		in.read += int64(n)
		in.err = err
		if n > 0 {
			return n, nil
		}
	}
	if in.err == nil {
		in.err = io.ErrNoProgress
	}
	return 0, in.err
}

// discard skips up to n bytes and returns how many there were.
func (in *input) discard(n int64) (int64, error) {
	var skipped int64
	for skipped < n {
		if in.pos == in.end {
			if err := in.fill(); err != nil {
				return skipped, err
			}
		}
		step := min(n-skipped, int64(in.end-in.pos))
		in.pos += int(step)
		skipped += step
	}
	return skipped, nil
}

// character returns the UTF-8 character that the window begins with, or its first byte where it is none.
func (in *input) character() []byte {
	for !utf8.FullRune(in.window()) && in.fill() == nil {
	}
	w := in.window()
	_, size := utf8.DecodeRune(w)
	return w[:min(size, len(w))]
}

// line takes the next line out of the window, without its newline; at the end of the input also one that
// has none. It reports false where more must be read first, and at the end.
func (in *input) line() ([]byte, bool) {
	w := in.window()
	if i := bytes.IndexByte(w, '\n'); i >= 0 {
		in.pos += i + 1
		return w[:i], true
	}
	if in.ended() && len(w) > 0 {
		in.pos = in.end
		return w, true
	}
	return nil, false
}
