// Package packet reads packet captures, pcap and pcapng, and puts the TCP
// connections in them together again: what each side sent, in order, with the
// number of bytes that are missing where some are. It knows nothing of what
// the connections carry.
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
	// Certain says that a SYN of the connection was seen, and so who opened
	// it. Without one the client is a guess: the side with the higher port,
	// and of equal ports the one that was seen to send first.
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
	// FIN: the side said that it sends no more (RFC 9293, section 3.6).
	FIN
	// RST: either side reset the connection; both directions end so.
	RST
	// EndCapture: the capture ends, or breaks off, with the direction open.
	EndCapture
	// Reused: a new SYN opened another connection on the same addresses and
	// ports before this direction was seen to end.
	Reused
	// GivenUp: the connection was let go to make room for others
	// (Options.MaxConns), and what it sends from here on is not reported.
	GivenUp
)

// Unknown is a Piece.Missing whose number cannot be known.
const Unknown = -1

// Piece is something that one side sent, or how its direction ended.
type Piece struct {
	Conn *Conn
	// From is the side that sent it.
	From Side
	// Time is in microseconds since the Unix epoch: when the packet that
	// brought the data was captured. Data that waited for what comes before
	// it has the time of the packet that let it go on.
	Time int64
	// Missing is how many bytes are missing directly before Data: never
	// captured, or cut by the snap length. Unknown where the capture starts
	// within the connection.
	Missing int64
	// Data is valid until the next call of Reader.Next. It may be empty, where
	// only Missing or End is to be said.
	Data []byte
	// End is how the direction ended behind Data. Each direction that had a
	// piece ends once.
	End End
}
