package cmd

import (
	"fmt"
	"io"
	"sync"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
	"kind4/render"
)

// view is what every command that shows messages does with its events: decode, inspect, filter, render, count. Its
// event method is called from one goroutine; counters may be read by another under mu.
type view struct {
	opts    *showOptions
	out     io.Writer
	status  *status
	live    bool // the source is a live session
	events  bool // --events
	once    bool // --once: the first notification path that ends ends the session
	theme   *render.Theme
	look    render.Options
	printer render.Printer

	recorder  *recorder  // nil for none
	captured  bool       // events come from a capture: none behind the end counts, and the record keeps what the filters pass
	concealed bool       // the filters hid the message at hand
	redact    *redaction // nil for none

	session  *inspect.Session
	frame    decode.Frame
	seen     *decode.Frame // what is shown of frame, itself where nothing is redacted
	findings []inspect.Finding
	method   []byte
	paths    map[string]*pathState
	asks     []decode.Ask
	expected []expectation
	buf      []byte // for standard output
	lines    []func()

	mu      sync.Mutex
	seq     uint64
	shown   uint64
	flushed uint64 // seq when the buffer was last written
	start   int64  // time of the first event
	last    int64  // time of the last message
	counts  counts
	endings endings

	blame     blame
	failedAt  uint64 // the first tag-1 message
	dialled   bool   // /requests was opened
	opened    int    // notification paths opened
	notServed bool   // a line said that a path was not served

	done    bool // the condition was met, or standard output is gone
	gone    bool // standard output cannot be written any more
	closing bool // kind4 itself ends the session: what its paths do now meets no condition
}

func newView(opts *showOptions, env *environment, st *status) *view {
	v := &view{
		opts: opts, out: env.out, status: st,
		theme:   render.NewTheme(useColor(opts.color, env.err)),
		session: inspect.NewSession(),
		paths:   map[string]*pathState{},
		counts:  newCounts(),
		look: render.Options{
			Color:     useColor(opts.color, env.out),
			Timestamp: opts.timestamp,
			ASCII:     asciiOnly(),
			Terminal:  isTerminal(env.out),
		},
	}
	for _, g := range opts.expect {
		v.expected = append(v.expected, expectation{glob: g})
	}
	v.printer = render.New(opts.form, v.look)
	return v
}

// resize follows the terminal's width.
func (v *view) resize() {
	if v.opts.form != render.Line && v.opts.form != render.Pretty {
		return
	}
	if width := terminalWidth(v.out); width != v.look.Width {
		v.look.Width = width
		v.printer = render.New(v.opts.form, v.look)
	}
}

// newSource starts session state anew, for the next file.
func (v *view) newSource() {
	v.mu.Lock()
	v.begin()
	v.mu.Unlock()
	if v.recorder != nil {
		v.record(&session.Event{Kind: session.Begun})
	}
}

// begin is newSource with v.mu held.
func (v *view) begin() {
	v.counts.close(v.session)
	v.session = inspect.NewSession()
	v.session.StartAt(v.seq)
	v.last = 0
	v.paths = map[string]*pathState{}
}

// broken reports whether nothing can be printed any more.
func (v *view) broken() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.endings.closed || v.gone
}

// batch takes in every event of b; no messages behind the one that ends the session.
func (v *view) batch(b *session.Batch) error {
	for i := range b.Events {
		if v.done && v.captured {
			break
		}
		if v.done && b.Events[i].Kind == session.Message {
			continue // the session is over: it had arrived, and is not shown
		}
		if err := v.event(&b.Events[i]); err != nil || v.broken() {
			return err
		}
	}
	v.sayAsked()
	return nil
}

// event takes in one event. What it has to say on standard error comes after what stood in the buffer before.
func (v *view) event(ev *session.Event) error {
	if ev.Kind != session.Asked {
		v.sayAsked()
	}
	v.mu.Lock()
	v.clock(ev)
	v.concealed = false
	v.take(ev)
	v.mu.Unlock()
	if v.recorder != nil {
		v.record(ev)
	}
	if len(v.lines) > 0 || len(v.buf) >= flushAt {
		return v.flush()
	}
	return nil
}

