// Package live holds the sockets: the stand-in proxy that a provider dials, and the stand-in provider
// that dials it. It yields events and knows nothing of JSON or terminals.
package live

import "time"

// Limits of a Proxy, those of Options by default.
const (
	defaultMaxSize    = 64 << 20
	defaultQueueBytes = 16 << 20

	defaultTimeout = 5 * time.Second // for a request head, and for a write

	maxHead    = 64 << 10 // bytes of a request head
	maxPending = 256      // connections not yet upgraded
	maxHeader  = 16 << 10 // bytes of Event.Header

	lingerTimeout = time.Second // for the peer to end the connection once kind4 has
	lingerBytes   = 4 << 20     // read and thrown away meanwhile

	chunk      = 64 << 10 // bytes of a read buffer
	copyBelow  = 16 << 10 // bytes of messages that are copied rather than handed over with their buffer
	maxAnswer  = 64 << 10 // bytes of the first exchange's answer that are ever held
	maxInBatch = 2048     // events of a batch that others are added to
)

// Options are what a Proxy needs to know.
type Options struct {
	Listen        string           // HOST:PORT; port 0 picks a free one
	FirstExchange bool             // ask kind 0 before kind 4, once
	MaxSize       int64            // bytes of a message beyond which it is skipped; 0: 64 MiB
	QueueBytes    int64            // memory that may wait for Take, of messages and of all else each; 0: 16 MiB
	Now           func() time.Time // nil: time.Now

	headTimeout  time.Duration // for a request head, from the connection on
	writeTimeout time.Duration // for one write: a peer that never reads must not hold kind4
}

func (o *Options) setDefaults() {
	if o.MaxSize <= 0 {
		o.MaxSize = defaultMaxSize
	}
	if o.QueueBytes <= 0 {
		o.QueueBytes = defaultQueueBytes
	}
	if o.headTimeout <= 0 {
		o.headTimeout = defaultTimeout
	}
	if o.writeTimeout <= 0 {
		o.writeTimeout = defaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}
