// Package inspect says what is wrong or odd about a message or a session. It alone makes findings, those
// about the wire too, so that a live tail and a capture of it say the same. It knows nothing of rendering.
package inspect

import "kind4/decode"

// NoOffset stands in a finding that belongs to no byte.
const NoOffset = -1

// Finding is one thing to say. It is a value: its text is made when it is printed, and is a view of the
// message until then.
type Finding struct {
	Code     decode.Code
	Severity decode.Severity
	Offset   int // 0-based, within the message, tag byte included; NoOffset where it does not apply

	body   []byte // the message that Pointer walks; nil where there is none
	format string // the text; each "%" stands for the next argument
	args   [4]Arg
	path   string // set where the pointer is known without a walk
}
