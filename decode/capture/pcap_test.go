package capture

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kind4/decode/capture/capturetest"
	"kind4/decode/capture/packet"
	"kind4/decode/session"
)

// sessions are captures that the tests and the fuzzer begin with.
var sessions = []string{
	`open 10.0.0.5:51000 10.0.0.9:14979
	C upgrade /requests
	S switching
	S message "\x00\x00\x00\x02\x04"
	open 10.0.0.5:51002 10.0.0.9:14979
	C upgrade /mcp/notifications/2
	S switching
	C message "\x00{\"method\":\"a\"}"
	C part 0 20 "\x00{\"method\":\"lost\",\"params\":{}}"
	C lose 10
	C part 30 35 "\x00{\"method\":\"lost\",\"params\":{}}"
	C message "\x00{\"method\":\"b\"}"
	C close 1000
	S close 1000
	C finish
	S finish`,
	`join 10.0.0.5:51002 10.0.0.9:14979
	C part 12 20 "\x00{\"method\":\"lost\"}"
	C message "\x00{\"method\":\"a\"}"
	C reset`,
	`open 10.0.0.5:51002 10.0.0.9:14979
	C upgrade /mcp/notifications/9
	S send "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n"
	C upgrade /vault/get/3
	S switching
	C message "abc"`,
}

// built returns the capture of a script.
func built(t testing.TB, script string) string {
	t.Helper()
	file, err := capturetest.Script(script)
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

func FuzzPCAP(f *testing.F) {
	for _, script := range sessions {
		file := built(f, script)
		f.Add(file)
		f.Add(file[:len(file)-5])
	}
	fuzzReader(f, PCAP)
}

// happened reads everything in a capture, a line an event.
func happened(t *testing.T, file string) (lines []string) {
	t.Helper()
	r := NewReader(strings.NewReader(file), Options{Name: "a.pcap"})
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for i := range b.Events {
			e := &b.Events[i]
			lines = append(lines, fmt.Sprintf("%v %v %s %v %q %s", e.Kind, e.Note, e.Path, e.From, e.Data, e.Reason))
		}
		b.Release()
		if err == io.EOF {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Without gaps the same events come whatever the segments, and in whatever order these were captured.
func TestSegments(t *testing.T) {
	const path = "/mcp/notifications/2"
	sent := map[packet.Side]string{
		packet.Client: capturetest.Upgrade(path),
		packet.Server: capturetest.Switching + capturetest.Frame(packet.Server, session.OpPing, "x"),
	}
	var stream string
	for i := range 6 {
		stream += capturetest.Frame(packet.Client, session.OpBinary, fmt.Sprintf("\x00{\"method\":\"m%d\"}", i))
	}
	capture := func(size int, swapped bool) string {
		c := capturetest.New()
		x := c.Conn("10.0.0.5:51002", "10.0.0.9:14979")
		x.Open()
		for side := packet.Client; side <= packet.Server; side++ {
			for b := sent[side]; b != ""; b = b[min(size, len(b)):] {
				x.Send(side, b[:min(size, len(b))])
			}
		}
		for b := stream; b != ""; {
			first := b[:min(size, len(b))]
			b = b[len(first):]
			second := b[:min(size, len(b))]
			b = b[len(second):]
			if !swapped {
				x.Send(packet.Client, first)
				x.Send(packet.Client, second)
				continue
			}
			x.Lose(packet.Client, len(first))
			x.Send(packet.Client, second)
			x.Lose(packet.Client, -len(first)-len(second))
			x.Send(packet.Client, first)
			x.Lose(packet.Client, len(second))
		}
		x.Finish(packet.Client)
		x.Finish(packet.Server)
		return string(c.Bytes())
	}
	want := happened(t, capture(1<<10, false))
	if len(want) != 1+1+6+1 {
		t.Fatalf("%d events: %q", len(want), want)
	}
	for _, size := range []int{1, 2, 3, 7, 20, 33, 100} {
		for _, swapped := range []bool{false, true} {
			if diff := cmp.Diff(want, happened(t, capture(size, swapped))); diff != "" {
				t.Errorf("in segments of %d, swapped %v: (-want +got)\n%s", size, swapped, diff)
			}
		}
	}
}

// What a live capture has written is yielded before more of it is waited for, at whatever byte the writer pauses.
func TestPacketsAsTheyCome(t *testing.T) {
	file := built(t, `open 10.0.0.5:51002 10.0.0.9:14979
	C upgrade /mcp/notifications/2
	S switching
	C message "\x00{\"method\":\"a\"}"`)
	for _, format := range []Format{Auto, PCAP} {
		for _, more := range []string{"", "\x01", strings.Repeat("\x01", 15)} {
			in, out := io.Pipe()
			go io.WriteString(out, file+more)
			r := NewReader(in, Options{Format: format})
			b := session.NewBatch()
			for len(b.Events) < 2 {
				if err := r.Next(b); err != nil {
					t.Fatal(err)
				}
			}
			if last := b.Events[len(b.Events)-1]; last.Kind != session.Message {
				t.Errorf("%v: the last event is %v", format, last.Kind)
			}
			in.Close()
		}
	}
}

// A torn capture yields what came before, a Note, and an error that is told already.
func TestTornCapture(t *testing.T) {
	file := built(t, sessions[0])
	r := NewReader(strings.NewReader(file[:len(file)-3]), Options{Name: "a.pcap"})
	b := session.NewBatch()
	var err error
	for err == nil {
		err = r.Next(b)
	}
	e, ok := err.(*Error)
	const last = 16 + 40 // the record's header, and IP and TCP
	if at := int64(len(file) - last); !ok || !e.Torn || !e.Told || e.Offset != at {
		t.Fatalf("%v; want a torn capture at byte %d", err, at)
	}
	if note := b.Events[len(b.Events)-1]; note.Note != session.NoteTorn || note.Reason != e.Error() {
		t.Errorf("the last event is %v %q", note.Note, note.Reason)
	}
}

// Where more is out of order than is held, a line says so.
func TestCapIsSaid(t *testing.T) {
	c := capturetest.New()
	x := c.Conn("10.0.0.5:51002", "10.0.0.9:14979")
	x.Open()
	x.Send(packet.Client, capturetest.Upgrade("/mcp/notifications/2"))
	x.Send(packet.Server, capturetest.Switching)
	x.Send(packet.Client, capturetest.Frame(packet.Client, session.OpBinary, "\x00{\"method\":\"a\"}"))
	x.Lose(packet.Client, 1)
	for range 9 << 20 / 60000 { // half of 16 MiB is held of one direction
		x.Send(packet.Client, strings.Repeat("x", 60000))
	}
	r := NewReader(strings.NewReader(string(c.Bytes())), Options{})
	b := session.NewBatch()
	for r.Next(b) == nil {
	}
	if !strings.HasPrefix(r.Hint(), "more was open or out of order than is held: ") || !strings.Contains(r.Hint(), "1 gap not waited for") {
		t.Errorf("the hint is %q", r.Hint())
	}
}
