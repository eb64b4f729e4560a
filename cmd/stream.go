package cmd

import (
	"errors"
	"io"
	"os"
	"syscall"

	"kind4/render"
)

// A standard stream is seen through what is put before it.
type throughFile interface{ file() *os.File }

// fileOf returns the file that a stream is, nil where it is none.
func fileOf(stream any) *os.File {
	switch s := stream.(type) {
	case *os.File:
		return s
	case throughFile:
		return s.file()
	}
	return nil
}

// patient writes to a standard stream that another process may have made non-blocking: a pipe or a terminal that has no
// room then fails with EAGAIN, and patient waits until there is some.
type patient struct{ *os.File }

func newPatient(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok {
		return patient{f}
	}
	return w
}

func (p patient) file() *os.File { return p.File }

func (p patient) Write(b []byte) (written int, err error) {
	for {
		n, err := p.File.Write(b[written:])
		if written += n; !errors.Is(err, syscall.EAGAIN) {
			return written, err
		}
		if err := awaitRoom(p.File); err != nil {
			return written, err
		}
	}
}

// patientInput is the same for what is read.
type patientInput struct{ *os.File }

func (p patientInput) Read(b []byte) (int, error) {
	for {
		n, err := p.File.Read(b)
		if n > 0 || !errors.Is(err, syscall.EAGAIN) {
			return n, err
		}
		if err := awaitBytes(p.File); err != nil {
			return 0, err
		}
	}
}

// asciiWriter writes what is beyond ASCII in ASCII, for a terminal that does not show UTF-8.
type asciiWriter struct {
	w    io.Writer
	buf  []byte
	rest []byte // the start of a character, which the next write completes
}

func (a *asciiWriter) file() *os.File { return fileOf(a.w) }

func (a *asciiWriter) Write(b []byte) (int, error) {
	in := b
	if len(a.rest) > 0 {
		in = append(a.rest, b...)
	}
	whole := len(in) - render.PartialRune(in)
	a.buf = render.AppendASCII(a.buf[:0], in[:whole])
	a.rest = append([]byte(nil), in[whole:]...)
	if _, err := a.w.Write(a.buf); err != nil {
		return 0, err
	}
	return len(b), nil
}

// wordsTo is where a text of kind4's own goes: in ASCII where the locale says so, on a terminal or not.
func wordsTo(w io.Writer) io.Writer {
	if asciiOnly() {
		return &asciiWriter{w: w}
	}
	return w
}

// messagesTo is where messages go: what they hold stays as it is but on a terminal that does not show UTF-8, where a byte
// of a character may be a control character.
func messagesTo(w io.Writer) io.Writer {
	if isTerminal(w) {
		return wordsTo(w)
	}
	return w
}
