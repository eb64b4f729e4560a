package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"kind4/cmd"
)

// patience is how long anything may take, on a machine that is busy.
const patience = 60 * time.Second

// tailArgs run a tail that lasts.
var tailArgs = []string{"tail", "-l", "127.0.0.1:0", "-o", "json", "--events"}

// running is a `kind4 tail` or `kind4 tap` that listens, in this process or in one of its own.
type running struct {
	process *os.Process // nil in this one
	url     string
	out     *output
	said    *lines
	exit    chan int
}

// start runs kind4, the program or, where that is "", the command in this process.
func start(program string, args ...string) (*running, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r := &running{out: newOutput(read), said: newLines(), exit: make(chan int, 1)}
	if program == "" {
		go func() {
			code := cmd.Run(append([]string{"kind4"}, args...), strings.NewReader(""), write, r.said)
			write.Close()
			r.exit <- code
		}()
	} else {
		child := exec.Command(program, args...)
		child.Stdout, child.Stderr = write, r.said
		err := child.Start()
		write.Close()
		if err != nil {
			read.Close()
			return nil, err
		}
		r.process = child.Process
		go func() {
			child.Wait()
			r.exit <- child.ProcessState.ExitCode()
		}()
	}
	go r.out.read()
	line, err := r.said.wait("listening on ws://")
	if err != nil {
		return nil, err
	}
	_, address, _ := strings.Cut(line, "ws://")
	r.url = "ws://" + address
	return r, nil
}

// exited waits for the end, and for all that was printed.
func (r *running) exited() (code int, err error) {
	select {
	case code = <-r.exit:
	case <-time.After(patience):
		return 0, fmt.Errorf("kind4 %s does not end", r.url)
	}
	<-r.out.done
	return code, r.out.failure()
}

// provided is what a `kind4 provide` that ended said.
type provided struct {
	code int
	said *lines
}

// provide runs kind4 provide to its end.
func provide(url string, args ...string) *provided {
	p := &provided{said: newLines()}
	p.code = cmd.Run(append([]string{"kind4", "provide", url, "--input", "lp32"}, args...), strings.NewReader(""), io.Discard, p.said)
	return p
}

var afterMessages = regexp.MustCompile(`^kind4: /mcp/notifications/\d+ .* after (\d+) messages?`)

// sent returns how many messages it says it sent, path by path.
func (p *provided) sent() (counts []uint64) {
	for _, line := range p.said.all() {
		if match := afterMessages.FindStringSubmatch(line); match != nil {
			n, _ := strconv.ParseUint(match[1], 10, 64)
			counts = append(counts, n)
		}
	}
	return counts
}

// lines collects what is written on standard error.
type lines struct {
	mu    sync.Mutex
	part  string
	whole []string
	news  chan struct{} // closed when a line comes, and made anew
}

func newLines() *lines { return &lines{news: make(chan struct{})} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.part + string(b)
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if !ended {
			l.part = text
			break
		}
		l.whole, text = append(l.whole, line), rest
	}
	close(l.news)
	l.news = make(chan struct{})
	return len(b), nil
}

func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.whole...)
}

// forget drops the lines so far.
func (l *lines) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole = nil
}

// wait waits for a line that holds a text, and takes it out.
func (l *lines) wait(text string) (string, error) {
	timeout := time.After(patience)
	for {
		l.mu.Lock()
		for i, line := range l.whole {
			if strings.Contains(line, text) {
				l.whole = append(l.whole[:i], l.whole[i+1:]...)
				l.mu.Unlock()
				return line, nil
			}
		}
		news := l.news
		l.mu.Unlock()
		select {
		case <-news:
		case <-timeout:
			return "", fmt.Errorf("standard error has no line with %q within %v, but %q", text, patience, l.all())
		}
	}
}
