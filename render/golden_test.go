package render

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

var update = flag.Bool("update", false, "write the golden files anew")

// readSession reads the messages of a session file, decoded and inspected.
func readSession(t testing.TB, name string) []*Message {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 12, 3, 4, 118_204_000, time.UTC).UnixMicro()
	state := inspect.NewSession()
	var messages []*Message
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		m, delta := readMessage(t, lines.Text())
		at += delta
		m.Seq, m.Event.Time = uint64(len(messages)+1), at
		m.Delta, m.HasDelta = delta, len(messages) > 0
		m.Findings = state.Message(nil, m.Event, m.Frame)
		messages = append(messages, m)
	}
	return messages
}

func readMessage(t testing.TB, line string) (*Message, int64) {
	t.Helper()
	var delta int64
	var what, quoted string
	if n, err := fmt.Sscanf(line, "%d %s ", &delta, &what); n != 2 {
		t.Fatalf("%q: %v", line, err)
	}
	quoted = line[strings.IndexByte(line, '"'):]
	text, err := strconv.Unquote(quoted)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	ev := &session.Event{
		Kind: session.Message, Path: "/mcp/notifications/2", Channel: 2, HasChannel: true,
		Opcode: session.OpBinary, Fragments: 1, Data: []byte(text), Size: int64(len(text)),
	}
	f := new(decode.Frame)
	switch what {
	case "binary":
		_ = f.Decode(ev.Data)
	case "text":
		ev.Opcode = session.OpText
		f.SetText(ev.Data)
	default:
		size, err := strconv.ParseInt(what, 10, 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		ev.Size = size
		f.SetOversize(ev.Data, size)
	}
	return &Message{Event: ev, Frame: f}, delta
}

func TestGolden(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 3, 4, 0, time.UTC).UnixMicro()
	tests := []struct {
		name string
		form Form
		o    Options
	}{
		{"pretty", Pretty, Options{}},
		{"pretty-color", Pretty, Options{Color: true}},
		{"pretty-start-60", Pretty, Options{Timestamp: Start, Start: start, Width: 60}},
		{"pretty-none", Pretty, Options{Timestamp: None, ASCII: true}},
		{"line", Line, Options{}},
		{"line-color-80", Line, Options{Color: true, Width: 80}},
		{"line-80", Line, Options{Width: 80}},
		{"line-40-ascii", Line, Options{Width: 40, ASCII: true}},
		{"line-delta", Line, Options{Timestamp: Delta}},
		{"line-start", Line, Options{Timestamp: Start, Start: start}},
		{"line-none", Line, Options{Timestamp: None}},
		{"json", JSON, Options{}},
		{"hex", Hex, Options{}},
		{"hex-color", Hex, Options{Color: true}},
		{"payload", Payload, Options{}},
	}
	messages := readSession(t, "session.txt")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.o.Zone = time.UTC
			p := New(test.form, test.o)
			got := fmt.Appendf(nil, "# session.txt, %v, %s\n", test.form, describe(test.o))
			for _, m := range messages {
				got = p.AppendMessage(got, m)
			}
			compareGolden(t, test.name, got)
		})
	}
}

func describe(o Options) string {
	stamp := [...]string{Clock: "clock", Delta: "delta", Start: "start", None: "none"}[o.Timestamp]
	return fmt.Sprintf("color %v, time %s, width %d, ascii %v", o.Color, stamp, o.Width, o.ASCII)
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), run with -update when that is meant:\n%s", path, diff)
	}
}
