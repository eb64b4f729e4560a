//go:build unix

package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shellRun runs a shell's command line in a directory that has the message "message", and returns what it wrote and the
// exit code.
func shellRun(t *testing.T, line string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TZ=UTC", "GORACE=atexit_sleep_ms=0")
	if err := os.WriteFile(filepath.Join(cmd.Dir, "message"), []byte("\x00"+`{"method":"m"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.Run()
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

const devFull = "/dev/full"

// Whatever writes to a full standard output says so on one line, and fails.
func TestFullOutput(t *testing.T) {
	if _, err := os.Stat(devFull); err != nil {
		t.Skip(err)
	}
	const full = "kind4: cannot write standard output: no space left on device\n"
	for _, args := range []string{
		"tail -q -l 127.0.0.1:0 --demo", "tail -q -l 127.0.0.1:0 --demo -w -", "tail -q -l 127.0.0.1:0 --demo -o json --events",
		"decode message", "decode message message", "decode -o line message", "decode -o json message", "decode -o hex message",
		"decode -o raw message", "decode -o lp32 message", "decode -o payload message", "decode -w - message", "decode < message",
		"encode --method m", "encode --empty -f hex", "encode --empty -f lp32", "ask", "ask -f hex", "ask --decode message",
		"explain", "explain 6", "explain unknown-tag", "completion bash", "completion zsh", "completion fish",
		"--help", "tail --help", "--version",
	} {
		if _, stderr, code := shellRun(t, "exec kind4 "+args+" > "+devFull); code != exitOperation || !onlyAfter(stderr, full) {
			t.Errorf("%s: exit code %d: %q", args, code, stderr)
		}
	}
	_, stderr, code := shellRun(t, "exec kind4 decode -w "+devFull+" message")
	if want := "kind4: cannot write the record \"/dev/full\": no space left on device; what comes from here on is not recorded\n"; code != exitOperation || stderr != want {
		t.Errorf("a full record: exit code %d: %q", code, stderr)
	}
}

// onlyAfter reports whether text is one line, behind what says how many messages there still were.
func onlyAfter(text, line string) bool {
	return text == line || strings.HasPrefix(text, line) && strings.Count(text, "\n") == 2 && strings.Contains(text, " had arrived and ")
}

// A standard stream that is closed, full or gone costs nothing of the others, and nothing that is opened later takes its
// place.
func TestClosedStreams(t *testing.T) {
	const message = "#1  custom  m  15 B\n"
	for _, c := range []struct {
		line   string
		code   int
		stdout string // its start
		stderr string
	}{
		{"exec kind4 decode -q message >&-", 0, "", ""},
		{"kind4 decode -q -w record message >&- 2>&-; kind4 decode -q record", 0, message, ""},
		{"kind4 decode -w record message <&- >&- 2>&-; kind4 decode -q record", 0, message, ""},
		{"exec kind4 encode --empty >&-", 0, "", ""},
		{"exec kind4 --version >&-", 0, "", ""},
		{"exec kind4 decode <&-", exitTooLittle, "", "kind4: standard input: no bytes at all came; an empty message is written as an empty line of hex-lines, or as no bytes with --input raw\nkind4: exit 4: no message came\n"},
		{"exec kind4 decode message <&-", 0, message, ""},
		{"exec kind4 decode message 2>&-", 0, message, ""},
		{"exec kind4 decode --summary missing message 2>&-", exitOperation, message, ""},
		{"exec kind4 decode --summary missing message 2>" + devFull, exitOperation, message, ""},
		{"exec kind4 tail -l 127.0.0.1:0 --demo --fail-on never 2>&-", exitOK, "#1 ", ""},
		{"{ kind4 decode --summary missing message; echo $? >&2; } 2>&1 >/dev/null | grep -x 1", 0, "1\n", ""},
		{"{ kind4 decode message message message; echo $? >&2; } | head -c 1", 0, "#", "0\n"},
		{"ulimit -f 8; exec kind4 decode --input raw -o hex \"$(command -v kind4)\" > out", exitOperation, "", "kind4: cannot write standard output: file too large\n"},
	} {
		if strings.Contains(c.line, devFull) {
			if _, err := os.Stat(devFull); err != nil {
				continue
			}
		}
		stdout, stderr, code := shellRun(t, c.line)
		if code != c.code || !strings.HasPrefix(stdout, c.stdout) || stderr != c.stderr {
			t.Errorf("%s: exit code %d, %q, %q", c.line, code, stdout, stderr)
		}
	}
}
