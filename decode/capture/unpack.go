package capture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	// maxPacked is how many packings, one within another, are opened.
	maxPacked = 2
	// maxWindow is the largest window of a zstd frame that is unpacked, in bytes: what a frame asks for is held in
	// memory. RFC 8878 section 3.1.1.1.2 wants 8 MiB of every reader; a larger one is what zstd --ultra and --long write.
	maxWindow = 64 << 20
)

// packing is a compression that an input of any format may be in.
type packing struct {
	name string
	is   func(seen []byte) (is, maybe bool) // maybe: more bytes would tell
	open func(src *bufio.Reader) io.Reader
}

// packings are the compressions that are opened. gzip is known by its magic number and its one method (RFC 1952 section
// 2.3.1), zstd by the magic number of a frame (RFC 8878 section 3.1.1) or of a frame that is to be skipped (3.1.2).
var packings = [...]packing{
	{"gzip", func(seen []byte) (is, maybe bool) { return begun(seen, "\x1f\x8b\x08") }, openGzip},
	{"zstd", isZstd, openZstd},
}

// begun reports whether s begins with a magic number, and whether it may when more of it is there.
func begun(s []byte, magic string) (is, maybe bool) {
	return bytes.HasPrefix(s, []byte(magic)), strings.HasPrefix(magic, string(s[:min(len(s), len(magic))]))
}

func isZstd(seen []byte) (is, maybe bool) {
	if len(seen) > 0 && seen[0]>>4 == 5 {
		return begun(seen[1:], "\x2a\x4d\x18")
	}
	return begun(seen, "\x28\xb5\x2f\xfd")
}

// unpack opens what the input is packed in, up to maxPacked times.
func (r *Reader) unpack() {
	for len(r.packed) < maxPacked {
		p := r.packing()
		if p == nil {
			return
		}
		packed := new(input)
		*packed = r.in
		u := &unpacker{reader: r, depth: len(r.packed), in: packed, name: p.name, src: bufio.NewReader((*inputReader)(packed))}
		u.stream = p.open(u.src)
		r.packed = append(r.packed, u)
		r.in = input{src: u}
	}
}

// packing returns what the input is packed in, nil for nothing. It reads no more than tells.
func (r *Reader) packing() *packing {
	for {
		wait := r.in.pos == r.in.end
		for i := range packings {
			is, maybe := packings[i].is(r.in.window())
			if is {
				return &packings[i]
			}
			wait = wait || maybe
		}
		if !wait || r.in.fill() != nil {
			return nil
		}
	}
}

// unpacker unpacks an input. What it reads is there before it fails.
type unpacker struct {
	reader *Reader
	depth  int // of the packings around it
	in     *input
	src    *bufio.Reader // of in
	name   string
	stream io.Reader
}

// Read implements io.Reader: what can be unpacked without waiting, and at least one byte. It fails with an *Error.
func (u *unpacker) Read(p []byte) (int, error) {
	n, err := u.stream.Read(p)
	if err != nil && err != io.EOF {
		err = u.fault(err)
	}
	return n, err
}

// errBehind says that something else stands behind a gzip member.
var errBehind = errors.New("capture: no member behind a member")

// fault locates an error of the stream: where in what is unpacked it stopped.
func (u *unpacker) fault(err error) error {
	if failed := u.in.err; failed != nil && failed != io.EOF {
		return u.reader.readError(failed)
	}
	e := u.reader.fail(0, u.in.offset()-int64(u.src.Buffered()), "")
	e.Unpacked = u.depth > 0
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Message, e.Torn = "the "+u.name+" data ends before its end", true
	case errors.Is(err, errBehind), errors.Is(err, zstd.ErrMagicMismatch):
		e.Message = "what stands behind the " + u.name + " data is no " + u.name
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		e.Message = "the checksum of the " + u.name + " data before this does not match: it is damaged"
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		e.Message = "a zstd frame with a window over 64 MiB; zstd -dc --long=31 unpacks it"
	case errors.Is(err, zstd.ErrUnknownDictionary):
		e.Message = "a zstd frame that needs a dictionary; zstd -dc -D unpacks it"
	default:
		e.Message = "the " + u.name + " data is damaged"
	}
	return e
}

// gunzip unpacks gzip members one behind another (RFC 1952 section 2.2). It reads no further than what it yields: a
// member that comes later is not waited for. NULs behind the last one are padding, as gzip takes them.
type gunzip struct {
	src    *bufio.Reader
	member *gzip.Reader // nil before the first
	inside bool
}

func openGzip(src *bufio.Reader) io.Reader { return &gunzip{src: src} }

// Read implements io.Reader.
func (g *gunzip) Read(p []byte) (int, error) {
	for {
		if !g.inside {
			if err := g.next(); err != nil {
				return 0, err
			}
		}
		n, err := g.member.Read(p)
		if err == io.EOF {
			g.inside, err = false, nil
			if n == 0 {
				continue
			}
		}
		return n, err
	}
}

// next begins the next member; it returns io.EOF where there is none.
func (g *gunzip) next() error {
	if g.member == nil {
		g.member = new(gzip.Reader)
	} else if err := g.behind(); err != nil {
		return err
	}
	if err := g.member.Reset(g.src); err != nil {
		return err
	}
	g.member.Multistream(false)
	g.inside = true
	return nil
}

// behind looks at what stands behind a member: nil for another one.
func (g *gunzip) behind() error {
	padded := false
	for {
		c, err := g.src.Peek(1)
		switch {
		case err != nil:
			return err
		case c[0] == 0:
			padded = true
			g.src.Discard(1)
			continue
		case padded:
			return errBehind
		}
		if c, err = g.src.Peek(2); err == nil && string(c) != "\x1f\x8b" || c[0] != 0x1f {
			return errBehind
		}
		return nil
	}
}

// unzstd unpacks zstd frames one behind another, in the caller's goroutine.
type unzstd struct{ frames *zstd.Decoder }

func openZstd(src *bufio.Reader) io.Reader {
	frames, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // of the options, which are constant
	}
	return unzstd{frames}
}

// Read implements io.Reader. The decoder fails before it hands out the block that it failed behind, a checksum that does
// not match for instance, and hands it out when it is asked again.
func (z unzstd) Read(p []byte) (int, error) {
	n, err := z.frames.Read(p)
	if n == 0 && err != nil && err != io.EOF {
		if n, _ = z.frames.Read(p); n > 0 {
			return n, nil
		}
	}
	return n, err
}
