package conversation

import (
	"fmt"

	"kind4/decode/capture/packet"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// gap is bytes that are missing of what one side sent, behind which no frame was found yet.
type gap struct {
	time    int64
	missing int64 // packet.Unknown where nobody knows
	where   string
	silent  bool // it is the beginning of a capture, of which nothing is to be said
}

// gap takes in that n bytes are missing. Where the next frame begins is known inside of a payload; else it is looked
// for.
func (c *conn) gap(from packet.Side, n int64) {
	s := &c.sides[from]
	if s.gap != nil && c.resume(from, true) {
		c.frames(from) // what stood between two gaps
		if s.ended {
			return
		}
	}
	if g := s.gap; g != nil {
		if g.missing == packet.Unknown || n == packet.Unknown {
			g.missing = packet.Unknown
		} else {
			g.missing += n
		}
		s.passed += len(s.buf)
		s.parser.Resume(len(s.buf))
		s.parser.Lose(s.buf, n)
		s.buf = s.buf[:0]
		return
	}
	g := &gap{time: c.set.now, missing: n, where: whereWords(s.parser.Unfinished(s.buf))}
	known := s.parser.Lose(s.buf, n)
	s.buf, s.passed = s.buf[:0], 0
	if known {
		c.tell(from, g, "reading goes on at the next frame")
		return
	}
	s.gap = g
}

// whereWords says where among a path's frames bytes are missing.
func whereWords(where session.Where, partial int64) string {
	switch where {
	case session.InHeader:
		return fmt.Sprintf("inside the header of a frame, %s into the message", byteCount(partial))
	case session.InPayload:
		if partial == 0 {
			return "in the middle of a message"
		}
		return fmt.Sprintf("in the middle of a message, %s into it", byteCount(partial))
	case session.BetweenFragments:
		return fmt.Sprintf("between the fragments of a message, %s into it", byteCount(partial))
	case session.InControl:
		return fmt.Sprintf("inside a control frame, %s into it", byteCount(partial))
	}
	return "from the end of a message on"
}

// tell says what is missing and what became of it.
func (c *conn) tell(from packet.Side, g *gap, became string) {
	if g.silent {
		return
	}
	e := c.note(session.NoteGap, c.role(from), g.where+"; "+became)
	e.Time, e.Size = g.time, max(g.missing, 0)
	c.set.add(e)
}

// resume looks for the first frame behind a gap, and reports whether it is found. With last nothing more comes, or what
// does stands behind another gap.
func (c *conn) resume(from packet.Side, last bool) bool {
	s := &c.sides[from]
	if !last && s.waits() {
		return false
	}
	at, likely := ws.Boundary(s.buf, from == c.client, last, s.passed, c.plausible)
	if likely == ws.Yes {
		became := "reading goes on at the next frame"
		if n := s.passed + at; n > 0 {
			became = fmt.Sprintf("reading goes on %s later, at the first frame that can be told", byteCount(int64(n)))
		}
		c.tell(from, s.gap, became)
		s.gap = nil
		s.parser.Resume(at)
		return true
	}
	if last {
		return false
	}
	s.parser.Resume(at)
	s.buf = s.parser.Compact(s.buf)
	s.looked = len(s.buf)
	if s.passed += at; s.passed > maxSearch {
		c.lost(from, s.passed)
	}
	return false
}

// waits reports whether too little has come since the last search to search again: what is kept is searched once more
// for each 16th that comes.
func (s *side) waits() bool {
	const small = 4 << 10
	return s.looked > small && len(s.buf) < s.looked+s.looked/16
}

// lost leaves a side behind a gap, in so many bytes of which no frame is found.
func (c *conn) lost(from packet.Side, n int) {
	c.leave(from, fmt.Sprintf("no frame can be told in the %s behind it", byteCount(int64(n))))
}

// plausible reports whether a message of the path begins so.
func (c *conn) plausible(start []byte) bool { return plausible(start, c.base.Path) }

func plausible(start []byte, path string) bool {
	if path == session.RequestsPath {
		return IsAsk(start)
	}
	return isTagged(start) || isObject(start) || len(start) > 0 && isObject(start[1:])
}

// receiverLeft says that only the side that sends no messages is left.
const receiverLeft = "what it sends is not read from here on, since "

// leave gives up what a side sends. A path of which the sender is given up is not followed to its end.
func (c *conn) leave(from packet.Side, why string) {
	s := &c.sides[from]
	end := &session.End{Kind: session.EndCapture, Error: why}
	sends := c.role(from) == c.sender
	switch g := s.gap; {
	case g != nil && sends:
		c.tell(from, g, "the path is left here, since "+why)
		end.Error = "bytes are missing, and " + why
	case g != nil:
		c.tell(from, g, receiverLeft+why)
	case sends:
		end.Where, end.Partial = s.parser.Unfinished(s.buf)
	default:
		g = &gap{time: c.set.now, missing: packet.Unknown, where: whereWords(s.parser.Unfinished(s.buf))}
		c.tell(from, g, receiverLeft+why)
	}
	s.gap, s.buf, s.ended = nil, nil, true
	if sends {
		c.over.Recall() // nobody knows what of the sender's came before it
		c.finish(from, end)
	}
}

// isTagged reports whether a message begins as a notification or an error does (Diverge Provider 2.3.0).
func isTagged(start []byte) bool { return len(start) >= 2 && start[0] <= 1 && start[1] == '{' }

// isObject reports whether JSON begins so that is an object, as a message does that lacks its tag.
func isObject(start []byte) bool {
	return len(start) >= 2 && start[0] == '{' && (start[1] == '"' || start[1] == '}')
}
