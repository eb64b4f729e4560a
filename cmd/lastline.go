package cmd

import (
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"kind4/render"
)

// lastLine is a line of a terminal, below all others, that changes while kind4 waits or works. It is standard error's, and
// taken away before anything else is written there or to standard output, where that is a terminal too, and put back
// behind it: in one write where both are the same. The cursor stays before it, so that what a terminal makes of it when
// its width changes, and the ^C that it shows, go when the line goes.
//
// A nil *lastLine shows nothing and costs nothing. One that shows costs a write to a terminal a hundred bytes; what
// goes to a file or a pipe never passes it.
type lastLine struct {
	terminal *os.File
	ascii    bool

	mu     sync.Mutex
	err    io.Writer
	out    io.Writer // standard output, where that is a terminal
	joint  bool      // which is the same
	line   string    // that is shown
	text   []byte    // what draws it
	shown  bool
	midway bool   // standard output ends inside a line
	buf    []byte // what one write is put together in

	life        sync.Mutex
	quit, ended chan struct{} // of the goroutine that shows it; nil for none
	over        bool          // it is not started any more
}

// lastLineEvery is how often the line is looked at: it changes as often at most.
const lastLineEvery = 200 * time.Millisecond

// lastLineLeast is the least columns that the line is worth showing in.
const lastLineLeast = 8

// eraseLine takes away the cursor's line and what is below it: more than one line where the terminal was made narrower.
const eraseLine = "\r\x1b[J"

// The line does not wrap (DECAWM off, and on again behind it), since a terminal may be narrower than it says: tmux tells
// a new width up to 250 ms after it has it. The cursor goes back before it.
const (
	openLine  = "\x1b[?7l"
	closeLine = "\x1b[?7h\r"
)

// newLastLine returns a line for the environment, nil where there is to be none: standard error is no terminal, or one
// that cannot move its cursor, or a flag forbids it.
func newLastLine(env *environment, o *showOptions) *lastLine {
	if o.quiet || o.status == statusNever || !isTerminal(env.err) || !knowsCursor() {
		return nil
	}
	l := &lastLine{terminal: fileOf(env.err), ascii: asciiOnly(), err: env.err}
	if isTerminal(env.out) {
		l.out = env.out
		l.joint = sameFile(l.terminal, fileOf(env.out))
	}
	return l
}

// knowsCursor reports whether TERM says that the terminal can do more than print.
func knowsCursor() bool {
	name := os.Getenv("TERM")
	return name != "dumb" && (name != "" || runtime.GOOS == "windows")
}

func sameFile(a, b *os.File) bool {
	one, err := a.Stat()
	if err != nil {
		return false
	}
	other, err := b.Stat()
	return err == nil && os.SameFile(one, other)
}

// around returns the environment with the line below what is written there.
func (l *lastLine) around(env *environment) *environment {
	if l == nil {
		return env
	}
	below := &environment{in: env.in, out: env.out, err: aboveLine{l, l.err, l.writeErr}}
	if l.out != nil {
		below.out = aboveLine{l, l.out, l.writeOut}
	}
	return below
}

// aboveLine is a standard stream with a line below what is written to it.
type aboveLine struct {
	*lastLine
	stream io.Writer
	write  func(b []byte) error
}

func (a aboveLine) file() *os.File { return fileOf(a.stream) }

func (a aboveLine) Write(b []byte) (int, error) {
	if err := a.write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// lastLineOf is the line below a stream, nil where there is none.
func lastLineOf(w io.Writer) *lastLine {
	if a, ok := w.(aboveLine); ok {
		return a.lastLine
	}
	return nil
}

func (l *lastLine) writeErr(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.writeAbove(l.err, true, b)
}

func (l *lastLine) writeOut(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(b) > 0 {
		l.midway = b[len(b)-1] != '\n'
	}
	return l.writeAbove(l.out, l.joint, b)
}

// maxJoint is how much is copied at most for the sake of one write, in bytes.
const maxJoint = 64 << 10

// writeAbove writes b to a stream, the line taken away before and put back behind: in one write where the stream is on
// the line's terminal (joint) and b is not long. It has l.mu held.
func (l *lastLine) writeAbove(w io.Writer, joint bool, b []byte) error {
	if !l.shown {
		_, err := w.Write(b)
		return err
	}
	l.shown = !l.midway
	back := l.text
	if l.midway {
		back = nil
	}
	if joint && len(b) <= maxJoint {
		l.buf = append(append(append(l.buf[:0], eraseLine...), b...), back...)
		_, err := w.Write(l.buf)
		return err
	}
	io.WriteString(l.err, eraseLine)
	_, err := w.Write(b)
	l.err.Write(back)
	return err
}

// draw shows what text makes of the terminal's width; nothing where it makes nothing.
func (l *lastLine) draw(text func(width int) string) {
	width := terminalWidth(l.terminal) - 1 // the last column is left free: what stands there makes some terminals wrap
	line := ""
	if width >= lastLineLeast {
		line = render.Fit(text(width), width, l.ascii)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !inForeground(l.terminal):
		l.shown = false // another job has the terminal, and has written behind it
	case line == "" || l.midway:
		l.erase()
	case !l.shown || line != l.line:
		l.buf = l.buf[:0]
		if l.shown {
			l.buf = append(l.buf, eraseLine...)
		}
		l.line = line
		l.text = append(append(append(l.text[:0], openLine...), line...), closeLine...)
		l.buf = append(l.buf, l.text...)
		l.err.Write(l.buf)
		l.shown = true
	}
}

// redraw is draw after the width has changed: what is shown may be wrapped.
func (l *lastLine) redraw(text func(width int) string) {
	l.hide()
	l.draw(text)
}

func (l *lastLine) hide() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

func (l *lastLine) erase() {
	if l.shown {
		l.shown = false
		io.WriteString(l.err, eraseLine)
	}
}

// lost says that the line is no longer where it was: kind4 was stopped and goes on.
func (l *lastLine) lost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = false
}

// start shows the line from then on, unless it was ended; text is called again and again, by one goroutine.
func (l *lastLine) start(text func(width int) string) {
	if l == nil {
		return
	}
	l.life.Lock()
	defer l.life.Unlock()
	if !l.over {
		l.quit, l.ended = make(chan struct{}), make(chan struct{})
		go l.run(text, l.quit, l.ended)
	}
}

// stop takes the line away until start. What is written after that is written as if there were none.
func (l *lastLine) stop() {
	if l == nil {
		return
	}
	l.life.Lock()
	defer l.life.Unlock()
	if l.quit != nil {
		close(l.quit)
		<-l.ended
		l.quit = nil
	}
}

// end takes the line away for good.
func (l *lastLine) end() {
	if l == nil {
		return
	}
	l.life.Lock()
	l.over = true
	l.life.Unlock()
	l.stop()
}

func (l *lastLine) run(text func(width int) string, quit <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	defer l.hide()
	signals := watchTerminal()
	defer signals.stop()
	tick := time.NewTicker(lastLineEvery)
	defer tick.Stop()
	l.draw(text)
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
			l.draw(text)
		case <-signals.resized:
			l.redraw(text)
		case <-signals.continued:
			l.lost()
			l.draw(text)
		case <-signals.stopping:
			l.hide()
			signals.suspend()
			l.draw(text)
		}
	}
}
