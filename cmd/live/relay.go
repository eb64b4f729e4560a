package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kind4/decode/session"
)

// relay is one connection of the provider's and the one to the proxy that belongs to it.
type relay struct {
	tap     *Tap
	base    session.Event // what every event says
	request *http.Request
	header  string // of the request, as sent

	directions [2]direction  // by session.Side - 1: what that side sends
	answered   chan struct{} // closed once it is known what the proxy answered, or that it never will
	sender     session.Side  // that sends the messages; 0 where the path is not decoded. Final once answered is closed
	opened     bool          // the answer was 101. Final once answered is closed
	again      bool          // the path was open already. Final once answered is closed
	isEnding   atomic.Bool   // one side's direction has ended
	isCut      atomic.Bool   // by Shutdown
	told       bool          // what became of the request is said; the proxy's direction's

	mu      sync.Mutex
	ending  session.Ending
	leaving bool // the answer that opened nothing is through: the provider has lingerTimeout to go
}

// direction is what one side sends.
type direction struct {
	relay  *relay
	from   session.Side
	source net.Conn
	sink   net.Conn
	other  *direction
	done   chan struct{} // closed when nothing more is relayed
	bytes  atomic.Int64  // relayed
	failed atomic.Bool   // a write to source failed: the kernel has told of its reset, and will not again

	answer  *answer // of the proxy's, while the answer is not yet known
	over    bool    // of the proxy's: an answer that opens nothing is through
	early   bool    // of the provider's: whether the path is opened is not known yet
	body    int64   // bytes of the request's body still to come
	held    []byte  // what came behind them meanwhile
	dropped int64   // bytes that came behind a request that opened no path
	stream  *stream // nil where nothing is decoded
	buf     []byte  // read into where there is no stream
	ended   bool    // a Close came, or RFC 6455 was broken
	copied  []byte  // what a stream took, as it was read: decoding unmasks in place
	how     string  // how it ended, where that was not in order
}

func newRelay(t *Tap, base session.Event, provider, proxy net.Conn, request *http.Request, header string) *relay {
	r := &relay{tap: t, base: base, request: request, header: header, answered: make(chan struct{})}
	fromProvider, fromProxy := &r.directions[0], &r.directions[1]
	fromProvider.relay, fromProvider.from = r, session.Provider
	fromProvider.source, fromProvider.sink, fromProvider.other = provider, proxy, fromProxy
	fromProvider.done = make(chan struct{})
	fromProxy.relay, fromProxy.from = r, session.Proxy
	fromProxy.source, fromProxy.sink, fromProxy.other = proxy, provider, fromProvider
	fromProxy.done = make(chan struct{})
	return r
}

// run relays until both directions have ended. sender is the side that sends the messages, 0 where nothing is decoded.
func (r *relay) run(sender session.Side, head, rest []byte) {
	provider, proxy := &r.directions[0], &r.directions[1]
	proxy.answer = &answer{relay: r, sender: sender}
	provider.early, provider.body = true, r.request.ContentLength
	var both sync.WaitGroup
	both.Go(func() { proxy.pump(nil, nil) })
	both.Go(func() { provider.pump(head, rest) })
	both.Wait()
	r.finish()
}

// cut ends the relay from outside.
func (r *relay) cut() {
	r.isCut.Store(true)
	for i := range r.directions {
		r.directions[i].source.Close()
	}
}

// closing reports whether the path is about to end, and is not yet through with it.
func (r *relay) closing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return (r.ending.Over() || r.ending.Closes() > 0) && r.ending.Closes() < 2
}

// closed ends the relay where Shutdown waits for it and both Closes are through.
func (r *relay) closed() {
	if r.tap.dialing.Err() != nil && !r.closing() {
		r.cut()
	}
}

// event makes an event of the path's.
func (r *relay) event(kind session.Kind, from session.Side) session.Event {
	e := r.base
	e.Kind, e.From, e.Time = kind, from, r.tap.now()
	return e
}

// over notes how one side's direction ended, as Ending.Take has it.
func (r *relay) over(from session.Side, end *session.End) {
	r.isEnding.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	end, from = r.ending.Take(r.sender, from, end)
	if end == nil {
		return
	}
	if r.isCut.Load() && end.Kind != session.EndClose && end.Kind != session.EndReceiver && end.Kind != session.EndBroken {
		end, from = &session.End{Kind: session.EndOurs}, 0
	}
	if end.Kind == session.EndReset && end.Error == "" {
		end.Error = "connection reset"
	}
	e := r.event(session.Closed, from)
	e.End = end
	r.tap.closed(r, e)
}

// finish says how much was relayed on a path that is not decoded, and how much was not.
func (r *relay) finish() {
	if n := r.directions[0].dropped; n > 0 {
		e := r.event(session.Note, session.Provider)
		e.Note, e.Size = session.NoteUnrelayed, n
		r.tell(e)
	}
	if r.sender != 0 || r.told {
		return
	}
	provider, proxy := &r.directions[0], &r.directions[1]
	e := r.event(session.Note, 0)
	e.Note, e.Size = session.NoteRelayed, provider.bytes.Load()+proxy.bytes.Load()
	e.Reason = fmt.Sprintf("%s from the provider, %s from the proxy", byteCount(provider.bytes.Load()), byteCount(proxy.bytes.Load()))
	for _, d := range []*direction{provider, proxy} {
		if d.how != "" && !r.isCut.Load() {
			e.Reason += fmt.Sprintf("; %s by the %s", d.how, d.from)
			break
		}
	}
	r.tell(e)
}

// tell queues what is to be said of a path that is not decoded, for which nothing ever waits, unless there is no
// room.
func (r *relay) tell(e session.Event) {
	if !r.tap.queue.isFull() {
		r.tap.queue.add(facts, e)
	}
}

