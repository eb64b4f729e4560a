// Package render prints messages: one printer an output form, each appending to the caller's buffer. It is
// pure: it never decides what a message means, holds no global colour and writes nowhere.
package render

import (
	"time"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// Form is an output form.
type Form uint8

// The output forms.
const (
	Pretty Form = iota + 1
	Line
	JSON
	Hex
	Raw
	LP32
	Payload
)

// Timestamp says what stands in the time column of pretty and line.
type Timestamp uint8

// The time columns.
const (
	Clock Timestamp = iota // local time; in pretty with the delta beside it
	Delta                  // since the message before
	Start                  // since the first event
	None
)

// Options are what a printer needs to know. The zero Options are no colour, clock, unlimited width.
type Options struct {
	Color     bool
	Timestamp Timestamp
	Zone      *time.Location // of the clock; nil for local
	Start     int64          // microseconds since the Unix epoch: what Timestamp Start counts from
	Width     int            // columns of the terminal, for Line; 0 for no limit
	ASCII     bool           // no box, bar or ellipsis characters
	Terminal  bool           // the output is a terminal: Payload too escapes what would drive it, and with ASCII, Line what is beyond that
}

// Message is one message with all that is known of it.
type Message struct {
	Seq      uint64 // from 1; every message counts, shown or not
	Event    *session.Event
	Frame    *decode.Frame
	Findings []inspect.Finding
	Delta    int64 // microseconds since the message before
	HasDelta bool
	Proxies  bool // the source has several proxies: the message names its own

	// Spill, where there is one, takes what a printer has appended so far in the middle of a long message, with what
	// stood before it, and returns the buffer to go on in: the printed form of 64 MiB may be many times as long.
	Spill func(dst []byte) []byte
}

// proxy returns the proxy that a message for people names, "" where it names none.
func (m *Message) proxy() string {
	if m.Event == nil || !m.Proxies {
		return ""
	}
	return m.Event.Proxy
}

// Printer appends a message in one output form, its newline included, and returns the extended buffer.
type Printer interface {
	AppendMessage(dst []byte, m *Message) []byte
}
