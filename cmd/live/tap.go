package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// TapOptions are what a Tap needs to know.
type TapOptions struct {
	Listen     string           // HOST:PORT; port 0 picks a free one
	Proxy      string           // HOST:PORT of the proxy
	MaxSize    int64            // bytes of a message beyond which it is not decoded; 0: 64 MiB
	QueueBytes int64            // memory that may wait for Take, of messages and of everything else; 0: 16 MiB
	Now        func() time.Time // nil: time.Now
}

// Tap stands between a provider and a proxy. It listens, dials the proxy for every path that is opened, and relays what
// either sends byte for byte. What passes on /requests, the notification paths and /tool/notifications is decoded
// behind the relay and yielded as events, From saying which side they came from; of other paths a Note says, at the
// end, how much was relayed. An Origin, a body of unknown length, and what is no request of HTTP, are refused here.
// Of a connection one request is relayed: behind an answer other than 101 it ends with the answer, and until 101 came
// what stands behind the request waits.
//
// Where the consumer is too slow, reading of the paths that are decoded waits, one class of the queue as the other;
// other paths never do, and once the queue is full their Notes are left out.
type Tap struct {
	*Proxy  // what listens, and reads request heads
	address string
	dialing context.Context // done when Shutdown begins
	end     context.CancelFunc

	relayMu sync.Mutex
	relays  map[*relay]struct{}
	over    bool

	openMu sync.Mutex
	opened map[string][]*relay // of each path that is open and decoded
}

// ListenTap binds o.Listen and begins to relay. The error is like Listen's.
func ListenTap(o TapOptions) (*Tap, error) {
	t := &Tap{address: o.Proxy, relays: make(map[*relay]struct{}), opened: make(map[string][]*relay)}
	t.dialing, t.end = context.WithCancel(context.Background())
	p, err := listen(Options{Listen: o.Listen, MaxSize: o.MaxSize, QueueBytes: o.QueueBytes, Now: o.Now}, t)
	if err != nil {
		t.end()
		return nil, err
	}
	t.Proxy = p
	p.begin()
	return t, nil
}

// Shutdown stops to listen and cuts every connection that is relayed: kind4 sends nothing of its own on them. One whose
// path has ended has until ctx is done for the closing handshake. What was relayed is decoded and queued while there is
// room, until ctx is done. When it returns no goroutine is left, the
// Closed of every path is queued, Ready is closed, and Take drains what is queued.
func (t *Tap) Shutdown(ctx context.Context) {
	t.end()
	t.cut((*relay).closing)
	late := context.AfterFunc(ctx, func() { t.cut(func(*relay) bool { return false }) })
	t.Proxy.Shutdown(ctx)
	late()
}

// cut ends every relay but those that are spared, and lets no other begin.
func (t *Tap) cut(spared func(*relay) bool) {
	t.relayMu.Lock()
	defer t.relayMu.Unlock()
	t.over = true
	for r := range t.relays {
		if !spared(r) {
			r.cut()
		}
	}
}

// add takes up a relay; false once Shutdown has begun.
func (t *Tap) add(r *relay) bool {
	t.relayMu.Lock()
	defer t.relayMu.Unlock()
	if !t.over {
		t.relays[r] = struct{}{}
	}
	return !t.over
}

func (t *Tap) remove(r *relay) {
	t.relayMu.Lock()
	defer t.relayMu.Unlock()
	delete(t.relays, r)
}

// open says that the path of a relay was opened, and notes where it was open already and nothing of its end had come.
func (t *Tap) open(r *relay) {
	t.openMu.Lock()
	defer t.openMu.Unlock()
	before := t.opened[r.base.Path]
	t.opened[r.base.Path] = append(before, r)
	r.again = len(before) > 0
	e := r.event(session.Opened, 0)
	e.Header = r.header
	t.queue.add(facts, e)
	if slices.ContainsFunc(before, func(other *relay) bool { return !other.isEnding.Load() }) {
		e := r.event(session.Note, 0)
		e.Note = session.NoteOpenAgain
		t.queue.add(facts, e)
	}
}

// closed queues how the path of a relay ended that was opened.
func (t *Tap) closed(r *relay, e session.Event) {
	t.openMu.Lock()
	defer t.openMu.Unlock()
	t.queue.add(facts, e)
	rest := slices.DeleteFunc(t.opened[e.Path], func(other *relay) bool { return other == r })
	if t.opened[e.Path] = rest; len(rest) == 0 {
		delete(t.opened, e.Path)
	}
}

// serve relays the connection on which a request came, to its end.
func (t *Tap) serve(c *conn, r *http.Request, head, rest []byte) {
	t.mu.Lock()
	t.forget(c)
	t.mu.Unlock()
	base := session.OfPath(ws.Path(r.RequestURI))
	base.Remote = c.remote
	if _, browser := r.Header["Origin"]; browser {
		t.refuse(c, r, base, ws.Check(r, nil))
		return
	}
	if r.TransferEncoding != nil {
		t.refuse(c, r, base, &ws.Refusal{Status: http.StatusLengthRequired, Reason: "a request with a body of unknown length is not relayed"})
		return
	}
	sender := base.Sender()
	if sender != 0 {
		t.queue.wait(facts)
	}
	socket, err := (&net.Dialer{Timeout: openTimeout}).DialContext(t.dialing, "tcp", t.address)
	if err != nil {
		t.refuse(c, r, base, unreached(t.address, err))
		return
	}
	defer socket.Close()
	c.socket.SetDeadline(time.Time{})
	header := ws.HeaderText(head)
	relay := newRelay(t, base, c.socket, socket, r, header[:min(len(header), maxHeader)])
	if !t.add(relay) {
		return
	}
	defer t.remove(relay)
	relay.run(sender, head, rest)
}

// unreached is what answers a request that cannot be relayed: 502 where the proxy does not answer, 503 where kind4
// itself is at the end of what it has.
func unreached(address string, err error) *ws.Refusal {
	err = cause(err)
	for _, local := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, local) {
			return &ws.Refusal{Status: http.StatusServiceUnavailable, Reason: fmt.Sprintf("kind4 cannot relay: %v", err)}
		}
	}
	return &ws.Refusal{Status: http.StatusBadGateway, Reason: fmt.Sprintf("cannot dial the proxy at %s: %v", address, err)}
}

// refuse answers in place of the proxy.
func (t *Tap) refuse(c *conn, r *http.Request, base session.Event, refusal *ws.Refusal) {
	if t.dialing.Err() != nil {
		return
	}
	base.Kind, base.Time, base.FromKind4 = session.Refused, t.now(), true
	base.Path, base.Method, base.Status, base.Reason = r.RequestURI, r.Method, refusal.Status, refusal.Reason
	t.queue.add(facts, base)
	c.socket.SetReadDeadline(time.Time{})
	c.refuse(r.Method, refusal)
}
