package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal so many columns wide.
func openTerminal(t testing.TB, width int) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)})); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return master, terminal
}

// command is kind4 in an environment with these variables changed; an empty value unsets one.
func command(variables map[string]string, args ...string) *exec.Cmd {
	cmd := exec.Command("kind4", args...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		_, changed := variables[name]
		return changed
	})
	for name, value := range variables {
		if value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0", "TZ=UTC")
	return cmd
}

// onTerminal runs kind4 on a terminal, and returns what comes out of it and the exit code. Beside, where it is not nil, is
// standard output in its place.
func onTerminal(t *testing.T, width int, variables map[string]string, beside *os.File, args ...string) (string, int) {
	t.Helper()
	master, terminal := openTerminal(t, width)
	cmd := command(variables, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	if beside != nil {
		cmd.Stdout = beside
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	timer := time.AfterFunc(scenarioPatience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var out bytes.Buffer
	io.Copy(&out, master) // fails once nobody has the terminal any more
	cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}

var demoRecord = filepath.Join("testdata", "packets", "demo.pcapng")

// Where the line that changes is shown, and where colour and movements of the cursor are.
func TestTerminalLooks(t *testing.T) {
	read, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close(); pipe.Close() })
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	for _, c := range []struct {
		name   string
		term   string
		beside *os.File
		flags  string
		line   bool
		escape bool
	}{
		{"terminal", "xterm", nil, "", true, true},
		{"file", "xterm", null, "", true, true},
		{"pipe", "xterm", pipe, "", false, true},
		{"always", "xterm", pipe, "--status always", true, true},
		{"never", "xterm", nil, "--status never", false, true},
		{"quiet", "xterm", nil, "-q", false, true},
		{"dumb", "dumb", nil, "", false, false},
		{"dumb, always", "dumb", nil, "--status always", false, false},
		{"no TERM", "", nil, "", false, false},
		{"no colour", "xterm", nil, "--status never --color never", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"tail", "-l", "127.0.0.1:0", "--demo", "-o", "line"}, strings.Fields(c.flags)...)
			out, _ := onTerminal(t, 80, map[string]string{"TERM": c.term, "LC_ALL": "C.UTF-8", "NO_COLOR": ""}, c.beside, args...)
			if line := strings.Contains(out, openLine); line != c.line {
				t.Errorf("a line that changes: %t, want %t", line, c.line)
			}
			if escape := strings.Contains(out, "\x1b"); escape != c.escape && c.beside == nil {
				t.Errorf("escape sequences: %t, want %t: %q", escape, c.escape, out)
			}
			if last := out[strings.LastIndex(out, "\n")+1:]; c.flags != "-q" && c.escape && last != "" {
				t.Errorf("%q is left on the terminal", last)
			}
		})
	}
}

// In a locale that is not UTF-8 nothing beyond ASCII reaches a terminal.
func TestTerminalASCII(t *testing.T) {
	for _, locale := range []string{"C", "POSIX", "de_DE.ISO-8859-1", "C.UTF-8"} {
		for _, form := range []string{"pretty", "line", "json", "hex", "payload"} {
			out, _ := onTerminal(t, 300, map[string]string{"LC_ALL": locale, "TERM": "xterm"}, nil, "decode", "--summary", "-v", "-o", form, demoRecord)
			i := strings.IndexFunc(out, func(r rune) bool { return r > 0x7f })
			if utf8 := locale == "C.UTF-8" && form != "hex"; (i >= 0) != utf8 {
				t.Errorf("%s, %s: beyond ASCII at %d of %q", locale, form, i, out)
			}
			if form != "hex" && locale != "C.UTF-8" && !strings.Contains(out, `gr\u00f6\u00dfe`) {
				t.Errorf("%s, %s: the text is lost: %s", locale, form, out)
			}
		}
	}
	for _, args := range [][]string{{"explain"}, {"explain", "7"}, {"explain", "unsafe-integer"}, {"tail", "--help"}} {
		if out, code := onTerminal(t, 80, map[string]string{"LC_ALL": "C"}, nil, args...); code != 0 || strings.IndexFunc(out, func(r rune) bool { return r > 0x7f }) >= 0 {
			t.Errorf("%q: exit code %d, %q", args, code, out)
		}
	}
}

// A terminal of whatever width shows every message, in every form.
func TestTerminalWidths(t *testing.T) {
	for _, width := range []int{0, 1, 2, 10, 10_000} {
		for _, form := range []string{"pretty", "line", "hex"} {
			t.Run(fmt.Sprint(form, width), func(t *testing.T) {
				t.Parallel()
				out, code := onTerminal(t, width, map[string]string{"TERM": "xterm", "LC_ALL": "C.UTF-8"}, nil, "tail", "-l", "127.0.0.1:0", "--demo", "-o", form)
				if code != 0 || !strings.Contains(out, "kind4: 21 messages on 1 path in ") {
					t.Errorf("exit code %d: %q", code, out)
				}
				if shown := strings.Contains(out, openLine); shown != (width >= 10) {
					t.Errorf("a line that changes: %t", shown)
				}
			})
		}
	}
}

