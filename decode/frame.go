// Package decode turns the bytes of one message into a [Frame] or an [Ask], and back.
//
// Its verdicts are those of the real receiver: rmcp 3.1.2's types read by serde_json, one tag byte in
// front (seed, response/frame.rs). It knows nothing of files, sockets or colours and never prints.
package decode

// Tag is a message's first byte.
type Tag uint8

// The tags that the seed defines (response/frame.rs).
const (
	TagNotification Tag = 0
	TagError        Tag = 1
)

// Type says what became of a message. TypeText and TypeOversize are set by who received it.
type Type uint8

// The types, in the words of the json output form.
const (
	TypeNotification Type = iota + 1 // tag 0 and a body that the receiver takes
	TypeError                        // tag 1 and a body that the receiver takes
	TypeUnknown                      // first byte neither 0 nor 1
	TypeEmpty                        // no bytes at all
	TypeUndecodable                  // a known tag and a body that the receiver refuses
	TypeText                         // a WebSocket text message: it carries no meaning
	TypeOversize                     // longer than the cap; only its first bytes are here
)

var typeNames = [...]string{"", "notification", "error", "unknown", "empty", "undecodable", "text", "oversize"}

// String returns the type's word in the json output form.
func (t Type) String() string { return typeNames[t] }

// ParseType finds the type of that word.
func ParseType(word []byte) (t Type, ok bool) {
	for t := TypeNotification; int(t) < len(typeNames); t++ {
		if typeNames[t] == string(word) {
			return t, true
		}
	}
	return 0, false
}

// Failed reports whether the receiver refuses such a message or never gets it.
func (t Type) Failed() bool {
	return t == TypeUnknown || t == TypeEmpty || t == TypeUndecodable || t == TypeOversize
}

// Variant is which of the receiver's notification types a message became. The zero Variant is none.
type Variant uint8

// The variants, in the order in which the receiver tries them.
const (
	Cancelled Variant = iota + 1
	Progress
	LogMessage
	ResourceUpdated
	ResourceListChanged
	ToolListChanged
	PromptListChanged
	SubscriptionsAcknowledged
	Tasks
	Custom
)

var variantNames = [...]string{"", "cancelled", "progress", "message", "resources/updated", "resources/list_changed",
	"tools/list_changed", "prompts/list_changed", "subscriptions/acknowledged", "tasks", "custom"}

// String returns the method without its "notifications/", or "custom".
func (v Variant) String() string { return variantNames[v] }

// ValueKind is what a JSON value is. The zero ValueKind is absent.
type ValueKind uint8

// The kinds of JSON value; a number is an integer when its literal has neither fraction nor exponent
// and is not -0 (serde_json reads "-0" as a float).
const (
	Null ValueKind = iota + 1
	False
	True
	Integer
	Float
	String
	Array
	Object
)

// Value is one JSON value where it stands: message[Start:End], quotes and brackets included.
type Value struct {
	Start, End int
	Kind       ValueKind
}

// Present reports whether there is a value at all; null counts as one.
func (v Value) Present() bool { return v.Kind != 0 }

// Member names a member of params, or of an error body, that the receiver reads.
type Member uint8

// The members, with the variant that reads each.
const (
	MemberMeta          Member = iota // _meta, every variant
	MemberRequestID                   // requestId, Cancelled
	MemberReason                      // reason, Cancelled
	MemberProgressToken               // progressToken, Progress
	MemberProgress                    // progress, Progress
	MemberTotal                       // total, Progress
	MemberMessage                     // message, Progress; and of an error
	MemberLevel                       // level, LogMessage
	MemberLogger                      // logger, LogMessage
	MemberData                        // data, LogMessage; and of an error
	MemberURI                         // uri, ResourceUpdated
	MemberNotifications               // notifications, SubscriptionsAcknowledged
	MemberTaskID                      // taskId, Tasks
	MemberStatus                      // status, Tasks
	MemberStatusMessage               // statusMessage, Tasks
	MemberCreatedAt                   // createdAt, Tasks
	MemberLastUpdatedAt               // lastUpdatedAt, Tasks
	MemberTTL                         // ttlMs, Tasks
	MemberPollInterval                // pollIntervalMs, Tasks
	MemberInputRequests               // inputRequests, Tasks
	MemberResult                      // result, Tasks
	MemberTaskError                   // error, Tasks
	MemberCode                        // code of an error

	NumMembers
)

