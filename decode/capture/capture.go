// Package capture reads messages back from the containers that people keep them in, and writes the simple
// ones. It yields session events, and knows nothing of what a frame means.
//
// A [Reader] takes any io.Reader and holds a window of 64 KiB of it. What it takes for a container, and
// how Auto tells the containers apart, stands with the decoder of each and with recognise. A container that
// is broken ends the reading with an [Error] that says where; a fault inside a message never does: that is
// for others to find.
package capture

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"

	"kind4/decode/session"
)

const (
	// defaultMaxSize is the cap on a message where the Options name none, in bytes.
	defaultMaxSize = 64 << 20
	// headSize is how much of a message over the cap is kept, in bytes, where the cap is not below it.
	headSize = 64
	// chunkSize is about how much data one call of Next yields, in bytes.
	chunkSize = 64 << 10
	// maxEvents is how many events one call of Next yields at most.
	maxEvents = 1024
)

// Options say what is read and how.
type Options struct {
	Format   Format
	Name     string  // of the file, for errors; "" for "standard input"
	MaxSize  int64   // bytes; longer messages are cut to their first 64, or to so many where that is less; 0 for 64 MiB
	Channel  *uint32 // of the notification path that a connection is taken for whose upgrade a packet capture lacks, or whose URL an archive lacks; nil for none
	Asks     bool    // the messages are asks: Auto, Hex and Base64 tell them apart by that
	Untagged bool    // the messages are JSON-RPC without tags: Auto takes Lines or SSE
}

// Reader reads the messages of one input, in order. It holds a window of 64 KiB and the part of a message
// that a chunk ended in, never the whole input.
type Reader struct {
	in       input
	packed   []*unpacker // what in is unpacked by, the outermost first
	name     string
	max      int64
	kind     kind
	format   Format
	dec      decoder
	hint     string
	channel  *uint32
	contents string
	tally    Tally
	err      error // for good once set

	first   int    // events in the batch before the current call of Next
	begin   int    // bytes in the batch before it
	start   int    // where the message under way begins in the batch's memory
	dropped int64  // bytes of that message left out since it passed the cap
	rest    []byte // what had come of it when the last call of Next returned
}

// decoder reads one format. read appends events to b and returns nil once there are some and the next may
// have to be waited for; io.EOF at the end; a *Error where the container is broken.
type decoder interface {
	read(r *Reader, b *session.Batch) error
}

// NewReader returns a reader of the messages in src. It reads nothing before the first call of Next.
func NewReader(src io.Reader, o Options) *Reader {
	r := &Reader{in: input{src: src}, name: o.Name, max: o.MaxSize, format: o.Format, channel: o.Channel}
	if r.name == "" {
		r.name = "standard input"
	}
	if o.Asks {
		r.kind = asks
	} else if o.Untagged {
		r.kind = untagged
	}
	if r.max <= 0 {
		r.max = defaultMaxSize
	}
	return r
}

// Next appends events to b: what one read of the source brought, about 64 KiB at most unless one message is
// larger. Their Data are views of b's memory; a message over MaxSize has its first bytes as Data (64, or MaxSize
// where that is less) and its real length as Size. Record, HAR, PCAP and PCAPNG have events of every kind, the asks alone
// as messages where the Options say Asks; the other formats have messages only, whose Time is 0: they have no clock.
//
// It returns io.EOF at the end, and a *Error where the container is broken or reading fails, each once
// every event before it was yielded, and the same for good afterwards. Auto waits for the first 64 KiB or
// the end, but where the first bytes tell; so do Hex and Base64, to see whether every line is a message. The other
// formats never wait for input while there is an event to yield.
func (r *Reader) Next(b *session.Batch) error {
	if r.err != nil {
		return r.err
	}
	if r.dec == nil {
		r.open()
	}
	r.first, r.begin = len(b.Events), len(b.Buf)
	err := r.dec.read(r, b)
	if r.kind == asks && r.format.sessions() {
		r.keepAsks(b)
	}
	if err != nil {
		r.err, r.rest = err, nil
		if err == io.EOF && r.in.read == 0 && r.format != Raw {
			if r.hint = noBytes; r.kind == untagged {
				r.hint = noBytesUntagged
			}
		}
		if !r.some(b) {
			return err
		}
	}
	return nil
}

// keepAsks leaves of the events of this call the asks alone, as messages.
func (r *Reader) keepAsks(b *session.Batch) {
	kept := b.Events[:r.first]
	for _, ev := range b.Events[r.first:] {
		if ev.Kind == session.Asked {
			ev.Kind = session.Message
			kept = append(kept, ev)
		}
	}
	b.Events = kept
}

// Format returns what the input is read as: what was recognised in place of Auto, once Next was called, or
// still Auto where there was nothing.
func (r *Reader) Format() Format { return r.format }

// Hint returns one line for the user about what the input looks like, "" for none.
func (r *Reader) Hint() string { return r.hint }

// Contents says in one line what a packet capture held that was read to its end, "" for another format.
func (r *Reader) Contents() string { return r.contents }

// ReadAs returns in words what the input is read as: what it is packed in, the outermost first, and the format:
// "gzip, xxd" for instance.
func (r *Reader) ReadAs() string {
	var words string
	for _, u := range r.packed {
		words += u.name + ", "
	}
	return words + r.format.String()
}

// Offset returns how many bytes of the input were read so far: of what it is, not of what it unpacks to.
func (r *Reader) Offset() int64 {
	if len(r.packed) > 0 {
		return r.packed[0].in.read
	}
	return r.in.read
}

