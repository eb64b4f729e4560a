package cmd

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kind4/cmd/live"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// rawProxy is a proxy whose bytes are the test's own. It upgrades every path, sends what stands for the path as it is,
// and reads until the connection ends.
type rawProxy struct {
	sends   map[string]string   // by path, behind the upgrade
	answers map[string]string   // by path: sent in front of the answer to the upgrade
	refuses map[string]string   // by path: sent in place of it
	deaf    map[string]struct{} // paths on which a Close is not answered
	silent  string              // a path whose request is never answered

	mu       sync.Mutex
	sockets  []net.Conn
	finished sync.WaitGroup
}

// Asks, as frames of a server: kind 4 on channel 1, and the same in other ways.
const (
	askFrame     = "\x82\x05\x00\x00\x00\x01\x04"
	askAsText    = "\x81\x05\x00\x00\x00\x01\x04"
	askFragments = "\x02\x02\x00\x00\x80\x03\x00\x01\x04"
	firstPath    = "/mcp/notifications/1"
)

// start listens, and returns the proxy's URL.
func (p *rawProxy) start(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.finished.Go(func() {
		for {
			socket, err := l.Accept()
			if err != nil {
				return
			}
			socket.SetDeadline(time.Now().Add(time.Minute))
			p.mu.Lock()
			p.sockets = append(p.sockets, socket)
			p.mu.Unlock()
			p.finished.Go(func() { p.serve(socket) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for _, socket := range p.sockets {
			socket.Close()
		}
		p.mu.Unlock()
		p.finished.Wait()
	})
	return "ws://" + l.Addr().String()
}

func (p *rawProxy) serve(socket net.Conn) {
	defer socket.Close()
	in := bufio.NewReader(socket)
	r, err := http.ReadRequest(in)
	if err != nil {
		return
	}
	path := r.URL.Path
	if path == p.silent {
		io.Copy(io.Discard, in)
		return
	}
	io.WriteString(socket, p.answers[path])
	if refusal := p.refuses[path]; refusal != "" {
		io.WriteString(socket, refusal)
		return
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	io.WriteString(socket, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
		base64.StdEncoding.EncodeToString(sum[:])+"\r\n\r\n"+p.sends[path])
	p.read(path, socket, in)
}

// read answers the first Close.
func (p *rawProxy) read(path string, socket net.Conn, in *bufio.Reader) {
	parser := ws.Parser{Masked: true}
	var buf []byte
	for {
		for item := parser.Next(buf); item != nil; item = parser.Next(buf) {
			if _, deaf := p.deaf[path]; item.Kind == ws.Close && !deaf {
				socket.Write(ws.AppendClose(nil, item.Code, "", nil))
				return
			}
		}
		b, err := in.ReadByte()
		if err != nil {
			return
		}
		buf = append(buf, b)
	}
}

// provideRaw runs kind4 provide against p.
func provideRaw(t *testing.T, p *rawProxy, args ...string) (code int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	code = Run(append([]string{"kind4", "provide", p.start(t)}, args...), strings.NewReader(""), io.Discard, &errs)
	return code, errs.String()
}

// A text message is no ask; one in fragments is, and is recorded as it came.
func TestProvideTellsWhatIsNoPlainAsk(t *testing.T) {
	good := writeFile(t, twoNotifications)
	for _, test := range []struct {
		name, sends string
		code        int
		line, event string
	}{
		{"text", askAsText + "\x88\x02\x03\xe8", 4, "kind4: the proxy sent a text message of 5 bytes on /requests, which means nothing there\n",
			`"note":"wrong-way"`},
		{"fragments", askFragments, 0, "kind4: the proxy sent an ask in 2 frames, where a message is one\n", `"fragments":2,`},
		{"text, then an ask", askAsText + askFrame, 0, "which means nothing there\n", `"fragments":1,`},
	} {
		t.Run(test.name, func(t *testing.T) {
			record := filepath.Join(t.TempDir(), "record")
			code, stderr := provideRaw(t, &rawProxy{sends: map[string]string{"/requests": test.sends}}, "--untagged", "-w", record, good)
			if code != test.code || !strings.Contains(stderr, test.line) {
				t.Errorf("exit code %d, want %d, and the line %q in\n%s", code, test.code, test.line, stderr)
			}
			if got, _ := os.ReadFile(record); !bytes.Contains(got, []byte(test.event)) {
				t.Errorf("no %s in the record\n%s", test.event, got)
			}
		})
	}
}

// Interim answers come before the one that counts, whatever that is.
func TestProvidePassesOverInterimAnswers(t *testing.T) {
	const early = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
	good := writeFile(t, twoNotifications)
	p := &rawProxy{sends: map[string]string{"/requests": askFrame}, answers: map[string]string{"/requests": early, firstPath: early}}
	code, stderr := provideRaw(t, p, "--untagged", good)
	if code != exitOK || !strings.Contains(stderr, firstPath+" served: close 1000 after 2 messages\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	p = &rawProxy{refuses: map[string]string{"/requests": early + "HTTP/1.1 409 Conflict\r\nContent-Length: 4\r\n\r\nbusy"}}
	code, stderr = provideRaw(t, p, "--untagged", good)
	if code != exitConnect || !strings.HasSuffix(stderr, "/requests: refused with 409 busy\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// A proxy that breaks RFC 6455 is told so, on whatever path and at whatever time.
func TestProvideMeetsABrokenProxy(t *testing.T) {
	good := writeFile(t, twoNotifications)
	for name, test := range map[string]struct{ path, sends string }{
		"before an ask":     {"/requests", "\xff\x00"},
		"behind an ask":     {"/requests", askFrame + "\xff\x00"},
		"on an answer path": {"/mcp/list-tools/9", "\xff\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &rawProxy{sends: map[string]string{"/requests": "\x82\x05\x00\x00\x00\x09\x00" + askFrame}}
			p.sends[test.path] = test.sends
			code, stderr := provideRaw(t, p, "-q", "--untagged", good)
			if code != exitDied || !strings.Contains(stderr, "kind4: "+test.path+" died: broken WebSocket: RFC 6455 section 5.2, byte ") {
				t.Errorf("exit code %d\n%s", code, stderr)
			}
		})
	}
}

// A path whose opening is never answered was not opened.
func TestProvideIsNotAnswered(t *testing.T) {
	good := writeFile(t, twoNotifications)
	for _, path := range []string{"/requests", firstPath} {
		p := &rawProxy{sends: map[string]string{"/requests": askFrame}, silent: path}
		code, stderr := provideRaw(t, p, "-q", "--untagged", "--timeout", "300ms", good)
		if code != exitConnect || !strings.HasPrefix(stderr, "kind4: cannot open ws://127.0.0.1:") ||
			!strings.HasSuffix(stderr, path+": no answer within 300ms\n") {
			t.Errorf("%s: exit code %d\n%s", path, code, stderr)
		}
	}
}

// A record that a kill left behind is sent up to its torn line, which is told of once.
func TestProvideTellsOfATornRecord(t *testing.T) {
	torn := writeFile(t, `{"kind4_record":"1.0"}
{"time":2,"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,"fragments":1,"size":15,"data":"AHsibWV0aG9kIjoieCJ9"}
{"time":3,"event":"mess`)
	code, stderr := provideRaw(t, &rawProxy{sends: map[string]string{"/requests": askFrame}}, "--repeat", "3", torn)
	line := "kind4: warning capture-torn: line 3 of " + torn + ": the record ends inside a line, 23 bytes into it\n"
	if code != exitOK || strings.Count(stderr, line) != 1 || !strings.Contains(stderr, "served: close 1000 after 3 messages\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// A proxy that opens what it has to refuse is told so.
func TestProvideMeetsAProxyThatRefusesNothing(t *testing.T) {
	good := writeFile(t, twoNotifications)
	p := &rawProxy{sends: map[string]string{"/requests": askFrame}}
	code, stderr := provideRaw(t, p, "-q", "--untagged", "--fault", "second-opening", good)
	want := "kind4: " + firstPath + ": the proxy let the fault second-opening pass, where a refusal, 409, was due\n"
	if code != exitDied || stderr != want {
		t.Errorf("exit code %d, want the line %q in\n%s", code, want, stderr)
	}
}

// How a path ended is said in words that tell a proxy that did its part from one that did not.
func TestEndedWords(t *testing.T) {
	unmasked, _ := live.FindFault("unmasked")
	ours := session.End{Kind: session.EndOurs, Sent: 1000}
	for _, test := range []struct {
		end  live.PathEnd
		want string
	}{
		{live.PathEnd{Sent: 2, End: ours}, "served: close 1000 after 2 messages"},
		{live.PathEnd{Sent: 2, End: ours, How: live.Early, Unanswered: true},
			"ended by kind4: close 1000 after 2 messages; the proxy did not answer the Close"},
		{live.PathEnd{Sent: 2, End: ours, How: live.Ignored, Fault: unmasked},
			"was not ended by the proxy after 2 messages and the fault unmasked, as was due: cut off by kind4"},
		{live.PathEnd{Sent: 2, End: ours, How: live.Unsettled, Fault: unmasked},
			"cut off by kind4 after 2 messages and the fault unmasked, before the proxy ended it, as is due"},
	} {
		if got := endedWords(&test.end); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// A flood of messages that have no place is two lines.
func TestProvideCountsWhatComesAgain(t *testing.T) {
	good := writeFile(t, twoNotifications)
	many := strings.Repeat("\x82\x01x", 1000)
	record := filepath.Join(t.TempDir(), "record")
	code, stderr := provideRaw(t, &rawProxy{sends: map[string]string{"/requests": askFrame, firstPath: many}}, "--untagged", "-w", record, good)
	for _, line := range []string{"kind4: the proxy sent a message of 1 byte on " + firstPath + ", which means nothing there\n",
		"kind4: " + firstPath + ": 999 messages more like that, 999 bytes in all\n"} {
		if !strings.Contains(stderr, line) {
			t.Errorf("no %q in\n%s", line, stderr)
		}
	}
	if code != exitDied || strings.Count(stderr, "\n") > 8 {
		t.Errorf("exit code %d\n%.2000s", code, stderr)
	}
	if got := decoded(t, record); strings.Count(got, "{") != 2 || strings.Contains(got, "x") {
		t.Errorf("the record holds %q", got)
	}
	code, stderr = provideRaw(t, &rawProxy{sends: map[string]string{"/requests": many + askFrame}}, "--untagged", good)
	if code != exitOK || strings.Count(stderr, "cannot be read: ") != 1 || !strings.Contains(stderr, "left unanswered: 1000 asks that cannot be read\n") {
		t.Errorf("exit code %d\n%.2000s", code, stderr)
	}
}
