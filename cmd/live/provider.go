package live

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// Limits of a Provider.
const (
	maxOpen  = 64          // notification paths that are open at a time
	farewell = time.Second // for what is open, once the context is done
)

// Close codes that only a provider has a use for (RFC 6455 section 7.4.1).
const (
	closeGoingAway     = 1001 // kind4 ends before everything was sent
	closeInternalError = 1011 // what is to be sent cannot be read
)

// noTools is the answer to the first exchange: a frame that holds an empty list.
const noTools = "\x00" + `{"tools":[]}`

// noAnswers are the answers that hold nothing, by the kind of ask: frames under tag 0 (Diverge Provider 2.3.0,
// MCP paths).
var noAnswers = [decode.KindNotifications]string{
	decode.KindListTools:     noTools,
	decode.KindListResources: "\x00" + `{"resources":[]}`,
	decode.KindCallTool:      "\x00" + `{"content":[]}`,
	decode.KindReadResource:  "\x00" + `{"contents":[]}`,
}

// Ending is how a stand-in provider ends a notification path once everything was sent.
type Ending uint8

// The endings.
const (
	EndWithClose Ending = iota // the closing handshake, code 1000: the stream is complete
	EndWithError               // an error message (tag 1), then the closing handshake: the stream failed
	EndWithAbort               // a reset of the connection: it died
	EndWithHold                // none: the path stays open until the proxy ends it, or the context is done
)

// ProviderOptions are what a Provider needs to know.
type ProviderOptions struct {
	Addr    string                           // HOST:PORT of the proxy
	Answers [decode.KindNotifications]string // messages that answer asks of kinds 0 to 3; "" for an empty list under tag 0
	Open    func() (Source, error)           // opens what is sent on a notification path, for each repetition unless it is small

	Speed  float64  // the source's own times, so many times as fast; 0: as fast as possible
	Rate   float64  // messages a second, which outweighs Speed; 0: by Speed
	Repeat int      // how often the source is sent on one path; 0 for ever
	End    Ending   // of each path
	Error  string   // the message of EndWithError, its tag included
	Faults []*Fault // committed on each path, at most one of them an end

	Reconnect bool // go on when a path or /requests has ended
	Paths     int  // with Reconnect: notification paths that end before the Provider does; 0 for no limit

	// Report takes what happens, in order and one call at a time. The events are the caller's until it returns. Of
	// the messages that are sent it is told where Messages is set. May be nil.
	Report   func([]session.Event)
	Messages bool
	// Ended takes what became of a notification path, likewise. May be nil.
	Ended func(PathEnd)
	// Missed takes what the proxy owed on a path and did not do, likewise: to refuse it, where a fault opened it, and
	// else to answer a Close within 5 s. Of a notification path's own end Ended says it. May be nil.
	Missed func(path string, fault *Fault)

	netDial      func(ctx context.Context, network, addr string) (net.Conn, error)
	random       func() float64
	closeTimeout time.Duration // for the proxy's part of a closing handshake, and to end what a fault broke
	holding      func()        // called when everything was sent and the path is held open
}

// Provider stands in for a provider: it dials the proxy's /requests, answers asks of kinds 0 to 3, opens
// the path of each kind-4 ask, and sends a Source's messages there.
type Provider struct {
	o       ProviderOptions
	dialer  dialer
	running sync.WaitGroup // one a notification path
	ended   chan struct{}  // receives when a notification path has ended

	reporting sync.Mutex

	mu     sync.Mutex
	open   int
	result ProvideResult
}

// ProvideResult is what became of a Provider's run.
type ProvideResult struct {
	Asked      uint64 // kind-4 asks that came
	Ended      uint64 // notification paths that were opened and have ended
	Early      uint64 // of them: ended by the proxy before everything was sent, without a closing handshake, or against RFC 6455
	Cut        uint64 // of them: ended because the context was done, before everything was sent or the proxy had ended it
	Sent       uint64 // messages on all of them
	Stray      uint64 // messages that the proxy sent where it sends none
	LetPass    uint64 // faults that it had to refuse, or to end the path for, and did not
	Broken     uint64 // other paths on which the proxy broke RFC 6455
	Unanswered uint64 // asks that were left unanswered: of kinds 5 and up, or that cannot be read

	Reached bool   // /requests was opened
	Waiting string // a path that was being opened when the context was done; "" for none

	Dial   error // a path that could not be opened, a *DialError; nil where it was /requests and a later attempt succeeded
	Source error // of the Source
}

// Err is nil where a kind-4 ask was served to its end, and else why not.
func (r *ProvideResult) Err(ctx context.Context) error {
	switch {
	case r.Source != nil:
		return r.Source
	case r.Dial != nil:
		return r.Dial
	case ctx.Err() != nil:
		return ctx.Err()
	case r.Early > 0:
		return errGone
	case r.Asked == 0:
		return errNoAsk
	}
	return nil
}

