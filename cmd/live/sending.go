package live

import (
	"context"
	"errors"
	"time"

	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// flushAt is how many bytes of frames are gathered before they are written, about.
const flushAt = 64 << 10

// How says by whose doing a notification path ended.
type How uint8

// The ways. The zero How is an ending as the options ask for it.
const (
	AsAsked     How = iota
	Provoked        // the proxy ended it behind a fault
	Ignored         // the proxy did not end it within 5 s behind a fault after which it has to, which lets the fault pass
	Early           // the proxy ended it before everything was sent, without its part of the closing handshake, or against RFC 6455
	Interrupted     // the context was done before everything was sent
	Unsettled       // the context was done behind such a fault before these 5 s were over
	Unread          // the source failed
)

// PathEnd is what became of one notification path of a Provider.
type PathEnd struct {
	Path   string
	Sent   uint64 // messages
	How    How
	Ending Ending
	Fault  *Fault // the last that was committed; nil for none
	End    session.End

	Unanswered bool // the proxy's answer to the Close was waited for in vain
}

// sending is one notification path while a Provider sends on it.
type sending struct {
	p        *Provider
	c        *client
	requests *client // on which the ask came
	path     string
	channel  uint32
	pace     pacer

	buf    []byte          // frames that are not written yet
	events []session.Event // of the messages among them, where they are reported
	queued uint64          // messages among them
	sent   uint64          // messages that were written
	fault  *Fault          // the last that was committed
	begun  bool            // the faults of the middle were committed

	unanswered bool // the proxy did not answer the Close
}

// play opens a notification path, sends what there is, and ends it.
func (p *Provider) play(ctx context.Context, requests *client, channel uint32) {
	path := decode.KindNotifications.Path(channel)
	s := &sending{p: p, requests: requests, path: path, channel: channel, pace: pacer{speed: p.o.Speed, rate: p.o.Rate}}
	c, err := p.dialer.dial(ctx, path, p.stray(path, channel))
	if err != nil {
		p.refused(ctx, err)
		p.pathEnded(nil)
		return
	}
	defer c.end()
	s.c = c
	p.opened(c, path, channel)
	end := s.run(ctx)
	p.pathEnded(&end)
}

// pathEnded takes in what became of a notification path, nil for one that could not be opened.
func (p *Provider) pathEnded(end *PathEnd) {
	p.mu.Lock()
	p.open--
	p.result.Ended++
	if end != nil {
		p.result.Sent += end.Sent
		switch end.How {
		case Early:
			p.result.Early++
		case Interrupted, Unsettled:
			p.result.Cut++
		}
	}
	p.mu.Unlock()
	if end != nil && p.o.Ended != nil {
		p.reporting.Lock()
		p.o.Ended(*end)
		p.reporting.Unlock()
	}
	select {
	case p.ended <- struct{}{}:
	default:
	}
}

func (s *sending) event(e session.Event) session.Event {
	e.Path, e.Channel, e.HasChannel = s.path, s.channel, true
	return e
}

// run sends everything and ends the path.
func (s *sending) run(ctx context.Context) PathEnd {
	err := s.messages(ctx)
	if err == nil {
		err = s.middle(ctx)
	}
	if err == nil {
		err = s.flush(ctx)
	}
	end := PathEnd{Path: s.path, Ending: s.p.o.End}
	if err == nil {
		end.How = s.finish(ctx)
	} else {
		end.How = s.broken(ctx, err)
	}
	s.c.end()
	end.Sent, end.Fault, end.End, end.Unanswered = s.sent, s.fault, s.c.over, s.unanswered
	end.End.Messages, end.End.Outcome = s.sent, s.outcome(end.How)
	s.p.report(s.event(session.Event{Kind: session.Closed, End: &end.End}))
	return end
}

// outcome is what the ending states, seen from here.
func (s *sending) outcome(how How) session.Outcome {
	switch {
	case how == Early && !s.unanswered:
		return session.Died
	case how != AsAsked:
		return session.Ended
	}
	return [...]session.Outcome{EndWithClose: session.Complete, EndWithError: session.Failed, EndWithAbort: session.Died,
		EndWithHold: session.Ended}[s.p.o.End]
}

// messages sends what the source holds, as it becomes due.
func (s *sending) messages(ctx context.Context) error {
	if f := s.p.ending(); f != nil && f.silent {
		return nil
	}
	source := newFeed(s.p.o.Open, s.p.o.Repeat)
	defer source.end()
	for {
		select {
		case b, more := <-source.batches:
			if !more {
				return sourceError(source.err)
			}
			err := s.batch(ctx, b)
			b.Release()
			if err != nil {
				return err
			}
		case <-s.c.gone:
			return source.rest()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unreadError is an error of the source.
type unreadError struct{ error }

func sourceError(err error) error {
	if err == nil {
		return nil
	}
	return unreadError{err}
}

// batch sends a batch's messages. All are written when it returns.
func (s *sending) batch(ctx context.Context, b *session.Batch) error {
	for i := range b.Events {
		ev := &b.Events[i]
		switch ev.Kind {
		case session.Begun:
			s.pace.restart()
			continue
		case session.Message:
		default:
			s.pace.anchor(ev.Time, time.Now)
			continue
		}
		if wait := s.pace.wait(ev.Time, time.Now); wait > 0 {
			if err := s.pause(ctx, wait); err != nil {
				return err
			}
		}
		s.message(ev.Opcode, ev.Data)
		if len(s.buf) >= flushAt || !s.begun {
			if err := s.flush(ctx); err != nil {
				return err
			}
		}
		if err := s.middle(ctx); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

// pause writes what there is and waits.
func (s *sending) pause(ctx context.Context, d time.Duration) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.c.gone:
		return errGone
	case <-ctx.Done():
		return ctx.Err()
	}
}

// message appends a message in one frame. Opcode 0 is binary.
func (s *sending) message(opcode uint8, data []byte) {
	if opcode == 0 {
		opcode = ws.OpBinary
	}
	mask := newMask()
	s.buf = ws.AppendFrame(s.buf, opcode, data, &mask)
	s.queue(opcode, 1, data, int64(len(data)))
}

// queue counts a message whose frames are gathered, and remembers it for the report.
func (s *sending) queue(opcode uint8, frames int, data []byte, size int64) {
	s.queued++
	if !s.p.o.Messages {
		return
	}
	ev := s.event(session.Event{Kind: session.Message, Opcode: opcode, Fragments: frames, Data: data, Size: size, FromKind4: true})
	if frames == 1 {
		ev.MaxFrame = size
	}
	s.events = append(s.events, ev)
}

// maxKept is how much memory for frames is kept between two writes, in bytes.
const maxKept = 16 * flushAt

// flush writes the frames that are gathered, and reports their messages.
func (s *sending) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(s.buf) == 0 {
		return nil
	}
	err := s.c.write(ctx, s.buf)
	if s.buf = s.buf[:0]; cap(s.buf) > maxKept {
		s.buf = nil
	}
	s.wrote(err)
	return err
}

// wrote takes in that what was queued was written, or not.
func (s *sending) wrote(err error) {
	if err == nil {
		s.sent += s.queued
		if len(s.events) > 0 {
			s.p.report(s.events...)
		}
	}
	clear(s.events)
	s.events, s.queued = s.events[:0], 0
}

// middle commits the faults of the middle, once.
func (s *sending) middle(ctx context.Context) error {
	if s.begun {
		return nil
	}
	s.begun = true
	for _, f := range s.p.o.Faults {
		if f.then != nothing {
			continue
		}
		if err := s.commit(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// commit commits one fault, up to what it leaves the connection in.
func (s *sending) commit(ctx context.Context, f *Fault) error {
	s.fault = f
	if f.do != nil {
		return f.do(ctx, s)
	}
	for _, message := range f.messages {
		s.message(ws.OpBinary, []byte(message))
	}
	if f.wire != nil {
		s.buf = f.wire(s.buf)
	}
	if f.frames > 0 {
		s.queue(f.opcode(), f.frames, []byte(goodMessage), int64(len(goodMessage)))
	}
	return s.flush(ctx)
}

// finish ends the path as it is to be ended, everything having been sent.
func (s *sending) finish(ctx context.Context) How {
	if f := s.p.ending(); f != nil {
		return s.finishFault(ctx, f)
	}
	switch s.p.o.End {
	case EndWithAbort:
		s.c.settle(ctx)
		s.c.abort()
		return AsAsked
	case EndWithHold:
		return s.hold(ctx)
	case EndWithError:
		s.message(ws.OpBinary, []byte(s.p.o.Error))
		if err := s.flush(ctx); err != nil {
			return s.broken(ctx, err)
		}
	}
	return s.close(ctx, ws.CloseNormal)
}

// close makes the closing handshake.
func (s *sending) close(ctx context.Context, code uint16) How {
	s.handshake(ctx, code)
	s.c.end()
	if s.unanswered && ctx.Err() == nil {
		return Early
	}
	if s.c.over.Kind == session.EndClose || s.c.over.Kind == session.EndOurs && s.c.over.Sent != 0 {
		return AsAsked
	}
	return s.gone()
}

// handshake sends a Close and waits for the proxy's.
func (s *sending) handshake(ctx context.Context, code uint16) {
	s.unanswered = !s.p.handshake(ctx, s.c, code)
}

// hold keeps the path open until the proxy ends it.
func (s *sending) hold(ctx context.Context) How {
	if s.p.o.holding != nil {
		s.p.o.holding()
	}
	if s.c.wait(ctx) != nil {
		return s.close(ctx, ws.CloseNormal)
	}
	if s.c.over.Kind == session.EndClose {
		return AsAsked
	}
	return s.gone()
}

// gone says how to take it that the proxy ended the path.
func (s *sending) gone() How {
	if s.fault != nil {
		return Provoked
	}
	return Early
}

// finishFault commits the fault that ends the path, and waits for what the proxy makes of it.
func (s *sending) finishFault(ctx context.Context, f *Fault) How {
	if err := s.commit(ctx, f); err != nil {
		return s.broken(ctx, err)
	}
	switch f.then {
	case thenClose:
		return s.close(ctx, f.code())
	case thenCut:
		s.c.halfClose()
	}
	if s.p.wait(ctx, s.c, s.p.o.closeTimeout) {
		return Provoked
	}
	s.c.sendClose(ws.CloseNormal)
	if ctx.Err() != nil {
		return Unsettled
	}
	s.p.count(&s.p.result.LetPass)
	return Ignored
}

// broken ends the path where not everything could be sent.
func (s *sending) broken(ctx context.Context, err error) How {
	var unread unreadError
	switch {
	case errors.As(err, &unread):
		s.p.mu.Lock()
		s.p.result.Source = unread.error
		s.p.mu.Unlock()
		s.handshake(ctx, closeInternalError)
		return Unread
	case ctx.Err() != nil && !s.isGone():
		code := uint16(closeGoingAway)
		if s.p.o.Repeat == 0 {
			code = ws.CloseNormal
		}
		s.handshake(ctx, code)
		if s.p.o.Repeat == 0 {
			return AsAsked
		}
		return Interrupted
	}
	s.p.wait(ctx, s.c, farewell) // how it ended is the reader's to say
	s.c.end()
	if s.p.o.Repeat == 0 && s.c.over.Kind == session.EndClose {
		return AsAsked
	}
	return s.gone()
}

func (s *sending) isGone() bool {
	select {
	case <-s.c.gone:
		return true
	default:
		return false
	}
}
