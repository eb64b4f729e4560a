package live

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// Dialed is one path of a real proxy that kind4 opened, and on which it sends nothing but pongs and its Close. What
// comes is yielded as events, like a Proxy's: Opened, with FromKind4; Message and Control; Closed, the last.
type Dialed struct {
	options  DialOptions
	socket   net.Conn
	queue    *queue
	received atomic.Int64
	running  sync.WaitGroup
	base     session.Event // what every event says

	writing  sync.Mutex
	failed   error // of the first write that failed; none is tried after it
	finished bool  // a Close was written: nothing may follow (RFC 6455 section 5.5.1)
	ours     bool  // Shutdown was first to close the path
	over     bool  // how the path ended is known
}

// Dial opens the path of o.URL. A redirect is not followed. The error is a *RefusedError where the answer was
// another than 101, ErrTLSExpected, or the cause alone: "connection refused" for instance. It gives up after 30
// seconds, or when ctx is done.
func Dial(ctx context.Context, o DialOptions) (*Dialed, error) {
	o.setDefaults()
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	socket, err := connectTo(ctx, &o)
	if err != nil {
		return nil, err
	}
	interrupt := context.AfterFunc(ctx, func() { socket.SetDeadline(time.Unix(1, 0)) })
	early, err := upgrade(socket, &o)
	if !interrupt() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		socket.Close()
		var refused *RefusedError
		if ctx.Err() != nil && !errors.As(err, &refused) {
			err = ctx.Err()
		}
		return nil, err
	}
	return begin(socket, early, o), nil
}

