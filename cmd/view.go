package cmd

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"syscall"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
	"kind4/render"
)

// view is what every command that shows messages does with its events, in their order: judge, filter, count, and say
// what is to be shown. A pipeline calls it; counters may be read by others under mu.
type view struct {
	opts   *showOptions
	out    io.Writer
	screen io.Writer // standard output itself
	status *status
	live   bool // the source is a live session
	events bool // --events
	once   bool // --once: the first notification path that ends ends the session
	theme  *render.Theme
	look   render.Options

	recorder  *recorder  // nil for none
	captured  bool       // events come from a capture: none behind the end counts, and the record keeps what the filters pass
	concealed bool       // the filters hid the message at hand
	redact    *redaction // nil for none

	session  *inspect.Session
	job      *job          // what is judged
	frame    *decode.Frame // of the message at hand
	seen     *decode.Frame // what is shown of frame, itself where nothing is redacted
	findings []inspect.Finding
	method   []byte // where it is named
	named    bool   // flags are about methods
	step     step   // what is to be done for the event at hand
	paths    map[session.Opening]*pathState
	recent   recent // of paths
	proxies  session.Proxies
	asks     []decode.Ask // that are to be said together
	askedBy  string       // the proxy they are of
	expected []expectation

	mu      sync.Mutex
	seq     uint64
	shown   uint64
	flushed uint64 // seq of the last message that is written
	start   int64  // time of the first event
	last    int64  // time of the last message
	counts  counts
	endings endings

	blame     blame
	failedAt  uint64 // the first tag-1 message
	dialled   bool   // /requests was opened
	refused   bool   // an upgrade was refused
	opened    int    // notification paths opened
	notServed bool   // a line said that a path was not served

	done    bool // the condition was met, or standard output is gone
	gone    bool // standard output cannot be written any more
	closing bool // kind4 itself ends the session: what its paths do now meets no condition
}

func newView(opts *showOptions, env *environment, st *status) *view {
	v := &view{
		opts: opts, out: env.out, screen: env.out, status: st,
		theme:   render.NewTheme(useColor(opts.color, env.err)),
		session: inspect.NewSession(),
		paths:   map[session.Opening]*pathState{},
		counts:  newCounts(),
		look: render.Options{
			Color:     useColor(opts.color, env.out),
			Timestamp: opts.timestamp,
			ASCII:     asciiOnly(),
			Terminal:  isTerminal(env.out),
		},
	}
	v.named = len(opts.include)+len(opts.exclude)+len(opts.expect) > 0
	for _, g := range opts.expect {
		v.expected = append(v.expected, expectation{glob: g})
	}
	return v
}

// resize follows the terminal's width.
func (v *view) resize() {
	if !v.look.Terminal || v.opts.form != render.Line && v.opts.form != render.Pretty {
		return
	}
	v.look.Width = terminalWidth(v.screen)
}

// newSource starts session state anew, for the next file.
func (v *view) newSource() {
	v.mu.Lock()
	v.begin()
	v.mu.Unlock()
	if v.recorder != nil {
		v.recordFailed(v.recorder.event(&session.Event{Kind: session.Begun}))
	}
}

// begin is newSource with v.mu held.
func (v *view) begin() {
	v.counts.close(v.session)
	untagged := v.session.Untagged
	v.session = inspect.NewSession()
	v.session.Untagged = untagged
	v.session.StartAt(v.seq)
	v.last = 0
	v.paths, v.recent, v.proxies = map[session.Opening]*pathState{}, recent{}, session.Proxies{}
}

// broken reports whether nothing can be printed any more.
func (v *view) broken() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.endings.closed || v.gone
}

// over reports whether the rest of the source is of no interest: nothing can be printed any more, or what was asked of a
// capture is met.
func (v *view) over() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.endings.closed || v.gone || v.done && v.captured
}

// takeIn judges the job's events under way, in order; no messages behind the one that ends the session.
func (v *view) takeIn(j *job) {
	v.resize()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.job = j
	n, ended := 0, j.closes
	for i, ev := range j.events {
		for ; len(ended) > 0 && ended[0] == i; ended = ended[1:] {
			v.endBatch()
		}
		if v.endings.closed || v.gone || v.done && v.captured {
			break
		}
		if v.done && (ev.Kind == session.Message || ev.Note == session.NoteNoPath) {
			continue // the session is over: it had arrived, and is not shown; and nobody asks again
		}
		var own []inspect.Finding
		if isMessage(ev) {
			v.frame, own = j.message(n)
			n++
		}
		v.event(ev, own)
	}
	if len(ended) > 0 {
		v.endBatch()
	}
	j.dress(v.opts.form, v.look)
	j.seq, j.ends = v.seq, v.done
}

