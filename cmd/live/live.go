// Package live holds the sockets: the stand-in proxy that a provider dials, and the stand-in provider
// that dials it. It yields events and knows nothing of JSON or terminals.
package live

import (
	"context"
	"time"

	"kind4/decode/session"
)

// Options are what a Proxy needs to know.
type Options struct {
	Listen        string           // HOST:PORT; port 0 picks a free one
	FirstExchange bool             // ask kind 0 before kind 4
	MaxSize       int64            // bytes of a message beyond which it is skipped; 0: 64 MiB
	QueueBytes    int64            // memory that may wait for Take; 0: 16 MiB
	Now           func() time.Time // nil: time.Now
}

// Proxy stands in for the container proxy.
type Proxy struct{}

func Listen(o Options) (*Proxy, error)               { panic("unwritten") }
func (p *Proxy) Addr() string                        { panic("unwritten") }
func (p *Proxy) Ready() <-chan struct{}              { panic("unwritten") }
func (p *Proxy) Take() (b *session.Batch, more bool) { panic("unwritten") }
func (p *Proxy) Shutdown(ctx context.Context)        { panic("unwritten") }

type Script struct{}

func Demo() Script                                             { panic("unwritten") }
func Provide(ctx context.Context, addr string, s Script) error { panic("unwritten") }
