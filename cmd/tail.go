package cmd

import (
	"context"
	"fmt"
	"os"
	"strings"
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
		Name:  "tail",
		Usage: "stand in for the container proxy and tail the provider's notifications",
		Description: "Listens where a container proxy would, lets the provider's server dial /requests, asks for " +
			"notifications (kind 4), and shows each message of /mcp/notifications/{channel} as it arrives. Goes on across " +
			"paths that end until interrupted, or until a condition (-n, --expect, --once) is met.",
		Flags: append([]cli.Flag{
			stringFlag("listen", "l", defaultListen, "`ADDRESS` to listen on; :14979 is every interface, port 0 a free port", "KIND4_LISTEN"),
			boolFlag("demo", "", "play a short session from an embedded provider"),
			boolFlag("once", "", "end with the first notification path"),
			stringFlag("timeout", "", "", "end after this `DURATION` in all", "KIND4_TIMEOUT"),
			stringFlag("wait", "", "", "end after this `DURATION` without a message", "KIND4_WAIT"),
			stringFlag("first-exchange", "", "list-tools", "what goes out before kind 4, an `ASK`: list-tools, none", ""),
			boolFlag("events", "", "with -o json: session events between the messages"),
		}, showFlags()...),
		Action: func(c *cli.Context) (err error) {
			*code, err = runTail(c, env)
			return err
		},
	}
}

// tailOptions are the flags of tail, read and checked.
type tailOptions struct {
	*showOptions
	listen        string
	demo          bool
	once          bool
	timeout       time.Duration
	wait          time.Duration
	firstExchange bool
	events        bool
}

func readTailOptions(c *cli.Context) (*tailOptions, error) {
	show, err := readShowOptions(c)
	if err != nil {
		return nil, err
	}
	o := &tailOptions{showOptions: show, listen: text(c, "listen"), demo: c.Bool("demo"), once: c.Bool("once"), events: c.Bool("events")}
	if c.NArg() > 0 {
		return nil, &usageError{"tail takes no arguments, and there is " + quote(c.Args().First()), ""}
	}
	if o.timeout, err = duration(c, "timeout"); err != nil {
		return nil, err
	}
	if o.wait, err = duration(c, "wait"); err != nil {
		return nil, err
	}
	word, err := choice(c, "first-exchange", "list-tools", "none")
	o.firstExchange = word == "list-tools"
	if o.events && o.form != render.JSON {
		return nil, &usageError{"--events goes with -o json", ""}
	}
	if o.demo {
		if given(c, "listen") {
			return nil, &usageError{"--demo and --listen contradict each other: the demo picks a free port", ""}
		}
		o.listen, o.once = demoListen, true
	}
	return o, err
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
	if err := refuseBinary(o.form, env.out); err != nil {
		return 0, err
	}
	st := newStatus(env.err, o.quiet)
	v := newView(o.showOptions, env, st)
	v.events, v.once = o.events, o.once
	v.endings.pardoned = o.pardoned(c)
	signals, stopSignals := catchSignals() // before anything says that kind4 listens
	defer stopSignals()
	proxy, err := live.Listen(live.Options{Listen: o.listen, FirstExchange: o.firstExchange, MaxSize: o.maxSize})
	if err != nil {
		return 0, &connectError{listenError(o.listen, err)}
	}
	st.say("listening on ws://%s", proxy.Addr())
	t := &tail{opts: o, view: v, proxy: proxy, stop: make(chan struct{}), ended: make(chan struct{})}
	if o.demo {
		stopDemo := t.playDemo()
		defer stopDemo()
	}
	t.run(env, signals)
	v.mu.Lock()
	defer v.mu.Unlock()
	t.conclude()
	st.finish()
	v.summarize(isTerminal(env.err))
	return v.endings.code(), nil
}

// listenError says why kind4 cannot listen, with a way out.
func listenError(address string, err error) error {
	hint := ""
	if text := err.Error(); strings.Contains(text, "address already in use") {
		hint = "; is a proxy running here? try -l 127.0.0.1:0"
	} else if strings.Contains(text, "permission denied") {
		hint = "; ports below 1024 are the system's"
	}
	return fmt.Errorf("cannot listen on %s: %w%s", quoteBare(address), err, hint)
}

