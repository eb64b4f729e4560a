package capture

import "encoding/base64"

// A record is kind4's own capture format: everything that a session's events say. It is text, a JSON object
// (RFC 8259) a line. A line with the member kind4_record, its version, begins a session; any other line is
// one event. kind4-capture(5) describes the members.
//
// A version is MAJOR.MINOR. A reader takes every minor version of the major version that it knows: members,
// event kinds, notes and endings that it does not know are passed over. A greater major version is refused.
const (
	recordMajor   = 1
	recordVersion = "1.0"
)

// The members of a record's lines. A text that is not UTF-8 stands in base64 under its member's name with
// _base64 behind it.
const (
	memberRecord    = "kind4_record"
	memberTime      = "time"
	memberEvent     = "event"
	memberPath      = "path"
	memberChannel   = "channel"
	memberFromKind4 = "from_kind4"
	memberFrom      = "from"
	memberOpcode    = "opcode"
	memberFragments = "fragments"
	memberMaxFrame  = "max_frame"
	memberSize      = "size"
	memberWithheld  = "withheld"
	memberRemote    = "remote"
	memberProxy     = "proxy"
	memberHeader    = "header"
	memberMethod    = "method"
	memberStatus    = "status"
	memberReason    = "reason"
	memberNote      = "note"
	memberEnd       = "end"
	memberVerdict   = "verdict"
	memberData      = "data"

	memberEnding    = "ending"
	memberCode      = "code"
	memberError     = "error"
	memberInside    = "inside"
	memberPartial   = "partial"
	memberViolation = "violation"
	memberSection   = "section"
	memberOffset    = "offset"
	memberMessage   = "message"
	memberSent      = "sent"
	memberOutcome   = "outcome"
	memberMessages  = "messages"

	memberType    = "type"
	memberTag     = "tag"
	memberText    = "text"
	memberRepeats = "repeats"

	memberErrorCode = "error_code"
	memberFindings  = "findings"
	memberSeverity  = "severity"

	base64Suffix = "_base64"
)

// recordBase64 is the base64 of data: RFC 4648 section 4, padded.
var recordBase64 = base64.StdEncoding

// headerLine begins a session.
const headerLine = `{"` + memberRecord + `":"` + recordVersion + "\"}\n"
