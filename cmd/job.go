package cmd

import (
	"slices"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
	"kind4/render"
)

// job is a run of events on its way through the pipeline, and the memory of the worker that carries it.
type job struct {
	number    uint64 // among the source's jobs, from 0
	hasSource bool   // its worker holds the source
	shares    bool   // another job may be filled while this one is in work
	writes    bool   // it is its turn to write

	batches []*session.Batch
	at      int              // the first batch that is not judged to its end
	from    int              // the first of its events that is not
	events  []*session.Event // under way
	closes  []int            // how many of these come up to the end of each batch that ends among them

	frames    []decode.Frame // of the messages among them
	spare     decode.Frame   // has the memory that frames are decoded in
	inspector inspect.Inspector
	own       []inspect.Finding // what messages say by themselves
	owned     []int             // where in own each message's end

	findings []inspect.Finding // as judged
	steps    []step
	lines    []func() // what there is to say on standard error, behind the steps that count them
	noted    int      // steps that are recorded
	due      int      // lines that may be said: those behind these steps
	said     int      // lines that are said
	seqNoted uint64   // of the last message of these steps
	seq      uint64   // of the last message
	ends     bool     // the session's condition is met

	look    render.Options
	printer render.Printer // of that look
	shown   render.Message // that is rendered, here since a printer's argument is never on the stack
	out     []byte
	spill   func(out []byte) []byte // writes the part of a long message that is rendered; nil to hold it all
}

// step is what judging left to do for one event.
type step struct {
	event    *session.Event // nil for lines alone
	frame    *decode.Frame  // of a message that is shown
	findings []inspect.Finding
	seq      uint64
	delta    int64
	hasDelta bool
	proxies  bool // the source has several: a message names its own
	printed  bool // the event itself is, for --events
	recorded bool
	lines    int // that are said behind it
}

func newJob(untagged bool) *job {
	return &job{inspector: inspect.Inspector{Untagged: untagged}, out: make([]byte, 0, maxOut)}
}

// add gives the job a batch, which is the job's from then on.
func (j *job) add(b *session.Batch) { j.batches = append(j.batches, b) }

// full reports whether the job's batches make a job for that form.
func (j *job) full(form render.Form) bool {
	bytes, events := j.size()
	return bytes >= jobBytes || events >= jobEvents || form == render.Hex && bytes >= dumpBytes
}

// size returns how many bytes and events the job's batches are.
func (j *job) size() (bytes, events int) {
	for _, b := range j.batches {
		bytes += len(b.Buf)
		events += len(b.Events)
	}
	return bytes, events
}

// held is how much memory the bytes of the batches take.
func (j *job) held() (bytes int) {
	for _, b := range j.batches {
		bytes += cap(b.Buf)
	}
	return bytes
}

// done reports whether all of the job is judged, or under way.
func (j *job) done() bool { return j.at == len(j.batches) }

// begin takes the next events under way, at most n.
func (j *job) begin(n int) {
	j.events, j.closes = j.events[:0], j.closes[:0]
	for !j.done() && len(j.events) < n {
		b := j.batches[j.at]
		to := min(len(b.Events), j.from+n-len(j.events))
		for i := j.from; i < to; i++ {
			j.events = append(j.events, &b.Events[i])
		}
		if j.from = to; to == len(b.Events) {
			j.closes = append(j.closes, len(j.events))
			j.at, j.from = j.at+1, 0
		}
	}
	j.own, j.owned, j.findings, j.steps, j.lines = j.own[:0], j.owned[:0], j.findings[:0], j.steps[:0], j.lines[:0]
	j.noted, j.due, j.said = 0, 0, 0
}

// decode decodes the messages under way, and finds what they say by themselves. It is pure.
func (j *job) decode() {
	n := 0
	for _, ev := range j.events {
		if isMessage(ev) {
			n++
		}
	}
	if n > len(j.frames) {
		j.frames = slices.Grow(j.frames, n-len(j.frames))[:n]
	}
	n = 0
	for _, ev := range j.events {
		if !isMessage(ev) {
			continue
		}
		f := &j.frames[n]
		f.TakeMemory(&j.spare)
		fillFrame(f, ev)
		j.spare.TakeMemory(f)
		j.own = j.inspector.Message(j.own, ev, f)
		j.owned = append(j.owned, len(j.own))
		n++
	}
}

// isMessage reports whether an event is a message that may be a notification.
func isMessage(ev *session.Event) bool { return ev.Kind == session.Message && ev.Path != pathRequests }

// message returns the frame of the nth message under way, and what it says by itself.
func (j *job) message(n int) (f *decode.Frame, own []inspect.Finding) {
	from := 0
	if n > 0 {
		from = j.owned[n-1]
	}
	return &j.frames[n], j.own[from:j.owned[n]]
}

// fillFrame decodes a message, or says of it what is known where its bytes are not here.
func fillFrame(f *decode.Frame, ev *session.Event) {
	switch {
	case ev.Withheld && ev.Verdict != nil && ev.Verdict.Type != 0:
		said := ev.Verdict
		f.SetVerdict(ev.Size, said.Tag, said.Type, said.Code, said.Offset)
		f.Code = said.ErrorCode
	case ev.Size > int64(len(ev.Data)):
		f.SetOversize(ev.Data, ev.Size)
	case ev.Opcode == session.OpText:
		f.SetText(ev.Data)
	default:
		_ = f.Decode(ev.Data) // the failure stays in f.Err, and inspect makes a finding of it
	}
}

// render appends what is shown of one step.
func (j *job) render(s *step) {
	switch {
	case s.frame != nil:
		m := &j.shown // field by field: a literal would be made elsewhere and copied
		m.Seq, m.Event, m.Frame, m.Findings = s.seq, s.event, s.frame, s.findings
		m.Delta, m.HasDelta, m.Proxies, m.Spill = s.delta, s.hasDelta, s.proxies, j.spill
		j.out = j.printer.AppendMessage(j.out, m)
	case s.printed:
		j.out = render.AppendEvent(j.out, s.event, s.findings)
	}
}

// dress makes the printer of a look.
func (j *job) dress(form render.Form, look render.Options) {
	if j.printer == nil || j.look != look {
		j.look, j.printer = look, render.New(form, look)
	}
}

// maxOut is how much memory for output a worker has and keeps from one job to the next, in bytes: what is gathered, and
// what one message may add to that.
const maxOut = flushAt + flushAt/4

// reset gives the batches back, and all that would keep the memory of a large message.
func (j *job) reset() {
	bytes, _ := j.size()
	large := bytes > shareBytes
	for i, b := range j.batches {
		b.Release()
		j.batches[i] = nil
	}
	j.batches, j.at, j.from = j.batches[:0], 0, 0
	j.shares, j.writes = false, false
	j.out = j.out[:0]
	if cap(j.out) > maxOut {
		j.out = nil
	}
	if large {
		j.frames, j.spare, j.own, j.findings, j.steps, j.shown = nil, decode.Frame{}, nil, nil, nil, render.Message{}
	}
}
