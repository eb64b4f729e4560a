package cmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"kind4/cmd/live"
	"kind4/render"
)

// defaultListen is the proxy's port (specification 2.3.0, proxy) on this machine only.
const defaultListen = "127.0.0.1:14979"

// demoListen is where the demo listens: a free port that only this machine reaches.
const demoListen = "127.0.0.1:0"

// farewell is how long kind4 takes at most to close its paths and print what is queued when it ends.
const farewell = time.Second

func tailCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "tail",
		Usage:     "stand in for the container proxy and tail the provider's notifications",
		ArgsUsage: "[URL]",
		Description: "Listens where a container proxy would, lets the provider's server dial /requests, asks for " +
			"notifications (kind 4), and shows each message of /mcp/notifications/{channel} as it arrives. Goes on across " +
			"paths that end until interrupted, or until a condition (-n, --expect, --once) is met. With a URL, " +
			"ws://HOST:PORT/tool/notifications, it dials that path of a real proxy instead, and ends with it.",
		Flags: append([]cli.Flag{
			stringFlag("listen", "l", defaultListen, "`ADDRESS` to listen on; :14979 is every interface, port 0 a free port", "KIND4_LISTEN"),
			boolFlag("demo", "", "play a short session from an embedded provider"),
			boolFlag("once", "", "end with the first notification path"),
			stringFlag("timeout", "", "", "end after this `DURATION` in all", "KIND4_TIMEOUT"),
			stringFlag("wait", "", "", "end after this `DURATION` without a message", "KIND4_WAIT"),
			stringFlag("first-exchange", "", "list-tools", "what goes out before kind 4, an `ASK`: list-tools, none", ""),
			boolFlag("events", "", "with -o json: session events between the messages"),
		}, slices.Concat(dialFlags(), showFlags(), []cli.Flag{redactFlag()}, recordFlags())...),
		Action: func(c *cli.Context) (err error) {
			*code, err = runTail(c, env)
			return err
		},
	}
}

// tailOptions are the flags of tail, read and checked.
type tailOptions struct {
	*showOptions
	target        *target // what is dialled; nil where kind4 listens
	listen        string
	demo          bool
	once          bool
	timeout       time.Duration
	wait          time.Duration
	firstExchange bool
	events        bool
}

func readTailOptions(c *cli.Context) (*tailOptions, error) {
	o, err := readSessionOptions(c)
	if err != nil {
		return nil, err
	}
	o.demo = c.Bool("demo")
	if o.target, err = readTarget(c); err != nil {
		return nil, err
	}
	word, err := choice(c, "first-exchange", "list-tools", "none")
	o.firstExchange = word == "list-tools"
	if o.demo {
		o.once = true
		if !given(c, "listen") {
			o.listen = demoListen
		}
	}
	return o, err
}

// readSessionOptions reads what every command has that listens and shows what comes.
func readSessionOptions(c *cli.Context) (*tailOptions, error) {
	show, err := readShowOptions(c)
	if err != nil {
		return nil, err
	}
	o := &tailOptions{showOptions: show, listen: text(c, "listen"), once: c.Bool("once"), events: c.Bool("events")}
	if o.timeout, err = duration(c, "timeout"); err != nil {
		return nil, err
	}
	if o.wait, err = duration(c, "wait"); err != nil {
		return nil, err
	}
	if o.events && o.form != render.JSON {
		return nil, &usageError{"--events goes with -o json", ""}
	}
	if why := badAddress(o.listen); why != "" {
		return nil, badValue(c, "listen", o.listen, why)
	}
	return o, nil
}

// badAddress says what is wrong with an address to listen on, "" where nothing is: HOST:PORT or :PORT, the port a number
// or a service's name.
func badAddress(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err == nil && port != "" {
		return ""
	}
	return "not an address; write HOST:PORT, or :PORT for every interface"
}

// pardoned reports whether the demo exits 0 whatever it showed: where nothing on the command line asks for a verdict.
func (o *tailOptions) pardoned(c *cli.Context) bool {
	for _, name := range []string{flagCount, flagExpect, flagFailOn, "once", "timeout", "wait"} {
		if given(c, name) {
			return false
		}
	}
	return o.demo
}

