// Package session holds what happens around messages: the events that every source yields, and what
// became of a path. It knows nothing of sockets, files or rendering.
package session

import (
	"sync"

	"kind4/decode"
)

// Kind says what an Event states.
type Kind uint8

// The kinds of event.
const (
	Opened  Kind = iota + 1 // a path was upgraded: Path, Channel, Remote
	Asked                   // asks went out on /requests: Data holds one ask (channel, kind, payload)
	Message                 // a message arrived whole: Opcode, Fragments, Data, Size
	Control                 // a ping or pong arrived: Opcode, Data
	Refused                 // an upgrade was refused: Path is the request target, Status, Reason, Remote, Method
	Closed                  // a path ended: End
	Note                    // something else about the session: NoteKind, Reason, Remote
	Begun                   // another session begins: nothing before it bears on what follows
)

// Opcodes of RFC 6455 section 5.2 that an event can carry.
const (
	OpText   = 0x1
	OpBinary = 0x2
	OpClose  = 0x8
	OpPing   = 0x9
	OpPong   = 0xA
)

// NoteKind says what a Note is about.
type NoteKind uint8

// The notes.
const (
	NoteTLS         NoteKind = iota + 1 // a TLS hello (0x16) where ws:// is expected
	NoteNoRequest                       // a connection that ended before its request; Reason says how
	NoteBadRequest                      // a request that cannot be read (garbage, head too large); Reason
	NoteQueueFull                       // the queue is full: reading stopped until the output catches up
	NoteNoAsk                           // /requests opened while a notification path is open: no kind-4 ask goes out on it
	NoteNoPath                          // the last notification path ended while /requests is still open
	NoteFirstAnswer                     // the first exchange's answer ended: Size is its bytes, Path its path, End how, Outcome and Messages set; unless by a Close, Closed follows
	NoteTooMany                         // 256 connections not yet upgraded: the oldest gave way
	NoteAskLost                         // /requests ended before the path of an ask announced on it was opened: Channel
	NoteTorn                            // the capture ends inside something here; Reason says inside what
	NoteNotReading                      // the peer of Path takes nothing any more: nothing else is sent there; Reason

	// Of a tap.
	NoteRelayed   // a path that is not decoded ended: Size is its bytes both ways, Reason says how many each way and how it ended
	NoteNoAnswer  // the request for Path was relayed, and no answer that can be read came; Reason
	NoteUndecoded // Path was opened and is relayed, and cannot be decoded; Reason
	NoteWrongWay  // a message on Path from the side that sends none there, From: Opcode, Size
	NoteUnrelayed // the provider sent Size bytes behind a request for Path that opened nothing, and they went nowhere
	NoteOpenAgain // Path was opened by Remote while it was open already: its messages name Remote too
	// Of a packet capture, or an archive.
	NoteGap        // bytes are missing of what From sent on Path: Size is how many, 0 where that is not known; Reason says where, and whether reading went on
	NoteMidStream  // the capture holds no upgrade of the connection from Remote, "" in an archive, which is taken for Path; Reason says why
	NoteCarried    // a path that is not decoded, "" where it is not known, ended: Size is its bytes both ways, Reason says how many each way
	NoteUnanswered // Path was asked for, and the capture holds no answer that can be read; Reason
)

// Side is one of the two that a tap stands between. It is 0 where there is only one peer.
type Side uint8

// The sides.
const (
	Provider Side = iota + 1
	Proxy
)

// Other returns the other side.
func (s Side) Other() Side { return Provider + Proxy - s }

// Event is one fact that a source states, in the order in which it happened. Data, and nothing else in
// it, is a view of the batch's memory.
type Event struct {
	Kind       Kind
	Time       int64  // microseconds since the Unix epoch; 0 where the source has no clock
	Path       string // "/requests", "/mcp/notifications/2", …; "" where the source has no paths
	Channel    uint32 // of a notification path or an answer path, where HasChannel
	HasChannel bool
	FromKind4  bool // sent by this side, not received; of Opened, and of Refused by the proxy: kind4 dialled the path
	From       Side // of a tap's events, and of a Refused that was received: who sent it, who refused, who ended the path; else 0

	Opcode    uint8 // of a Message or Control
	Fragments int   // data frames that a Message came in; 0 where the source has none
	MaxFrame  int64 // payload bytes of the largest of these frames; 0 where unknown
	Data      []byte
	Size      int64    // of the whole message; greater than len(Data) where it was cut at the cap
	Withheld  bool     // Data was cut on purpose: an ask's secrets, or what was to be redacted
	Verdict   *Verdict // of the bytes that are Withheld, where there is something to say of them

	Remote string // HOST:PORT of the peer; of a tap's messages only where the path was open already when it was opened
	Proxy  string // HOST:PORT of the proxy whose path it is, where the source may have several; else ""
	Header string // with Opened: the upgrade request's header as sent, a line "Name: value\n" each, at most 16 KiB
	Method string // of a refused request
	Status int    // HTTP status of a refusal
	Reason string // one line: why refused, what the note says
	Note   NoteKind
	End    *End // with Closed
}

