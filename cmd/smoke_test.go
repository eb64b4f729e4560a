package cmd

import (
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

// smokeMessages, when set, makes the test binary a provider: it dials KIND4_URL and sends these messages, in hex.
const smokeMessages = "KIND4_TEST_MESSAGES"

// TestSmokeProvider is no test but the provider that TestSmoke runs in a process of its own.
func TestSmokeProvider(t *testing.T) {
	messages, ok := os.LookupEnv(smokeMessages)
	if !ok {
		t.Skip("only in a process that TestSmoke starts")
	}
	url := os.Getenv("KIND4_URL")
	requests := dialPath(t, url+"/requests")
	for range 2 {
		if _, _, err := requests.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
	path := dialPath(t, url+"/mcp/notifications/2")
	for _, message := range strings.Fields(messages) {
		data, err := hex.DecodeString(message)
		if err != nil {
			t.Fatal(err)
		}
		if err := path.WriteMessage(websocket.BinaryMessage, data); err != nil {
			t.Fatal(err)
		}
	}
	normal := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := path.WriteMessage(websocket.CloseMessage, normal); err != nil {
		t.Fatal(err)
	}
	for {
		if _, _, err := path.ReadMessage(); err != nil {
			return
		}
	}
}

func dialPath(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

const (
	smokeGood = "007b226d6574686f64223a226e6f74696669636174696f6e732f746f6f6c732f6c6973745f6368616e676564227d" // tools/list_changed
	smokeBad  = "7b7d"
)

func TestSmoke(t *testing.T) {
	bash := needsTool(t, "bash")
	provider := []string{os.Args[0], "-test.run=^TestSmokeProvider$"}
	for _, test := range []struct {
		name     string
		flags    string
		command  []string
		messages string
		code     int
		out      string // a part of standard output
		err      string // a part of standard error
	}{
		{"complete", "", provider, smokeGood, 0, "notifications/tools/list_changed", "complete: close 1000 after 1 message"},
		{"undecodable", "", provider, smokeBad, 6, "unknown tag", ""},
		{"not served", "", provider, "", 4, "", "not served"},
		{"count", "-n 1 -o line", provider, smokeGood + " " + smokeBad, 0, "changed", ""},
		{"expected", "--expect notifications/tools/list_changed", provider, smokeGood, 0, "", ""},
		{"missing", "--expect progress", provider, smokeGood, 4, "", "progress"},
		{"command fails", "", []string{"sh", "-c", `"$0" "$1"; exit 9`, provider[0], provider[1]}, smokeGood, 0, "",
			"smoke: the command failed, code 9"},
		{"nobody dials", "", []string{"true"}, "", 143, "", "listening on ws://127.0.0.1:"},
		{"time", "--timeout 0.2", []string{"sleep", "60"}, "", 124, "", ""},
		{"wrong flag", "--tiemout 1", []string{"true"}, "", 2, "", "--timeout"},
		{"quiet", "-q --timeout 0.1", []string{"true"}, "", 2, "", "would keep kind4 from saying"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{filepath.Join("..", "scripts", "smoke")}, strings.Fields(test.flags)...)
			run := exec.Command(bash, append(append(args, "--"), test.command...)...)
			var out, err strings.Builder
			run.Stdout, run.Stderr = &out, &err
			run.Env = append(os.Environ(), smokeMessages+"="+test.messages, "SMOKE_GRACE=1", "KIND4=")
			got := exitCode(t, run.Run())
			if got != test.code || !strings.Contains(out.String(), test.out) || !strings.Contains(err.String(), test.err) {
				t.Errorf("exit code %d, want %d; %q and %q expected in\n%s\n%s", got, test.code, test.out, test.err, &out, &err)
			}
		})
	}
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	t.Fatal(err)
	return -1
}

func TestSmokeWithoutCommand(t *testing.T) {
	bash := needsTool(t, "bash")
	out, err := exec.Command(bash, filepath.Join("..", "scripts", "smoke"), "-n", "3").CombinedOutput()
	if code := exitCode(t, err); code != 2 || !strings.Contains(string(out), "usage: scripts/smoke") {
		t.Errorf("exit code %d, want 2, and %s", code, out)
	}
}
