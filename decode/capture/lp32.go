package capture

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"kind4/decode/session"
)

// lengthSize is how many bytes the length before each message takes.
const lengthSize = 4

// lp32Decoder reads messages behind their lengths straight into the batch's memory. A message over the cap
// is skipped but for its first bytes; a tail that is shorter than its length says is a fault, no message.
type lp32Decoder struct{}

func (d lp32Decoder) read(r *Reader, b *session.Batch) error {
	r.resume(b)
	for {
		need := d.records(r, b)
		if r.some(b) {
			r.stash(b)
			return nil
		}
		var err error
		if need-lengthSize > r.max {
			err = d.skip(r, b, need-lengthSize)
		} else {
			err = d.more(r, b, need)
		}
		if err != nil {
			return err
		}
	}
}

// records yields the whole records in b's memory from r.start on, and returns the size of the one after
// them, its length included: lengthSize where not even that is known.
func (lp32Decoder) records(r *Reader, b *session.Batch) int64 {
	for {
		rest := b.Buf[r.start:]
		if len(rest) < lengthSize {
			return lengthSize
		}
		size := int64(binary.BigEndian.Uint32(rest))
		if size > int64(len(rest)-lengthSize) || r.enough(b) {
			return lengthSize + size
		}
		data := rest[lengthSize : lengthSize+size]
		if size > r.max {
			data = data[:r.head()]
		}
		appendMessage(b, data, size)
		r.start += lengthSize + int(size)
	}
}

// more reads once towards a record of need bytes. Memory grows with what has come, not with what a length
// announces: to four times that, so that little is left behind each time.
func (d lp32Decoder) more(r *Reader, b *session.Batch, need int64) error {
	have := len(b.Buf) - r.start
	room := max(chunkSize-have, min(int(need)-have, max(3*have, chunkSize)))
	b.Buf = slices.Grow(b.Buf, room)
	n, err := r.in.readInto(b.Buf[len(b.Buf) : len(b.Buf)+room])
	b.Buf = b.Buf[:len(b.Buf)+n]
	if err == io.EOF && have > 0 {
		return d.torn(r, b, int64(have))
	}
	if err != nil {
		return r.readError(err)
	}
	return nil
}

// skip yields a record whose size is over the cap and leaves out what stands behind its first bytes.
func (d lp32Decoder) skip(r *Reader, b *session.Batch, size int64) error {
	head := r.head()
	for len(b.Buf)-r.start < lengthSize+head {
		if err := d.more(r, b, int64(lengthSize+head)); err != nil {
			return err
		}
	}
	have := int64(len(b.Buf) - r.start)
	if have >= lengthSize+size {
		return nil
	}
	skipped, err := r.in.discard(lengthSize + size - have)
	if err == io.EOF {
		return d.torn(r, b, have+skipped)
	}
	if err != nil {
		return r.readError(err)
	}
	begin := r.start + lengthSize
	appendMessage(b, b.Buf[begin:begin+head], size)
	b.Buf = b.Buf[:begin+head]
	r.start = len(b.Buf)
	return nil
}

// torn returns the error for an input that ends have bytes into a record.
func (lp32Decoder) torn(r *Reader, b *session.Batch, have int64) error {
	at := r.in.read - have
	if have < lengthSize {
		return r.torn(0, at, fmt.Sprintf("the input ends %d of 4 bytes into a length (%x)", have, b.Buf[r.start:]))
	}
	length := b.Buf[r.start : r.start+lengthSize]
	return r.torn(0, at, fmt.Sprintf("a length of %d (%x), and the input ends %d bytes into that message",
		binary.BigEndian.Uint32(length), length, have-lengthSize))
}