func runTail(c *cli.Context, env *environment) (int, error) {
	o, err := readTailOptions(c)
	if err != nil {
		return 0, err
	}
	v, env, err := o.show(c, env)
	if err != nil {
		return 0, err
	}
	v.endings.pardoned = o.pardoned(c)
	signals, stopSignals := catchSignals() // before anything says that kind4 listens
	defer stopSignals()
	if o.target != nil {
		return tailTarget(o, v, env, signals)
	}
	proxy, err := live.Listen(live.Options{Listen: o.listen, FirstExchange: o.firstExchange, MaxSize: o.maxSize})
	if err != nil {
		v.recorder.discard()
		return 0, &connectError{listenError(o.listen, err)}
	}
	v.status.say("listening on ws://%s", proxy.Addr())
	t := newTail(o, v, proxy)
	if o.demo {
		stopDemo := t.playDemo(proxy.Addr())
		defer stopDemo()
	}
	return t.session(env, signals), nil
}

// listenError says why kind4 cannot listen, with a way out.
func listenError(address string, err error) error {
	hint := ""
	if text := err.Error(); strings.Contains(text, "address already in use") {
		host, _, _ := net.SplitHostPort(address)
		hint = "; is a proxy running here? try -l " + net.JoinHostPort(host, "0")
	} else if strings.Contains(text, "permission denied") {
		hint = "; ports below 1024 are the system's"
	}
	return fmt.Errorf("cannot listen on %s: %w%s", quoteBare(address), err, hint)
}

// tail is one run of the command: one goroutine consumes events, run waits for what can end it.
type tail struct {
	opts   *tailOptions
	view   *view
	source source
	began  time.Time     // where the session began before its path was opened; else zero
	over   chan struct{} // closed by the consumer when the session is to end
	stop   chan struct{} // closed when the session is ending: what is queued is still printed
	ended  chan struct{} // closed when the consumer is done
}

func (t *tail) playDemo(address string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := live.Provide(ctx, address, live.Demo())
		select {
		case <-t.stop: // the session ended first: the provider was cut off
		default:
			if err != nil {
				t.view.status.failure("the demo's provider: " + err.Error())
			}
		}
	}()
	return func() { cancel(); <-done }
}

// run returns when the session is over and all that could be printed has been.
func (t *tail) run(env *environment, signals <-chan os.Signal) {
	unwatch := make(chan struct{})
	defer close(unwatch)
	go t.consume()
	signal, timeUp, gone := t.await(signals, watchHangUp(env.out, unwatch))
	v := t.view
	v.mu.Lock()
	if signal != nil {
		v.endings.signal = signal
	}
	v.endings.closed = v.endings.closed || gone
	v.endings.timeUp = timeUp && !v.done && (t.opts.once || t.opts.conditional())
	v.closing = true
	if v.endings.closed {
		v.status.silence()
	}
	v.mu.Unlock()
	t.shutdown(signals)
}

// await waits for what ends the session: its condition, a signal, a limit, or a reader of standard output that went away.
func (t *tail) await(signals <-chan os.Signal, gone <-chan struct{}) (signal os.Signal, timeUp, hungUp bool) {
	timeout, stopTimeout := timer(t.opts.timeout)
	defer stopTimeout()
	w := wait{d: t.opts.wait, tail: t}
	if !t.began.IsZero() {
		w.last = t.began.UnixMicro()
	}
	full := t.source.Full()
	for {
		silence, stopSilence := timer(w.next())
		select {
		case <-t.over:
			return nil, false, false
		case signal = <-signals:
			return signal, false, false
		case <-timeout:
			return nil, true, false
		case <-gone:
			return nil, false, true
		case <-full:
			full = nil
			t.view.status.say("%s", queueFull)
		case <-silence:
			if w.up() {
				return nil, true, false
			}
		}
		stopSilence()
	}
}

