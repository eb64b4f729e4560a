package session

import (
	"strconv"
	"strings"

	"kind4/decode"
)

// The proxy's paths that are no answer paths (Diverge Provider 2.3.0, proxy).
const (
	RequestsPath = "/requests"           // asks go out on it
	ToolPath     = "/tool/notifications" // the notifications of the container's own MCP server
	// SomeChannel is the notification path of a channel that a capture does not name.
	SomeChannel = "/mcp/notifications/?"
)

// OfPath returns what every event of a path says: Path, and Channel where it is a notification path.
func OfPath(path string) Event {
	e := Event{Path: path}
	channel, err := strconv.ParseUint(path[strings.LastIndexByte(path, '/')+1:], 10, 32)
	if err == nil && path == decode.KindNotifications.Path(uint32(channel)) {
		e.Channel, e.HasChannel = uint32(channel), true
	}
	return e
}

// BehindGateway returns what every event of a path says that was seen from outside, as a packet capture or an HTTP
// Archive has it: what a gateway puts in front of a notification path or of the container's own is left out. Nothing
// may stand in front of /requests, since other programs call a path so.
func BehindGateway(path string) Event {
	e := OfPath(path)
	if e.Sender() != 0 {
		return e
	}
	const notifications = "/mcp/notifications/"
	if i := strings.LastIndex(path, notifications); i >= 0 {
		if behind := OfPath(path[i:]); behind.HasChannel {
			return behind
		}
	}
	if strings.HasSuffix(path, ToolPath) {
		return OfPath(ToolPath)
	}
	return e
}

// Sender returns the side that sends the messages on the path of an event that OfPath made, 0 where the path is none
// whose messages are decoded.
func (e *Event) Sender() Side {
	switch {
	case e.Path == RequestsPath, e.Path == ToolPath:
		return Proxy
	case e.HasChannel:
		return Provider
	}
	return 0
}

// Place makes the event of a WebSocket message what it is by the path and the side that it came from, where both sides
// are seen and sender is the one that sends the messages: a Message, one ask, or a Note that it went the wrong way.
func (e *Event) Place(sender Side) {
	requests := e.Path == RequestsPath
	switch {
	case e.From == sender && !requests, e.From != sender && requests:
		e.Kind = Message
	case e.From == sender && e.Opcode == OpBinary:
		e.Kind, e.Withheld = Asked, e.Size > int64(len(e.Data))
	default:
		e.Kind, e.Note, e.Data = Note, NoteWrongWay, nil
	}
}