// Whatever ends a session, the line is gone.
func TestTerminalSignals(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupt, syscall.SIGTERM: exitTerminate, syscall.SIGHUP: exitTerminate} {
		master, terminal := openTerminal(t, 80)
		cmd := command(map[string]string{"TERM": "xterm"}, "tail", "-l", "127.0.0.1:0", "--no-summary")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		awaitShown(t, master, "no message yet")
		cmd.Process.Signal(signal)
		out, _ := io.ReadAll(master) // fails once nobody has the terminal any more
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != want || !bytes.HasSuffix(out, []byte(eraseLine)) {
			t.Errorf("%v: exit code %d, want %d; at the end came %q", signal, code, want, out)
		}
	}
}

// awaitShown reads what a terminal gets until it has that text.
func awaitShown(t *testing.T, master *os.File, text string) {
	t.Helper()
	for out := []byte{}; !bytes.Contains(out, []byte(text)); {
		b := make([]byte, 1000)
		n, err := master.Read(b)
		if out = append(out, b[:n]...); err != nil {
			t.Fatalf("%v after %q", err, out)
		}
	}
}

// Who loses the terminal ends as if a signal had said so, and quietly.
func TestTerminalGone(t *testing.T) {
	t.Run("controlling", func(t *testing.T) {
		master, terminal := openTerminal(t, 80)
		cmd := command(map[string]string{"TERM": "xterm"}, "tail", "-l", "127.0.0.1:0")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		awaitShown(t, master, "no message yet")
		master.Close()
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitTerminate {
			t.Errorf("exit code %d, want %d", code, exitTerminate)
		}
	})
	t.Run("another", func(t *testing.T) {
		master, terminal := openTerminal(t, 80)
		cmd := command(map[string]string{"TERM": "xterm"}, "decode", "--input", "hex-lines", "-o", "line")
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = terminal, &said
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		terminal.Close()
		message := fmt.Sprintf("00%x\n", `{"method":"shown"}`)
		io.WriteString(in, message)
		if _, err := io.ReadFull(master, make([]byte, len("shown"))); err != nil {
			t.Fatal(err)
		}
		master.Close()
		io.WriteString(in, message)
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitTerminate || said.Len() > 0 {
			t.Errorf("exit code %d, want %d; said %q", code, exitTerminate, &said)
		}
	})
}

// A pipe that another process makes non-blocking, before or while it is written to, costs nothing of what is written.
func TestNonBlockingOutput(t *testing.T) {
	const messages = 20_000
	input := filepath.Join(t.TempDir(), "input")
	line := fmt.Sprintf("00%x\n", `{"method":"m","params":{"x":"`+strings.Repeat("y", 50)+`"}}`)
	if err := os.WriteFile(input, bytes.Repeat([]byte(line), messages), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := command(nil, "decode", "-o", "payload", input).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, after := range map[string]int{"from the start": 0, "while it is full": 1} {
		t.Run(name, func(t *testing.T) {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer read.Close()
			unblock := func() {
				if err := unix.SetNonblock(int(write.Fd()), true); err != nil {
					t.Error(err)
				}
			}
			if after == 0 {
				unblock()
			}
			cmd := exec.Command("kind4", "decode", "-o", "payload", input)
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = write, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, after)
			if _, err := io.ReadFull(read, got); err != nil {
				t.Fatal(err)
			}
			unblock()
			write.Close()
			rest, err := io.ReadAll(read)
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, rest...); !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want %d", len(got), len(want))
			}
			if err := cmd.Wait(); err != nil || said.Len() > 0 {
				t.Errorf("%v, %q", err, &said)
			}
		})
	}
}

// What goes to a file never passes the line; what goes to its terminal does.
func TestLastLineAround(t *testing.T) {
	t.Setenv("TERM", "xterm")
	_, terminal := openTerminal(t, 80)
	file := &bytes.Buffer{}
	env := &environment{out: file, err: terminal}
	if below := newLastLine(env, &showOptions{}).around(env); below.out != io.Writer(file) {
		t.Errorf("messages to a file go through %T", below.out)
	}
	env.out = terminal
	if below := newLastLine(env, &showOptions{}).around(env); lastLineOf(below.out) == nil {
		t.Errorf("messages to the terminal go through %T", below.out)
	}
}

// BenchmarkLastLine measures a message of 200 bytes on a terminal, above the line and without one.
func BenchmarkLastLine(b *testing.B) {
	for _, shown := range []bool{false, true} {
		b.Run(fmt.Sprint(shown), func(b *testing.B) {
			b.Setenv("TERM", "xterm")
			master, terminal := openTerminal(b, 80)
			go io.Copy(io.Discard, master)
			env := &environment{out: terminal, err: terminal}
			line := newLastLine(env, &showOptions{})
			if shown {
				line.draw(func(int) string { return strings.Repeat("x", 70) })
			}
			out := line.around(env).out
			message := []byte(strings.Repeat("y", 199) + "\n")
			for b.Loop() {
				out.Write(message)
			}
		})
	}
}
