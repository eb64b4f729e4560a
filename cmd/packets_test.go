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
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/pcapgo"
)

// decodeFile runs `kind4 decode -o json` over a file of those bytes.
func decodeFile(t *testing.T, file []byte, args ...string) (lines []demoLine, stderr string, code int) {
	t.Helper()
	run := exec.Command("kind4", append([]string{"decode", "-o", "json"}, args...)...)
	run.Stdin = bytes.NewReader(file)
	var said strings.Builder
	run.Stderr = &said
	out, err := run.Output()
	return parseLines(t, out), said.String(), exitCode(t, err)
}

// withoutProxy leaves out what a live session does not say, having one proxy.
func withoutProxy(lines []demoLine) []demoLine {
	for _, line := range lines {
		delete(line, "proxy")
	}
	return lines
}

// holdDecode holds what kind4 reads from a capture to what it said of the same session live. The demo has messages that
// do not decode: exit code 6.
func holdDecode(t *testing.T, file []byte, want []demoLine) {
	t.Helper()
	got, said, code := decodeFile(t, file)
	if diff := cmp.Diff(want, withoutProxy(got)); diff != "" || code != 6 {
		t.Errorf("exit code %d, want 6; the capture has what the session has not (+), and the other way (-)\n%s%s", code, diff, said)
	}
	if tshark := binaryFrames(t, file); tshark != len(got) {
		t.Errorf("%d messages, and tshark has %d binary frames", len(got), tshark)
	}
}

// binaryFrames counts with tshark the binary frames on notification paths, each one message.
func binaryFrames(t *testing.T, file []byte) int {
	t.Helper()
	needsTool(t, "tshark")
	paths := make(map[string]bool)
	count := 0
	for _, packet := range dissectedFields(t, file, "http.request or websocket",
		[]string{"tcp.stream", "http.request.uri", "websocket.opcode"}, "-o", "gui.max_tree_depth:20000", "-o", "tcp.reassemble_out_of_order:TRUE") {
		paths[packet[0]] = paths[packet[0]] || strings.HasPrefix(packet[1], "/mcp/notifications/")
		if paths[packet[0]] {
			count += strings.Count(packet[2], "2")
		}
	}
	return count
}

func TestDecodeCommittedCapture(t *testing.T) {
	file, err := os.ReadFile(demoCapture)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := demoLines(t)
	holdDecode(t, file, lines)
}

// One session of the demo, captured in every way at once.
func TestLiveCapture(t *testing.T) {
	ways := [][]string{{"-i", "lo"}, {"-i", "any"}, {"-i", "lo", "-P"}, {"-i", "any", "-P"}}
	var dumps []*dumpcap
	for _, args := range append(ways, []string{"-i", "lo", "-s", "260"}) {
		dumps = append(dumps, startDumpcap(t, args...))
	}
	lines, _ := demoLines(t)
	for i, args := range ways {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			file := dumps[i].captured(t)
			holdDecode(t, file, lines)
			holdDissector(t, file, lines)
		})
	}
	t.Run("cut", func(t *testing.T) { holdCut(t, dumps[len(ways)].captured(t), lines) })
}

// holdCut holds what is read from packets that were cut at 260 bytes, behind every upgrade request. Before a message
// stand Ethernet (14), IPv4 (20), TCP with its time stamps (32) and a frame's header (8 from 126 bytes on): of messages
// longer than 186 bytes the end is missing.
func holdCut(t *testing.T, file []byte, lines []demoLine) {
	whole := slices.DeleteFunc(slices.Clone(lines), func(line demoLine) bool { return line["size"].(float64) > 186 })
	got, said, code := decodeFile(t, file)
	if diff := cmp.Diff(members(whole, "size"), members(got, "size")); diff != "" || code != 6 {
		t.Errorf("exit code %d, want 6; sizes\n%s%s", code, diff, said)
	}
	if gaps := strings.Count(said, "capture-gap"); gaps != len(lines)-len(whole) {
		t.Errorf("%d gaps, want %d in\n%s", gaps, len(lines)-len(whole), said)
	}
}

