package cmd

import (
	"context"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"kind4/decode/session"
)

// source is where a session's events come from while it lasts.
type source interface {
	Ready() <-chan struct{}                  // receives when Take may have something; closed once nothing more will come
	Full() <-chan struct{}                   // closed when reading first waits until the output catches up
	Take() (batch *session.Batch, more bool) // the next batch, nil for none; the caller releases it
	Received() int64                         // messages of notification paths so far, taken or not
	Shutdown(ctx context.Context)            // ends every path, at the latest when ctx is done
}

// show prepares what a session is shown by, and its record. The environment to go on with keeps the last line apart from
// what is written.
func (o *tailOptions) show(c *cli.Context, env *environment) (*view, *environment, error) {
	if err := refuseBinary(o.form, env.out); err != nil {
		return nil, nil, err
	}
	env = newSessionLine(env, o.showOptions).around(env)
	v := newView(o.showOptions, env, newStatus(env.err, o.quiet))
	v.live, v.events, v.once = true, o.events, o.once
	return v, env, v.keep(c, env)
}

// newTail prepares a run of the command.
func newTail(o *tailOptions, v *view, from source) *tail {
	return &tail{opts: o, view: v, source: from,
		over: make(chan struct{}), stop: make(chan struct{}), ended: make(chan struct{})}
}

// session runs to the end, says how it ended, and returns the exit code.
func (t *tail) session(env *environment, signals <-chan os.Signal) int {
	v := t.view
	line := lastLineOf(env.err)
	of := sessionLine{view: v, received: t.source.Received}
	line.start(func(width int) string { return of.text(time.Now(), width) })
	t.run(env, signals)
	line.end()
	v.recordFailed(v.recorder.close())
	v.mu.Lock()
	defer v.mu.Unlock()
	t.conclude()
	v.status.finish()
	v.summarize(isTerminal(env.err))
	v.sayVerdict()
	return v.endings.code()
}