// Verdict is what was found out about bytes before they were withheld. It tells nothing of them.
type Verdict struct {
	Type    decode.Type // of a message; 0 of an ask
	Tag     decode.Tag  // of a message that is no text
	Code    decode.Code // why the message or ask does not decode; 0 where it does, or could not be tried
	Offset  int         // where it does not
	Text    string      // of an ask: how it breaks off
	Repeats bool        // the message is the one before on its path once more

	ErrorCode int32  // of an error message
	Said      []Said // what else was said of the message by itself
}

// Said is a finding about bytes that are withheld, with a text that tells nothing of them.
type Said struct {
	Code     decode.Code
	Severity decode.Severity
	Offset   int // -1 where it does not apply
	Text     string
}

// AskVerdict returns the verdict on an ask, nil where there is nothing to say.
func AskVerdict(ask []byte) *Verdict {
	e, ok := new(decode.Ask).Decode(ask).(*decode.DecodeError)
	if !ok || e == nil {
		return nil
	}
	return &Verdict{Code: e.Code, Offset: e.Offset, Text: e.Message}
}

// EndKind says how a path's connection ended.
type EndKind uint8

// The ways to end.
const (
	EndClose    EndKind = iota + 1 // the peer's Close frame was read (whatever happened to TCP afterwards)
	EndEOF                         // TCP ended in order, no Close frame
	EndReset                       // TCP was reset, or another read or write error: Error says which
	EndBroken                      // the peer broke RFC 6455; Violation says how
	EndOurs                        // kind4 itself closed it: count, expectation, limit or signal
	EndReceiver                    // a tap's: the Close of the side that receives the messages came first: Code, Reason
	EndCapture                     // the capture does not hold the end; Error says why where it went on behind
)

// Where says what a connection was in the middle of when it ended.
type Where uint8

// The places where an end can fall. The zero Where is between two messages.
const (
	InHeader         Where = iota + 1 // inside a frame header
	InPayload                         // inside a frame's payload
	BetweenFragments                  // between two frames of one message
	InControl                         // inside a ping, pong or Close between two messages
)

// End is how a path ended.
type End struct {
	Kind      EndKind
	Code      uint16 // of the Close frame; 0 where it had none (RFC 6455 section 7.1.5: 1005)
	Reason    string // of the Close frame; may hold anything that is UTF-8
	Error     string // EndReset: "connection reset" and the like
	Where     Where
	Partial   int64      // bytes of the unfinished message that had come, frame headers included; InControl: of that frame
	Violation *Violation // EndBroken
	Sent      uint16     // the code of the Close that kind4 sent; 0 for none, one without a code, or where nothing could be sent any more

	Outcome  Outcome // what became of the path, set by whoever tracks it; Open until then
	Messages uint64  // how many messages it had, set likewise
}

// Violation is a broken rule of RFC 6455.
type Violation struct {
	Section string // "5.2" and the like
	Offset  int64  // bytes from the first byte after the upgrade to the frame at fault
	Message string // one clause
}

// Batch is a run of events, in order, and the memory that they are views of. One stage owns a batch at a
// time; the last calls Release, and from then on none of its events may be touched.
type Batch struct {
	Events []Event
	Buf    []byte
}

var batches = sync.Pool{New: func() any { return new(Batch) }}

// What a batch keeps of its memory when it is released, at most.
const (
	maxPooled       = 256 << 10 // bytes of Buf
	maxPooledEvents = 4 << 10
)

// NewBatch returns an empty batch, with memory from an earlier one where there is some.
func NewBatch() *Batch { return batches.Get().(*Batch) }

// Release gives the batch's memory back.
func (b *Batch) Release() {
	if cap(b.Buf) > maxPooled {
		b.Buf = nil
	}
	if cap(b.Events) > maxPooledEvents {
		b.Events = nil
	}
	clear(b.Events)
	b.Events, b.Buf = b.Events[:0], b.Buf[:0]
	batches.Put(b)
}
