package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"kind4/decode/capture/capturetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kind4":    func() { os.Exit(Run(os.Args, os.Stdin, os.Stdout, os.Stderr)) },
		"scenario": func() { os.Exit(scenarioMain(os.Args[1:])) },
		"tapped":   func() { os.Exit(tappedMain(os.Args[1:])) },
		"dialled":  func() { os.Exit(dialledMain(os.Args[1:])) },
	})
}

// TestScripts runs the scripts of testdata/script: what a user sees, one file a topic.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: false,
		Setup: func(env *testscript.Env) error {
			env.Setenv("TZ", "UTC")
			env.Setenv("LC_ALL", "C.UTF-8")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // or every command under the race detector takes a second more
			return nil
		},
		Condition: condition,
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"code": exactCode, "pack": packFile, "packets": packetsFile, "tear": tearFile},
	})
}

// condition makes [exec:NAME] strict in CI: what is missing there is a failure, not a skip.
func condition(name string) (bool, error) {
	return false, fmt.Errorf("unknown condition %q", name)
}

// exactCode is the script command `code N PROGRAM ARG...`: the program must exit with N. Standard input is what `stdin`
// set; standard output and error go where later commands look for them.
func exactCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("code: %v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// packetsFile is the script command `packets SCRIPT FILE`: it writes the capture that capturetest.Script makes.
func packetsFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: packets SCRIPT FILE")
	}
	file, err := capturetest.Script(ts.ReadFile(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), file, 0o644))
}

// tearFile is the script command `tear FILE N TORN`: it writes the file without its last N bytes.
func tearFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: tear FILE N TORN")
	}
	file := ts.ReadFile(args[0])
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(file[:len(file)-n]), 0o644))
}

// packFile is the script command `pack gzip|gzip-torn|zstd FILE PACKED`.
func packFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: pack gzip|gzip-torn|zstd FILE PACKED")
	}
	var packed bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&packed)
	if args[0] == "zstd" {
		w, _ = zstd.NewWriter(&packed)
	}
	_, err := io.WriteString(w, ts.ReadFile(args[1]))
	ts.Check(errors.Join(err, w.Close()))
	if args[0] == "gzip-torn" {
		packed.Truncate(packed.Len() - 4)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), packed.Bytes(), 0o644))
}
