package cmd

import (
	"bytes"
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// dissected runs tshark with the dissector over a capture and returns the lines it prints. A tshark that loads no
// scripts (4.4, as root) skips the test, in CI too.
func dissected(t *testing.T, capture []byte, args ...string) []string {
	t.Helper()
	dissector, err := filepath.Abs(filepath.Join("..", "scripts", "wireshark", "kind4.lua"))
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(needsTool(t, "tshark"), append([]string{"-X", "lua_script:" + dissector}, args...)...)
	run.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "LC_ALL=C.UTF-8")
	if !slices.Contains(args, "-r") {
		run.Args = append(run.Args, "-r", "-")
		run.Stdin = bytes.NewReader(capture)
	}
	var said strings.Builder
	run.Stderr = &said
	out, err := run.Output()
	switch {
	case err != nil && strings.Contains(said.String(), `kind4`) && strings.Contains(said.String(), "valid"):
		t.Skipf("this tshark loads no Lua script, not even where CI=true: it says\n%s", &said)
	case err != nil || strings.Contains(said.String(), "Lua"):
		t.Fatalf("tshark: %v\n%s", err, &said)
	}
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n")
}

// dissectedFields returns what tshark prints of these fields, by packet and field; several values of a field stand behind
// one another, with a comma between them.
func dissectedFields(t *testing.T, capture []byte, filter string, fields []string, args ...string) [][]string {
	t.Helper()
	args = append(args, "-Y", filter, "-T", "fields")
	for _, field := range fields {
		args = append(args, "-e", field)
	}
	var packets [][]string
	for _, line := range dissected(t, capture, args...) {
		packets = append(packets, strings.Split(line, "\t"))
	}
	return packets
}