// tail is one run of the command: one goroutine consumes events, run waits for what can end it.
type tail struct {
	opts  *tailOptions
	view  *view
	proxy *live.Proxy
	stop  chan struct{} // closed when the session is to end: what is queued is still printed
	ended chan struct{} // closed when the consumer is done
	idle  bool          // the consumer ended because --wait ran out
}

func (t *tail) playDemo() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := live.Provide(ctx, t.proxy.Addr(), live.Demo())
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
	var timeout <-chan time.Time
	if t.opts.timeout > 0 {
		timer := time.NewTimer(t.opts.timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	go t.consume()
	var signal os.Signal
	timeUp, gone := false, false
	select {
	case <-t.ended:
	case signal = <-signals:
	case <-timeout:
		timeUp = true
	case <-watchHangUp(env.out, unwatch):
		gone = true
	}
	t.shutdown(signals)
	v := t.view
	v.mu.Lock()
	defer v.mu.Unlock()
	v.endings.signal = signal
	v.endings.closed = v.endings.closed || gone
	if (timeUp || t.idle) && (t.opts.once || t.opts.conditional()) {
		v.endings.timeUp = !v.done
	}
}

// shutdown closes the paths and lets the consumer print what is queued, for at most farewell; a second signal ends it
// at once.
func (t *tail) shutdown(signals <-chan os.Signal) {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	close(t.stop)
	closed := make(chan struct{})
	go func() {
		t.proxy.Shutdown(ctx)
		close(closed)
	}()
	for _, done := range []<-chan struct{}{closed, t.ended} {
		select {
		case <-done:
		case <-ctx.Done():
		case <-signals:
			cancel()
		}
	}
	<-closed
}

// consume takes in events until the session ends by itself, or stop is closed and nothing is queued any more.
func (t *tail) consume() {
	defer close(t.ended)
	v := t.view
	wait := newWait(t.opts.wait)
	defer wait.stop()
	for {
		b, more := t.proxy.Take()
		if b == nil {
			if v.flush(); v.done || !t.sleep(wait) {
				return
			}
			continue
		}
		v.resize()
		messages := v.seq
		err := v.batch(b)
		b.Release()
		if err == nil && !more {
			err = v.flush()
		}
		if err != nil {
			v.status.failure(err.Error())
		}
		if v.done {
			v.flush()
			return
		}
		if v.seq != messages {
			wait.restart()
		}
	}
}

// sleep waits until something may be queued; false when the session ends here.
func (t *tail) sleep(wait *wait) bool {
	select {
	case _, open := <-t.proxy.Ready():
		return open
	case <-wait.up():
		t.idle = true
		return false
	}
}

// conclude says what was not shown and what did not come, and settles what of it bears on the exit code.
func (t *tail) conclude() {
	v := t.view
	if n := t.proxy.Received() - int64(v.flushed); n > 0 {
		v.status.say("%s had arrived and %s not shown", plural(n, "message"), wasWere(n))
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
	for _, pattern := range v.unmet() {
		v.status.failure("expected " + pattern + ", which did not come")
	}
	if v.opts.count > 0 && v.shown < v.opts.count {
		v.status.failure(fmt.Sprintf("expected %s, and %d came", plural(v.opts.count, "message"), v.shown))
	}
}

// wait is the timer of --wait: it runs out when no message came for that long.
type wait struct {
	d     time.Duration
	timer *time.Timer
}

func newWait(d time.Duration) *wait {
	w := &wait{d: d}
	if d > 0 {
		w.timer = time.NewTimer(d)
	}
	return w
}

func (w *wait) up() <-chan time.Time {
	if w.timer == nil {
		return nil
	}
	return w.timer.C
}

func (w *wait) restart() {
	if w.timer != nil {
		w.timer.Reset(w.d)
	}
}

func (w *wait) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\r\n"), "\n") }

// isNotificationPath reports whether a path carries notification messages.
func isNotificationPath(path string) bool {
	return strings.HasPrefix(path, "/mcp/notifications/")
}
