package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"kind4/cmd/live"
)

func provideCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "provide",
		Usage:     "stand in for a provider: dial a proxy and answer its asks from a file",
		ArgsUsage: "URL FILE",
		Description: "Dials /requests of the proxy at URL (ws://HOST:PORT), answers asks of kinds 0 to 3, and answers " +
			"each of kind 4 by opening /mcp/notifications/{channel} and sending the messages of FILE there: a record, or " +
			"anything that kind4 decode reads; - is standard input.",
		Flags: append([]cli.Flag{
			inputFlag(),
			untaggedFlag(),
			stringFlag("speed", "", "1", "how much faster than a record's own times, a `NUMBER`, or max", ""),
			stringFlag("rate", "", "", "send so many messages a second, a `NUMBER` (100 or 100/s)", ""),
			stringFlag("repeat", "", "1", "send FILE so many `TIMES` on a path, or forever", ""),
			stringFlag("end", "", "close", "end a path in this `WAY`: close, error, abort, hold", ""),
			stringFlag("error", "", "-32603", "with --end error: the error's `CODE`", ""),
			stringFlag("message", "", "internal error", "with --end error: the error's `TEXT`", ""),
			listFlag("answer", "", "answer asks of this kind with this JSON, a `KIND=JSON` (repeatable)", ""),
			faultFlag(),
			boolFlag("reconnect", "", "go on: dial again when a path or /requests has ended"),
			stringFlag("paths", "", "", "with --reconnect: end after `N` notification paths", ""),
			stringFlag("timeout", "", "", "end after this `DURATION` in all", "KIND4_TIMEOUT"),
			boolFlag(flagQuiet, "q", "standard error carries errors only (wins over -v)"),
			boolFlag(flagVerbose, "v", "say more: recognised formats"),
			stringFlag(flagMaxSize, "", defaultMaxSize, "the longest message that is read and sent, a `SIZE`", "KIND4_MAX_SIZE"),
		}, append(recordFlags(), recordSecretsFlag())...),
		Action: func(c *cli.Context) (err error) {
			*code, err = runProvide(c, env)
			return err
		},
	}
}

// faultFlag lists the faults so that completion knows them.
func faultFlag() cli.Flag {
	return listFlag(flagFault, "", "do this one thing wrong, a `NAME` (repeatable): see kind4 explain", "")
}

// provider is one run of the command.
type provider struct {
	opts     *provideOptions
	status   *status
	recorder *recorder
	asks     map[string]int // by what they ask for: those left unanswered
	strays   strays
	lost     bool // the record could not be written
}

func runProvide(c *cli.Context, env *environment) (int, error) {
	o, err := readProvideOptions(c, env)
	if err != nil {
		return 0, err
	}
	if err := o.source.check(); err != nil {
		return 0, err
	}
	p := &provider{opts: o, status: newStatus(env.err, o.quiet), asks: map[string]int{}, strays: strays{}}
	o.source.status = p.status
	if p.recorder, err = newRecorder(c, env, o.source.name); err != nil {
		return 0, err
	}
	o.live.Messages = p.recorder != nil
	o.live.Report, o.live.Ended, o.live.Missed = p.report, p.ended, p.missed
	signals, stopSignals := catchSignals()
	defer stopSignals()
	result, signal, timeUp := p.run(signals)
	if err := p.recorder.close(); err != nil {
		p.unrecorded(err)
	}
	p.status.finish()
	return p.conclude(result, signal, timeUp), nil
}

// run serves until it is over, a signal comes or the time is up; a second signal ends it at once.
func (p *provider) run(signals <-chan os.Signal) (result *live.ProvideResult, signal os.Signal, timeUp bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan *live.ProvideResult, 1)
	go func() { done <- live.NewProvider(p.opts.live).Run(ctx) }()
	timeout, stopTimeout := timer(p.opts.timeout)
	defer stopTimeout()
	select {
	case result = <-done:
		return result, nil, false
	case signal = <-signals:
	case <-timeout:
		timeUp = true
	}
	cancel()
	select {
	case result = <-done:
	case <-signals:
		result = &live.ProvideResult{}
	}
	return result, signal, timeUp
}

// conclude says what is left to say, and settles the exit code.
func (p *provider) conclude(r *live.ProvideResult, signal os.Signal, timeUp bool) int {
	e := endings{signal: signal, unrecorded: p.lost, died: r.Early+r.Stray+r.Broken+r.LetPass > 0}
	p.strays.endAll(p.status)
	if line := unansweredLine(p.asks); line != "" {
		p.status.say("%s", line)
	}
	if r.Source != nil {
		e.failure = true
		p.status.failure(r.Source.Error())
	}
	var refusal *live.DialError
	switch {
	case e.signal != nil || e.failure || e.unrecorded:
	case errors.As(r.Dial, &refusal):
		p.status.failure(dialWords(p.opts.live.Addr, refusal))
		return exitConnect
	case timeUp && p.unopened(r):
		p.status.failure(fmt.Sprintf("cannot open ws://%s%s: no answer%s", p.opts.live.Addr, r.Waiting, within(true, p.opts.timeout)))
		return exitConnect
	}
	o := &p.opts.live
	e.timeUp = timeUp && (r.Cut > 0 && (!o.Reconnect || o.Paths > 0) || r.Ended > 0 && r.Ended < uint64(o.Paths))
	switch {
	case r.Asked == 0:
		e.tooFew = true
		if signal == nil {
			p.status.failure("no kind-4 ask came" + within(timeUp, p.opts.timeout))
		}
	case r.Sent == 0 && len(o.Faults) == 0:
		e.tooFew = true
	}
	return e.code()
}

// unopened reports whether the proxy left the opening of a path without an answer; with --reconnect that of the first
// /requests, since the end of the time may fall into any later one.
func (p *provider) unopened(r *live.ProvideResult) bool {
	return r.Waiting != "" && (!r.Reached || !p.opts.live.Reconnect)
}

func within(timeUp bool, limit time.Duration) string {
	if timeUp {
		return fmt.Sprintf(" within %v", limit)
	}
	return ""
}

// dialWords says why a path could not be opened, with a way out.
func dialWords(addr string, e *live.DialError) string {
	if e.Status != 0 {
		return strings.TrimSpace(fmt.Sprintf("cannot open ws://%s%s: refused with %d %s", addr, e.Path, e.Status, e.Body))
	}
	hint := ""
	if strings.Contains(e.Err.Error(), "connection refused") {
		hint = "; does a proxy listen there?"
	}
	return fmt.Sprintf("cannot dial ws://%s%s: %v%s", addr, e.Path, e.Err, hint)
}
