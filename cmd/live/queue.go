package live

import (
	"sync"
	"unsafe"

	"kind4/decode/session"
)

// queue passes batches from the readers to the one consumer, in order. It is bounded by the memory that
// the batches hold, each class by itself: a reader waits for room before it reads on, and whatever was read is
// let in.
type queue struct {
	ready chan struct{} // holds one token while batches wait; closed by close
	said  chan struct{} // closed when full is said

	mu     sync.Mutex
	room   sync.Cond
	list   []queued
	size   memory               // of list
	limit  int64                // of each class
	full   func() session.Event // says that the queue is full; nil once it was said
	cut    bool                 // nobody waits any more
	closed bool
}

// class is what a batch's memory is for.
type class uint8

const (
	messages class = iota // what comes on notification paths
	facts                 // everything else: it never waits for the room that messages take
	classes
)

// memory is how many bytes are held, by class.
type memory [classes]int64

// queued is a batch that waits. Events of either class can stand in it.
type queued struct {
	*session.Batch
	size memory
}

func newQueue(limit int64, full func() session.Event) *queue {
	q := &queue{ready: make(chan struct{}, 1), said: make(chan struct{}), limit: limit, full: full}
	q.room.L = &q.mu
	return q
}

const eventSize = int64(unsafe.Sizeof(session.Event{}))

// cost is the memory that a batch holds, in bytes.
func cost(b *session.Batch) int64 { return int64(cap(b.Buf)) + int64(cap(b.Events))*eventSize }

// texts is the memory of what peers sent that an event holds outside of its batch, in bytes.
func texts(e *session.Event) int64 {
	return int64(len(e.Path) + len(e.Method) + len(e.Reason) + len(e.Header))
}

// push adds a batch, which is the queue's from then on.
func (q *queue) push(of class, b *session.Batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		b.Release()
		return
	}
	q.append(of, b)
	q.signal()
}

// append puts a batch behind the others.
func (q *queue) append(of class, b *session.Batch) {
	q.list = append(q.list, queued{Batch: b})
	q.grow(of, cost(b))
}

// grow counts memory that the last batch takes.
func (q *queue) grow(of class, n int64) {
	q.size[of] += n
	q.list[len(q.list)-1].size[of] += n
}

func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// add adds events that stay the caller's: they and their Data are copied, into the last batch where it
// has room.
func (q *queue) add(of class, events ...session.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	for i := range events {
		b := q.tail(of, len(events[i].Data))
		at, was := len(b.Buf), cost(b)
		b.Buf = append(b.Buf, events[i].Data...)
		b.Events = append(b.Events, events[i])
		if events[i].Data != nil {
			b.Events[len(b.Events)-1].Data = b.Buf[at:len(b.Buf):len(b.Buf)]
		}
		grown := cost(b) - was
		if of == facts {
			grown += texts(&events[i])
		}
		q.grow(of, grown)
	}
	q.signal()
}

// tail returns the last batch, or a new one where it has no room for n bytes.
func (q *queue) tail(of class, n int) *session.Batch {
	if k := len(q.list); k > 0 {
		b := q.list[k-1].Batch
		if cap(b.Buf)-len(b.Buf) >= n && len(b.Events) < maxInBatch {
			return b
		}
	}
	b := newBatch(n)
	q.append(of, b)
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
	first := q.list[0]
	b = first.Batch
	q.list[0] = queued{}
	q.list = q.list[1:]
	for of := range first.size {
		q.size[of] -= first.size[of]
	}
	q.room.Broadcast()
	if more = len(q.list) > 0; more && !q.closed {
		q.signal()
	}
	return b, more
}

// wait returns when the queue has room for that class. The first wait that has to is said ahead of all that
// is queued.
func (q *queue) wait(of class) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size[of] >= q.limit && !q.cut {
		if q.full != nil {
			q.sayFull()
		}
		q.room.Wait()
	}
}

func (q *queue) sayFull() {
	b := session.NewBatch()
	b.Events = append(b.Events, q.full())
	q.full = nil
	close(q.said)
	q.append(facts, b)
	last := len(q.list) - 1
	said := q.list[last]
	copy(q.list[1:], q.list[:last])
	q.list[0] = said
	q.signal()
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
