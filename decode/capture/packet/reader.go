package packet

import "io"

// Options are the limits of a Reader; the zero value stands for the defaults.
type Options struct {
	// MaxMemory is how many bytes of segments that wait for earlier ones are
	// held, of all connections together: 16 MiB when zero.
	MaxMemory int
	// MaxConns is how many connections are followed at once: 65536 when zero.
	MaxConns int
}

// Stats counts what a Reader met so far.
type Stats struct {
	Packets      int64 // packets in the file
	TCP          int64 // packets that carry TCP
	Conns        int64 // TCP connections
	OtherLink    int64 // packets of link types that are not read
	OtherProto   int64 // packets of other protocols than TCP over IP
	Malformed    int64 // packets whose headers contradict themselves or are cut by the snap length
	Cut          int64 // TCP segments whose data the snap length cut
	Fragments    int64 // IP fragments
	Unfinished   int64 // IP fragments that could not be put together
	GivenUpGaps  int64 // gaps that were given up because of MaxMemory
	GivenUpConns int64 // connections that were let go because of MaxConns
}

// Reader reads one capture.
type Reader struct {
	stats Stats
}

// NewReader returns a reader of the capture in src, pcap or pcapng. It reads
// nothing yet.
func NewReader(src io.Reader, o Options) *Reader { return &Reader{} }

// Next returns the next piece. At the end of the capture it returns io.EOF;
// a capture that breaks off or is broken yields everything before that first,
// the ends of open connections included, and then an *Error. It returns the
// same error ever after.
func (r *Reader) Next() (Piece, error) { return Piece{}, io.EOF }

// Buffered reports whether the next packet was read from the source whole, so
// that Next need not wait for it. A consumer of a live capture shows what it
// has before it calls Next without.
func (r *Reader) Buffered() bool { return false }

// Stats returns the counts up to here.
func (r *Reader) Stats() Stats { return r.stats }
