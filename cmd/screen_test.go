//go:build unix

package cmd

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// tmuxPane is a shell on a terminal of tmux's.
type tmuxPane struct {
	t      *testing.T
	tmux   string
	socket string
}

const tmuxPrompt = "ready:"

// newPane starts a shell in a tmux of its own.
func newPane(t *testing.T, width, height int) *tmuxPane {
	t.Helper()
	dir, err := os.MkdirTemp("", "pane") // a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &tmuxPane{t: t, tmux: needsTool(t, "tmux"), socket: filepath.Join(dir, "socket")}
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("TZ", "UTC")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	p.run("-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "exec env PS1="+tmuxPrompt+" bash --norc --noprofile")
	t.Cleanup(func() { p.run("kill-server") })
	p.await("a prompt", func(screen []string) bool { return len(screen) == 1 })
	return p
}

func (p *tmuxPane) run(args ...string) string {
	p.t.Helper()
	out, err := exec.Command(p.tmux, append([]string{"-u", "-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// command types a command.
func (p *tmuxPane) command(format string, args ...any) {
	p.t.Helper()
	p.run("send-keys", "-l", fmt.Sprintf(format, args...))
	p.run("send-keys", "Enter")
}

func (p *tmuxPane) resize(width, height int) {
	p.t.Helper()
	p.run("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// screen returns what the terminal shows, without the empty lines at its end; with history, what has scrolled off it
// too.
func (p *tmuxPane) screen(history bool) []string {
	p.t.Helper()
	args := []string{"capture-pane", "-p"}
	if history {
		args = append(args, "-J", "-S", "-")
	}
	text := strings.TrimRight(p.run(args...), "\n")
	return strings.Split(text, "\n")
}

// await returns the screen once it is as told.
func (p *tmuxPane) await(what string, is func(screen []string) bool) []string {
	p.t.Helper()
	var screen []string
	for deadline := time.Now().Add(scenarioPatience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if screen = p.screen(false); is(screen) {
			return screen
		}
	}
	p.t.Fatalf("no %s on the screen:\n%s", what, strings.Join(screen, "\n"))
	return nil
}

// awaitLast waits until the last line is as told, and checks that there is no other of its kind.
func (p *tmuxPane) awaitLast(pattern string) {
	p.t.Helper()
	re := regexp.MustCompile("^(?:" + pattern + ")$")
	p.checkAbove(p.await("line "+pattern+" at the end", func(screen []string) bool { return re.MatchString(screen[len(screen)-1]) }))
}

// checkAbove checks that the line that changes is nowhere but at the end.
func (p *tmuxPane) checkAbove(screen []string) {
	p.t.Helper()
	for _, line := range screen[:len(screen)-1] {
		if lastLineWords.MatchString(line) {
			p.t.Errorf("%q stands above the last line:\n%s", line, strings.Join(screen, "\n"))
		}
	}
}

// lastLineWords is what only the line that changes has in it.
var lastLineWords = regexp.MustCompile(` open paths?|no message yet|last \d+ s ago|[█░]|\d %`)

// awaitPrompt waits for the shell, and checks that the line that changes is gone.
func (p *tmuxPane) awaitPrompt() {
	p.t.Helper()
	screen := p.await("prompt at the end", func(screen []string) bool {
		last := screen[len(screen)-1]
		return strings.HasPrefix(last, tmuxPrompt) && !strings.Contains(last, "kind4")
	})
	if last := screen[len(screen)-1]; last != tmuxPrompt {
		p.t.Errorf("behind the prompt: %q", last)
	}
	p.checkAbove(screen)
}

// listening returns the address that the command on the screen says it listens on.
func (p *tmuxPane) listening() string {
	p.t.Helper()
	re := regexp.MustCompile(`listening on ws://(127\.0\.0\.1:\d+)`)
	screen := strings.Join(p.await("address", func(screen []string) bool { return re.MatchString(strings.Join(screen, "\n")) }), "\n")
	return re.FindStringSubmatch(screen)[1]
}

// paneProvider is a provider that has opened its notification path.
type paneProvider struct {
	t              *testing.T
	requests, path *websocket.Conn
}

func providePane(t *testing.T, address string) *paneProvider {
	t.Helper()
	dial := func(path string) *websocket.Conn {
		conn, _, err := websocket.DefaultDialer.Dial("ws://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	requests := dial("/requests")
	if _, _, err := requests.ReadMessage(); err != nil { // what is read of it answers pings and Closes
		t.Fatal(err)
	}
	_, ask, err := requests.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	path := dial(fmt.Sprintf("/mcp/notifications/%d", ask[0]|ask[1]|ask[2]|ask[3]))
	for _, conn := range []*websocket.Conn{requests, path} {
		go io.Copy(io.Discard, readerOf(conn))
	}
	return &paneProvider{t, requests, path}
}

// readerOf reads a connection's messages to its end.
func readerOf(conn *websocket.Conn) io.Reader {
	return readFunc(func([]byte) (int, error) {
		_, _, err := conn.ReadMessage()
		return 0, err
	})
}

type readFunc func(b []byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

func (p *paneProvider) send(format string, args ...any) {
	p.t.Helper()
	if err := p.path.WriteMessage(websocket.BinaryMessage, fmt.Appendf([]byte{0}, format, args...)); err != nil {
		p.t.Fatal(err)
	}
}

// The last line of a session on a terminal: there, changing, never among the messages, as wide as there is room, away
// while the session is stopped, and gone at its end.
func TestStatusLine(t *testing.T) {
	p := newPane(t, 90, 12)
	p.command("clear; kind4 tail -l 127.0.0.1:0 -o line -t none")
	p.awaitLast(`kind4: 0 messages  0/s  no findings  0 open paths  no message yet`)
	provider := providePane(t, p.listening())
	provider.send(`{"method":"first"}`)
	p.awaitLast(`kind4: 1 message  \d+/s  no findings  1 open path  last 0 s ago`)
	p.awaitLast(`kind4: 1 message  0/s  no findings  1 open path  last [3-9] s ago`) // silence counts up, the rate down

	const many = 2000
	for i := range many {
		provider.send(`{"method":"many","params":{"number":%d}}`, i)
	}
	provider.send(`x`) // does not decode
	p.awaitLast(`kind4: 2002 messages  \d+/s  1 error  1 open path  last \d s ago`)
	p.checkMany(many)

	for width, line := range map[int]string{
		60:  `kind4: 2002 messages  1 error  1 open path  last \d+ s ago`,
		50:  `kind4: 2002 messages  1 error  last \d+ s ago`,
		40:  `kind4: 2002 messages  last \d+ s ago`,
		22:  `kind4: 2002 messages`,
		15:  `kind4: 2002 m…`,
		200: `kind4: 2002 messages  \d+/s  1 error  1 open path  last \d+ s ago`,
	} {
		p.resize(width, 12)
		p.awaitLast(line)
	}
	for _, width := range []int{5, 1} {
		p.resize(width, 12)
		p.await("screen without the line", func(screen []string) bool { return !strings.HasPrefix(screen[len(screen)-1], "k") })
	}
	p.resize(100, 12)
	p.awaitLast(`kind4: 2002 messages .*`)

	p.run("send-keys", "C-z")
	p.awaitPrompt()
	p.command("clear; fg")
	p.awaitLast(`kind4: 2002 messages .*`)
	provider.send(`{"method":"after"}`)
	p.awaitLast(`kind4: 2003 messages .*`)

	p.run("send-keys", "C-c")
	p.awaitPrompt()
	if screen := p.screen(false); !slices.ContainsFunc(screen, func(line string) bool { return strings.HasPrefix(line, "kind4: 2003 messages on 1 path in ") }) {
		t.Errorf("no summary:\n%s", strings.Join(screen, "\n"))
	}
}

// checkMany checks that all that scrolled by is the messages, in order, and nothing between them.
func (p *tmuxPane) checkMany(many int) {
	p.t.Helper()
	next := 0
	screen := p.screen(true)
	p.checkAbove(screen)
	for _, line := range screen {
		if want := fmt.Sprintf(`many      {"number":%d}`, next); line == want {
			next++
		} else if 0 < next && next < many {
			p.t.Fatalf("%q where %q is due", line, want)
		}
	}
	if next != many {
		p.t.Errorf("%d messages on the screen, want %d", next, many)
	}
}

// The bar of a long read: there, moving, as wide as there is room, never among the lines about the session, gone at the
// end.
func TestProgressBar(t *testing.T) {
	p := newPane(t, 90, 12)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	const size = 20_000_000
	one := "0000007b" + "00" + fmt.Sprintf("%x", `{"method":"m","params":{"x":"`+strings.Repeat("y", 90)+`"}}`)
	message := make([]byte, len(one)/2)
	fmt.Sscanf(one, "%x", &message)
	message[3] = byte(len(message) - 4)
	file := slices.Repeat(message, size/len(message))
	if err := os.WriteFile(filepath.Join(dir, "large"), file, 0o600); err != nil {
		t.Fatal(err)
	}
	p.command("clear; cd %s", dir)
	for _, how := range []struct{ flags, bar string }{{"large missing", "large"}, {"- < large", ""}} {
		p.command("clear; kind4 decode -o lp32 %s > pipe", how.flags)
		out, err := os.Open(pipe)
		if err != nil {
			t.Fatal(err)
		}
		read := bufio.NewReader(out)
		io.CopyN(io.Discard, read, size/4)
		name := ""
		if how.bar != "" {
			name = "  " + how.bar
		}
		p.awaitLast(`kind4: █████░{15}  2\d %  \S+ MB of 20.0 MB  \S+ [kM]?B/s  \d.* left` + name)
		io.CopyN(io.Discard, read, size/4)
		p.awaitLast(`kind4: █{10,11}░+  5\d %  .*`)
		for width, line := range map[int]string{
			65: `kind4: █+░+  5\d %  \S+ MB of 20.0 MB  \d+ s left`, 45: `kind4: █+░+  5\d %  \d+ s left`, 30: `kind4: █+░+  5\d %`,
			20: `█+░+  5\d %`, 10: ` 5\d %`,
		} {
			p.resize(width, 12)
			p.awaitLast(line)
		}
		p.resize(90, 12)
		p.awaitLast(`kind4: █+░+  5\d %  .*`)
		n, _ := io.Copy(io.Discard, read)
		out.Close()
		if want := int64(len(file) - size/2); n != want-int64(read.Buffered()) {
			t.Errorf("%d bytes after half of them, want %d", n, want)
		}
		p.awaitPrompt()
	}
	p.command("clear; kind4 decode -o lp32 large > pipe")
	out, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p.awaitLast(`kind4: ░+   \d %  .*`)
	p.run("send-keys", "C-c")
	p.awaitPrompt()
}