// byteOrderMark is what some editors write before a text in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// open chooses the decoder, within what the input is packed in: nothing where the format is Raw, as a message that is
// packed itself has a fault. Auto passes over a byte order mark before a text format.
func (r *Reader) open() {
	if r.format != Raw {
		r.unpack()
	}
	if r.format == Auto {
		seen := r.beginning()
		if len(seen) == 0 {
			r.dec = nothing{}
			return
		}
		text, marked := bytes.CutPrefix(seen, []byte(byteOrderMark))
		r.format, r.hint = r.kind.recognise(text, r.in.ended())
		if marked && r.format != Raw && r.format != LP32 {
			r.in.pos += len(byteOrderMark)
		}
		if r.format == Raw && r.hint == "" && len(r.packed) > 0 {
			r.hint = "unpacked from " + r.packed[len(r.packed)-1].name + " and taken for one raw message; --input raw leaves it as it is"
		}
	}
	r.dec = formatTable[r.format].decode(r)
}

// beginning returns what Auto looks at: what is known by its first bytes is not waited for, as these come before the
// rest where it is still being written.
func (r *Reader) beginning() []byte {
	if r.kind == untagged {
		return r.untaggedBeginning()
	}
	for recogniseFirst(r.in.window()) == Auto && r.in.end-r.in.pos < len(headerLine) && r.in.fill() == nil {
	}
	if seen := r.in.window(); recogniseFirst(seen) != Auto {
		return seen
	}
	return r.in.peek()
}

// nothing is what Auto makes of no bytes at all.
type nothing struct{}

func (nothing) read(r *Reader, _ *session.Batch) error { return r.readError(r.in.err) }

// some reports whether the current call of Next has events to yield.
func (r *Reader) some(b *session.Batch) bool { return len(b.Events) > r.first }

// enough reports whether the current call of Next should yield what it has.
func (r *Reader) enough(b *session.Batch) bool {
	return len(b.Events)-r.first >= maxEvents || r.some(b) && len(b.Buf)-r.begin >= chunkSize
}

// grown returns s with room for n bytes more, where no more than about limit will be kept. It grows to twice its memory,
// and at the end to the limit: what a large message leaves behind as it comes is no more than it is itself.
func grown(s []byte, n, limit int) []byte {
	need := len(s) + n
	if need <= cap(s) {
		return s
	}
	size := 2 * cap(s)
	if size > limit/2 {
		size = limit
	}
	return append(make([]byte, 0, max(need, size)), s...)
}

// reserve makes room in b's memory for n bytes more of the message under way, which trim cuts when it passed the cap.
func (r *Reader) reserve(b *session.Batch, n int) {
	b.Buf = grown(b.Buf, n, r.start+r.longest(1, 1))
}

// longest returns about how much of a message is read before it is found to be over the cap, in a notation that takes so
// many characters for so many bytes.
func (r *Reader) longest(characters, bytes int) int {
	return int(min(r.max, math.MaxInt32))/bytes*characters + 2*windowSize
}

// resume takes up the message under way in b's memory.
func (r *Reader) resume(b *session.Batch) {
	r.start = len(b.Buf)
	b.Buf = append(b.Buf, r.rest...)
	r.rest = r.rest[:0]
}

// stash takes the message under way out of b's memory.
func (r *Reader) stash(b *session.Batch) {
	r.rest = append(r.rest[:0], b.Buf[r.start:]...)
	b.Buf = b.Buf[:r.start]
}

// head returns how much of a message over the cap is kept, in bytes: always less than the message has.
func (r *Reader) head() int { return int(min(r.max, headSize)) }

// trim drops what has come of the message under way but its first bytes, where it passed the cap.
func (r *Reader) trim(b *session.Batch) {
	head := r.head()
	if n := len(b.Buf) - r.start; int64(n)+r.dropped > r.max && n > head {
		r.dropped += int64(n - head)
		b.Buf = b.Buf[:r.start+head]
	}
}

// size returns how long the message under way is by now.
func (r *Reader) size(b *session.Batch) int64 { return r.dropped + int64(len(b.Buf)-r.start) }

// emit ends the message under way, which reaches to the end of b's memory, and begins the next.
func (r *Reader) emit(b *session.Batch) {
	r.trim(b)
	appendMessage(b, b.Buf[r.start:], r.size(b))
	r.start, r.dropped = len(b.Buf), 0
}

// appendMessage appends the event of one message.
func appendMessage(b *session.Batch, data []byte, size int64) {
	b.Events = append(b.Events, session.Event{
		Kind: session.Message, Opcode: session.OpBinary, Data: data[:len(data):len(data)], Size: size,
	})
}

// fail returns the error for a broken container: line is 0 where the format has none.
func (r *Reader) fail(line int, offset int64, message string) *Error {
	return &Error{Name: r.name, Line: line, Offset: offset, Message: message, Unpacked: len(r.packed) > 0}
}

// torn is fail for an input that ends inside a message.
func (r *Reader) torn(line int, offset int64, message string) *Error {
	e := r.fail(line, offset, message)
	e.Torn = true
	return e
}

// readError returns io.EOF as it is, and another error of the source located; one of what it is packed in is already.
func (r *Reader) readError(err error) error {
	var located *Error
	switch {
	case err == io.EOF:
		return err
	case errors.As(err, &located):
		return located
	}
	cause := err
	var path *fs.PathError
	if errors.As(err, &path) {
		cause = path.Err
	}
	e := r.fail(0, r.Offset(), "cannot read on: "+cause.Error())
	e.Err, e.Unpacked = err, false
	return e
}
