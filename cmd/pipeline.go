package cmd

import (
	"runtime"
	"sync"
)

// pipeline carries what a source yields through the view: decode and inspect, judge in order, render, write in order.
// A worker carries one job, about 100 KiB of messages, all that way, so that nothing is handed from one to another:
// several are at work at a time, and only judging and writing wait for their turns. What is said is what one worker says.
//
// Only what is waiting already is shared: where nothing is, the worker that has the source keeps it while it works, and
// reads on behind that, as if there were no other: a message that comes alone costs no hand-off. BenchmarkPipeline
// measures what the others bring.
type pipeline struct {
	view *view
	// fill puts what comes next into the job, waiting for it where it has to, and reports whether more is waiting.
	// It returns an error at the end. One worker calls it at a time.
	fill func(j *job) (more bool, err error)
	met  func() // called when the job that meets the session's condition is written; may be nil

	most     int // workers
	stretch  int // events that are judged at a time
	untagged bool

	source  sync.Mutex // held by who fills a job
	jobs    uint64     // filled so far
	workers int
	ended   bool
	err     error // of fill

	judging, writing turns
	working          sync.WaitGroup
	stop             chan struct{} // closed when nothing can be shown any more, or is to be
	stopped          bool          // likewise; for who has the turn to write
	failed           error         // of a write
}

const (
	// jobBytes is about how much of what waits a job takes, in bytes: with half of that, two cores take a quarter more
	// time in all than one, since workers fall asleep between their turns. Two chunks of 64 KiB are enough.
	jobBytes = 96 << 10
	// dumpBytes is that where messages are dumped, which takes five times as much output: with less of it to hold, one
	// chunk to a job takes a tenth less time than two.
	dumpBytes = jobBytes / 2
	// shareBytes is how much memory a job may hold while another is filled: larger ones go one at a time, so that
	// memory is that of one worker.
	shareBytes = 512 << 10
	// shareLeast is how much a job has to hold, in bytes, to be worth another worker.
	shareLeast = 16 << 10
	// jobEvents is how many events are judged and rendered at a time: as many frames are held, a kilobyte each. A job of
	// usual messages is less, and is judged at once: in two parts, two cores take half as long again.
	jobEvents = 1 << 10
	// aloneEvents is that of a worker without others: a few frames stay in the processor's nearest cache.
	aloneEvents = 16
	// maxWorkers is how many workers there are at most: each holds memory, and judging and writing are one's at a time.
	maxWorkers = 6
)

// newPipeline prepares a run over a source, by as many workers as there are cores. One more, to work while others wait for
// their turns, takes a quarter more time with two cores: what three jobs hold is more than the processor's nearer caches do.
func newPipeline(v *view, fill func(j *job) (more bool, err error)) *pipeline {
	return newPipelineOf(v, fill, min(runtime.GOMAXPROCS(0), maxWorkers))
}

// newPipelineOf is newPipeline with so many workers.
func newPipelineOf(v *view, fill func(j *job) (more bool, err error), workers int) *pipeline {
	p := &pipeline{view: v, fill: fill, most: workers, stretch: jobEvents, untagged: v.session.Untagged, stop: make(chan struct{})}
	switch {
	case v.redact != nil:
		p.most, p.stretch = 1, 1 // what is redacted stands in memory for one message
	case workers == 1:
		p.stretch = aloneEvents
	}
	p.judging, p.writing = newTurns(p.most), newTurns(p.most)
	return p
}

// run works until the source has ended, and returns its error, or that of a write. Where a write failed, or the view has
// what it wants of a capture, it does not wait for a read that is still under way.
func (p *pipeline) run() error {
	p.source.Lock()
	p.engage()
	p.source.Unlock()
	idle := make(chan struct{})
	go func() {
		p.working.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-p.stop:
		return p.failed
	}
	if p.stopped {
		return p.failed
	}
	return p.err
}

// engage puts another worker to work, where there may be one. The caller holds p.source.
func (p *pipeline) engage() {
	if p.workers < p.most {
		p.workers++
		p.working.Add(1)
		go p.work()
	}
}

