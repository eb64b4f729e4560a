package live

import (
	"context"
	"io"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// Script is a short session that a stand-in provider sends on the notification path.
type Script struct {
	steps []step
}

// step is one message.
type step struct {
	pause   time.Duration // before it
	message []byte
}

// Provide stands in for a provider: it dials /requests of the proxy at addr (HOST:PORT), answers asks of
// kinds 0 to 3 with an empty list, plays s on the path of the first kind-4 ask, and closes what it opened.
// It fails where a path cannot be opened, where the proxy ends one early, and when ctx is done.
func Provide(ctx context.Context, addr string, s Script) error {
	return NewProvider(ProviderOptions{Addr: addr, Open: s.open, Speed: 1, Repeat: 1}).Run(ctx).Err(ctx)
}

func (s Script) open() (Source, error) { return &scriptSource{steps: s.steps}, nil }

// scriptSource yields a script's messages, one batch each.
type scriptSource struct {
	steps []step
	time  time.Duration
}

// scriptStart is the time of a script before its first pause, in microseconds: any but 0, which is none.
const scriptStart = 1

func (s *scriptSource) Next(b *session.Batch) error {
	if s.time == 0 { // a first pause counts too
		b.Events = append(b.Events, session.Event{Kind: session.Note, Time: scriptStart})
	}
	if len(s.steps) == 0 {
		return io.EOF
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	s.time += step.pause
	b.Events = append(b.Events, session.Event{Kind: session.Message, Time: scriptStart + s.time.Microseconds(),
		Opcode: ws.OpBinary, Data: step.message, Size: int64(len(step.message))})
	return nil
}

func (s *scriptSource) Close() error { return nil }
