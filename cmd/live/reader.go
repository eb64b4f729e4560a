package live

import (
	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// reader reads one upgraded connection to its end. It reads into its batch's memory, takes the frames
// apart where they stand, and hands the batch over as soon as the socket has given what it had.
type reader struct {
	conn   *conn
	parser ws.Parser
	batch  *session.Batch
	buf    []byte // of batch, as far as it is filled
	used   int    // bytes of buf that events of batch are views of
	now    int64
	pongs  []byte // still to be sent
	class  class  // of the memory that waits for Take

	// Of the first exchange's answer.
	answer  int64 // bytes
	tracker session.Tracker
}

// newReader begins with the bytes that came with the upgrade request.
func newReader(c *conn, early []byte) *reader {
	r := &reader{conn: c, now: c.proxy.now(), class: messages}
	r.parser = ws.Parser{Masked: true, MaxSize: c.proxy.options.MaxSize}
	if c.ask == nil || c.ask.kind != decode.KindNotifications {
		r.class = facts // an ended /requests must be noticed while messages wait
		r.parser.MaxSize = min(r.parser.MaxSize, maxAnswer)
	}
	r.batch = newBatch(len(early))
	r.buf = append(r.batch.Buf, early...)
	return r
}

// run reads until the path has ended, and ends the connection.
func (r *reader) run() {
	defer func() { r.batch.Release() }()
	for {
		end, reason := r.parse()
		r.flush()
		if end != nil {
			r.finish(end, reason)
			return
		}
		r.pong()
		r.space()
		r.conn.proxy.queue.wait(r.class)
		n, err := r.conn.socket.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+n]
		r.now = r.conn.proxy.now()
		if err != nil && n == 0 {
			end := r.conn.endOf(err)
			end.Where, end.Partial = r.parser.Unfinished(r.buf)
			r.ended(end)
			return
		}
	}
}

// parse turns what was read into events. It returns how the path ended, if that was read, and with what
// reason kind4 closes where it does so on its own account.
func (r *reader) parse() (end *session.End, reason string) {
	for {
		item, ok := r.parser.Next(r.buf)
		if !ok {
			return nil, ""
		}
		switch item.Kind {
		case ws.Message:
			if end, reason := r.message(&item); end != nil {
				return end, reason
			}
		case ws.Control:
			r.event(session.Control, &item)
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
		r.event(session.Message, item)
		return &session.End{Kind: session.EndOurs, Sent: ws.CloseProtocolError}, "only the proxy sends on " + requestsPath
	case ask.kind == decode.KindNotifications:
		r.event(session.Message, item)
		r.conn.proxy.received.Add(1)
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

func (r *reader) event(kind session.Kind, item *ws.Item) {
	r.batch.Events = append(r.batch.Events, r.conn.event(session.Event{Kind: kind, Time: r.now, Opcode: item.Opcode,
		Fragments: item.Fragments, MaxFrame: item.MaxFrame, Data: item.Data, Size: item.Size}))
	r.used += len(item.Data)
}

// flush queues the events. Where they are few bytes, or fewer than what goes on to be read into, they are
// copied and the memory stays here; else it goes with them, and what is unfinished moves to new memory.
func (r *reader) flush() {
	if len(r.batch.Events) == 0 {
		return
	}
	queue := r.conn.proxy.queue
	kept := r.parser.Kept(r.buf)
	if r.used <= copyBelow || r.used < kept {
		queue.add(r.class, r.batch.Events...)
		clear(r.batch.Events)
		r.batch.Events = r.batch.Events[:0]
	} else {
		full := r.batch
		full.Buf = r.buf
		r.batch = newBatch(kept)
		r.buf = r.parser.Carry(r.batch.Buf, r.buf)
		queue.push(r.class, full)
	}
	r.used = 0
}

// space makes room to read into. Memory at most doubles, so that it grows with what came and not with
// what a frame announces.
func (r *reader) space() {
	const little = 4 << 10
	kept := r.parser.Kept(r.buf)
	if cap(r.buf) > 4*chunk && kept <= little {
		r.move(chunk)
		return
	}
	size := cap(r.buf)
	if kept <= little || size-len(r.buf) < size/4 {
		r.buf = r.parser.Compact(r.buf)
	}
	need, free := r.parser.Need(), size-len(r.buf)
	switch {
	case need > size && free < size/4:
		r.move(min(need, 2*size))
	case free == 0:
		r.move(2 * size)
	}
}

// move goes on in new memory.
func (r *reader) move(size int) {
	r.batch.Buf = make([]byte, 0, size)
	r.buf = r.parser.Carry(r.batch.Buf, r.buf)
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
