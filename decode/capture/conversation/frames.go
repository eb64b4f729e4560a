package conversation

import (
	"kind4/decode/capture/packet"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// begin begins to decode the path of base.
func (c *conn) begin() {
	c.stage = frames
	c.set.open(c)
	c.set.asks.answer(&c.base)
	for from := packet.Client; from <= packet.Server; from++ {
		c.sides[from].parser = c.parser(from)
	}
}

func (c *conn) parser(from packet.Side) ws.Parser {
	return ws.Parser{Masked: from == c.client, MaxSize: c.set.options.MaxSize}
}

// frames takes apart what has come from a side. Behind a Close, or where RFC 6455 is broken, nothing more is decoded.
func (c *conn) frames(from packet.Side) {
	s := &c.sides[from]
	if s.gap != nil && !c.resume(from, false) {
		return
	}
	for !s.ended {
		item := s.parser.Next(s.buf)
		if item == nil {
			break
		}
		switch item.Kind {
		case ws.Message:
			e := c.item(session.Message, from, item)
			e.Place(c.sender)
			switch {
			case e.Kind == session.Message && e.Path != session.RequestsPath:
				c.set.counts.Messages++
			case e.Kind == session.Asked:
				c.set.asks.take(c.base.Proxy, e.Data)
			}
			c.set.add(e)
		case ws.Control:
			c.set.add(c.item(session.Control, from, item))
		default:
			c.finish(from, item.End())
		}
	}
	s.compact()
}

// compact keeps what is still needed, and gives memory back that is not.
func (s *side) compact() {
	switch kept := s.parser.Kept(s.buf); {
	case s.ended:
		s.buf = nil
	case cap(s.buf) > maxKept && kept < maxKept/8:
		s.buf = s.parser.Carry(make([]byte, 0, kept), s.buf)
	default:
		s.buf = s.parser.Compact(s.buf)
	}
}

// item makes the event of what a side sent.
func (c *conn) item(kind session.Kind, from packet.Side, item *ws.Item) session.Event {
	e := c.event(kind, c.role(from))
	e.Opcode, e.Fragments, e.MaxFrame = item.Opcode, item.Fragments, item.MaxFrame
	e.Data, e.Size = c.set.data(item.Data), item.Size
	if !c.again {
		e.Remote = ""
	}
	return e
}

// finish takes in how a side's direction of the path ended.
func (c *conn) finish(from packet.Side, end *session.End) {
	c.sides[from].ended, c.ending = true, true
	c.sides[from].endedAt = c.set.now
	if c.set.now < c.sides[from.Other()].endedAt { // what stood behind a gap comes late
		c.over.Recall()
	}
	end, by := c.over.Take(c.sender, c.role(from), end)
	if end == nil {
		return
	}
	if end.Kind == session.EndReset && end.Error == "" {
		end.Error = connectionReset
	}
	e := c.event(session.Closed, by)
	e.End = end
	c.set.add(e)
	c.set.close(c)
}

const connectionReset = "connection reset"

// endFrames takes in that the connection of a path ended.
func (c *conn) endFrames(from packet.Side, how packet.End) {
	s := &c.sides[from]
	if s.gap != nil {
		if c.resume(from, true) {
			c.frames(from)
		} else {
			c.lost(from, s.passed+len(s.buf))
		}
	}
	if s.ended {
		return
	}
	end := &session.End{Kind: session.EndCapture, Error: whyOpen[how]}
	switch how {
	case packet.FIN:
		end.Kind = session.EndEOF
	case packet.RST:
		end.Kind = session.EndReset
		if !c.reset {
			end.Error = connectionReset
		}
		c.reset = true
	}
	end.Where, end.Partial = s.parser.Unfinished(s.buf)
	c.finish(from, end)
	s.buf = nil
}

// whyOpen says why a path's end is not there where the capture goes on.
var whyOpen = map[packet.End]string{
	packet.Reused:  "another connection of the same addresses and ports begins before this one was seen to end",
	packet.GivenUp: "too many connections are open: this one is not followed any more",
}