// endBatch says which asks went out together: those of one batch do.
func (v *view) endBatch() {
	lines := len(v.job.lines)
	v.sayAsked()
	if n := len(v.job.lines) - lines; n > 0 {
		v.job.steps = append(v.job.steps, step{seq: v.seq, lines: n})
	}
}

// event takes in one event; own is what a message says by itself.
func (v *view) event(ev *session.Event, own []inspect.Finding) {
	lines := len(v.job.lines)
	if ev.Kind != session.Asked || ev.Proxy != v.askedBy {
		v.sayAsked()
	}
	v.meetProxy(ev)
	v.clock(ev)
	v.concealed = false
	v.step = step{event: ev, proxies: v.proxies.Several()}
	v.take(ev, own)
	v.step.seq = v.seq
	v.step.recorded = v.recorder != nil && !(v.captured && v.concealed) // a tail records all, whatever the filters hide
	v.step.lines = len(v.job.lines) - lines
	if v.step.frame != nil || v.step.printed || v.step.recorded || v.step.lines > 0 {
		v.job.steps = append(v.job.steps, v.step)
	}
}

func (v *view) clock(ev *session.Event) {
	if v.start == 0 && ev.Time != 0 {
		v.start = ev.Time
		if v.look.Timestamp == render.Start {
			v.look.Start = ev.Time
		}
	}
	if ev.Time != 0 {
		v.counts.until = ev.Time
		v.counts.since = v.start
	}
}

func (v *view) take(ev *session.Event, own []inspect.Finding) {
	if v.redact != nil {
		v.redact.event(ev)
	}
	switch ev.Kind {
	case session.Message:
		if ev.Path == pathRequests {
			v.requestsMessage(ev)
			return
		}
		v.message(ev, own)
		return
	case session.Opened:
		v.open(ev)
	case session.Asked:
		if ev.From != 0 {
			v.tappedAsk(ev)
			return
		}
		var ask decode.Ask
		if err := ask.Decode(ev.Data); err == nil || ev.Withheld && ask.Header == askHeader {
			ask.Payload = nil
			v.ask(ev, ask)
		}
	case session.Refused:
		v.refused = true
		v.endings.refuse(ev)
		line := refusalLine(v.worded(ev))
		v.later(func() { v.status.refused(line) })
	case session.Note:
		v.note(ev)
	case session.Control:
		if v.opts.verbose {
			v.say("%s: %s of %s%s", v.name(ev), opcodeName(ev.Opcode), plural(max(ev.Size, int64(len(ev.Data))), "byte"), fromWords(ev.From))
		}
	case session.Closed:
		v.closed(ev)
		return
	case session.Begun:
		v.begin()
		return
	}
	v.printEvent(nil)
}

// askHeader is an ask's channel and kind, in bytes (Diverge Provider 2.3.0, /requests).
const askHeader = 5

func opcodeName(op uint8) string {
	if op == session.OpPing {
		return "ping"
	}
	return "pong"
}

// note says what a Note event says. That the queue is full was said already where the session is live.
func (v *view) note(ev *session.Event) {
	switch ev.Note {
	case session.NoteTorn, session.NoteGap:
		v.lacking(ev)
		return
	case session.NoteMidStream:
		v.midStream(ev)
	}
	if line := noteLine(v.worded(ev)); line != "" && !(v.live && ev.Note == session.NoteQueueFull) {
		v.say("%s", line)
	}
}

// lacking says what a capture lacks: its end, or bytes of a path.
func (v *view) lacking(ev *session.Event) {
	findings := v.found(v.worded(ev))
	for i := range findings {
		v.say("%s %s: %s", findings[i].Severity, findings[i].Code, findings[i].AppendText(nil))
	}
}

// say queues a line for standard error, behind what is in the buffer.
func (v *view) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	v.later(func() { v.status.say("%s", line) })
}

func (v *view) later(f func()) { v.job.lines = append(v.job.lines, f) }

func (v *view) sayAsked() {
	if len(v.asks) == 0 {
		return
	}
	line := askedLine(v.asks)
	if v.proxies.Several() && v.askedBy != "" {
		line = v.askedBy + " " + line
	}
	v.asks = v.asks[:0]
	v.later(func() { v.status.say("%s", line) })
}

