package cmd

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kind4/cmd/live"
)

// lockstep is what a tail and a provide that dials it printed, and how they exited.
type lockstep struct {
	tailCode, code       int
	out, tailErr, stderr string
}

// provideTo runs kind4 tail with the flags and, against it, kind4 provide with URL and args.
func provideTo(t *testing.T, flags []string, args ...string) lockstep {
	t.Helper()
	var l lockstep
	var out, tailErr, stderr bytes.Buffer
	lines, w := io.Pipe()
	tailed := make(chan struct{})
	go func() {
		defer close(tailed)
		defer w.Close()
		argv := append([]string{"kind4", "tail", "-l", "127.0.0.1:0"}, flags...)
		l.tailCode = Run(argv, strings.NewReader(""), &out, w)
	}()
	in := bufio.NewReader(lines)
	first, err := in.ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(first), "listening on ")
	if err != nil || !found {
		t.Fatalf("tail began with %q and %v", first, err)
	}
	copied := make(chan struct{})
	go func() { defer close(copied); io.Copy(&tailErr, in) }()
	l.code = Run(append([]string{"kind4", "provide", url}, args...), strings.NewReader(""), &out, &stderr)
	<-tailed
	<-copied
	l.out, l.tailErr, l.stderr = out.String(), tailErr.String(), stderr.String()
	return l
}

func writeFile(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "messages")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const twoNotifications = `{"method":"notifications/tools/list_changed"}` + "\n" + `{"method":"notifications/prompts/list_changed"}` + "\n"

// Each fault, against kind4's own stand-in proxy, provokes the finding that the table promises, and is told of by
// provide, which exits with 0.
func TestFaultsProvokeTheirFindings(t *testing.T) {
	for _, f := range live.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			l := provideTo(t, []string{"--once", "-o", "json", "--events", "--fail-on", "never"},
				"--untagged", "--fault", f.Name, writeFile(t, twoNotifications))
			want, said := `"code":"`+f.Finding.String()+`"`, f.Finding.String()+": "
			switch {
			case strings.HasPrefix(f.Seen, "a refusal, "):
				want = `"status":` + strings.TrimPrefix(f.Seen, "a refusal, ")
				said = want
			case f.Finding == 0:
				want = `"outcome":"died"`
				said = want
			}
			if !strings.Contains(l.out, want) && !strings.Contains(l.tailErr, said) {
				t.Errorf("no %s in\n%.3000s\n%.3000s", want, l.out, l.tailErr)
			}
			if l.code != exitOK {
				t.Errorf("provide exited with %d:\n%s", l.code, l.stderr)
			}
		})
	}
}

// What provide sends of a record is what the record holds, and provide's own record holds it again.
func TestProvideSendsWhatWasRecorded(t *testing.T) {
	dir := t.TempDir()
	first, second, sent := filepath.Join(dir, "first"), filepath.Join(dir, "second"), filepath.Join(dir, "sent")
	Run([]string{"kind4", "tail", "--demo", "-q", "-w", first}, strings.NewReader(""), io.Discard, io.Discard)
	l := provideTo(t, []string{"--once", "-o", "lp32", "-w", second}, "-w", sent, "--speed", "max", first)
	if l.code != exitOK || l.tailCode != exitFindings {
		t.Errorf("codes %d and %d\n%s", l.code, l.tailCode, l.stderr)
	}
	want := decoded(t, first)
	if len(want) < 1000 || l.out != want {
		t.Errorf("the proxy got %d bytes, the record holds %d", len(l.out), len(want))
	}
	for _, name := range []string{second, sent} {
		if got := decoded(t, name); got != want {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(want))
		}
	}
}

// decoded returns a capture's messages as lp32.
func decoded(t *testing.T, name string) string {
	t.Helper()
	var out bytes.Buffer
	Run([]string{"kind4", "decode", "-q", "-o", "lp32", name}, strings.NewReader(""), &out, io.Discard)
	return out.String()
}

// A record keeps its own times: the demo's last message comes most of a second behind its first.
func TestProvideKeepsTheTimesOfARecord(t *testing.T) {
	name := filepath.Join(t.TempDir(), "record")
	Run([]string{"kind4", "tail", "--demo", "-q", "-w", name}, strings.NewReader(""), io.Discard, io.Discard)
	for _, test := range []struct {
		speed string
		from  float64 // seconds
	}{{"1", 0.5}, {"4", 0.12}} {
		started := time.Now()
		l := provideTo(t, []string{"--once"}, "--speed", test.speed, name)
		if took := time.Since(started).Seconds(); took < test.from || l.code != exitOK {
			t.Errorf("speed %s: %v s, code %d\n%s", test.speed, took, l.code, l.stderr)
		}
	}
}

