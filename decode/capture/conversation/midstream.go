package conversation

import (
	"bytes"
	"strings"

	"kind4/decode"
	"kind4/decode/capture/packet"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// seek begins to look for frames on a connection of which no upgrade was seen.
func (c *conn) seek() {
	c.stage = middle
	for from := packet.Client; from <= packet.Server && c.stage == middle; from++ {
		c.sides[from].body = ws.Body{}
		c.look(from, c.sides[from].closed)
	}
}

// look looks for frames in what has come of a side: masked ones are a client's (RFC 6455 section 5.1). Without a
// message among them they name no path, unless there is something else that does.
func (c *conn) look(from packet.Side, ended bool) {
	s := &c.sides[from]
	if s.behind && len(s.buf) > 0 {
		if s.behind = false; c.begins(from) {
			c.assume(from, from == c.client, c.asked().Path, 0)
			return
		}
	}
	if !ended && s.waits() {
		return
	}
	keep := len(s.buf)
	for _, masked := range []bool{true, false} {
		known := c.known(from, masked)
		var path string
		holds := false // a message
		at, likely := ws.Boundary(s.buf, masked, ended, s.passed, func(start []byte) bool {
			holds = true
			named := namedBy(start, masked)
			if named != "" && path != session.SomeChannel {
				path = named
			}
			return named != "" || known != "" && plausible(start, known)
		})
		if path == "" && holds {
			path = known
		}
		if likely == ws.Yes && path != "" {
			c.assume(from, masked, path, at)
			return
		}
		if likely == ws.Maybe {
			keep = min(keep, at)
		}
	}
	s.passed += keep
	s.buf = append(s.buf[:0], s.buf[keep:]...)
	s.looked = len(s.buf)
	if s.passed > maxSearch {
		c.forget()
	}
}

// begins reports whether what a side sends directly behind bytes that are missing, those of the head for one, is a frame
// of the path that was asked for. Its beginning is enough: the snap length may cut every message.
func (c *conn) begins(from packet.Side) bool {
	asked := c.asked()
	return asked.Path != "" && asked.Sender() == c.role(from) &&
		ws.Begins(c.sides[from].buf, from == c.client, func(start []byte) bool {
			if asked.Path == session.RequestsPath {
				return IsAsk(start)
			}
			return isTagged(start)
		})
}

// known is the path that the frames of a side are known to belong to, whatever they hold: its request says so, or
// --channel, or an ask that is the only one without an answer; "" where nothing does.
func (c *conn) known(from packet.Side, masked bool) string {
	if path := c.asked(); path.Sender() != 0 {
		if masked == (path.Sender() == session.Provider) {
			return path.Path
		}
		return ""
	}
	if !masked {
		return ""
	}
	only := session.OfPath(c.set.asks.only(c.address(from.Other()), everyKind))
	if c.set.options.HasChannel || only.HasChannel {
		return session.SomeChannel
	}
	return ""
}

// address is the address of a side.
func (c *conn) address(side packet.Side) string {
	if side == packet.Client {
		return c.packets.Client
	}
	return c.packets.Server
}

// namedBy returns the path that a message is likely to be one of, by its first bytes; "" for none. The channel is not
// known. What lacks its tag has to say that it is a notification of MCP's, since others speak JSON on WebSockets too.
func namedBy(start []byte, masked bool) string {
	switch {
	case masked && isTagged(start):
		return answerOf(start)
	case masked && isObject(start) && isNotification(start):
		return session.SomeChannel
	case !masked && isTagged(start):
		return session.ToolPath
	case !masked && IsAsk(start):
		return session.RequestsPath
	}
	return ""
}

// isNotification reports whether JSON that begins so has a method of MCP's notifications.
func isNotification(start []byte) bool {
	_, value, named := bytes.Cut(start, []byte(`"method"`))
	value = bytes.TrimLeft(value, " \t\r\n:")
	return named && bytes.HasPrefix(value, []byte(`"notifications/`))
}

// answers are the members that the answers to asks begin with, and the kinds of these (MCP: the results of tools/list,
// resources/list, tools/call and resources/read). No notification has one of them.
var answers = map[string]decode.AskKind{
	"tools":     decode.KindListTools,
	"resources": decode.KindListResources,
	"content":   decode.KindCallTool, "structuredContent": decode.KindCallTool, "isError": decode.KindCallTool,
	"contents": decode.KindReadResource,
}

// answerOf returns the path that a message of the provider's is one of: an answer to an ask, or else a notification.
func answerOf(start []byte) string {
	_, name, _ := bytes.Cut(start, []byte(`"`))
	name, _, whole := bytes.Cut(name, []byte(`"`))
	if kind, is := answers[string(name)]; is && whole && start[0] == 0 {
		return someAnswer(kind)
	}
	return session.SomeChannel
}

// someAnswer is the path that answers an ask of the kind, on a channel that nobody knows.
func someAnswer(kind decode.AskKind) string { return strings.TrimSuffix(kind.Path(0), "0") + "?" }

// IsAsk reports whether a message begins as an ask does of a channel below 65536 (Diverge Provider 2.3.0, /requests):
// those of kinds 0 to 3 have JSON as their payload, and kind 4 has none.
func IsAsk(start []byte) bool {
	if len(start) < 5 || start[0] != 0 || start[1] != 0 {
		return false
	}
	switch kind := decode.AskKind(start[4]); {
	case kind < decode.KindNotifications:
		return len(start) > 5 && (start[5] == '{' || start[5] == 'n')
	case kind == decode.KindNotifications:
		return len(start) == 5
	default:
		return kind <= decode.KindFuseStat
	}
}

// assume takes a connection for a path because of the frame that begins at that index of what a side sent.
func (c *conn) assume(from packet.Side, masked bool, path string, at int) {
	if c.client = from; !masked {
		c.client = from.Other()
	}
	base, reason := c.which(from, path)
	c.base, c.sender = c.on(base), base.Sender()
	if base.Path == session.SomeChannel {
		c.sender = session.Provider
	}
	begins := c.lacks()
	c.pending = nil
	c.count(&c.set.counts.MidStream)
	c.set.counts.name(&c.base)
	if c.sender == 0 {
		c.told = "; it " + begins + ", and is taken for that path" + reason
		c.carry()
		return
	}
	what := base.Path
	if base.Path == session.SomeChannel {
		what = "a notification path"
	}
	c.begin()
	c.set.add(c.note(session.NoteMidStream, 0, begins+"; taken for "+what+reason))
	for side := range c.sides {
		s := &c.sides[side]
		s.parser.Lose(nil, packet.Unknown)
		s.passed, s.looked = 0, 0
		if packet.Side(side) != from {
			s.gap = &gap{silent: true}
		}
	}
	c.sides[from].parser.Resume(at)
	c.frames(from)
	c.frames(from.Other())
}

// which returns the path that a connection is taken for whose frames are those of path, and why: its request names it,
// or the only ask without an answer whose answer they may be, or --channel.
func (c *conn) which(from packet.Side, path string) (base session.Event, reason string) {
	if request := c.asked(); request.Path != "" && request.Sender() == c.role(from) {
		return request, ", as its request says"
	}
	kinds := func(kind decode.AskKind) bool { return path == someAnswer(kind) }
	if only := c.set.asks.only(c.address(c.client.Other()), kinds); only != "" {
		c.set.asks.answer(&session.Event{Path: only, Proxy: c.address(c.client.Other())})
		return session.OfPath(only), ", as the ask on /requests says"
	}
	if path == session.SomeChannel && c.set.options.HasChannel {
		return session.OfPath(decode.KindNotifications.Path(c.set.options.Channel)), ", as --channel says"
	}
	return session.OfPath(path), ", from its frames"
}

// lacks says what of its beginning the capture lacks of a connection.
func (c *conn) lacks() string {
	switch path := c.asked(); {
	case path.Path != "":
		return "lacks a part of its upgrade"
	case c.started:
		return "lacks its upgrade request"
	}
	return "begins mid-stream"
}

// carry goes on with a path that is not decoded.
func (c *conn) carry() {
	c.stage = carried
	for i := range c.sides {
		c.sides[i].bytes = int64(len(c.sides[i].buf))
		c.sides[i].buf = nil
	}
}

// asked is the path that the connection was to be upgraded to, where a request for it was seen.
func (c *conn) asked() session.Event {
	if n := len(c.pending); n > 0 && c.pending[n-1].upgrade {
		return c.pending[n-1].path()
	}
	return session.Event{}
}

// asksPath reports whether that is a path whose messages are decoded.
func (c *conn) asksPath() bool {
	path := c.asked()
	return path.Sender() != 0
}
