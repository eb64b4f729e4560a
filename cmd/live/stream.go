package live

import (
	"slices"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// stream takes the frames of one direction of one connection apart, in the memory that they were read into, and
// hands the events that are made of them to the queue. It is for one goroutine.
type stream struct {
	queue  *queue
	class  class
	parser ws.Parser
	batch  *session.Batch
	buf    []byte // of batch, as far as it is filled
	used   int    // bytes of buf that were found, which events of batch are views of
}

// newStream begins with the bytes that were read already, which are copied.
func newStream(q *queue, of class, parser ws.Parser, early []byte) *stream {
	s := &stream{queue: q, class: of, parser: parser, batch: newBatch(len(early))}
	s.buf = append(s.batch.Buf, early...)
	return s
}

// release gives the memory back.
func (s *stream) release() { s.batch.Release() }

// next returns the next item of what was read, nil where there is none.
func (s *stream) next() *ws.Item { return s.parser.Next(s.buf) }

// event adds an event of what was found, whose Data is a view of what was read, and returns it to be filled in. It is
// made where it stands: to make it elsewhere and copy it took as long as to unmask a message of 200 bytes.
func (s *stream) event(kind session.Kind, now int64, item *ws.Item) *session.Event {
	n := len(s.batch.Events)
	s.batch.Events = append(s.batch.Events, session.Event{})
	e := &s.batch.Events[n]
	e.Kind, e.Time, e.Opcode, e.Data, e.Size = kind, now, item.Opcode, item.Data, item.Size
	e.Fragments, e.MaxFrame = item.Fragments, item.MaxFrame
	s.used += len(item.Data)
	return e
}

// flush queues the events. Where they are few bytes, or fewer than what goes on to be read into, they are
// copied and the memory stays here; else it goes with them, and what is unfinished moves to new memory.
func (s *stream) flush() {
	if len(s.batch.Events) == 0 {
		return
	}
	kept := s.parser.Kept(s.buf)
	if s.used <= copyBelow || s.used < kept {
		s.queue.add(s.class, s.batch.Events...)
		clear(s.batch.Events)
		s.batch.Events = s.batch.Events[:0]
	} else {
		full := s.batch
		full.Buf = s.buf
		s.batch = newBatch(kept)
		s.batch.Events = slices.Grow(s.batch.Events, len(full.Events)) // the next read is likely to hold as many
		s.buf = s.parser.Carry(s.batch.Buf, s.buf)
		s.queue.push(s.class, full)
	}
	s.used = 0
}

// room makes room and returns it, to be read into once what was read is flushed. Memory at most doubles, so that
// it grows with what came and not with what a frame announces.
func (s *stream) room() []byte {
	const little = 4 << 10
	kept := s.parser.Kept(s.buf)
	if cap(s.buf) > 4*chunk && kept <= little {
		s.move(chunk)
		return s.buf[len(s.buf):cap(s.buf)]
	}
	size := cap(s.buf)
	if kept <= little || size-len(s.buf) < size/4 {
		s.buf = s.parser.Compact(s.buf)
	}
	need, free := s.parser.Need(), size-len(s.buf)
	switch {
	case need > size && free < size/4:
		s.move(min(need, 2*size))
	case free == 0:
		s.move(2 * size)
	}
	return s.buf[len(s.buf):cap(s.buf)]
}

// move goes on in new memory.
func (s *stream) move(size int) {
	s.batch.Buf = make([]byte, 0, size)
	s.buf = s.parser.Carry(s.batch.Buf, s.buf)
}

// filled says that n bytes were read into the room.
func (s *stream) filled(n int) { s.buf = s.buf[:len(s.buf)+n] }

// unfinished completes an end that fell where nothing else was read.
func (s *stream) unfinished(end *session.End) *session.End {
	end.Where, end.Partial = s.parser.Unfinished(s.buf)
	return end
}
