package capture

import (
	"io"

	"kind4/decode/session"
)

// rawDecoder takes the whole input for one message. Explicitly raw, no bytes at all are an empty message.
type rawDecoder struct{}

func (rawDecoder) read(r *Reader, b *session.Batch) error {
	r.resume(b)
	for {
		r.reserve(b, chunkSize)
		n, err := r.in.readInto(b.Buf[len(b.Buf):cap(b.Buf)])
		b.Buf = b.Buf[:len(b.Buf)+n]
		r.trim(b)
		if err == io.EOF {
			r.emit(b)
			return err
		}
		if err != nil {
			b.Buf = b.Buf[:r.start]
			return r.readError(err)
		}
	}
}
