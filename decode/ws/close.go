package ws

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// closeFault is a broken rule in the payload of a Close frame, and the code to answer it with.
type closeFault struct {
	fault
	code uint16
}

// closePayload takes a Close frame's payload apart (RFC 6455 section 5.5.1). No payload is code 0.
func closePayload(payload []byte) (code uint16, reason string, f *closeFault) {
	switch len(payload) {
	case 0:
		return 0, "", nil
	case 1:
		return 0, "", &closeFault{fault{"5.5.1", "a close frame of one byte, where a code takes two"}, CloseProtocolError}
	}
	code = binary.BigEndian.Uint16(payload)
	if !ValidCloseCode(code) {
		return 0, "", &closeFault{fault{"7.4", fmt.Sprintf("close code %d must not be sent", code)}, CloseProtocolError}
	}
	if !utf8.Valid(payload[2:]) {
		return 0, "", &closeFault{fault{"8.1", fmt.Sprintf("the reason of close %d is not UTF-8", code)}, CloseInvalidData}
	}
	return code, string(payload[2:]), nil
}

// ValidCloseCode reports whether a Close frame may carry the code: those that RFC 6455 section 7.4.1 and
// the IANA registry that it sets up define for the wire (1000 to 1003, 1007 to 1014), and 3000 to 4999
// for libraries and applications (section 7.4.2).
func ValidCloseCode(code uint16) bool {
	switch {
	case code >= 1000 && code <= 1003, code >= 1007 && code <= 1014, code >= 3000 && code <= 4999:
		return true
	}
	return false
}
