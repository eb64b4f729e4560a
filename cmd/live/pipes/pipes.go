// Package pipes is a network in memory. It is for tests under the clock of testing/synctest, which stands still while a
// socket of the kernel's is waited for.
package pipes

import (
	"net"
	"sync"
)

// Listener takes what is dialled to it. A write waits until the other end reads it.
type Listener struct {
	dialled chan net.Conn
	over    chan struct{}
	once    sync.Once
}

// Listen returns a Listener, which somebody must accept from for Dial to return.
func Listen() *Listener {
	return &Listener{dialled: make(chan net.Conn), over: make(chan struct{})}
}

// Dial returns the other end of a connection that was accepted. The error is net.ErrClosed.
func (l *Listener) Dial() (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case l.dialled <- far:
		return near, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

// Accept returns the next connection, and net.ErrClosed after Close.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.dialled:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.over) })
	return nil
}

// Addr returns the address, of which there is one.
func (l *Listener) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
