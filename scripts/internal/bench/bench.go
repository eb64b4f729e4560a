package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// patience is how long one program may take before it counts as hanging.
const patience = 3 * time.Minute

// bench is what the rows share: where things are, and how much there is to do.
type bench struct {
	options
	ctx     context.Context
	hello   string   // the program that prints one line, built alike
	self    string   // this program
	missing []string // peers that are not installed
	left    []string // what else was left out, and why
	files   *corpus  // made when it is first needed
}

func newBench(ctx context.Context, o options) (*bench, error) {
	b := &bench{options: o, ctx: ctx, hello: filepath.Join(o.dir, "hello")}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.kind4 == "" {
		b.kind4 = filepath.Join(o.dir, "kind4")
		if err := b.build(b.kind4, "."); err != nil {
			return nil, err
		}
	}
	return b, b.build(b.hello, "./scripts/internal/bench/hello")
}

// build builds a program as releases are built.
func (b *bench) build(program, from string) error {
	cmd := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, from)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return b.run(cmd)
}

// say tells on standard error what is going on.
func (b *bench) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// leaveOut notes, once, what is not measured.
func (b *bench) leaveOut(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(b.left, text) {
		b.left = append(b.left, text)
	}
}

// find returns the command of a peer, nil where it is not installed.
func (b *bench) find(name string, args ...string) []string {
	if _, err := exec.LookPath(name); err != nil {
		if !slices.Contains(b.missing, name) {
			b.missing = append(b.missing, name)
		}
		return nil
	}
	return append([]string{name}, args...)
}

// command is a program with nothing of the user's settings in its environment.
func (b *bench) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "KIND4") || strings.HasPrefix(v, "GOMAXPROCS=") || strings.HasPrefix(v, "NO_COLOR=")
	})
	return cmd
}

// run runs a command; an error carries what it said.
func (b *bench) run(cmd *exec.Cmd) error {
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

// timed runs a program, its output thrown away by the system, and returns how long it took.
func (b *bench) timed(env []string, argv ...string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	cmd := b.command(ctx, argv...)
	cmd.Env = append(cmd.Env, env...)
	start := time.Now() // the null device is opened for what Stdout nil is
	err := b.run(cmd)
	return time.Since(start), err
}

// printMachine says on what, and of which versions, the figures are.
func (b *bench) printMachine(w io.Writer) {
	fmt.Fprintf(w, "machine   %d cores, %s, %s/%s, %s\n", runtime.NumCPU(), cpuModel(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	var versions []string
	for _, argv := range [][]string{{b.kind4, "--version"}, {"jq", "--version"}, {"xxd", "-v"}, {"hexyl", "--version"},
		{"wscat", "--version"}, {"node", "--version"}} {
		if version := versionOf(argv); version != "" {
			versions = append(versions, version)
		}
	}
	fmt.Fprintf(w, "versions  %s\n", strings.Join(versions, ", "))
	fmt.Fprintf(w, "rounds    %d, median (least–most)\n\n", b.rounds)
}

// versionOf is what a program says of itself, with its name in front; "" where it is not installed.
func versionOf(argv []string) string {
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return ""
	}
	name := filepath.Base(argv[0])
	words := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(string(out), name), "-"))
	return name + " " + strings.Join(words[:min(len(words), 1)], " ")
}

// cpuModel is the processor's name, where the system tells it.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for text := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(text, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// printLeftOut names what the table lacks.
func (b *bench) printLeftOut(w io.Writer) {
	for _, name := range b.missing {
		fmt.Fprintf(w, "left out: %s is not installed\n", name)
	}
	for _, text := range b.left {
		fmt.Fprintf(w, "left out: %s\n", text)
	}
}
