package cmd

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"kind4/decode"
	"kind4/decode/capture"
	"kind4/decode/session"
	"kind4/render"
)

// vectorMessages are the messages of inspect's vector file, and every twentieth of decode's, which are many.
func vectorMessages(t testing.TB) (messages [][]byte) {
	t.Helper()
	for _, name := range []string{"../decode/testdata/frames.jsonl", "../decode/inspect/testdata/findings.jsonl"} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for n := 0; lines.Scan(); n++ {
			if strings.Contains(name, "frames") && n%20 != 0 {
				continue
			}
			var v struct{ Hex string }
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			message, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, message)
		}
	}
	if len(messages) < 200 {
		t.Fatalf("%d vectors", len(messages))
	}
	return messages
}

const (
	onePath   = "/mcp/notifications/2"
	otherPath = "/mcp/notifications/4"
)

// recordedEvents are two sessions of every kind of event, of two paths at a time, with findings that only the order of
// the messages gives.
func recordedEvents(t testing.TB) (events []session.Event) {
	now := int64(1_900_000_000_000_000)
	add := func(ev session.Event) {
		now += 1234
		ev.Time = now
		events = append(events, ev)
	}
	message := func(path string, opcode uint8, data []byte) {
		add(session.Event{Kind: session.Message, Path: path, Channel: 2, HasChannel: true, Opcode: opcode, Fragments: 1, Data: data, Size: int64(len(data))})
	}
	ask := func(channel, kind byte) {
		add(session.Event{Kind: session.Asked, Path: pathRequests, FromKind4: true, Data: []byte{0, 0, 0, channel, kind}})
	}
	step := func(path string, n int) {
		message(path, session.OpBinary, fmt.Appendf(nil, "\x00"+`{"method":"notifications/progress","params":{"progressToken":"up","progress":%d}}`, n))
	}
	for i := range 2 {
		if i > 0 {
			events = append(events, session.Event{Kind: session.Begun})
		}
		add(session.Event{Kind: session.Opened, Path: pathRequests, Remote: "127.0.0.1:5", Header: "Host: a\nUpgrade: websocket\n"})
		ask(1, 0)
		ask(2, 4)
		ask(4, 4)
		add(session.Event{Kind: session.Opened, Path: onePath, Channel: 2, HasChannel: true, Remote: "127.0.0.1:6"})
		add(session.Event{Kind: session.Opened, Path: otherPath, Channel: 4, HasChannel: true, Remote: "127.0.0.1:7"})
		for n, data := range vectorMessages(t) {
			message([]string{onePath, otherPath}[n%3/2], session.OpBinary, data)
			switch n % 16 {
			case 3:
				step(otherPath, 1000-n)
			case 5:
				message(otherPath, session.OpBinary, data) // once more, or behind one of the other path
			case 7:
				add(session.Event{Kind: session.Control, Path: onePath, Opcode: session.OpPing, Data: []byte("beat"), Size: 4})
			case 9:
				add(session.Event{Kind: session.Refused, Path: "/mcp/notifications/9", Method: "GET", Status: 404, Reason: "no kind-4 ask on channel 9", FromKind4: true})
			case 11:
				message(onePath, session.OpText, data)
			case 13:
				add(session.Event{Kind: session.Message, Path: onePath, Opcode: session.OpBinary, Data: data[:min(len(data), 3)], Size: 1 << 27})
				ask(byte(n), 4)
			case 15:
				message(pathRequests, session.OpBinary, data)
			}
		}
		add(session.Event{Kind: session.Closed, Path: onePath, End: &session.End{Kind: session.EndClose, Code: 1011, Reason: "so"}})
		add(session.Event{Kind: session.Note, Path: pathRequests, Note: session.NoteNoPath})
		step(otherPath, 7)
		add(session.Event{Kind: session.Closed, Path: otherPath, End: &session.End{Kind: session.EndReset, Error: "connection reset"}})
		add(session.Event{Kind: session.Closed, Path: pathRequests, End: &session.End{Kind: session.EndEOF}})
	}
	return events
}