var (
	// errGone says that the proxy ended a notification path before everything was sent.
	errGone = errors.New("the proxy closed the notification path")
	// errNoAsk says that /requests ended too soon.
	errNoAsk = errors.New(requestsPath + " ended before a kind-4 ask came: the proxy closed it")
)

// DialError is a path that could not be opened.
type DialError struct {
	Path   string
	Status int    // of the answer that refused the upgrade; 0 where none came
	Body   string // the first line of the answer's body
	Err    error  // where no answer came
}

func (e *DialError) Error() string {
	if e.Status == 0 {
		return e.Path + ": " + e.Err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s refused: %d %s", e.Path, e.Status, e.Body))
}

// Unwrap returns the cause where no answer came, nil for a refusal.
func (e *DialError) Unwrap() error { return e.Err }

// NewProvider returns a Provider that has not dialled yet.
func NewProvider(o ProviderOptions) *Provider {
	if o.random == nil {
		o.random = rand.Float64
	}
	if o.closeTimeout == 0 {
		o.closeTimeout = defaultTimeout
	}
	return &Provider{o: o, dialer: dialer{o.Addr, o.netDial}, ended: make(chan struct{}, 1)}
}

// Run dials and serves. Without Reconnect it ends with the first notification path, or when /requests has ended
// and all that was opened has, too; with it, after Paths of them, waiting between attempts that bring no ask
// from 125 ms up to 30 s. When ctx is done it sends Close 1001 on what is open (1000 where everything was sent),
// and takes one second more at most. No goroutine is left, but one that still waits for the Source's Next.
// Run is called once.
func (p *Provider) Run(ctx context.Context) *ProvideResult {
	paths, cancel := context.WithCancel(ctx)
	p.serve(ctx, paths)
	if p.enough() {
		cancel()
	}
	p.running.Wait()
	cancel()
	return &p.result
}

// serve opens /requests once, or again and again. The notification paths last as long as paths does.
func (p *Provider) serve(ctx, paths context.Context) {
	for attempt := 0; ; attempt++ {
		if p.requests(ctx, paths) {
			attempt = 0
		}
		if ctx.Err() != nil || p.enough() || p.claimed() || !p.o.Reconnect || !sleep(ctx, backoff(attempt, p.o.random())) {
			return
		}
	}
}

// enough reports whether no further path is to be served.
func (p *Provider) enough() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := p.result.Ended
	if p.o.Reconnect {
		return p.o.Paths > 0 && done >= uint64(p.o.Paths)
	}
	return done > 0
}

// claimed reports whether those that are open are the last that are to be served.
func (p *Provider) claimed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.o.Paths > 0 && p.result.Ended+uint64(p.open) >= uint64(p.o.Paths)
}

// requests opens /requests and takes asks until it ends, or is no longer needed. It reports whether one came.
func (p *Provider) requests(ctx, paths context.Context) (asked bool) {
	c, err := p.dialer.dial(ctx, requestsPath, nil)
	p.dialled(ctx, err)
	if err != nil {
		return false
	}
	defer c.end()
	p.opened(c, requestsPath, 0)
	defer func() {
		c.end()
		p.broken(c)
		p.closed(requestsPath, c.over)
	}()
	for {
		select {
		case message := <-c.messages:
			asked = p.take(paths, c, &message) || asked
		case <-p.ended:
			if p.enough() || p.o.Reconnect && p.idle() {
				p.part(ctx, c, requestsPath)
				return asked
			}
		case <-c.gone:
			return asked
		case <-ctx.Done():
			p.handshake(ctx, c, closeGoingAway)
			return asked
		}
	}
}

// idle reports whether no notification path is open: the proxy then asks again on the next /requests only.
func (p *Provider) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open == 0
}

// handshake closes a path, and waits for the proxy's part of it for a while, a shorter one once ctx is done. It
// reports whether the proxy took part.
func (p *Provider) handshake(ctx context.Context, c *client, code uint16) bool {
	c.sendClose(code)
	return p.wait(ctx, c, p.o.closeTimeout)
}

// part closes a path other than a notification path, and tells where the proxy does not answer.
func (p *Provider) part(ctx context.Context, c *client, path string) {
	if !p.handshake(ctx, c, ws.CloseNormal) && ctx.Err() == nil {
		p.missed(path, nil)
	}
}

// missed tells what the proxy owed and did not do.
func (p *Provider) missed(path string, fault *Fault) {
	if p.o.Missed != nil {
		p.reporting.Lock()
		defer p.reporting.Unlock()
		p.o.Missed(path, fault)
	}
}

// wait waits for the proxy to end a path, for d at most, or farewell once ctx is done.
func (p *Provider) wait(ctx context.Context, c *client, d time.Duration) bool {
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), d)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(farewell, cancel) })
	defer stop()
	return c.wait(limit) == nil
}