func byteCount(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// isFull reports whether there is no room for facts.
func (q *queue) isFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.size[facts] >= q.limit
}

// pump relays head, and then what stood behind it and what the source sends, to its end. A piece is looked at before it
// is written, so that whatever the other side does about it comes after it here, too; what that gave is queued behind
// the write.
func (d *direction) pump(head, rest []byte) {
	defer close(d.done)
	defer d.release()
	if len(head) > 0 && !d.write(head, d.hold(rest)) {
		return
	}
	for {
		b := d.room()
		n, err := d.source.Read(b)
		var out []byte
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded): // the answer came
			d.source.SetReadDeadline(time.Time{})
			out, err = d.catchUp(), nil
		case n > 0:
			out = d.look(b[:n])
		}
		if !d.write(nil, out) {
			return
		}
		switch {
		case d.over:
			d.hangUp()
			return
		case d.unopened():
			d.idle()
			return
		case err != nil:
			d.readFailed(err)
			return
		}
	}
}

// write relays bytes, behind a head that does not count, and reports whether to go on.
func (d *direction) write(head, b []byte) bool {
	if len(head)+len(b) == 0 {
		return true
	}
	d.bytes.Add(int64(len(b)))
	if len(head) > 0 {
		b = append(head[:len(head):len(head)], b...)
	}
	_, err := d.sink.Write(b)
	d.flush()
	if d.ended {
		d.relay.closed()
	}
	if err != nil {
		d.writeFailed(err)
	}
	return err == nil
}

// unopened reports whether the source is the provider, and the proxy's answer opened no path.
func (d *direction) unopened() bool {
	return d.from == session.Provider && !d.early && !d.relay.opened
}

// hangUp ends the connection behind an answer that opened no path: its end is passed on, and no other request is
// taken from it.
func (d *direction) hangUp() {
	d.passOn(&session.End{Kind: session.EndEOF})
	d.source.Close()
	d.relay.mu.Lock()
	defer d.relay.mu.Unlock()
	d.relay.leaving = true
	d.sink.SetReadDeadline(time.Now().Add(lingerTimeout))
}

// idle reads on behind an answer that opened no path, and relays nothing but the end: what else the provider sends
// may be another request, which nobody has looked at.
func (d *direction) idle() {
	d.relay.mu.Lock()
	if !d.relay.leaving {
		d.source.SetReadDeadline(time.Time{})
	}
	d.relay.mu.Unlock()
	n, err := io.CopyN(io.Discard, d.source, lingerBytes)
	d.dropped += n
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		d.readFailed(err)
	}
}

// room is what is read into. A path that is decoded waits for the queue.
func (d *direction) room() []byte {
	if d.stream != nil {
		b := d.stream.room()
		d.relay.tap.queue.wait(d.stream.class)
		return b[:min(len(b), 4*chunk)]
	}
	if d.buf == nil {
		d.buf = make([]byte, chunk)
	}
	return d.buf
}

// release gives memory back.
func (d *direction) release() {
	if d.stream != nil {
		d.stream.release()
		d.stream = nil
	}
}

// writeFailed ends the direction because its sink is gone. How it went the other direction reads, unless it has ended
// before.
func (d *direction) writeFailed(err error) {
	d.other.failed.Store(true)
	if d.answer != nil {
		d.answer.end()
		d.answer = nil
	}
	if !d.failed.Load() { // else both are gone, and neither waits for the other
		<-d.other.done
	}
	d.catchUp()
	end := &session.End{Kind: session.EndReset, Error: reasonOf(err)}
	d.relay.over(d.other.from, end)
	d.relay.over(d.from, end)
	reset(d.source)
}

// readFailed ends the direction at the end of its source, which is passed on: an end in order by one in order, any other
// by a reset.
func (d *direction) readFailed(err error) {
	if d.answer != nil {
		d.answer.end()
		d.answer = nil
	}
	end := &session.End{Kind: session.EndEOF}
	if err != io.EOF || d.failed.Load() {
		end = &session.End{Kind: session.EndReset, Error: reasonOf(err)}
		d.how = end.Error
	}
	if errors.Is(err, net.ErrClosed) { // the other direction's doing, which says how it ended
		d.how, end.Error = "", ""
	}
	if d.early && !d.answerDue(end) {
		return
	}
	if d.stream != nil {
		d.stream.unfinished(end)
	}
	d.relay.over(d.from, end)
	d.passOn(end)
}

// answerDue waits for the answer of the proxy where the provider's direction ends before it, and then relays what was
// held. Where nothing was held, or the end is a reset, the end is passed on ahead.
func (d *direction) answerDue(end *session.End) (goOn bool) {
	if len(d.held) == 0 || end.Kind != session.EndEOF {
		d.passOn(end)
	}
	<-d.relay.answered
	return d.write(nil, d.catchUp()) || end.Kind != session.EndEOF
}

// passOn ends the sink as the source ended.
func (d *direction) passOn(end *session.End) {
	half, ok := d.sink.(interface{ CloseWrite() error })
	if end.Kind == session.EndEOF && ok {
		half.CloseWrite()
		return
	}
	reset(d.sink)
}

// reset ends a connection with an RST, so that its peer sees what the other side did.
func reset(socket net.Conn) {
	if s, ok := socket.(interface{ SetLinger(int) error }); ok {
		s.SetLinger(0)
	}
	socket.Close()
}

// reasonOf words a failed read or write. An end that the write before had told of is the reset that it was.
func reasonOf(err error) string {
	if err == io.EOF || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return "connection reset"
	}
	return cause(err).Error()
}
