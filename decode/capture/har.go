package capture

import "kind4/decode/session"

// newHARDecoder returns what reads an HTTP Archive.
func newHARDecoder(*Reader) decoder { return harDecoder{} }

// harDecoder is the reader of HTTP Archives.
type harDecoder struct{}

func (harDecoder) read(r *Reader, _ *session.Batch) error {
	if r.in.pos == r.in.end {
		if err := r.in.fill(); err != nil {
			return r.readError(err)
		}
	}
	return r.fail(0, 0, "HTTP Archives are not read yet")
}