func (o *DialOptions) setDefaults() {
	if o.MaxSize <= 0 {
		o.MaxSize = defaultMaxSize
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = defaultQueueBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// begin reads the path; early holds what came with the answer.
func begin(socket net.Conn, early *bufio.Reader, o DialOptions) *Dialed {
	d := &Dialed{options: o, socket: socket}
	d.base = session.Event{Path: o.URL.EscapedPath(), Remote: socket.RemoteAddr().String()}
	d.queue = newQueue(o.QueueBytes, func() session.Event {
		return session.Event{Kind: session.Note, Note: session.NoteQueueFull, Time: d.now()}
	})
	opened := d.base
	opened.Kind, opened.Time, opened.FromKind4 = session.Opened, d.now(), true
	d.queue.add(facts, opened)
	ahead, _ := early.Peek(early.Buffered())
	s := newStream(d.queue, messages, ws.Parser{MaxSize: o.MaxSize}, ahead)
	d.running.Go(func() { d.read(s) })
	return d
}

// Ready receives when Take may have something, and is closed once nothing more will come.
func (d *Dialed) Ready() <-chan struct{} { return d.queue.ready }

// Full is closed when reading first waits for room in the queue: who is to say so may be waiting in a write itself,
// and would take the event that says it too late.
func (d *Dialed) Full() <-chan struct{} { return d.queue.said }

// Take returns the next batch, nil when none is waiting. With more another one is waiting behind it. The
// caller releases the batch.
func (d *Dialed) Take() (b *session.Batch, more bool) { return d.queue.take() }

// Received returns how many messages have come so far, taken or not.
func (d *Dialed) Received() int64 { return d.received.Load() }

// Remote returns HOST:PORT of the proxy.
func (d *Dialed) Remote() string { return d.base.Remote }

func (d *Dialed) now() int64 { return d.options.Now().UnixMicro() }

// read reads until the path has ended, and ends the connection.
func (d *Dialed) read(s *stream) {
	defer d.queue.close()
	defer d.socket.Close()
	defer s.release()
	for {
		end, pongs := d.parse(s)
		s.flush()
		d.write(pongs)
		if end != nil {
			d.ended(end)
			d.writeClose(end.Sent)
			d.linger()
			return
		}
		b := s.room()
		d.queue.wait(messages)
		n, err := d.socket.Read(b)
		s.filled(n)
		if err != nil && n == 0 {
			d.ended(s.unfinished(d.endOf(err)))
			return
		}
	}
}

// parse turns what was read into events. It returns how the path ended, if that was read, and the pongs that are
// due.
func (d *Dialed) parse(s *stream) (end *session.End, pongs []byte) {
	now := d.now()
	for {
		item := s.next()
		if item == nil {
			return nil, pongs
		}
		switch item.Kind {
		case ws.Message:
			s.event(session.Message, now, item).Path = d.base.Path
			d.received.Add(1)
		case ws.Control:
			s.event(session.Control, now, item).Path = d.base.Path
			if item.Opcode == ws.OpPing {
				mask := maskingKey()
				pongs = ws.AppendFrame(pongs, ws.OpPong, item.Data, &mask)
			}
		case ws.Close:
			return &session.End{Kind: session.EndClose, Code: item.Code, Reason: item.Reason, Sent: item.Code}, pongs
		case ws.Broken:
			return &session.End{Kind: session.EndBroken, Violation: item.Violation, Sent: item.Code}, pongs
		}
	}
}

// maskingKey is the masking key of a client's frame, unpredictable as RFC 6455 section 5.3 wants it.
func maskingKey() (mask [4]byte) {
	rand.Read(mask[:])
	return mask
}

// ended states how the path ended. Where Shutdown was first, that is how it ended, whatever the proxy did then.
func (d *Dialed) ended(end *session.End) {
	d.writing.Lock()
	d.over = true
	if d.ours {
		end.Kind, end.Error, end.Sent = session.EndOurs, "", ws.CloseNormal
	}
	if d.failed != nil {
		end.Sent = 0
	}
	d.writing.Unlock()
	closed := d.base
	closed.Kind, closed.Time, closed.End = session.Closed, d.now(), end
	d.queue.add(facts, closed)
}

// endOf says what a failed read states about the connection. The kernel tells of a reset only once, so a write
// may have heard of it.
func (d *Dialed) endOf(err error) *session.End {
	d.writing.Lock()
	failed := d.failed
	d.writing.Unlock()
	switch {
	case errors.Is(err, syscall.ECONNRESET), err == io.EOF && errors.Is(failed, syscall.ECONNRESET):
		return &session.End{Kind: session.EndReset, Error: "connection reset"}
	case err == io.EOF, err == io.ErrUnexpectedEOF: // the latter under TLS, without its closing alert
		return &session.End{Kind: session.EndEOF}
	}
	return &session.End{Kind: session.EndReset, Error: cause(err).Error()}
}

// write sends frames, unless a Close was sent or a write failed.
func (d *Dialed) write(frames []byte) {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.writeLocked(frames)
}

func (d *Dialed) writeLocked(frames []byte) {
	if len(frames) == 0 || d.failed != nil || d.finished {
		return
	}
	d.socket.SetWriteDeadline(time.Now().Add(defaultTimeout))
	_, d.failed = d.socket.Write(frames)
}

// writeClose sends a Close, the last that is sent. A protocol error's code says enough.
func (d *Dialed) writeClose(code uint16) {
	d.writing.Lock()
	defer d.writing.Unlock()
	mask := maskingKey()
	d.writeLocked(ws.AppendClose(nil, code, "", &mask))
	d.finished = true
}

// linger lets the proxy, which closes the connection first (RFC 6455 section 7.1.1), do so, within bounds.
func (d *Dialed) linger() {
	d.socket.SetReadDeadline(time.Now().Add(lingerTimeout))
	io.CopyN(io.Discard, d.socket, lingerBytes)
}

// Shutdown sends Close 1000 and waits for the answer until ctx is done, then cuts. Messages that still come are
// queued while there is room. When it returns no goroutine is left, Closed is queued, Ready is closed, and Take
// drains what is queued.
func (d *Dialed) Shutdown(ctx context.Context) {
	d.writing.Lock()
	d.ours = d.ours || !d.over
	d.writing.Unlock()
	d.running.Go(func() { d.writeClose(ws.CloseNormal) })
	cut := context.AfterFunc(ctx, func() {
		d.queue.release()
		d.socket.Close()
	})
	d.running.Wait()
	cut()
}
