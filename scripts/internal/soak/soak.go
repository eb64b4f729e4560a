package main

import (
	"fmt"
	"maps"
	"os"
	"os/signal"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"kind4/decode"
)

// soak is one run. Each round does the same work, on several lanes side by side, and measures when all are at rest, so
// that what grows from round to round is a leak.
type soak struct {
	program  string
	dir      string
	duration time.Duration
	began    time.Time
	files    files
	ending   atomic.Bool // the driver sends itself a signal

	mu      sync.Mutex
	done    map[string]*work // by episode
	endings map[string]int   // by outcome
	figures []figures
	wrong   []string
}

// work is what an episode has done so far.
type work struct {
	runs, paths int
	messages    uint64
}

// lane is a row of episodes with one tail that lasts for the whole run.
type lane struct {
	*soak
	name  string
	tail  *running
	fault int // the next of the faults

	toldOnce map[decode.Code]bool // findings that a session has once, and had
}

const (
	printEvery      = 10 * time.Second
	exitInterrupted = 130
)

func (s *soak) main() int {
	if err := s.run(); err != nil {
		s.violated("%v", err)
	}
	s.judge()
	s.summarise(os.Stdout)
	if len(s.wrong) > 0 {
		return 1
	}
	return 0
}

func (s *soak) run() (err error) {
	if s.files, err = writeFiles(s.dir); err != nil {
		return err
	}
	if !hasProc() {
		fmt.Println("soak: skipped: resident memory and file descriptors: no /proc here")
	}
	s.endOnSignals()
	within := &lane{soak: s, name: "within", toldOnce: map[decode.Code]bool{}}
	child := &lane{soak: s, name: "child", toldOnce: map[decode.Code]bool{}}
	if within.tail, err = start("", tailArgs...); err != nil {
		return err
	}
	if child.tail, err = start(s.program, tailArgs...); err != nil {
		return err
	}
	defer child.tail.process.Kill()
	s.soak(within, child)
	return s.end(within, child)
}

// endOnSignals ends all of it at once on a signal from outside, with the table so far. The last is the driver's own.
func (s *soak) endOnSignals() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		if !s.ending.Load() {
			s.violated("interrupted")
			s.summarise(os.Stdout)
			os.Exit(exitInterrupted)
		}
	}()
}

// soak does rounds for as long as is asked for.
func (s *soak) soak(within, child *lane) {
	fmt.Println(figuresHeader)
	var printed time.Time
	for round := 0; round < leastDone || time.Since(s.began) < s.duration; round++ {
		if s.round(round, within, child) {
			return
		}
		f := measure(child.tail.process.Pid)
		f.at = time.Since(s.began)
		f.messages, f.paths = s.total()
		s.mu.Lock()
		s.figures = append(s.figures, f)
		s.mu.Unlock()
		if time.Since(printed) >= printEvery {
			printed = time.Now()
			fmt.Println(f)
		}
	}
}

// round does every episode once, and reports whether something was violated.
func (s *soak) round(n int, within, child *lane) (violated bool) {
	var lanes sync.WaitGroup
	for _, l := range []*lane{within, child} {
		lanes.Go(func() { l.play(lastingEpisodes, n) })
	}
	lanes.Go(func() { (&lane{soak: s, name: "sessions"}).play(sessionEpisodes, n) })
	lanes.Go(func() { (&lane{soak: s, name: "limits"}).play(limitEpisodes, n) })
	lanes.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.wrong) > 0
}

// play runs episodes one after the other, up to the first that is violated.
func (l *lane) play(episodes []episode, round int) {
	for _, e := range episodes {
		if l.tail != nil {
			l.tail.said.forget()
		}
		p := &playing{lane: l, round: round}
		err := e.play(p)
		l.add(e.name, &p.work)
		if err != nil {
			l.violated("round %d, %s, %s: %v", round, l.name, e.name, err)
			return
		}
	}
}

// end ends the lasting tails by a signal, and looks at how they went.
func (s *soak) end(within, child *lane) error {
	s.ending.Store(true)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	for _, process := range []*os.Process{self, child.tail.process} {
		if err := process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
	}
	for _, l := range []*lane{within, child} {
		code, err := l.tail.exited()
		if err == nil && code != 143 {
			err = fmt.Errorf("SIGTERM: exit code %d, want 143", code)
		}
		if err != nil {
			return fmt.Errorf("%s: the lasting tail: %w", l.name, err)
		}
	}
	return nil
}

func (s *soak) violated(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

func (s *soak) add(name string, w *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum := s.done[name]
	if sum == nil {
		sum = new(work)
		s.done[name] = sum
	}
	sum.runs, sum.paths, sum.messages = sum.runs+1, sum.paths+w.paths, sum.messages+w.messages
}

func (s *soak) count(outcome string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endings[outcome]++
}

func (s *soak) total() (messages uint64, paths int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.done {
		messages, paths = messages+w.messages, paths+w.paths
	}
	return messages, paths
}

// judge compares the last quarter of the rounds with the second.
func (s *soak) judge() {
	if len(s.figures) < leastDone {
		return
	}
	for _, m := range measures {
		was, is := quarters(s.figures, m.of)
		if !m.flat(was, is) {
			s.violated("%s grew from %s in the second quarter to %s in the last", m.name, m.show(was), m.show(is))
			if m.name == goroutines {
				pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			}
		}
	}
}

func (s *soak) summarise(out *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(out, "\n%-22s %8s %8s %12s\n", "episode", "runs", "paths", "messages")
	var sum work
	for _, name := range slices.Sorted(maps.Keys(s.done)) {
		w := s.done[name]
		fmt.Fprintf(out, "%-22s %8d %8d %12d\n", name, w.runs, w.paths, w.messages)
		sum.runs, sum.paths, sum.messages = sum.runs+w.runs, sum.paths+w.paths, sum.messages+w.messages
	}
	fmt.Fprintf(out, "%-22s %8d %8d %12d\n", "in all", sum.runs, sum.paths, sum.messages)
	var outcomes []string
	for _, outcome := range slices.Sorted(maps.Keys(s.endings)) {
		outcomes = append(outcomes, fmt.Sprintf("%d %s", s.endings[outcome], outcome))
	}
	fmt.Fprintf(out, "endings: %s\n", strings.Join(outcomes, ", "))
	if len(s.figures) >= leastDone {
		fmt.Fprintf(out, "\n%-22s %12s %12s %12s\n", "at rest, median of", "2nd quarter", "last quarter", "allowed")
		for _, m := range measures {
			was, is := quarters(s.figures, m.of)
			fmt.Fprintf(out, "%-22s %12s %12s %12s\n", m.name, m.show(was), m.show(is), m.show(m.most(was)))
		}
	}
	took := time.Since(s.began).Round(time.Second)
	if len(s.wrong) == 0 {
		fmt.Fprintf(out, "\nsoak: nothing lost, nothing doubled, nothing grew: %d rounds in %v\n", len(s.figures), took)
		return
	}
	fmt.Fprintf(out, "\nsoak: FAILED after %v:\n", took)
	for _, what := range s.wrong {
		fmt.Fprintf(out, "  %s\n", what)
	}
}
