package packet

import "fmt"

// Error is why a capture could not be read to its end: it is torn, it contradicts its
// format, or its bytes could not be read.
type Error struct {
	// Offset is where the block or packet record that could not be read starts, in bytes
	// from the start of the capture.
	Offset int64
	// Torn says that the capture ends within that block or record, after Have of its bytes.
	Torn bool
	Have int64
	// Reason says what contradicts the format; empty when torn.
	Reason string
	// Err is the failure of the reader underneath, if it is one.
	Err error
}

func (e *Error) Error() string {
	switch {
	case e.Torn:
		return fmt.Sprintf("the capture ends within the block at byte %d, after %d of its bytes", e.Offset, e.Have)
	case e.Err != nil:
		return fmt.Sprintf("block at byte %d: %v", e.Offset, e.Err)
	}
	return fmt.Sprintf("block at byte %d: %s", e.Offset, e.Reason)
}

func (e *Error) Unwrap() error { return e.Err }
