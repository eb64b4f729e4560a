package cmd

import (
	"fmt"

	"kind4/decode"
)

// blame is what made the session fail at the --fail-on level: the first such finding, and how many there were.
type blame struct {
	code  decode.Code
	seq   uint64 // of its message; 0 where it belongs to none
	count int
}

// add notes one finding, or one message that does not decode.
func (b *blame) add(code decode.Code, seq uint64) {
	if b.count == 0 {
		b.code, b.seq = code, seq
	}
	b.count++
}

// String says where it began, "unknown-tag at #2, and 3 more".
func (b *blame) String() string {
	words := b.code.String()
	if b.seq > 0 {
		words += fmt.Sprintf(" at #%d", b.seq)
	}
	if b.count > 1 {
		words += fmt.Sprintf(", and %d more", b.count-1)
	}
	return words
}

// sayVerdict says why the exit code is what it is, where it is not plain from the line before: a log without the messages,
// as CI keeps it, has to tell.
func (v *view) sayVerdict() {
	code := v.endings.code()
	why := ""
	switch code {
	case exitFindings:
		why = v.blame.String()
	case exitFailed:
		why = fmt.Sprintf("an error message came, #%d", v.failedAt)
	case exitTime:
		why = "the time ran out; " + v.progress()
	case exitDied:
		why = "a notification path died"
	case exitTooLittle:
		switch {
		case v.notServed:
			why = "a notification path was not served"
		case v.seq == 0:
			why = v.progress()
		}
	}
	if why != "" {
		v.status.say("exit %d: %s", code, why)
	}
}

// progress says how far a session came.
func (v *view) progress() string {
	switch {
	case v.seq > 0:
		return plural(v.seq, "message") + " came"
	case v.opened > 0:
		return "the notification path was opened, and no message came"
	case v.dialled:
		return "/requests was opened, and no notification path"
	case v.live && v.refused:
		return "/requests was not opened: whoever dialled was refused"
	case v.live:
		return "nobody dialled /requests"
	}
	return "no message came"
}
