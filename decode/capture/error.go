package capture

import (
	"strconv"
	"strings"

	"kind4/decode"
)

// Error says where a container is broken, or where reading it failed. It is the only error type of
// [Reader.Next] besides io.EOF; everything before it was yielded.
type Error struct {
	Name    string // of the file, as the Options gave it
	Line    int    // from 1; 0 where the format has no lines
	Offset  int64  // bytes from the start of the input to what is at fault
	Message string // one clause, lower case, the offending input quoted safely
	Torn    bool   // the input ends inside a message, or leaves the rest of one out
	Told    bool   // a Note before has told of it: see session.NoteTorn
	Err     error  // what reading the input failed with, nil for a broken container

	Unpacked bool // Line and Offset count what the input unpacks to, gzip or zstd as it is
}

// Error returns the place and the message: `line 3 of dump.txt: odd number of hex digits in "007b2"`.
func (e *Error) Error() string {
	var at strings.Builder
	if e.Line > 0 {
		at.WriteString("line ")
		at.WriteString(strconv.Itoa(e.Line))
	} else {
		at.WriteString("byte ")
		at.WriteString(strconv.FormatInt(e.Offset, 10))
	}
	at.WriteString(" of ")
	at.WriteString(safeName(e.Name))
	if e.Unpacked {
		at.WriteString(", unpacked")
	}
	at.WriteString(": ")
	at.WriteString(e.Message)
	return at.String()
}

// Unwrap returns what reading the input failed with, nil for a broken container.
func (e *Error) Unwrap() error { return e.Err }

// safeName quotes a file's name where it holds what must not reach a terminal.
func safeName(name string) string {
	if q := string(decode.AppendQuoted(nil, []byte(name), 0)); q[1:len(q)-1] != name {
		return q
	}
	return name
}
