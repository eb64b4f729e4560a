package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"kind4/decode"
	"kind4/decode/ws"
)

// Script is what a stand-in provider sends on the notification path.
type Script struct {
	steps []step
	code  uint16 // of the Close at the end; 0 for one without a code
}

// step is one message.
type step struct {
	pause   time.Duration // before it
	message []byte
}

// noTools is the answer to the first exchange: a frame that holds an empty list.
const noTools = "\x00" + `{"tools":[]}`

// errGone says that the proxy ended the notification path before the script was through.
var errGone = errors.New("the proxy closed the notification path")

// Provide stands in for a provider: it dials /requests of the proxy at addr (HOST:PORT), answers asks of
// kinds 0 to 3 with an empty list, plays s on the path of the first kind-4 ask, and closes what it opened.
// It fails where a path cannot be opened, where the proxy ends one early, and when ctx is done.
func Provide(ctx context.Context, addr string, s Script) error {
	requests, err := dial(ctx, addr, requestsPath)
	if err != nil {
		return err
	}
	defer requests.end()
	for {
		message, err := requests.next(ctx)
		if err != nil {
			return fmt.Errorf("%s ended before a kind-4 ask came: %w", requestsPath, err)
		}
		var ask decode.Ask
		if err := ask.Decode(message); err != nil {
			return fmt.Errorf("ask: %w", err)
		}
		switch {
		case ask.Kind == decode.KindNotifications:
			if err := s.play(ctx, addr, ask.Kind.Path(ask.Channel)); err != nil {
				return err
			}
			return requests.close(ctx, ws.CloseNormal)
		case ask.Kind <= decode.KindReadResource:
			answer := Script{steps: []step{{message: []byte(noTools)}}}
			if err := answer.play(ctx, addr, ask.Kind.Path(ask.Channel)); err != nil {
				return err
			}
		}
	}
}

// play opens the path, sends the script's messages, and closes it.
func (s Script) play(ctx context.Context, addr, path string) error {
	c, err := dial(ctx, addr, path)
	if err != nil {
		return err
	}
	defer c.end()
	for _, step := range s.steps {
		select {
		case <-time.After(step.pause):
		case <-c.gone:
			return errGone
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := c.send(ws.OpBinary, step.message); err != nil {
			return fmt.Errorf("%s: %w", path, cause(err))
		}
	}
	return c.close(ctx, s.code)
}

// refused words an upgrade that was not granted; response is the whole answer.
func refused(path string, status int, response io.Reader) error {
	var line string
	if r, err := http.ReadResponse(bufio.NewReader(response), nil); err == nil {
		text, _ := io.ReadAll(io.LimitReader(r.Body, 1<<10))
		line, _, _ = strings.Cut(string(text), "\n")
	}
	return fmt.Errorf("%s refused: %d %s", path, status, line)
}