// Many messages on several paths as fast as they go, some in one segment and some over many.
func TestLiveCaptureOfLoad(t *testing.T) {
	const paths, times = 3, 200
	messages := []string{changed, "\x00" + `{"method":"a","params":{"pad":"` + strings.Repeat("x", 3000) + `"}}`, "\x02",
		"\x00" + `{"method":"b","params":{"pad":"` + strings.Repeat("y", 70000) + `"}}`}
	var hex strings.Builder
	for _, message := range messages {
		fmt.Fprintf(&hex, "%x\n", message)
	}
	load := filepath.Join(t.TempDir(), "load.hex")
	if err := os.WriteFile(load, []byte(hex.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	dump := startDumpcap(t, "-i", "lo", "-B", "256")
	want := tailOfLoad(t, paths*times*len(messages), "--reconnect", "--paths", strconv.Itoa(paths), "--speed", "max",
		"--repeat", strconv.Itoa(times), "--input", "hex-lines", load)
	file := dump.captured(t)
	got, said, code := decodeFile(t, file)
	if diff := cmp.Diff(members(want, "size"), members(got, "size")); diff != "" || code != 6 {
		t.Errorf("exit code %d, want 6\n%s%s", code, diff, said)
	}
	if diff := cmp.Diff(want, withoutProxy(got)); diff != "" {
		t.Errorf("the capture has what the session has not (+), and the other way (-)\n%.3000s", diff)
	}
	if again := sentAgain(t, file); again > 0 {
		t.Logf("tshark's count is not held: %d segments came again or out of order, and tshark reads frames in some of them twice", again)
		return
	}
	if tshark := binaryFrames(t, file); tshark != len(got) {
		t.Errorf("%d messages, and tshark has %d binary frames", len(got), tshark)
	}
}

// sentAgain counts the segments that tshark takes for sent again, out of order or behind one that is lost.
func sentAgain(t *testing.T, file []byte) int {
	t.Helper()
	needsTool(t, "tshark")
	return len(dissectedFields(t, file, "tcp.analysis.retransmission or tcp.analysis.out_of_order or tcp.analysis.lost_segment",
		[]string{"frame.number"}))
}

// tailOfLoad returns what `kind4 tail -n COUNT` shows of what `kind4 provide ARG...` sends it.
func tailOfLoad(t *testing.T, count int, args ...string) []demoLine {
	t.Helper()
	tail := exec.Command("kind4", "tail", "-l", dumpcapHost+":0", "-n", strconv.Itoa(count), "-o", "json", "--fail-on", "never")
	var out bytes.Buffer
	tail.Stdout = &out
	said, err := tail.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tail.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tail.Process.Kill() })
	reader := bufio.NewReader(said)
	line, err := reader.ReadString('\n')
	url, found := strings.CutPrefix(strings.TrimSpace(line), "kind4: listening on ")
	if err != nil || !found {
		t.Fatalf("tail says %q, %v", line, err)
	}
	provide := exec.Command("kind4", append([]string{"provide", url, "-q"}, args...)...)
	if err := provide.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { provide.Process.Kill() })
	rest, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := tail.Wait(); err != nil {
		t.Errorf("tail: %v\n%s", err, rest)
	}
	provide.Wait()
	return parseLines(t, out.Bytes())
}