// recordOf is the record of events.
func recordOf(t testing.TB, events []session.Event) []byte {
	t.Helper()
	var record bytes.Buffer
	w := capture.NewWriter(&record)
	err := w.Begin()
	for i := range events {
		err = errors.Join(err, w.Write(&events[i]))
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	return record.Bytes()
}

// reread reads a record back in batches of a few events each, all of other sizes.
func reread(t testing.TB, record []byte) (list []*session.Batch) {
	t.Helper()
	r := capture.NewReader(bytes.NewReader(record), capture.Options{Format: capture.Record})
	for {
		all := new(session.Batch)
		err := r.Next(all)
		for n := 1; len(all.Events) > 0; n = n%7 + 1 {
			n = min(n, len(all.Events))
			list = append(list, &session.Batch{Events: all.Events[:n:n], Buf: all.Buf})
			all.Events = all.Events[n:]
		}
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// shown is all that a run leaves behind.
type shown struct {
	out, err, record string
	code             int
	taken            int // batches
}

// showWith runs a pipeline of so many workers over a record.
func showWith(t *testing.T, record []byte, workers int, set func(v *view)) shown {
	t.Helper()
	var out, errs, rec strings.Builder
	st := newStatus(&errs, false)
	v := newView(&showOptions{form: render.Pretty, color: "never", failOn: failError, summary: true}, &environment{out: &out, err: &errs}, st)
	set(v)
	v.named = len(v.opts.include)+len(v.opts.expect) > 0
	for _, g := range v.opts.expect {
		v.expected = append(v.expected, expectation{glob: g})
	}
	v.recorder = &recorder{name: stdinName, w: capture.NewWriter(&rec)}
	fill := batches(reread(t, record)...)
	taken := 0
	p := newPipelineOf(v, func(j *job) (bool, error) {
		more, err := fill(j)
		if err == nil {
			taken++
		}
		return more, err
	}, workers)
	if err := p.run(); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	p.working.Wait()
	if err := v.recorder.close(); err != nil {
		t.Fatal(err)
	}
	st.finish()
	v.summarize(false)
	v.sayVerdict()
	return shown{out.String(), errs.String(), rec.String(), v.endings.code(), taken}
}

// same checks that two runs left the same behind.
func same(t *testing.T, what string, got, want shown) {
	t.Helper()
	for _, part := range []struct{ name, got, want string }{
		{"standard output", got.out, want.out}, {"standard error", got.err, want.err}, {"record", got.record, want.record},
	} {
		if part.got != part.want {
			i := 0
			for i < len(part.got) && i < len(part.want) && part.got[i] == part.want[i] {
				i++
			}
			t.Errorf("%s: %s differs from byte %d:\n%.200q\nwant\n%.200q", what, part.name, i, part.got[i:], part.want[i:])
		}
	}
	if got.code != want.code {
		t.Errorf("%s: exit %d, want %d", what, got.code, want.code)
	}
}

// Whatever the number of workers, what is shown, said and recorded is the same, to the byte.
func TestWorkers(t *testing.T) {
	defer goleak.VerifyNone(t)
	record := recordOf(t, recordedEvents(t))
	globs := func(patterns ...string) []glob { return newGlobs(patterns) }
	for name, set := range map[string]func(v *view){
		"pretty": func(v *view) {},
		"json":   func(v *view) { v.opts.form, v.events = render.JSON, true },
		"line":   func(v *view) { v.opts.form = render.Line },
		"since":  func(v *view) { v.opts.form, v.look.Timestamp = render.Line, render.Start },
		"hex":    func(v *view) { v.opts.form = render.Hex },
		"raw":    func(v *view) { v.opts.form, v.opts.verbose = render.Raw, true },
		"lp32":   func(v *view) { v.opts.form = render.LP32 },
		"live":   func(v *view) { v.opts.form, v.events, v.live, v.captured = render.JSON, true, true, false },
		"once":   func(v *view) { v.opts.form, v.live, v.captured, v.once = render.Line, true, false, true },
		"ignore": func(v *view) {
			v.opts.ignore = map[decode.Code]bool{decode.ParamsMisfit: true, decode.UnknownTag: true}
		},
		"filters": func(v *view) { v.opts.include, v.opts.exclude = globs("progress", "message"), globs("message") },
		"warning": func(v *view) { v.opts.form, v.opts.failOn = render.Line, failWarning },
		"expect":  func(v *view) { v.opts.form, v.opts.expect = render.Line, globs("progress", "acme/*") },
		"unmet":   func(v *view) { v.opts.form, v.opts.expect = render.Line, globs("progress", "nothing/like/it") },
		"live unmet": func(v *view) {
			v.opts.form, v.live, v.captured, v.opts.expect, v.opts.count = render.Line, true, false, globs("nothing/like/it"), 77
		},
	} {
		captured := func(v *view) { v.captured = true; set(v) }
		want := showWith(t, record, 1, captured)
		if len(want.out)+len(want.err) < 1000 {
			t.Errorf("%s: too little: %q %q", name, want.out, want.err)
		}
		for _, workers := range []int{2, maxWorkers} {
			got := showWith(t, record, workers, captured)
			same(t, fmt.Sprintf("%s, %d workers", name, workers), got, want)
			if got.taken != want.taken {
				t.Errorf("%s, %d workers: %d batches were read, want %d", name, workers, got.taken, want.taken)
			}
		}
	}
}

// Nothing behind the count is shown, said, recorded or read, wherever it falls.
func TestWorkersCount(t *testing.T) {
	defer goleak.VerifyNone(t)
	events := recordedEvents(t)[:100]
	record := recordOf(t, events)
	whole := showWith(t, record, 1, func(v *view) { v.captured, v.opts.form = true, render.Line })
	total := strings.Count(whole.out, "\n")
	if total < 60 {
		t.Fatal(total)
	}
	for n := 1; n <= total+1; n++ {
		for _, live := range []bool{false, true} {
			set := func(v *view) { v.opts.form, v.opts.count, v.captured, v.live = render.Line, uint64(n), !live, live }
			want := showWith(t, record, 1, set)
			if lines := strings.Count(want.out, "\n"); lines != min(n, total) || !strings.HasPrefix(whole.out, want.out) {
				t.Fatalf("-n %d: %d lines", n, lines)
			}
			got := showWith(t, record, 3, set)
			same(t, fmt.Sprintf("-n %d, live %v", n, live), got, want)
			if got.taken != want.taken {
				t.Errorf("-n %d, live %v: %d batches were read, want %d", n, live, got.taken, want.taken)
			}
		}
	}
}

// The command line as a whole says the same on any number of cores.
func TestCores(t *testing.T) {
	defer goleak.VerifyNone(t)
	dir := t.TempDir()
	input := filepath.Join(dir, "in.lp32")
	var lp32 []byte
	for range 8 {
		for _, message := range vectorMessages(t) {
			lp32 = append(append(lp32, byte(len(message)>>24), byte(len(message)>>16), byte(len(message)>>8), byte(len(message))), message...)
		}
	}
	recorded := filepath.Join(dir, "in.jsonl")
	if err := errors.Join(os.WriteFile(input, lp32, 0o600), os.WriteFile(recorded, bytes.Repeat(recordOf(t, recordedEvents(t)), 4), 0o600)); err != nil {
		t.Fatal(err)
	}
	run := func(cores int, args ...string) shown {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		rec := filepath.Join(dir, "out.jsonl")
		var out, errs strings.Builder
		code := Run(append([]string{"kind4", "decode", "--color", "never", "--summary", "-w", rec, "--force"}, args...), strings.NewReader(""), &out, &errs)
		record, err := os.ReadFile(rec)
		if err != nil {
			t.Fatal(err)
		}
		return shown{out: out.String(), err: errs.String(), record: string(record), code: code}
	}
	for _, args := range [][]string{
		{"-o", "json", input, recorded}, {"-o", "line", recorded, input}, {"-o", "pretty", input}, {"-o", "hex", input},
		{"-n", "1500", "-o", "line", input}, {"--expect", "tools/list_changed", "-o", "line", "-i", "nothing", recorded},
		{"--redact", "message", "-o", "json", input}, {"-o", "json", "--input", "lp32", recorded},
	} {
		want := run(1, args...)
		if len(want.record) < 100 {
			t.Errorf("%q: %q", args, want.err)
		}
		for _, cores := range []int{2, 8} {
			same(t, fmt.Sprintf("%q on %d cores", args, cores), run(cores, args...), want)
		}
	}
}