func (p *pipeline) work() {
	defer p.working.Done()
	j := newJob(p.untagged)
	for p.next(j) {
		p.carry(j)
	}
}

// next fills the job with what comes next, and keeps the source where no other is to have it yet.
func (p *pipeline) next(j *job) bool {
	p.source.Lock()
	if p.ended || p.view.over() {
		p.source.Unlock()
		return false
	}
	more, err := p.fill(j)
	if err != nil {
		p.ended, p.err = true, err
		p.source.Unlock()
		return false
	}
	j.number = p.jobs
	p.jobs++
	j.hasSource = true
	if more && p.most > 1 && j.held() <= shareBytes {
		p.engage()
		j.shares = true
	}
	return true
}

// carry takes a job through the stages. With a condition, the source goes on only once the job is judged: nothing is
// read of a capture behind what meets it.
func (p *pipeline) carry(j *job) {
	early := j.shares && !(p.view.captured && p.view.opts.conditional())
	if early {
		p.pass(j)
	}
	for first := true; first || !j.done(); first = false {
		j.begin(p.stretch)
		j.decode()
		if first {
			p.judging.wait(j.number)
		}
		p.view.takeIn(j)
		if j.done() {
			p.judging.pass(j.number)
			if j.shares {
				p.pass(j)
			}
		}
		p.show(j)
	}
	p.settle(j, len(j.steps))
	p.end(j)
	p.writing.pass(j.number)
	j.reset()
	p.pass(j)
}

// pass lets another worker have the source, where this one still has it.
func (p *pipeline) pass(j *job) {
	if j.hasSource {
		j.hasSource = false
		p.source.Unlock()
	}
}

// show renders what is to be shown of the job. What would be too much to hold is written, and so is what comes before
// a line about the session.
func (p *pipeline) show(j *job) {
	for i := range j.steps {
		j.spill = nil
		if f := j.steps[i].frame; f != nil && len(f.Message) > spillFrom {
			j.spill = func(out []byte) []byte { return p.spill(j, out, i) }
		}
		j.render(&j.steps[i])
		if j.steps[i].lines > 0 || len(j.out) >= flushAt {
			p.settle(j, i+1)
		}
	}
	if !j.done() {
		p.note(j, len(j.steps))
	}
}

// spill writes what was rendered of the first n steps and of a part of the next.
func (p *pipeline) spill(j *job, out []byte, n int) []byte {
	j.out = out
	p.settle(j, n)
	return out[:0]
}

// settle writes what was rendered of the first n steps, and says what there is to say behind them.
func (p *pipeline) settle(j *job, n int) {
	p.note(j, n)
	if p.stopped {
		return
	}
	if p.failed = p.view.flush(j); p.failed != nil || p.view.broken() {
		p.halt()
	}
}

// halt ends the run: nothing more is shown.
func (p *pipeline) halt() {
	if !p.stopped {
		p.stopped = true
		close(p.stop)
	}
}

// end does what the end of the job that meets the session's condition brings, in its turn to write.
func (p *pipeline) end(j *job) {
	if !j.ends {
		return
	}
	if p.met != nil {
		p.met()
	}
	if p.view.captured {
		p.halt()
	}
}

// note records the first n steps, in the job's turn to write.
func (p *pipeline) note(j *job, n int) {
	if !j.writes {
		j.writes = true
		p.writing.wait(j.number)
	}
	if p.stopped || p.view.broken() {
		return
	}
	p.view.keepSteps(j, n)
}

// turns lets jobs through one at a time, in the order of their numbers. There are at most len(turns) jobs.
type turns []chan struct{}

func newTurns(n int) turns {
	t := make(turns, n)
	for i := range t {
		t[i] = make(chan struct{}, 1)
	}
	t[0] <- struct{}{}
	return t
}

// wait returns when it is that job's turn.
func (t turns) wait(job uint64) { <-t[job%uint64(len(t))] }

// pass lets the job behind that one have its turn.
func (t turns) pass(job uint64) { t[(job+1)%uint64(len(t))] <- struct{}{} }
