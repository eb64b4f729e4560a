package live

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	gobwas "github.com/gobwas/ws"

	"kind4/decode"
	"kind4/decode/ws"
)

// onRequests sends a message on /requests, and waits for the proxy to end it.
func onRequests(ctx context.Context, s *sending) error {
	if s.requests.send(ws.OpBinary, []byte(goodMessage)) == nil {
		s.p.wait(ctx, s.requests, s.p.o.closeTimeout)
	}
	return nil
}

// again opens the notification path a second time.
func again(ctx context.Context, s *sending) error { return s.probe(ctx, s.path) }

// againRequests opens /requests a second time.
func againRequests(ctx context.Context, s *sending) error { return s.probe(ctx, requestsPath) }

// unannounced opens the notification path of a channel that is far above all that were announced.
func unannounced(ctx context.Context, s *sending) error {
	return s.probe(ctx, decode.KindNotifications.Path(math.MaxUint32-s.channel))
}

// probe opens a path that the proxy has to refuse, and reports what it made of that.
func (s *sending) probe(ctx context.Context, path string) error {
	c, err := s.p.dialer.dial(ctx, path, func(*ws.Item) {})
	var failure *DialError
	if errors.As(err, &failure) {
		s.p.reportRefusal(failure)
		return nil
	}
	s.p.opened(c, path, s.channel)
	s.p.count(&s.p.result.LetPass)
	s.p.missed(path, s.fault)
	s.p.handshake(ctx, c, ws.CloseNormal)
	c.end()
	s.p.closed(path, c.over)
	return nil
}

// Of a large message: what stands before and behind its padding.
const (
	largeHead = "\x00" + `{"method":"notifications/message","params":{"level":"info","data":"`
	largeTail = `"}}`
)

// large sends a notification of so many bytes in one frame, without ever holding it.
func large(size int) func(context.Context, *sending) error {
	return func(ctx context.Context, s *sending) error {
		if err := s.flush(ctx); err != nil {
			return err
		}
		err := s.c.writeParts(ctx, largeFrame(size))
		s.queue(ws.OpBinary, 1, []byte(largeHead), int64(size))
		s.wrote(err)
		return err
	}
}

// largeFrame yields the parts of a frame that holds a notification of so many bytes; nothing at the end.
func largeFrame(size int) func() []byte {
	mask := newMask()
	part := append(binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, uint64(size)), mask[:]...)
	at := 0
	return func() []byte {
		from := len(part)
		if at == 0 {
			part = append(part, largeHead...)
		}
		for at+len(part)-from < size && len(part) < chunk {
			part = append(part, 'x')
		}
		n := len(part) - from
		if n > 0 && at+n == size {
			copy(part[len(part)-len(largeTail):], largeTail)
		}
		gobwas.Cipher(part[from:], mask, at)
		full := part
		at, part = at+n, part[:0]
		return full
	}
}
