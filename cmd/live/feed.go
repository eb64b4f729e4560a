package live

import (
	"io"
	"slices"
	"time"

	"kind4/decode/session"
)

// Source yields the messages that a stand-in provider sends.
type Source interface {
	// Next appends events to b and returns io.EOF at the end, once every event before it was yielded. Events of
	// kind Message are sent, as binary or, where the opcode says so, as text; a Begun says that the times after it
	// have nothing to do with those before. Other kinds are passed over. An event's time is microseconds from any
	// start, 0 for none.
	Next(b *session.Batch) error
	Close() error
}

// What a source may hold at most to be kept in memory, so that it is not read again for each repetition.
const (
	maxRepeated       = 1 << 20 // bytes
	maxRepeatedEvents = 8 << 10
)

// feed reads a source ahead, in a goroutine of its own, since a read may block for good.
type feed struct {
	batches chan *session.Batch // closed at the end
	err     error               // why it ended, nil at the source's end; once batches is closed
	stop    chan struct{}

	keeps bool            // the source is to be sent again, and is small so far
	kept  []session.Event // what one pass yields
	size  int             // bytes of their data
}

// newFeed reads the source that open opens, so many times one after the other, 0 for ever.
func newFeed(open func() (Source, error), times int) *feed {
	f := &feed{batches: make(chan *session.Batch, 1), stop: make(chan struct{}), keeps: times != 1}
	go f.run(open, times)
	return f
}

// end lets the goroutine go as soon as its read returns.
func (f *feed) end() { close(f.stop) }

// endGrace is how long the end of a source may take to be known.
const endGrace = 100 * time.Millisecond

// rest returns errGone where the source has messages left that nobody takes any more, and else how it ended. One that
// has to be waited for has some.
func (f *feed) rest() error {
	late := time.NewTimer(endGrace)
	defer late.Stop()
	for {
		select {
		case b, more := <-f.batches:
			if !more {
				return sourceError(f.err)
			}
			some := holdsMessages(b)
			b.Release()
			if some {
				return errGone
			}
		case <-late.C:
			return errGone
		}
	}
}

func holdsMessages(b *session.Batch) bool {
	return slices.ContainsFunc(b.Events, func(ev session.Event) bool { return ev.Kind == session.Message })
}

func (f *feed) run(open func() (Source, error), times int) {
	defer close(f.batches)
	for pass := 0; times == 0 || pass < times; pass++ {
		some, err := f.pass(open)
		if f.err = err; err != nil || !some {
			return
		}
		if f.keeps {
			f.repeat(times - 1)
			return
		}
	}
}

// repeat hands on what was kept, so many times more, for ever where that is below 0.
func (f *feed) repeat(times int) {
	for times != 0 {
		b := session.NewBatch()
		for size := 0; times != 0 && size < flushAt && len(b.Events) < maxInBatch; times-- {
			b.Events = append(b.Events, f.kept...)
			size += f.size
		}
		if !f.hand(b) {
			return
		}
	}
}

// keep copies events for repeat, unless they become too many.
func (f *feed) keep(events []session.Event) {
	for i := range events {
		ev := events[i]
		f.size += len(ev.Data)
		if f.keeps = f.keeps && f.size <= maxRepeated && len(f.kept) < maxRepeatedEvents; !f.keeps {
			f.kept = nil
			return
		}
		ev.Data = append([]byte(nil), ev.Data...)
		f.kept = append(f.kept, ev)
	}
}

// pass reads the source once; some says that it had messages.
func (f *feed) pass(open func() (Source, error)) (some bool, err error) {
	source, err := open()
	if err != nil {
		return false, err
	}
	defer source.Close()
	begun := session.NewBatch()
	begun.Events = append(begun.Events, session.Event{Kind: session.Begun})
	if !f.hand(begun) {
		return false, nil
	}
	f.kept, f.size = []session.Event{{Kind: session.Begun}}, 0
	for {
		b := session.NewBatch()
		err := source.Next(b)
		f.keep(b.Events)
		some = some || holdsMessages(b)
		if !f.hand(b) {
			return false, nil
		}
		if err == io.EOF {
			return some, nil
		}
		if err != nil {
			return some, err
		}
	}
}

// hand passes a batch on, and reports whether somebody still takes it.
func (f *feed) hand(b *session.Batch) bool {
	select {
	case f.batches <- b:
		return true
	case <-f.stop:
		b.Release()
		return false
	}
}
