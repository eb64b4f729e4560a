package cmd

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kind4/decode/ws"
)

// The benchmarks of tap send from one end to the other of a connection that goes directly, through socat, or through
// `kind4 tap`, each in a process of its own. scripts/bench-tap runs them.

// benchEnds is a listener in the proxy's place, and where to dial to get there.
type benchEnds struct {
	b     *testing.B
	proxy net.Listener
	relay string // HOST:PORT
}

// benchVia starts what stands between the ends: "direct", "socat", or the flags of kind4 tap.
func benchVia(b *testing.B, via string) *benchEnds {
	b.Helper()
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { proxy.Close() })
	e := &benchEnds{b, proxy, proxy.Addr().String()}
	switch via {
	case "direct":
	case "socat":
		if _, err := exec.LookPath("socat"); err != nil {
			b.Skip("no socat")
		}
		e.relay = freeAddress(b)
		port := e.relay[strings.LastIndexByte(e.relay, ':')+1:]
		e.start(exec.Command("socat", "TCP-LISTEN:"+port+",bind=127.0.0.1,reuseaddr,fork,nodelay", "TCP:"+proxy.Addr().String()+",nodelay"))
		e.wait()
	default:
		cmd := exec.Command(benchProgram(b), append([]string{"tap", "-l", "127.0.0.1:0"}, append(strings.Fields(via), "ws://"+e.relay)...)...)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			b.Fatal(err)
		}
		e.start(cmd)
		lines := bufio.NewReader(stderr)
		line, _ := lines.ReadString('\n')
		_, e.relay, _ = strings.Cut(strings.TrimSpace(line), "ws://")
		go io.Copy(io.Discard, lines)
	}
	return e
}

// benchProgram is the kind4 that KIND4 names, or one built from here.
func benchProgram(b *testing.B) string {
	if program := os.Getenv("KIND4"); program != "" {
		return program
	}
	program := filepath.Join(b.TempDir(), "kind4")
	if out, err := exec.Command("go", "build", "-o", program, "kind4").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

func freeAddress(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (e *benchEnds) start(cmd *exec.Cmd) {
	if err := cmd.Start(); err != nil {
		e.b.Fatal(err)
	}
	e.b.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// wait waits until the relay listens, and throws away the connection that shows it.
func (e *benchEnds) wait() {
	for {
		c, err := net.Dial("tcp", e.relay)
		if err == nil {
			c.Close()
			through, err := e.proxy.Accept()
			if err != nil {
				e.b.Fatal(err)
			}
			through.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// open upgrades a path, and returns both ends.
func (e *benchEnds) open(path string) (provider, proxy net.Conn) {
	e.b.Helper()
	provider, err := net.Dial("tcp", e.relay)
	if err != nil {
		e.b.Fatal(err)
	}
	request := "GET " + path + " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	const answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
	io.WriteString(provider, request)
	if proxy, err = e.proxy.Accept(); err != nil {
		e.b.Fatal(err)
	}
	e.b.Cleanup(func() { provider.Close(); proxy.Close() })
	e.read(proxy, request)
	io.WriteString(proxy, answer)
	e.read(provider, answer)
	return provider, proxy
}

func (e *benchEnds) read(c net.Conn, want string) {
	e.b.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		e.b.Fatalf("got %q and %v", got, err)
	}
}

// benchFrame is a masked message that shows as a notification, of so many bytes.
func benchFrame(size int) []byte {
	const head, tail = "\x00" + `{"method":"notifications/message","params":{"level":"info","data":"`, `"}}`
	payload := head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	return ws.AppendFrame(nil, ws.OpBinary, []byte(payload), &[4]byte{0x37, 0xfa, 0x21, 0x3d})
}

// benchWays are what stands between the ends, and the path that is opened.
var benchWays = []struct{ name, via, path string }{
	{"direct", "direct", "/mcp/notifications/2"},
	{"socat", "socat", "/mcp/notifications/2"},
	{"tap-other-path", "-o line", "/postgres/3"},
	{"tap-line", "-o line", "/mcp/notifications/2"},
	{"tap-pretty", "-o pretty", "/mcp/notifications/2"},
	{"tap-json", "-o json", "/mcp/notifications/2"},
	{"tap-raw", "-o raw", "/mcp/notifications/2"},
}

// BenchmarkTapThroughput sends messages as fast as they are taken.
func BenchmarkTapThroughput(b *testing.B) {
	for _, size := range []int{200, 4096, 65536} {
		for _, way := range benchWays {
			b.Run(fmt.Sprintf("%d/%s", size, way.name), func(b *testing.B) {
				e := benchVia(b, way.via)
				provider, proxy := e.open(way.path)
				frame := benchFrame(size)
				piece := bytes.Repeat(frame, max(1, 256<<10/len(frame)))
				b.SetBytes(int64(len(piece)))
				b.ResetTimer()
				go func() {
					for range b.N {
						if _, err := provider.Write(piece); err != nil {
							return
						}
					}
				}()
				if _, err := io.CopyBuffer(io.Discard, io.LimitReader(onlyReader{proxy}, int64(b.N)*int64(len(piece))), make([]byte, 256<<10)); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// onlyReader keeps io.Copy from moving bytes within the kernel.
type onlyReader struct{ io.Reader }

// BenchmarkTapLatency sends one message of 200 bytes at a time and reports how long it takes to arrive.
func BenchmarkTapLatency(b *testing.B) {
	for _, way := range benchWays {
		b.Run(way.name, func(b *testing.B) {
			e := benchVia(b, way.via)
			provider, proxy := e.open(way.path)
			frame := benchFrame(200)
			got := make([]byte, len(frame))
			took := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for range b.N {
				start := time.Now()
				if _, err := provider.Write(frame); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(proxy, got); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs-median")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "µs-p99")
		})
	}
}