// holdDissector holds what the dissector makes of a capture of the demo to what kind4 said of the messages.
func holdDissector(t *testing.T, capture []byte, lines []demoLine, args ...string) {
	t.Helper()
	if len(lines) == 0 {
		t.Fatal("the demo shows nothing")
	}
	fields := []string{"kind4.length", "kind4.tag", "kind4.method", "kind4.channel", "kind4.path", "_ws.expert.message"}
	got := make(map[string][]string)
	for _, packet := range dissectedFields(t, capture, `kind4.path contains "notifications"`, fields, args...) {
		for i, field := range fields {
			if packet[i] != "" {
				got[field] = append(got[field], strings.Split(packet[i], ",")...)
			}
		}
	}
	want := map[string][]string{
		"kind4.length":  members(lines, "size"),
		"kind4.tag":     members(lines, "tag"),
		"kind4.method":  members(lines, "method"),
		"kind4.channel": members(lines, "channel"),
		"kind4.path":    members(lines, "path"),
		"_ws.expert.message": {
			"Unknown tag 123 (0x7b)", "A message of 0 bytes: not even a tag", "The body ends inside a JSON value",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tshark has what kind4 has not (+), and the other way (-)\n%s", diff)
	}
}

func TestDissectorOfCommittedCapture(t *testing.T) {
	needsTool(t, "tshark")
	capture, err := os.ReadFile(demoCapture)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := demoLines(t)
	t.Run("one pass", func(t *testing.T) { holdDissector(t, capture, lines) })
	t.Run("two passes", func(t *testing.T) { holdDissector(t, nil, lines, "-2", "-r", demoCapture) })
	asks := dissectedFields(t, capture, "kind4.kind", []string{"kind4.path", "kind4.channel", "kind4.kind"})
	if diff := cmp.Diff([][]string{{"/requests,/requests", "1,2", "0,4"}}, asks); diff != "" {
		t.Errorf("asks: %s", diff)
	}
}

// packets writes a capture of TCP connections, packet by packet.
type packets struct {
	file  bytes.Buffer
	to    *pcapgo.Writer
	ports layers.TCPPort
}

func newPackets(t *testing.T) *packets {
	p := &packets{ports: 40000}
	p.to = pcapgo.NewWriter(&p.file)
	if err := p.to.WriteFileHeader(1<<18, layers.LinkTypeRaw); err != nil {
		t.Fatal(err)
	}
	return p
}

// upgraded is one connection of a capture; sent counts the bytes of the client [0] and of the server [1].
type upgraded struct {
	*packets
	t    *testing.T
	port layers.TCPPort
	sent [2]uint32
}

const fromClient, fromServer = 0, 1

// upgrade writes the beginning of a connection on which the client asks for the target.
func (p *packets) upgrade(t *testing.T, target string) *upgraded {
	p.ports++
	c := &upgraded{packets: p, t: t, port: p.ports}
	c.segment(fromClient, []byte("GET "+target+" HTTP/1.1\r\nHost: proxy\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"))
	c.segment(fromServer, []byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"))
	return c
}

func (c *upgraded) segment(side int, data []byte) {
	ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolTCP, SrcIP: net.IP{10, 0, 0, 1}, DstIP: net.IP{10, 0, 0, 2}}
	tcp := &layers.TCP{SrcPort: c.port, DstPort: 24979, ACK: true, PSH: true, Window: 65535,
		Seq: 1 + c.sent[side], Ack: 1 + c.sent[1-side]}
	if side == fromServer {
		ip.SrcIP, ip.DstIP = ip.DstIP, ip.SrcIP
		tcp.SrcPort, tcp.DstPort = tcp.DstPort, tcp.SrcPort
	}
	tcp.SetNetworkLayerForChecksum(ip)
	c.sent[side] += uint32(len(data))
	buffer := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(buffer, options, ip, tcp, gopacket.Payload(data)); err != nil {
		c.t.Fatal(err)
	}
	size := len(buffer.Bytes())
	if err := c.to.WritePacket(gopacket.CaptureInfo{CaptureLength: size, Length: size}, buffer.Bytes()); err != nil {
		c.t.Fatal(err)
	}
}

// frames returns frames as that side writes them, one behind another.
func frames(side int, all ...ws.Frame) []byte {
	var wire bytes.Buffer
	for _, frame := range all {
		if side == fromClient {
			frame = ws.MaskFrameWith(frame, [4]byte{0x12, 0x34, 0x56, 0x78})
		}
		ws.MustWriteFrame(&wire, frame)
	}
	return wire.Bytes()
}

func binaryFrame(text string) ws.Frame { return ws.NewBinaryFrame([]byte(text)) }

func fragment(op ws.OpCode, fin bool, text string) ws.Frame {
	return ws.NewFrame(op, fin, []byte(text))
}

const (
	changed  = "\x00" + `{"method":"notifications/tools/list_changed"}` // 46 bytes
	changedF = "/mcp/notifications/2|2|0|46|notifications/tools/list_changed|||"
)

// TestDissector holds the dissector to what the protocol says of messages that the demo has not.
func TestDissector(t *testing.T) {
	needsTool(t, "tshark")
	const channel = "/mcp/notifications/2"
	ask := func(kind byte, payload string) ws.Frame {
		return ws.NewBinaryFrame(append(append(binary.BigEndian.AppendUint32(nil, 7), kind), payload...))
	}
	tests := []struct {
		name, target string
		side         int
		segments     [][]ws.Frame
		want         []string // path, channel, tag or kind, length, method, error code, error message, expert's field
	}{
		{"error", channel, fromClient, [][]ws.Frame{{binaryFrame("\x01" + `{"code":-32603,"message":"gone","data":[1]}`)}},
			[]string{"/mcp/notifications/2|2|1|44||-32603|gone|"}},
		{"error as an array", channel, fromClient, [][]ws.Frame{{binaryFrame("\x01" + `[-1,"x",null]`)}},
			[]string{"/mcp/notifications/2|2|1|14||-1|x|"}},
		{"escaped name", channel, fromClient, [][]ws.Frame{{binaryFrame("\x00" + `{"params":{"method":"no"},"metho\u0064":"a\/b"}`)}},
			[]string{"/mcp/notifications/2|2|0|48|a/b|||"}},
		{"several in a segment", channel, fromClient,
			[][]ws.Frame{{binaryFrame(changed), binaryFrame(""), ws.NewPingFrame(nil), binaryFrame("\x02")}},
			[]string{"/mcp/notifications/2,/mcp/notifications/2,/mcp/notifications/2|2,2,2|0,2|46,0,1|" +
				"notifications/tools/list_changed|||A message of 0 bytes: not even a tag,Unknown tag 2 (0x02)"}},
		{"fragments in segments", channel, fromClient, [][]ws.Frame{
			{fragment(ws.OpBinary, false, changed[:9])}, {fragment(ws.OpContinuation, false, changed[9:20])},
			{ws.NewPingFrame(nil)}, {fragment(ws.OpContinuation, true, changed[20:])}}, []string{changedF}},
		{"text in fragments", channel, fromClient, [][]ws.Frame{
			{fragment(ws.OpText, false, "he")}, {fragment(ws.OpContinuation, true, "llo")}, {binaryFrame(changed)}},
			[]string{"/mcp/notifications/2|2||5||||A text message carries no meaning here", changedF}},
		{"the rest behind fragments", channel, fromClient, [][]ws.Frame{{
			fragment(ws.OpBinary, false, changed[:9]), fragment(ws.OpContinuation, false, changed[9:20]),
			fragment(ws.OpContinuation, true, changed[20:]), ws.NewTextFrame([]byte("x"))}},
			[]string{"/mcp/notifications/2,/mcp/notifications/2|2,2|0|46,1|notifications/tools/list_changed|||" +
				"A text message carries no meaning here"}},
		{"not joined", channel, fromClient, [][]ws.Frame{
			{fragment(ws.OpBinary, false, changed)}, {fragment(ws.OpContinuation, true, "")}},
			[]string{"/mcp/notifications/2|2||||||Wireshark has not all bytes of this message"}},
		{"tag alone", channel, fromClient, [][]ws.Frame{{binaryFrame("\x00")}},
			[]string{"/mcp/notifications/2|2|0|1||||A tag and no body"}},
		{"no object", channel, fromClient, [][]ws.Frame{{binaryFrame("\x00 7")}},
			[]string{"/mcp/notifications/2|2|0|3||||The body is not a JSON object"}},
		{"two objects", channel, fromClient, [][]ws.Frame{{binaryFrame(changed + "{}")}},
			[]string{"/mcp/notifications/2|2|0|48|notifications/tools/list_changed|||Something stands behind the JSON value"}},
		{"the other side", channel, fromServer, [][]ws.Frame{{binaryFrame(changed)}},
			[]string{"/mcp/notifications/2|2||46||||The other side sends on this path"}},
		{"absolute form", "http://proxy/requests?x=/y", fromServer, [][]ws.Frame{{ask(4, "")}, {ask(18, "\x00\x01i/")}},
			[]string{"/requests|7|4|5||||", "/requests|7|18|9||||"}},
		{"bad asks", "/requests", fromServer, [][]ws.Frame{{ask(19, "")}, {binaryFrame("\x00\x00\x00\x01")}, {binaryFrame("")},
			{ask(4, "x")}}, []string{
			"/requests|7|19|5||||Kind 19 and up is not specified", "/requests|||4||||An ask of fewer than 5 bytes",
			"/requests|||0||||An ask of fewer than 5 bytes", "/requests|7|4|6||||Bytes behind a kind-4 header: ignored by a reader"}},
		{"from the provider", "/requests", fromClient, [][]ws.Frame{{binaryFrame("x")}},
			[]string{"/requests|||1||||The other side sends on this path"}},
		{"tool", "/tool/notifications?a", fromServer, [][]ws.Frame{{binaryFrame(changed)}},
			[]string{"/tool/notifications||0|46|notifications/tools/list_changed|||"}},
		{"another path", "/mcp/list-tools/1", fromClient, [][]ws.Frame{{binaryFrame(changed)}}, nil},
		{"no channel", "/mcp/notifications/4294967296", fromClient, [][]ws.Frame{{binaryFrame(changed)}}, nil},
		{"spelled otherwise", "/%72equests", fromServer, [][]ws.Frame{{ask(4, "")}}, nil},
	}
	p := newPackets(t)
	for _, test := range tests {
		c := p.upgrade(t, test.target)
		for _, segment := range test.segments {
			c.segment(test.side, frames(test.side, segment...))
		}
	}
	got := make([][]string, len(tests))
	for _, packet := range dissectedFields(t, p.file.Bytes(), "kind4", []string{"tcp.stream", "kind4.path", "kind4.channel",
		"kind4.kind", "kind4.tag", "kind4.length", "kind4.method", "kind4.error.code", "kind4.error.message",
		"_ws.expert.message"}) {
		stream, err := strconv.Atoi(packet[0])
		if err != nil {
			t.Fatal(err)
		}
		if packet[3] == "" {
			packet = slices.Delete(packet, 3, 4)
		} else {
			packet = slices.Delete(packet, 4, 5)
		}
		got[stream] = append(got[stream], strings.Join(packet[1:], "|"))
	}
	for i, test := range tests {
		if diff := cmp.Diff(test.want, got[i]); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

// A message over many segments, and many messages in one.
func TestDissectorOfManySegments(t *testing.T) {
	needsTool(t, "tshark")
	long := "\x00" + `{"params":{"pad":"` + strings.Repeat("x", 70000) + `"},"method":"long"}`
	cut := "\x00" + `{"method":"cut","params":{"pad":"` + strings.Repeat("x", 1<<18) + `"}}` // websocket.max_unmasked_len
	p := newPackets(t)
	c := p.upgrade(t, "/mcp/notifications/2")
	for segment := range slices.Chunk(frames(fromClient, binaryFrame(long), binaryFrame(cut)), 1400) {
		c.segment(fromClient, segment)
	}
	const many = 200 // Wireshark gives up behind some 500: gui.max_tree_depth
	c.segment(fromClient, frames(fromClient, slices.Repeat([]ws.Frame{binaryFrame(changed)}, many)...))
	want := [][]string{
		{strconv.Itoa(len(long)), "long", ""},
		{strconv.Itoa(len(cut)), "cut", "Wireshark has not all bytes of this message"},
		{strings.Repeat(",46", many)[1:], strings.Repeat(",notifications/tools/list_changed", many)[1:], ""},
	}
	got := dissectedFields(t, p.file.Bytes(), "kind4", []string{"kind4.length", "kind4.method", "_ws.expert.message"})
	for _, packet := range got { // what Wireshark itself says of it since 4.4
		said := strings.Split(packet[2], ",")
		packet[2] = strings.Join(slices.DeleteFunc(said, func(s string) bool { return strings.HasPrefix(s, "Payload not") }), ",")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
