package conversation

import (
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
// message among them they name no path.
func (c *conn) look(from packet.Side, ended bool) {
	s := &c.sides[from]
	if s.behind && len(s.buf) > 0 {
		if s.behind = false; c.begins(from) {
			c.assume(from, from == c.client, c.asked().Path, 0)
			return
		}
	}
	keep := len(s.buf)
	for _, masked := range []bool{true, false} {
		var path string
		at, likely := ws.Boundary(s.buf, masked, ended, func(start []byte) bool {
			named := namedBy(start, masked)
			if named != "" {
				path = named
			}
			return named != ""
		})
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

// namedBy returns the path that a message is likely to be one of, by its first bytes; "" for none.
func namedBy(start []byte, masked bool) string {
	switch {
	case masked && isTagged(start):
		return session.SomeChannel
	case !masked && isTagged(start):
		return session.ToolPath
	case !masked && IsAsk(start):
		return session.RequestsPath
	}
	return ""
}

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
	base, reason := session.OfPath(path), ", from its frames"
	switch asked := c.asked(); {
	case asked.Path != "" && asked.Sender() == c.role(from):
		base, reason = asked, ", which was asked for"
	case path == session.SomeChannel && c.set.options.HasChannel:
		base, reason = session.OfPath(decode.KindNotifications.Path(c.set.options.Channel)), ", as --channel says"
	}
	what := base.Path
	if base.Path == session.SomeChannel {
		what = "a notification path"
	}
	begins := "begins mid-stream"
	if c.started {
		begins = "lacks its upgrade"
	}
	c.base, c.sender, c.pending = c.on(base), c.role(from), nil
	c.begin()
	c.count(&c.set.counts.MidStream)
	c.set.counts.name(&c.base)
	c.set.add(c.note(session.NoteMidStream, 0, begins+"; taken for "+what+reason))
	for side := range c.sides {
		s := &c.sides[side]
		s.parser.Lose(nil, packet.Unknown)
		s.passed = 0
		if packet.Side(side) != from {
			s.gap = &gap{silent: true}
		}
	}
	c.sides[from].parser.Resume(at)
	c.frames(from)
	c.frames(from.Other())
}

// asked is the path that the connection was to be upgraded to, where a request for it was seen.
func (c *conn) asked() session.Event {
	if n := len(c.pending); n > 0 && c.pending[n-1].upgrade {
		return c.pending[n-1].path()
	}
	return session.Event{}
}
