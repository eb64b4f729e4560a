package cmd

import (
	"io"
	"strings"
	"testing"

	"kind4/decode/session"
	"kind4/render"
)

// When kind4 itself ends a session of several paths, what is queued behind the first path's end is still printed, and
// that end does not count as the one that --once waits for.
func TestOwnEndPrintsWhatIsQueued(t *testing.T) {
	for _, closing := range []bool{true, false} {
		var out, err strings.Builder
		v := newView(&showOptions{form: render.Line, color: "never"}, &environment{out: &out, err: &err}, newStatus(&err, true))
		v.live, v.once, v.closing = true, true, closing
		message := []byte("\x00" + `{"method":"acme/late"}`)
		b := &session.Batch{Events: []session.Event{
			{Kind: session.Opened, Path: "/mcp/notifications/2"},
			{Kind: session.Opened, Path: "/mcp/notifications/4"},
			{Kind: session.Closed, Path: "/mcp/notifications/2", End: &session.End{Kind: session.EndOurs, Sent: 1000}},
			{Kind: session.Message, Path: "/mcp/notifications/4", Opcode: session.OpBinary, Data: message, Size: int64(len(message))},
		}}
		if err := newPipeline(v, batches(b)).run(); err != io.EOF {
			t.Fatal(err)
		}
		if shown := strings.Contains(out.String(), "acme/late"); shown != closing {
			t.Errorf("closing %v: shown %v", closing, shown)
		}
		if v.done == closing {
			t.Errorf("closing %v: done %v", closing, v.done)
		}
	}
}

// batches is a source of some batches, all of which are waiting.
func batches(list ...*session.Batch) func(j *job) (more bool, err error) {
	return func(j *job) (bool, error) {
		if len(list) == 0 {
			return false, io.EOF
		}
		j.add(list[0])
		list = list[1:]
		return len(list) > 0, nil
	}
}
