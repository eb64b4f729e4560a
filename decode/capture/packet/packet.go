// Package packet reads packet captures, pcap and pcapng, and puts the TCP connections in
// them together again: what each side sent, in order, with the number of bytes that are
// missing where some are. It knows nothing of what the connections carry.
//
// Pieces come in the order of the packets, across sides and connections, except where one
// waits for bytes that should come before it. It waits until they come, until the other side
// has acknowledged them for about a second of the capture's time (they were received then,
// and will not be sent again), until the connection shows no packet for two minutes, until
// the cap on memory or on segments is reached, or until the connection or the capture ends; then what is
// missing is counted, and the rest goes on.
//
// Of bytes that were sent twice with different content those captured first are kept. What
// the snap length cut stays missing, even where it is sent again. Where the capture starts
// within a connection, what comes first is where it starts: a packet from before that is
// captured later is left out. Data behind a RST is left out.
package packet

// Side is one end of a connection.
type Side uint8

// The two sides: the client opened the connection, as far as is known.
const (
	Client Side = iota
	Server
)

// Other returns the other side.
func (s Side) Other() Side { return s ^ 1 }

// Conn is one TCP connection.
type Conn struct {
	// Client and Server are HOST:PORT, IPv6 hosts in brackets.
	Client, Server string
	// Certain says that a SYN of the connection was seen, and so who opened it. Without one
	// the client is a guess: the side with the higher port, and of equal ports the one that
	// was seen to send first. It may become true later; which side is which does not change
	// once a piece was yielded.
	Certain bool
	// State belongs to the consumer; the reader never looks at it.
	State any
}

// End says how one direction of a connection ended.
type End uint8

// The ends.
const (
	// None: the direction goes on.
	None End = iota
	// FIN: the side said that it sends no more (RFC 9293, section 3.6). The other may go on.
	FIN
	// RST: either side reset the connection; both directions end so, first that of the side
	// that sent it.
	RST
	// EndCapture: the capture ends, or breaks off, with the direction open.
	EndCapture
	// Reused: another connection was opened on the same addresses and ports before this
	// direction was seen to end.
	Reused
	// GivenUp: the connection was let go to make room for others (Options.MaxConns). What it
	// sends later is a Conn of its own, that starts in the middle.
	GivenUp
)

// Unknown is a Piece.Missing whose number cannot be known.
const Unknown = -1

// Piece is something that one side sent, or how its direction ended.
type Piece struct {
	Conn *Conn
	// From is the side that sent it.
	From Side
	// Time is in microseconds since the Unix epoch: when the packet that brought the data
	// was captured, or the packet with what was missing before it. That of EndCapture is
	// when the last TCP packet was. A pcapng Simple Packet Block has no time: it gets that
	// of the packet before it.
	Time int64
	// Missing is how many bytes are missing directly before Data: never captured, or cut by
	// the snap length. Unknown where the capture starts within the connection, with the
	// first piece of a direction only. With End it is also what the other side acknowledged
	// and nobody captured.
	Missing int64
	// Data is valid until the next call of Reader.Next or Reader.Buffered. It is empty where
	// End is said.
	Data []byte
	// End is how the direction ended. Each direction of each Conn ends once, and has no
	// piece after that.
	End End
}
