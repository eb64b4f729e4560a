package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"kind4/decode/session"
)

// Proxy stands in for the container proxy: it listens, the provider dials, asks go out on /requests, and
// what comes on the notification paths is yielded as events, in the order in which it came.
type Proxy struct {
	options  Options
	listener net.Listener
	queue    *queue
	received atomic.Int64
	running  sync.WaitGroup // the accept loop and one a connection
	stopping chan struct{}  // closed by Shutdown

	mu      sync.Mutex // held while state changes and while the events that say so are queued
	closing bool
	pending []*conn            // not yet upgraded, the oldest first
	open    map[*conn]struct{} // upgraded, and not yet done with
	paths   paths

	tap *Tap // that the requests are for; nil where they are for the stand-in proxy
}

// Listen binds o.Listen and begins to serve. The error is the cause alone, "address already in use" for
// instance, and errors.Is finds the system's error in it.
func Listen(o Options) (*Proxy, error) {
	p, err := listen(o, nil)
	if err == nil {
		p.begin()
	}
	return p, err
}

// Serve begins to serve on a listener that is bound, whatever o.Listen says. Shutdown closes it.
func Serve(listener net.Listener, o Options) *Proxy {
	p := newProxy(listener, o, nil)
	p.begin()
	return p
}

// listen binds o.Listen.
func listen(o Options, t *Tap) (*Proxy, error) {
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, cause(err)
	}
	return newProxy(listener, o, t), nil
}

func newProxy(listener net.Listener, o Options, t *Tap) *Proxy {
	o.setDefaults()
	p := &Proxy{options: o, listener: listener, stopping: make(chan struct{}), open: make(map[*conn]struct{}), tap: t}
	p.paths.first = o.FirstExchange
	p.queue = newQueue(o.QueueBytes, func() session.Event {
		return session.Event{Kind: session.Note, Note: session.NoteQueueFull, Time: p.now()}
	})
	return p
}

// begin begins to serve.
func (p *Proxy) begin() { p.running.Go(p.accept) }

// cause strips what package net puts around a system's error.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}

// Addr returns HOST:PORT as bound.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Ready receives when Take may have something, and is closed once nothing more will come.
func (p *Proxy) Ready() <-chan struct{} { return p.queue.ready }

// Full is closed when reading first waits for room in the queue: who is to say so may be waiting in a write itself,
// and would take the event that says it too late.
func (p *Proxy) Full() <-chan struct{} { return p.queue.said }

// Take returns the next batch, nil when none is waiting. With more another one is waiting behind it. The
// caller releases the batch.
func (p *Proxy) Take() (b *session.Batch, more bool) { return p.queue.take() }

// Received returns how many messages of notification paths have come so far, taken or not.
func (p *Proxy) Received() int64 { return p.received.Load() }

func (p *Proxy) now() int64 { return p.options.Now().UnixMicro() }

// accept takes connections until the listener is closed. A lack of file descriptors passes.
func (p *Proxy) accept() {
	for {
		socket, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			select {
			case <-p.stopping:
				return
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		if p.tap == nil {
			p.queue.wait(facts)
		}
		p.admit(socket)
	}
}

// admit starts to serve a connection; where too many are not yet upgraded, the oldest gives way.
func (p *Proxy) admit(socket net.Conn) {
	c := &conn{proxy: p, socket: socket, remote: socket.RemoteAddr().String(), told: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		socket.Close()
		return
	}
	if len(p.pending) >= maxPending {
		oldest := p.pending[0]
		p.forget(oldest)
		oldest.evicted = true
		oldest.socket.Close()
		p.note(session.NoteTooMany, oldest, "")
	}
	p.pending = append(p.pending, c)
	p.running.Go(c.serve)
}

// forget takes a connection from those that are not yet upgraded. p.mu is held.
func (p *Proxy) forget(c *conn) {
	for i, other := range p.pending {
		if other == c {
			p.pending = append(p.pending[:i], p.pending[i+1:]...)
			return
		}
	}
}

// note queues a Note about a connection. p.mu is held.
func (p *Proxy) note(kind session.NoteKind, c *conn, reason string) {
	p.queue.add(facts, session.Event{Kind: session.Note, Time: p.now(), Note: kind, Remote: c.remote, Reason: reason})
}

// notReading says that c's peer takes nothing any more, where c is upgraded. No lock that is taken with p.mu
// held may be c.writing, which the caller holds.
func (p *Proxy) notReading(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, upgraded := p.open[c]; upgraded {
		p.queue.add(facts, c.event(session.Event{Kind: session.Note, Time: p.now(), Note: session.NoteNotReading,
			Remote: c.remote, Reason: fmt.Sprintf("nothing was taken for %v", p.options.writeTimeout)}))
	}
}

// Shutdown ends everything: it stops to listen, sends Close 1000 on every open path, and waits for the
// answers until ctx is done, then cuts. Messages that still come are queued while there is room. When it
// returns no goroutine is left, the Closed of every path is queued, cut or not, Ready is closed, and Take drains
// what is queued.
func (p *Proxy) Shutdown(ctx context.Context) {
	p.stop()
	cut := context.AfterFunc(ctx, p.cut)
	p.running.Wait()
	cut()
	p.queue.close()
}

// stop closes the listener and all that is not upgraded, and sends the Closes. Each is written by a
// goroutine of its own: a peer that does not read must not hold up the others.
func (p *Proxy) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closing {
		return
	}
	p.closing = true
	close(p.stopping)
	p.listener.Close()
	for _, c := range p.pending {
		c.socket.Close()
	}
	for c := range p.open {
		if c.claimClose(closedByUs) {
			p.running.Go(c.sendOurClose)
		}
	}
}

// cut closes every connection.
func (p *Proxy) cut() {
	p.queue.release()
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		c.socket.Close()
	}
	for _, c := range p.pending {
		c.socket.Close()
	}
}
