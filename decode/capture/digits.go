package capture

import (
	"io"

	"kind4/decode/session"
)

// digits decodes text of digits, hex or base64, as it comes.
type digits interface {
	scan(r *Reader, b *session.Batch) error   // decodes the window, until there is enough in b
	finish(r *Reader, b *session.Batch) error // ends what is unfinished where the input ends
	whole() bool                              // all of the input is one message
}

// readDigits yields what d decodes of the input, up to what one batch takes.
func readDigits(r *Reader, b *session.Batch, d digits) error {
	r.resume(b)
	for {
		r.reserve(b, len(r.in.window()))
		if err := d.scan(r, b); err != nil {
			b.Buf = b.Buf[:r.start]
			return err
		}
		r.trim(b)
		if r.enough(b) || r.some(b) && r.in.pos == r.in.end {
			r.stash(b)
			return nil
		}
		if err := r.in.fill(); err != nil {
			return endDigits(r, b, d, err)
		}
	}
}

// endDigits finishes the last message where the input ends with err.
func endDigits(r *Reader, b *session.Batch, d digits, err error) error {
	if err == io.EOF {
		if fault := d.finish(r, b); fault != nil {
			b.Buf = b.Buf[:r.start]
			return fault
		}
		if r.size(b) > 0 || d.whole() && r.in.read > 0 {
			r.emit(b)
		}
	}
	b.Buf = b.Buf[:r.start]
	return r.readError(err)
}
