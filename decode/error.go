package decode

import "strconv"

// DecodeError says why a message, or an ask, does not decode: which layer refused it, at which byte,
// under which code of the catalogue. It is the only error type of this package's decoding functions.
type DecodeError struct {
	Code    Code
	Offset  int    // 0-based, within the message, tag byte included; len(message) where the end is at fault
	Message string // one clause, lower case, the offending input quoted safely
}

// Layer returns the layer at fault.
func (e *DecodeError) Layer() Layer { return e.Code.Layer() }

// Error returns the layer, the offset and the message.
func (e *DecodeError) Error() string {
	return e.Layer().String() + ", byte " + strconv.Itoa(e.Offset) + ": " + e.Message
}