// cutRecord is a record with a message of another path, a whole one, and one that was too long for it.
const cutRecord = `{"kind4_record":"1.0"}
{"time":1,"event":"message","path":"/requests","opcode":2,"fragments":1,"size":3,"data":"AHt9"}
{"time":2,"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,"fragments":1,"size":15,"data":"AHsibWV0aG9kIjoieCJ9"}
{"time":3,"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,"fragments":1,"size":100,"data":"AHt9"}
`

func TestProvideExitCodes(t *testing.T) {
	good := writeFile(t, twoNotifications)
	for _, test := range []struct {
		name     string
		tail     []string
		args     []string
		code     int
		tailCode int
		line     string
	}{
		{"served", []string{"--once"}, []string{"--untagged", good}, 0, 0,
			"kind4: /mcp/notifications/2 served: close 1000 after 2 messages\n"},
		{"repeated", []string{"--once"}, []string{"--untagged", good, "--repeat", "3", "--rate", "1000/s"}, 0, 0,
			"served: close 1000 after 6 messages\n"},
		{"error", []string{"--once"}, []string{"--untagged", good, "--end", "error", "--error=-32001", "--message", "gone"}, 0, 5,
			"failed, as asked: close 1000 after 3 messages\n"},
		{"abort", []string{"--once"}, []string{"--untagged", good, "--end", "abort"}, 0, 7, "aborted after 2 messages\n"},
		{"hold", []string{"-n", "2"}, []string{"--untagged", good, "--end", "hold"}, 0, 0,
			"closed by the proxy: close 1000 after 2 messages\n"},
		{"forever", []string{"-n", "5"}, []string{"--untagged", good, "--repeat", "forever", "--rate", "1000"}, 0, 0,
			"closed by the proxy: close 1000 after "},
		{"hold until the time is up", []string{"--once"}, []string{"--untagged", good, "--end", "hold", "--timeout", "0.3"}, 0, 0,
			"served: close 1000 after 2 messages\n"},
		{"time", []string{"--once"}, []string{"--untagged", good, "--rate", "0.1", "--timeout", "0.3"}, 124, 0,
			"ended by kind4: close 1001 after 1 message, before everything was sent\n"},
		{"cut short by the proxy", []string{"-n", "1"}, []string{"--untagged", good, "--rate", "0.1"}, 7, 0,
			"closed by the proxy before everything was sent: close 1000 after 1 message\n"},
		{"nothing to send", []string{"--once"}, []string{"--untagged", writeFile(t, "\n")}, 4, 4,
			"not served: close 1000 and no message\n"},
		{"broken file", []string{"--once"}, []string{"--input", "lp32", writeFile(t, "\x00\x00\x00\x01\x00\x00\x00")}, 1, 6,
			"the input ends 2 of 4 bytes into a length"},
		{"line too long", []string{"--once"}, []string{"--untagged", "--max-size", "60", writeFile(t, twoNotifications+
			`{"method":"notifications/`+strings.Repeat("x", 61)+"\"}\n")},
			1, 0, "message 3 has 89 bytes, more than --max-size, and is not sent\n"},
		{"log", []string{"--once"}, []string{"--untagged", writeFile(t, "started\n"+twoNotifications+`{"jsonrpc":"2.0","id":1,"result":{}}`)}, 0, 0,
			"2 notifications; skipped 1 response, 1 other line\n"},
		{"event stream", []string{"--once"}, []string{"--untagged", writeFile(t, "event: message\ndata: "+strings.ReplaceAll(twoNotifications, "\n", "\n\ndata: ")+"\n")}, 0, 0,
			"served: close 1000 after 2 messages\n"},
		{"cut in the record", []string{"--once"}, []string{writeFile(t, cutRecord)}, 1, 0,
			"message 2 was cut when it was recorded, and cannot be sent: 3 of its 100 bytes are there\n"},
		{"answer", []string{"--once", "-v"}, []string{"--untagged", good, "--answer", "list-tools=[1,2]"}, 0, 0,
			"/mcp/list-tools/1 answered: 6 bytes\n"},
		{"reconnect", []string{"-n", "6"}, []string{"--untagged", good, "--reconnect", "--paths", "3"}, 0, 0,
			"kind4: /mcp/notifications/4 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := provideTo(t, test.tail, test.args...)
			if l.code != test.code || l.tailCode != test.tailCode || !strings.Contains(l.stderr, test.line) {
				t.Errorf("provide exited with %d and tail with %d, want %d and %d, and the line %q in\n%s\n%s",
					l.code, l.tailCode, test.code, test.tailCode, test.line, l.stderr, l.tailErr)
			}
		})
	}
}
