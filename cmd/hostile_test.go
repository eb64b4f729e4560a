package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kind4/cmd/live/hostile"
	"kind4/decode"
)

// hostileFlags are of every command that meets a hostile peer.
var hostileFlags = []string{"tail", "-o", "json", "--events", "--max-size", fmt.Sprint(hostile.MaxSize)}

// Everything that a provider may do wrong, and what the command makes of it: its findings and its exit code.
func TestHostileProviderExit(t *testing.T) {
	for _, c := range hostile.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			attacked := &commanded{t: t}
			attacked.run(append(hostileFlags, "-l", "127.0.0.1:0", "--once", "--first-exchange", "none"), func(address string) {
				requests := openRaw(t, address, "/requests")
				ask := make([]byte, 2+5) // of an unmasked frame
				if _, err := io.ReadFull(requests, ask); err != nil {
					t.Error(err)
				}
				provider := openRaw(t, address, fmt.Sprintf("/mcp/notifications/%d", ask[5]))
				playOut(provider, c.Bytes(true))
				io.ReadFull(requests, make([]byte, 1)) // kind4's Close
				requests.Close()
			})
			attacked.check(&c, c.Findings)
		})
	}
}

// The same from a proxy that tail dials.
func TestHostileProxyExit(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range hostile.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				socket, err := l.Accept()
				if err != nil {
					return
				}
				key := ""
				for in := bufio.NewScanner(socket); in.Scan() && in.Text() != ""; {
					if name, value, _ := strings.Cut(in.Text(), ": "); name == "Sec-WebSocket-Key" {
						key = value
					}
				}
				sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) // RFC 6455 section 4.2.2
				fmt.Fprintf(socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
					base64.StdEncoding.EncodeToString(sum[:]))
				playOut(socket, c.Bytes(false))
			}()
			attacked := &commanded{t: t}
			attacked.run(append(hostileFlags, "ws://"+l.Addr().String()+toolNotifications), nil)
			<-done
			attacked.check(&c, slices.DeleteFunc(slices.Clone(c.Findings), func(code decode.Code) bool { return code == decode.NotServed })) // there is no ask
		})
	}
}

// playOut sends everything and the end, and reads what kind4 sends to its end.
func playOut(socket net.Conn, b []byte) {
	socket.SetDeadline(time.Now().Add(scenarioPatience))
	socket.Write(b) // fails where kind4 closed in the middle of it
	socket.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, socket)
	socket.Close()
}

// openRaw opens a path of the stand-in proxy's.
func openRaw(t *testing.T, address, path string) net.Conn {
	t.Helper()
	socket, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	socket.SetDeadline(time.Now().Add(scenarioPatience))
	io.WriteString(socket, upgradeRequest(path))
	var answer []byte
	for b := make([]byte, 1); !bytes.HasSuffix(answer, []byte("\r\n\r\n")); answer = append(answer, b...) {
		if _, err := socket.Read(b); err != nil {
			t.Fatalf("%q and %v", answer, err)
		}
	}
	if !strings.HasPrefix(string(answer), "HTTP/1.1 101 ") {
		t.Fatalf("answer %q", answer)
	}
	return socket
}

func upgradeRequest(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
}

// commanded is one run of kind4 in this process.
type commanded struct {
	t      *testing.T
	stdout bytes.Buffer
	code   int
}

// run runs kind4 while play, where there is one, plays against the address that it listens on.
func (r *commanded) run(args []string, play func(address string)) {
	r.t.Helper()
	read, stderr := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stderr.Close()
		r.code = Run(append([]string{"kind4"}, args...), strings.NewReader(""), &r.stdout, stderr)
	}()
	lines := bufio.NewScanner(read)
	for play != nil && lines.Scan() {
		if _, address, listening := strings.Cut(lines.Text(), "listening on ws://"); listening {
			go io.Copy(io.Discard, read)
			play(address)
			play = nil
		}
	}
	io.Copy(io.Discard, read)
	<-done
}

// shownEvent is what the test looks at in an object of -o json --events.
type shownEvent struct {
	Path     string
	Findings []struct{ Code string }
}

// check compares what came with the findings and the exit code that the case has.
func (r *commanded) check(c *hostile.Case, expected []decode.Code) {
	r.t.Helper()
	var findings, want []string
	for _, code := range expected {
		want = append(want, code.String())
	}
	for line := range strings.Lines(r.stdout.String()) {
		var e shownEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			r.t.Fatalf("%v in %.300q", err, line)
		}
		if e.Path != pathRequests {
			for _, finding := range e.Findings {
				findings = append(findings, finding.Code)
			}
		}
	}
	if diff := cmp.Diff(want, findings); diff != "" {
		r.t.Errorf("findings: %s", diff)
	}
	if r.code != c.Exit {
		r.t.Errorf("exit code %d, want %d", r.code, c.Exit)
	}
}
