package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// benchScan takes the ratios that the package's own benchmark finds, which runs the two in turn.
func benchScan(b *bench) ([]line, error) {
	times := "200ms"
	if b.quick {
		times = "1x"
	}
	cmd := b.command(b.ctx, "go", "test", "./decode", "-run", "^$", "-bench", "^BenchmarkScan$", "-benchtime", times,
		"-count", strconv.Itoa(b.rounds))
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := b.run(cmd); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, &out)
	}
	bodies, err := scanRatios(out.String())
	if err != nil {
		return nil, err
	}
	worst, notes := worstBody(bodies)
	return []line{{work: "the scanner alone", goal: atMost(1.3, ""), peer: series{name: "gjson.ValidBytes, the worst of bodies"},
		compared: worst, notes: []string{notes}}}, nil
}

// body is a message that was scanned, and how often as long as gjson that took in each round.
type body struct {
	name   string
	ratios []float64
}

// scanRatios reads what `go test -bench` printed: a line "BenchmarkScan/NAME-CORES N VALUE UNIT ..." a round and body.
func scanRatios(out string) (bodies []body, err error) {
	for text := range strings.Lines(out) {
		fields := strings.Fields(text)
		unit := slices.Index(fields, "gjson")
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "BenchmarkScan/") || unit < 1 {
			continue
		}
		name := strings.TrimPrefix(fields[0], "BenchmarkScan/")
		if cut := strings.LastIndexByte(name, '-'); cut >= 0 {
			name = name[:cut]
		}
		ratio, err := strconv.ParseFloat(fields[unit-1], 64)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(bodies, func(b body) bool { return b.name == name })
		if at < 0 {
			at, bodies = len(bodies), append(bodies, body{name: name})
		}
		bodies[at].ratios = append(bodies[at].ratios, ratio)
	}
	if len(bodies) == 0 {
		return nil, fmt.Errorf("BenchmarkScan reported nothing:\n%s", out)
	}
	return bodies, nil
}

// worstBody is the body that takes longest beside gjson, and the medians of all.
func worstBody(bodies []body) (worst []float64, all string) {
	var each []string
	for _, b := range bodies {
		each = append(each, b.name+" "+digits(median(b.ratios)))
		if worst == nil || median(b.ratios) > median(worst) {
			worst = b.ratios
		}
	}
	return worst, "medians: " + strings.Join(each, ", ")
}

// benchStart starts both programs many times in turn, and takes each round's medians. What it costs to start any process
// is in both figures.
func benchStart(b *bench) ([]line, error) {
	times := 200
	if b.quick {
		times = 10
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	l := line{work: "start, --version", goal: atMost(2.5, ""), ours: series{unit: "ms"}, peer: series{name: "one line in Go", unit: "ms"}}
	for range b.rounds {
		var ours, theirs []float64
		for range times {
			if ours, err = spawn(ours, null, b.kind4, "--version"); err != nil {
				return nil, err
			}
			if theirs, err = spawn(theirs, null, b.hello); err != nil {
				return nil, err
			}
		}
		l.ours.add(median(ours))
		l.peer.add(median(theirs))
	}
	l.compared = ratios(l.ours.values, l.peer.values)
	return []line{l}, nil
}

// spawn appends how long a program takes from its start to its end, in ms.
func spawn(dst []float64, null *os.File, argv ...string) ([]float64, error) {
	start := time.Now()
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Files: []*os.File{null, null, null}})
	if err != nil {
		return dst, err
	}
	state, err := p.Wait()
	took := time.Since(start)
	if err == nil && !state.Success() {
		err = fmt.Errorf("%s: %v", argv[0], state)
	}
	return append(dst, float64(took.Nanoseconds())/1e6), err
}

// benchSize is how large the program is, stripped.
func benchSize(b *bench) ([]line, error) {
	info, err := os.Stat(b.kind4)
	if err != nil {
		return nil, err
	}
	size := []float64{float64(info.Size()) / 1e6}
	return []line{{work: "binary, stripped", goal: atMost(14, "MB"), ours: series{unit: "MB", values: size}, compared: size}}, nil
}

// listening waits for the line in which a program says where it listens, and returns HOST:PORT. What it says afterwards
// is kept for an error.
func listening(cmd *exec.Cmd) (addr string, said *tail, err error) {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	said = &tail{over: make(chan struct{})}
	lines := bufio.NewReader(stderr)
	first, _ := lines.ReadString('\n')
	_, addr, found := strings.Cut(strings.TrimSpace(first), "ws://")
	go said.drain(lines)
	if !found {
		cmd.Process.Kill()
		<-said.over
		cmd.Wait()
		return "", nil, fmt.Errorf("%s does not listen: %s%s", cmd.Args[0], first, said.text)
	}
	return addr, said, nil
}

// tail is what a program said on standard error.
type tail struct {
	text []byte
	over chan struct{} // closed when it has ended
}

func (t *tail) drain(r *bufio.Reader) {
	defer close(t.over)
	for {
		text, err := r.ReadBytes('\n')
		if t.text = append(t.text, text...); len(t.text) > 4<<10 {
			t.text = t.text[len(t.text)-2<<10:]
		}
		if err != nil {
			return
		}
	}
}