func (v *view) clock(ev *session.Event) {
	if v.start == 0 && ev.Time != 0 {
		v.start = ev.Time
		if v.look.Timestamp == render.Start {
			v.look.Start = ev.Time
			v.printer = render.New(v.opts.form, v.look)
		}
	}
	if ev.Time != 0 {
		v.counts.until = ev.Time
		v.counts.since = v.start
	}
}

func (v *view) take(ev *session.Event) {
	if v.redact != nil {
		v.redact.event(ev)
	}
	switch ev.Kind {
	case session.Message:
		if ev.Path == pathRequests {
			v.requestsMessage(ev)
			return
		}
		v.message(ev)
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
			v.asks = append(v.asks, ask)
		}
	case session.Refused:
		v.endings.refuse(ev)
		line := refusalLine(ev)
		v.later(func() { v.status.refused(line) })
	case session.Note:
		v.note(ev)
	case session.Control:
		if v.opts.verbose {
			v.say("%s: %s of %s%s", ev.Path, opcodeName(ev.Opcode), plural(max(ev.Size, int64(len(ev.Data))), "byte"), fromWords(ev.From))
		}
	case session.Closed:
		v.closed(ev)
		return
	case session.Begun:
		v.begin()
		return
	}
	v.printEvent(ev, nil)
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
	if ev.Note == session.NoteTorn {
		v.torn(ev)
		return
	}
	if line := noteLine(ev); line != "" && !(v.live && ev.Note == session.NoteQueueFull) {
		v.say("%s", line)
	}
}

// torn says that a capture ends inside something.
func (v *view) torn(ev *session.Event) {
	findings := v.kept(v.session.Event(v.findings[:0], ev))
	v.judgeFindings(findings, 0)
	v.counts.add(findings)
	for i := range findings {
		v.say("%s %s: %s", findings[i].Severity, findings[i].Code, findings[i].AppendText(nil))
	}
}

// say queues a line for standard error, behind what is in the buffer.
func (v *view) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	v.later(func() { v.status.say("%s", line) })
}

func (v *view) later(f func()) { v.lines = append(v.lines, f) }

func (v *view) sayAsked() {
	if len(v.asks) == 0 {
		return
	}
	line := askedLine(v.asks)
	v.asks = v.asks[:0]
	v.later(func() { v.status.say("%s", line) })
}

// message is the road of every message: decode, inspect, count, and show where no filter hides it.
func (v *view) message(ev *session.Event) {
	v.seq++
	f := &v.frame
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
	v.findings = v.kept(v.session.Message(v.findings[:0], ev, f))
	v.method = f.AppendMethod(v.method[:0])
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
	m := render.Message{Seq: v.seq, Event: ev, Frame: v.seen, Findings: v.findings}
	if v.last != 0 && ev.Time != 0 {
		m.Delta, m.HasDelta = ev.Time-v.last, true
	}
	v.buf = v.printer.AppendMessage(v.buf, &m)
	if v.frame.Type == decode.TypeOversize && v.opts.form >= render.Raw {
		v.say("#%d is %s long, over --max-size: only its first %d are here", v.seq, plural(ev.Size, "byte"), len(v.seen.Message))
	}
}

func (v *view) printEvent(ev *session.Event, findings []inspect.Finding) {
	if v.events {
		v.buf = render.AppendEvent(v.buf, ev, findings)
	}
}

// flush writes what is waiting: messages first, then the lines about the session.
func (v *view) flush() error {
	err := v.write()
	if v.recorder != nil {
		v.recordFailed(v.recorder.flush())
	}
	for _, line := range v.lines {
		line()
	}
	v.lines = v.lines[:0]
	return err
}

// flushAt is how much output is gathered at most before it is written, in bytes.
const flushAt = 64 << 10

func (v *view) write() error {
	var err error
	if len(v.buf) > 0 {
		_, err = v.out.Write(v.buf)
		v.buf = v.buf[:0]
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		v.flushed = v.seq
		return nil
	}
	v.done, v.gone = true, true
	if isClosedPipe(err) {
		v.endings.closed = true
		return nil
	}
	v.endings.failure = true
	return fmt.Errorf("cannot write standard output: %w", plainPathError(err))
}