// dialled takes in that /requests could be opened, or not.
func (p *Provider) dialled(ctx context.Context, err error) {
	if err != nil {
		p.refused(ctx, err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.result.Reached = true
	var failure *DialError
	if errors.As(p.result.Dial, &failure) && failure.Path == requestsPath {
		p.result.Dial = nil
	}
}

// refused takes in that a path could not be opened, or was not before ctx was done.
func (p *Provider) refused(ctx context.Context, err error) {
	var failure *DialError
	errors.As(err, &failure)
	p.mu.Lock()
	if ctx.Err() != nil {
		p.result.Waiting = failure.Path
		p.mu.Unlock()
		return
	}
	p.result.Dial = err
	p.mu.Unlock()
	p.reportRefusal(failure)
}

func (p *Provider) reportRefusal(e *DialError) {
	reason := e.Body
	if e.Err != nil {
		reason = e.Err.Error()
	}
	p.report(session.Event{Kind: session.Refused, Path: e.Path, Method: http.MethodGet, Status: e.Status, Reason: reason,
		Remote: p.o.Addr})
}

// take takes one message of /requests, and reports whether it was an ask. Text carries no meaning.
func (p *Provider) take(paths context.Context, requests *client, message *ws.Item) bool {
	ev := session.Event{Kind: session.Asked, Path: requestsPath, Opcode: message.Opcode, Fragments: message.Fragments,
		MaxFrame: message.MaxFrame, Data: message.Data, Size: message.Size, Withheld: message.Size > int64(len(message.Data))}
	if message.Opcode != ws.OpBinary {
		ev.Kind, ev.Note, ev.From, ev.Data, ev.Withheld = session.Note, session.NoteWrongWay, session.Proxy, nil, false
		p.report(ev)
		return false
	}
	p.report(ev)
	var ask decode.Ask
	switch err := ask.Decode(message.Data); {
	case err == nil && ask.Kind < decode.KindNotifications:
		p.answer(paths, &ask)
	case err == nil && ask.Kind == decode.KindNotifications && p.claim():
		p.running.Go(func() { p.play(paths, requests, ask.Channel) })
	default:
		p.count(&p.result.Unanswered)
	}
	return ask.Kind.Known()
}

func (p *Provider) count(counter *uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*counter++
}

// broken counts a path that has ended, where the proxy broke RFC 6455 on it.
func (p *Provider) broken(c *client) {
	if c.over.Kind == session.EndBroken {
		p.count(&p.result.Broken)
	}
}

// claim takes one of the places for open notification paths, where one is free.
func (p *Provider) claim() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == maxOpen {
		return false
	}
	p.open++
	p.result.Asked++
	return true
}

// answer answers an ask of kind 0 to 3, to the end of its path.
func (p *Provider) answer(ctx context.Context, ask *decode.Ask) {
	path := ask.Kind.Path(ask.Channel)
	c, err := p.dialer.dial(ctx, path, p.stray(path, ask.Channel))
	if err != nil {
		p.refused(ctx, err)
		return
	}
	defer c.end()
	message := p.o.Answers[ask.Kind]
	if message == "" {
		message = noAnswers[ask.Kind]
	}
	if c.send(ws.OpBinary, []byte(message)) == nil {
		p.part(ctx, c, path)
	}
	c.end()
	p.broken(c)
	note := session.Event{Kind: session.Note, Note: session.NoteFirstAnswer, Path: path, Channel: ask.Channel, HasChannel: true,
		FromKind4: true, Size: int64(len(message)), End: &c.over}
	note.End.Outcome, note.End.Messages = session.Ended, 1
	p.report(note)
}

// stray takes in the messages of the proxy's on a path where it sends none. They are notes, since the messages of such a
// path are the provider's.
func (p *Provider) stray(path string, channel uint32) func(*ws.Item) {
	return func(item *ws.Item) {
		p.count(&p.result.Stray)
		p.report(session.Event{Kind: session.Note, Note: session.NoteWrongWay, From: session.Proxy, Path: path, Channel: channel,
			HasChannel: true, Opcode: item.Opcode, Fragments: item.Fragments, MaxFrame: item.MaxFrame, Size: item.Size})
	}
}

// report hands events on, with the time.
func (p *Provider) report(events ...session.Event) {
	if p.o.Report == nil {
		return
	}
	p.reporting.Lock()
	defer p.reporting.Unlock()
	now := time.Now().UnixMicro()
	for i := range events {
		events[i].Time = now
	}
	p.o.Report(events)
}

func (p *Provider) opened(c *client, path string, channel uint32) {
	p.report(session.Event{Kind: session.Opened, Path: path, Channel: channel, HasChannel: path != requestsPath,
		Remote: c.socket.RemoteAddr().String(), FromKind4: true})
}

func (p *Provider) closed(path string, end session.End) {
	p.report(session.Event{Kind: session.Closed, Path: path, End: &end})
}
