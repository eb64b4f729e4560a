package live

import (
	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// reader reads one upgraded connection to its end. It hands the events over as soon as the socket has given what it
// had.
type reader struct {
	*stream
	conn  *conn
	now   int64
	came  int64  // messages that were read and are not counted yet
	pongs []byte // still to be sent

	// Of the first exchange's answer.
	answer  int64 // bytes
	tracker session.Tracker
}

// newReader begins with the bytes that came with the upgrade request.
func newReader(c *conn, early []byte) *reader {
	parser := ws.Parser{Masked: true, MaxSize: c.proxy.options.MaxSize}
	of := messages
	if c.ask == nil || c.ask.kind != decode.KindNotifications {
		of = facts // an ended /requests must be noticed while messages wait
		parser.MaxSize = min(parser.MaxSize, maxAnswer)
	}
	return &reader{stream: newStream(c.proxy.queue, of, parser, early), conn: c, now: c.proxy.now()}
}

// run reads until the path has ended, and ends the connection.
func (r *reader) run() {
	defer r.release()
	for {
		end, reason := r.parse()
		r.conn.proxy.received.Add(r.came)
		r.came = 0
		r.flush()
		if end != nil {
			r.finish(end, reason)
			return
		}
		r.pong()
		b := r.room()
		r.queue.wait(r.class)
		n, err := r.conn.socket.Read(b)
		r.filled(n)
		r.now = r.conn.proxy.now()
		if err != nil && n == 0 {
			r.ended(r.unfinished(r.conn.endOf(err)))
			return
		}
	}
}

// parse turns what was read into events. It returns how the path ended, if that was read, and with what
// reason kind4 closes where it does so on its own account.
func (r *reader) parse() (end *session.End, reason string) {
	for {
		item := r.next()
		if item == nil {
			return nil, ""
		}
		switch item.Kind {
		case ws.Message:
			if end, reason := r.message(item); end != nil {
				return end, reason
			}
		case ws.Control:
			r.add(session.Control, item)
			if item.Opcode == ws.OpPing {
				r.pongs = ws.AppendFrame(r.pongs, ws.OpPong, item.Data, nil)
			}
		case ws.Close:
			return &session.End{Kind: session.EndClose, Code: item.Code, Reason: item.Reason, Sent: item.Code}, ""
		case ws.Broken:
			return &session.End{Kind: session.EndBroken, Violation: item.Violation, Sent: item.Code}, item.Violation.Message
		}
	}
}

// message takes a message by the path that it came on.
func (r *reader) message(item *ws.Item) (end *session.End, reason string) {
	switch ask := r.conn.ask; {
	case ask == nil:
		r.add(session.Message, item)
		return &session.End{Kind: session.EndOurs, Sent: ws.CloseProtocolError}, "only the proxy sends on " + requestsPath
	case ask.kind == decode.KindNotifications:
		r.add(session.Message, item)
		r.came++
	default:
		r.answer += item.Size
		if item.Opcode == ws.OpText {
			r.tracker.Text()
		} else {
			r.tracker.Message(false)
		}
	}
	return nil, ""
}

// add adds an event of the path's.
func (r *reader) add(kind session.Kind, item *ws.Item) {
	r.conn.name(r.event(kind, r.now, item))
}

// pong answers the pings that were read.
func (r *reader) pong() {
	if len(r.pongs) > 0 {
		r.conn.write(r.pongs)
		r.pongs = r.pongs[:0]
	}
}

// finish ends a path whose end was read, or that kind4 closes because of what it read.
func (r *reader) finish(end *session.End, reason string) {
	if r.ended(end) {
		r.pong()
		r.conn.writeClose(end.Sent, reason)
	}
	r.conn.linger()
}

// ended states how the path ended, and reports whether kind4 is still to answer. Where Shutdown was first,
// that is how it ended, whatever the peer did then.
func (r *reader) ended(end *session.End) bool {
	first := r.conn.claimClose(closedByPeer)
	if !first {
		<-r.conn.told
		end.Kind, end.Error, end.Sent = session.EndOurs, "", ws.CloseNormal
	}
	if r.conn.writeError() != nil {
		end.Sent = 0
	}
	if ask := r.conn.ask; ask != nil && ask.kind != decode.KindNotifications {
		end.Outcome, end.Messages = r.tracker.Close(end), r.tracker.Messages()
	}
	r.conn.proxy.ended(r.conn, end, r.answer)
	return first
}