// Two proxies in one capture, their packets by turns: each has the whole session, told apart in every line and form.
func TestDecodeTwoProxies(t *testing.T) {
	file, err := os.ReadFile(demoCapture)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := demoLines(t)
	first, second := proxyOf(t, file), ""
	twice := rewritten(t, file, func(packet []byte) [][]byte {
		copied := bytes.Clone(packet)
		for _, at := range []int{14 + 12, 14 + 16} { // the addresses of IPv4 behind Ethernet
			if ip := copied[at : at+4]; net.IP(ip).String() == hostOf(first) {
				ip[3]++
				second = net.JoinHostPort(net.IP(ip).String(), portOf(first))
			}
		}
		return [][]byte{packet, copied}
	})
	got, said, code := decodeFile(t, twice)
	for _, proxy := range []string{first, second} {
		mine := slices.DeleteFunc(slices.Clone(got), func(line demoLine) bool { return line["proxy"] != proxy })
		for _, member := range []string{"size", "path", "channel", "type", "payload"} {
			if diff := cmp.Diff(members(lines, member), members(mine, member)); diff != "" {
				t.Errorf("%s: %s (-want +got)\n%s", proxy, member, diff)
			}
		}
		if ending := "/mcp/notifications/2 of " + proxy + " complete: close 1000 after 21 messages\n"; strings.Count(said, ending) != 1 {
			t.Errorf("not once %q in\n%s", ending, said)
		}
	}
	if code != 6 || strings.Contains(said, "opened again") || !strings.Contains(said, "another proxy: "+second+"; what came before is of "+first+", and") {
		t.Errorf("exit code %d, want 6, and\n%s", code, said)
	}
	for form, name := range map[string]string{"pretty": "  ch 2  of " + second + "  ", "line": "  " + second + "  ", "hex": " ch 2 of " + second + " "} {
		run := exec.Command("kind4", "decode", "-o", form)
		run.Stdin = bytes.NewReader(twice)
		if out, _ := run.Output(); strings.Count(string(out), name) != len(lines) {
			t.Errorf("%s has %q not %d times:\n%s", form, name, len(lines), out)
		}
	}
}

// proxyOf returns the only proxy of a capture.
func proxyOf(t *testing.T, file []byte) string {
	t.Helper()
	lines, _, _ := decodeFile(t, file)
	proxies := slices.Compact(members(lines, "proxy"))
	if len(proxies) != 1 {
		t.Fatalf("proxies %q, want one", proxies)
	}
	return proxies[0]
}

func hostOf(address string) string { host, _, _ := net.SplitHostPort(address); return host }

func portOf(address string) string { _, port, _ := net.SplitHostPort(address); return port }

// Where the snap length cuts upgrade requests too, their first lines name the paths: what answers a list-tools ask is
// not taken for a notification.
func TestDecodeCutRequests(t *testing.T) {
	file, err := os.ReadFile(demoCapture)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := demoLines(t)
	for _, test := range []struct {
		snap    int
		longest float64 // what is left of snap behind 66 bytes of packet and 6 of frame header
		code    int
	}{
		{200, 125, 6},
		{130, 58, 6},
		{100, 28, 6},
	} {
		whole := slices.DeleteFunc(slices.Clone(lines), func(line demoLine) bool { return line["size"].(float64) > test.longest })
		got, said, code := decodeFile(t, cutAt(t, file, test.snap))
		for _, member := range []string{"size", "path", "channel"} {
			if diff := cmp.Diff(members(whole, member), members(got, member)); diff != "" {
				t.Errorf("snap length %d: %s: %s", test.snap, member, diff)
			}
		}
		if gaps := strings.Count(said, "capture-gap"); gaps != len(lines)-len(whole) {
			t.Errorf("snap length %d: %d gaps, want %d in\n%s", test.snap, gaps, len(lines)-len(whole), said)
		}
		if code != test.code || !strings.Contains(said, "taken for /requests, as its request says") {
			t.Errorf("snap length %d: exit code %d, want %d, and\n%s", test.snap, code, test.code, said)
		}
	}
}

// cutAt returns a capture as it is with a snap length.
func cutAt(t *testing.T, file []byte, snap int) []byte {
	t.Helper()
	return rewritten(t, file, func(packet []byte) [][]byte { return [][]byte{packet[:min(snap, len(packet))]} })
}

// rewritten returns a capture with what change makes of each packet, in place of it.
func rewritten(t *testing.T, file []byte, change func(packet []byte) [][]byte) []byte {
	t.Helper()
	from, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	var cut bytes.Buffer
	to := pcapgo.NewWriterNanos(&cut)
	if err := to.WriteFileHeader(1<<18, from.LinkType()); err != nil {
		t.Fatal(err)
	}
	for {
		data, info, err := from.ReadPacketData()
		if err == io.EOF {
			return cut.Bytes()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, packet := range change(data) {
			info.CaptureLength = len(packet)
			if err := to.WritePacket(info, packet); err != nil {
				t.Fatal(err)
			}
		}
	}
}
