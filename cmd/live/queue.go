package live

import (
	"sync"
	"unsafe"

	"kind4/decode/session"
)

// queue passes batches from the readers to the one consumer, in order. It is bounded by the memory that
// the batches hold: a reader waits for room before it reads on, and whatever was read is let in.
type queue struct {
	ready chan struct{} // holds one token while batches wait; closed by close

	mu     sync.Mutex
	room   sync.Cond
	list   []*session.Batch
	size   int64 // memory of list, in bytes
	limit  int64
	full   func() session.Event // says that the queue is full; nil once it was said
	cut    bool                 // nobody waits any more
	closed bool
}

func newQueue(limit int64, full func() session.Event) *queue {
	q := &queue{ready: make(chan struct{}, 1), limit: limit, full: full}
	q.room.L = &q.mu
	return q
}

const eventSize = int64(unsafe.Sizeof(session.Event{}))

// cost is the memory that a batch holds, in bytes.
func cost(b *session.Batch) int64 { return int64(cap(b.Buf)) + int64(cap(b.Events))*eventSize }

// push adds a batch, which is the queue's from then on.
func (q *queue) push(b *session.Batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.append(b)
}

func (q *queue) append(b *session.Batch) {
	if q.closed {
		b.Release()
		return
	}
	q.list = append(q.list, b)
	q.size += cost(b)
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// add adds events that stay the caller's: they and their Data are copied, into the last batch where it
// has room.
func (q *queue) add(events ...session.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	for i := range events {
		b := q.tail(len(events[i].Data))
		at, was := len(b.Buf), cost(b)
		b.Buf = append(b.Buf, events[i].Data...)
		b.Events = append(b.Events, events[i])
		if events[i].Data != nil {
			b.Events[len(b.Events)-1].Data = b.Buf[at:len(b.Buf):len(b.Buf)]
		}
		q.size += cost(b) - was
	}
	q.signal()
}

// tail returns the last batch, or a new one where it has no room for n bytes.
func (q *queue) tail(n int) *session.Batch {
	if k := len(q.list); k > 0 {
		b := q.list[k-1]
		if cap(b.Buf)-len(b.Buf) >= n && len(b.Events) < maxInBatch {
			return b
		}
	}
	b := newBatch(n)
	q.append(b)
	return b
}

// newBatch returns an empty batch with memory for a chunk, or for n bytes where that is more.
func newBatch(n int) *session.Batch {
	b := session.NewBatch()
	if n = max(n, chunk); cap(b.Buf) < n {
		b.Buf = make([]byte, 0, n)
	}
	return b
}

// take returns the first batch, nil when there is none, and whether another one waits behind it.
func (q *queue) take() (b *session.Batch, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil, false
	}
	b = q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	q.size -= cost(b)
	q.room.Broadcast()
	if more = len(q.list) > 0; more && !q.closed {
		q.signal()
	}
	return b, more
}

// wait returns when the queue holds less than times its limit. The first wait that has to is said ahead of
// all that is queued.
func (q *queue) wait(times int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size >= times*q.limit && !q.cut {
		if q.full != nil {
			b := session.NewBatch()
			b.Events = append(b.Events, q.full())
			q.full = nil
			q.append(b)
			copy(q.list[1:], q.list)
			q.list[0] = b
		}
		q.room.Wait()
	}
}

// release lets everybody go who waits for room, now and later.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cut = true
	q.room.Broadcast()
}

// close ends the queue: what is in it can still be taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.ready)
	}
}