// timer returns a channel that receives after d, and never for 0.
func timer(d time.Duration) (<-chan time.Time, func() bool) {
	if d == 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(d)
	return t.C, t.Stop
}

// wait measures --wait: how long no message has come, whether those that came are shown yet or not.
type wait struct {
	d        time.Duration
	tail     *tail
	received int64 // at the last look
	last     int64 // when the last message came, or the session began, in microseconds since the epoch; 0 where it is not shown yet
}

// next is how long to wait for the next look; 0 for ever.
func (w *wait) next() time.Duration {
	if w.d == 0 || w.last == 0 {
		return w.d
	}
	return max(w.d-time.Since(time.UnixMicro(w.last)), time.Millisecond)
}

// up looks whether a message came since the last look.
func (w *wait) up() bool {
	received := w.tail.source.Received()
	if received == w.received {
		return true
	}
	v := w.tail.view
	v.mu.Lock()
	defer v.mu.Unlock()
	w.received, w.last = received, 0
	if int64(v.seq) == received {
		w.last = v.last
	}
	return false
}

// drain is how much of the farewell is kept for printing what came until the last connection ended.
const drain = farewell / 10

// shutdown closes the paths and lets the consumer print what is queued, for at most farewell; a second signal ends it
// at once.
func (t *tail) shutdown(signals <-chan os.Signal) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell-drain)
	defer cancel()
	close(t.stop)
	deadline, stopDeadline := timer(farewell)
	defer stopDeadline()
	closed := make(chan struct{})
	go func() {
		t.source.Shutdown(ctx)
		close(closed)
	}()
	select {
	case <-closed:
	case <-signals:
		cancel()
		<-closed
		return
	}
	select {
	case <-t.ended:
	case <-deadline:
	case <-signals:
	}
}

// consume takes in events until nothing more can come, or nothing more can be printed. When the session's condition is
// met it says so and goes on: how the paths end is still said.
func (t *tail) consume() {
	defer close(t.ended)
	sayOver := sync.OnceFunc(func() { close(t.over) })
	defer sayOver()
	p := newPipeline(t.view, t.fill)
	p.met = sayOver
	if err := p.run(); err != nil && err != io.EOF {
		t.view.status.failure(err.Error())
	}
}

// fill gives a pipeline what is queued, as much as makes a job, and waits where nothing is.
func (t *tail) fill(j *job) (bool, error) {
	for {
		b, more := t.source.Take()
		if b != nil {
			j.add(b)
			if more && !j.full(t.view.opts.form) {
				continue
			}
			return more, nil
		}
		if len(j.batches) > 0 {
			return false, nil
		}
		if _, open := <-t.source.Ready(); !open {
			return false, io.EOF
		}
	}
}

// conclude says what was not shown and what did not come, and settles what of it bears on the exit code.
func (t *tail) conclude() {
	v := t.view
	if n := t.source.Received() - int64(v.flushed); n > 0 && !v.endings.closed {
		line := fmt.Sprintf("%s had arrived and %s not shown", plural(n, "message"), wasWere(n))
		if v.recorder != nil {
			line += " or recorded"
		}
		v.status.say("%s", line)
	}
	sayMissing(v)
	if v.seq == 0 || t.opts.conditional() && !v.endings.met && !v.endings.timeUp {
		v.endings.tooFew = true
	}
}

func wasWere(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// sayMissing names the expectations that were not met, and the count where it was not reached.
func sayMissing(v *view) {
	if v.endings.closed || v.endings.met && !v.endings.missing {
		return
	}
	for _, line := range v.unmet() {
		v.status.failure(line)
	}
	if v.opts.count > 0 && v.shown < v.opts.count {
		v.status.failure(fmt.Sprintf("expected %s, and %d came", plural(v.opts.count, "message"), v.shown))
	}
}

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\r\n"), "\n") }

// isNotificationPath reports whether a path carries notification messages.
func isNotificationPath(path string) bool {
	return strings.HasPrefix(path, "/mcp/notifications/") || path == toolNotifications
}
