package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ending is a closed event of a notification path, beside what came before it.
type ending struct {
	Event    string
	Path     string
	Outcome  string
	Messages uint64
	Status   int // of a refusal

	counted uint64 // messages with a counter
}

// output reads what is printed with -o json --events, and holds each message's counter against those before it.
type output struct {
	in      *os.File
	slow    atomic.Int64 // how long a read waits, in nanoseconds
	endings chan ending
	first   chan struct{} // closed when a message came
	done    chan struct{} // closed at the end

	seq   uint64
	paths map[string]uint64 // counters seen on those that are open

	mu    sync.Mutex
	wrong error
	marks map[string]bool // codes of findings
	kept  *bytes.Buffer   // where the lines are kept; nil for nowhere
	left  bool            // nobody reads on
	held  chan struct{}   // nothing is read until it is closed; nil where nobody holds it
}

func newOutput(in *os.File) *output {
	return &output{in: in, endings: make(chan ending, 4096), first: make(chan struct{}), done: make(chan struct{}),
		paths: map[string]uint64{}, marks: map[string]bool{}}
}

// Read reads standard output as slowly as is asked for. A read that waits for bytes keeps nobody from holding the next.
func (o *output) Read(b []byte) (int, error) {
	o.mu.Lock()
	held := o.held
	o.mu.Unlock()
	if held != nil {
		<-held
	}
	time.Sleep(time.Duration(o.slow.Load()))
	return o.in.Read(b)
}

// hold lets nothing more be read until it is released.
func (o *output) hold() (release func()) {
	held := make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held = held
	return func() { close(held) }
}

func (o *output) read() {
	defer close(o.done)
	defer o.in.Close()
	lines := bufio.NewReaderSize(o, 64<<10)
	var long []byte
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			line = append(long, line...)
			long = nil
		}
		if err != nil {
			if !o.gone() && (err != io.EOF || len(line) > 0) {
				o.fail("standard output ended with %v behind %.200q", err, line)
			}
			return
		}
		o.take(line)
	}
}

func (o *output) fail(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wrong == nil {
		o.wrong = fmt.Errorf(format, args...)
	}
}

// failure is the first thing that was wrong.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.wrong
}

// keep has the lines kept from here on.
func (o *output) keep(in *bytes.Buffer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.kept = in
}

// leave ends the reading.
func (o *output) leave() {
	o.mu.Lock()
	o.left = true
	o.mu.Unlock()
	o.in.Close()
}

func (o *output) gone() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.left
}

func (o *output) take(line []byte) {
	o.mu.Lock()
	kept := o.kept
	o.mu.Unlock()
	if kept != nil {
		kept.Write(line)
	}
	if bytes.HasPrefix(line, []byte(`{"event":`)) {
		o.event(line)
	} else {
		o.message(line)
	}
	if bytes.Contains(line, []byte(`"findings":[`)) {
		o.mark(line)
	}
}

// message checks that the numbers in the output, and the counters on each path, leave nothing out and repeat nothing.
func (o *output) message(line []byte) {
	seq, ok := numberBehind(line, `{"seq":`)
	if !ok || seq != o.seq+1 {
		o.fail("message %d is followed by %.200q", o.seq, line)
	}
	if o.seq = seq; seq == 1 {
		close(o.first)
	}
	n, ok := numberBehind(line, `"data":{"n":`)
	if !ok {
		return // a fault's
	}
	of, _ := numberBehind(line, `,"of":`)
	_, path, _ := bytes.Cut(line, []byte(`"path":"`))
	path, _, _ = bytes.Cut(path, []byte(`"`))
	if seen := o.paths[string(path)]; of == 0 || n != seen%of {
		o.fail("%s: after %d messages came counter %d of %d", path, seen, n, of)
	}
	o.paths[string(path)]++
}

func (o *output) event(line []byte) {
	var e ending
	if err := json.Unmarshal(line, &e); err != nil {
		o.fail("no event: %v: %.200q", err, line)
	}
	if e.Event == "closed" && e.Outcome == "" || e.Event != "closed" && e.Event != "refused" {
		return
	}
	if e.Event == "closed" {
		e.counted = o.paths[e.Path]
		delete(o.paths, e.Path)
	}
	select {
	case o.endings <- e:
	default:
		o.fail("%d endings that nobody waits for", cap(o.endings))
	}
}

// mark remembers the codes of findings.
func (o *output) mark(line []byte) {
	_, rest, _ := bytes.Cut(line, []byte(`"findings":[`))
	for {
		_, behind, found := bytes.Cut(rest, []byte(`"code":"`))
		if !found {
			return
		}
		code, _, _ := bytes.Cut(behind, []byte(`"`))
		o.mu.Lock()
		o.marks[string(code)] = true
		o.mu.Unlock()
		rest = behind
	}
}

// found reports whether a finding was shown since the last forgetting.
func (o *output) found(code string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.marks[code]
}

func (o *output) forgetFindings() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.marks)
}

// next waits for the next ending or refusal.
func (o *output) next() (ending, error) {
	select {
	case e := <-o.endings:
		return e, o.failure()
	case <-time.After(patience):
		if err := o.failure(); err != nil {
			return ending{}, err
		}
		return ending{}, fmt.Errorf("no path ended within %v", patience)
	}
}

func numberBehind(line []byte, what string) (uint64, bool) {
	_, rest, found := bytes.Cut(line, []byte(what))
	if !found {
		return 0, false
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseUint(string(rest[:digits]), 10, 64)
	return n, err == nil
}