// found returns what is to be said of an event that is no message, which counts.
func (v *view) found(ev *session.Event) []inspect.Finding {
	j, from := v.job, len(v.job.findings)
	j.findings = v.session.Event(j.findings, ev)
	findings := v.kept(from)
	v.judgeFindings(findings, 0)
	v.counts.add(findings)
	return findings
}

// message judges one message: count it, and show it where no filter hides it.
func (v *view) message(ev *session.Event, own []inspect.Finding) {
	v.seq++
	f, j, from := v.frame, v.job, len(v.job.findings)
	j.findings = v.session.Judge(j.findings, ev, f, own)
	if v.redact != nil {
		j.findings = slices.DeleteFunc(j.findings, func(f inspect.Finding) bool { return v.redact.tells(&f) })
	}
	v.findings = v.kept(from)
	if v.named {
		v.method = f.AppendMethod(v.method[:0])
	}
	v.seen = f
	if v.redact != nil {
		v.seen = v.redact.message(f, v.findings)
	}
	v.track(ev)
	v.judge(f)
	v.counts.message(f, v.findings)
	if v.concealed = v.hidden(f); v.concealed {
		v.counts.hidden++
	} else {
		v.show(ev)
	}
	if ev.Time != 0 {
		v.last = ev.Time
	}
	v.expect(f)
	v.finishWhenMet()
}

// hidden reports whether the filters hide the message; what has no method is never hidden.
func (v *view) hidden(f *decode.Frame) bool {
	if f.Type != decode.TypeNotification || len(v.opts.include)+len(v.opts.exclude) == 0 {
		return false
	}
	method := string(v.method)
	return anyMatches(v.opts.exclude, method) || len(v.opts.include) > 0 && !anyMatches(v.opts.include, method)
}

func (v *view) show(ev *session.Event) {
	v.shown++
	if (ev.Withheld || v.redact != nil && v.redact.withhold) && bare(v.opts.form) {
		return // nothing but bytes is written
	}
	v.step.frame, v.step.findings = v.seen, v.findings
	if v.last != 0 && ev.Time != 0 {
		v.step.delta, v.step.hasDelta = ev.Time-v.last, true
	}
	if v.frame.Type == decode.TypeOversize && v.opts.form >= render.Raw {
		v.say("#%d is %s long, over --max-size: only its first %d are here", v.seq, plural(ev.Size, "byte"), len(v.seen.Message))
	}
}

func (v *view) printEvent(findings []inspect.Finding) {
	v.step.printed, v.step.findings = v.events, findings
}

// keepSteps records the first n steps of a job.
func (v *view) keepSteps(j *job, n int) {
	for ; j.noted < n; j.noted++ {
		s := &j.steps[j.noted]
		j.seqNoted = s.seq
		j.due += s.lines
		if s.recorded {
			v.record(s.event)
		}
	}
	if n == len(j.steps) {
		j.seqNoted = j.seq
	}
}

// flush writes what is rendered of a job: messages first, then the lines about the session.
func (v *view) flush(j *job) error {
	err := v.write(j.out, j.seqNoted)
	j.out = j.out[:0]
	if v.recorder != nil {
		v.recordFailed(v.recorder.flush())
	}
	for ; j.said < j.due; j.said++ {
		j.lines[j.said]()
	}
	return err
}

// tell prints and records one event by itself.
func (v *view) tell(ev *session.Event) error {
	v.job = newJob(false)
	v.clock(ev)
	v.step = step{event: ev, recorded: v.recorder != nil}
	v.printEvent(nil)
	v.job.steps = append(v.job.steps, v.step)
	v.job.render(&v.step)
	v.keepSteps(v.job, 1)
	return v.flush(v.job)
}

// flushAt is how much output is gathered at most before it is written, in bytes: more than a job of usual messages
// gives, so that it is one write.
const flushAt = 768 << 10

// spillFrom is how long a message is, in bytes, to be written part by part where its output is more than is gathered: a
// dump is five times as long as its message.
const spillFrom = 8 << 10

// write writes output, up to the message of that number.
func (v *view) write(out []byte, seq uint64) error {
	var err error
	if len(out) > 0 {
		_, err = v.out.Write(out)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.flushed = seq
		return nil
	}
	v.done, v.gone = true, true
	switch {
	case isClosedPipe(err):
		v.endings.closed = true
		return nil
	case v.look.Terminal && isHangUp(err):
		v.endings.signal = syscall.SIGHUP
		return nil
	}
	v.endings.failure = true
	return fmt.Errorf("cannot write standard output: %w", plainPathError(err))
}