// Frame is one message decoded. Everything in it is a view of Message, which stays the caller's:
// a Frame is valid while those bytes are. The zero Frame is ready for use, and one Frame may serve
// for any number of messages. What every message sets stands in front: where many frames are held, each line of memory
// that is left alone counts.
type Frame struct {
	Message []byte // the whole message, tag byte included; for TypeOversize only its first bytes
	Size    int64  // of the whole message
	Tag     Tag    // the first byte, where there is one
	Type    Type
	Variant Variant // with TypeNotification
	Known   Variant // the variant that the method names, even where params do not fit and Variant is Custom; else Custom

	Code       int32  // with TypeError
	Clues      Clue   // what the walk saw that makes a closer look worth while
	Positional bool   // the body was an array taken in place of an object
	strict     bool   // the body is JSON to a strict reader, at most 127 deep
	misfits    bool   // Misfit is set
	used       uint32 // which of Members are set: 1<<m
	depth      int

	Method Value // the method's string, with TypeNotification (and where it could be found, with TypeUndecodable)
	Params Value // with TypeNotification
	body   Value // where the body's JSON stands

	Err *DecodeError // with TypeUnknown, TypeEmpty and TypeUndecodable: the one cause

	memory *memory // that Decode works in

	Members [NumMembers]Value // what params, or the error body, held of what the receiver reads
	Misfit  Misfit            // where Known is a typed variant and Variant is Custom: what did not fit
}

// MisfitKind says in which way a member does not fit.
type MisfitKind uint8

// The ways not to fit. The zero MisfitKind is none.
const (
	MisfitMissing   MisfitKind = iota + 1 // a needed member is absent
	MisfitType                            // another JSON type than needed
	MisfitRange                           // a number outside what its type holds, or a float where an integer is needed
	MisfitWord                            // a string that is none of the words needed
	MisfitDuplicate                       // a member that the variant reads stands twice
)

// Misfit is the first reason why params do not fit the variant that the method names; but where the member at
// fault stands twice, that it does.
type Misfit struct {
	Kind   MisfitKind
	Name   string // the member at fault as the receiver knows it, "progressToken" or "inputRequests/x/method"
	Need   string // what the receiver needs there, "a string or an integer"
	Value  Value  // what stands there; of the second with MisfitDuplicate; the object that lacks it with MisfitMissing
	First  Value  // MisfitDuplicate: the first
	Offset int    // of Value, or of the second name with MisfitDuplicate
}

// Clue is a set of things that the hot walk noticed in passing. A clue may be raised for nothing, but
// none is missing: where a bit is clear, the thing is not there.
type Clue uint32

// The clues.
const (
	ClueDuplicate    Clue = 1 << iota // two members of one object may share a name
	ClueBigInteger                    // an integer literal of 16 digits or more
	ClueText                          // a string or name that may hold controls, bidi controls, U+2028/9 or U+FFFD
	ClueDeep                          // 100 or more arrays and objects deep
	ClueSkippedFault                  // under tag 1: a fault that the receiver skipped over
	ClueUnknownName                   // a member of the envelope or of params that the receiver does not read
	ClueEscapedName                   // a member name of the envelope or of params spelled with an escape
	ClueNull                          // params, or a member of it that the receiver reads, is null
	ClueOddEnum                       // level or status spelled as an object, or notifications as an array
	ClueSpace                         // white space between tokens
)
