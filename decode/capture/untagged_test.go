package capture

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"kind4/decode/session"
)

// untaggedGot is what a reader made of an input without tags: its messages, without the tag 0 that each must have.
type untaggedGot struct {
	messages []string
	sizes    []int64
	torn     []string
	format   Format
	hint     string
	tally    Tally
	err      error
}

func readUntagged(t *testing.T, src io.Reader, o Options) untaggedGot {
	t.Helper()
	o.Untagged = true
	r := NewReader(src, o)
	var g untaggedGot
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for i := range b.Events {
			ev := &b.Events[i]
			switch {
			case ev.Kind == session.Note && ev.Note == session.NoteTorn:
				g.torn = append(g.torn, ev.Reason)
			case ev.Kind != session.Message || len(ev.Data) == 0 || ev.Data[0] != 0 || ev.Opcode != session.OpBinary:
				t.Errorf("not a message with tag 0: %+v", ev)
			default:
				if o.MaxSize == 0 && ev.Size != int64(len(ev.Data)) {
					t.Errorf("%d bytes of %d: %q", len(ev.Data), ev.Size, ev.Data)
				}
				g.messages = append(g.messages, string(ev.Data[1:]))
				g.sizes = append(g.sizes, ev.Size-1)
			}
		}
		b.Release()
		if err != nil {
			if err != io.EOF {
				g.err = err
			}
			g.format, g.hint, g.tally = r.Format(), r.Hint(), r.Tally()
			return g
		}
	}
}

func TestClassify(t *testing.T) {
	for input, want := range map[string]class{
		`{"jsonrpc":"2.0","method":"notifications/progress"}`:               message,
		`{"method":"notifications/progress","params":{},"jsonrpc":"2.0"} `:  message,
		`{"method":"notifications/progress"}`:                               message,
		`{"method":"x","params":{}}`:                                        message,
		`{"method":"GET","path":"/"}`:                                       other,
		`{"jsonrpc":"2.0","method":"x","y":1}`:                              message,
		`{"jsonrpc":"2.0","id":null,"method":"x"}`:                          message,
		`{"jsonrpc":"2.0","id":1,"method":"notifications/x"}`:               message,
		`{"jsonrpc":"2.0","id":1,"method":"x"}`:                             request,
		`{"method":"x","params":{"id":2},"id":"a"}`:                         request,
		`{"jsonrpc":"2.0","\u0069d":1,"metho\u0064":"x"}`:                   request,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}`:          request,
		`{"jsonrpc":"2.0","id":1,"method":"x","para`:                        request,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                              response,
		`{"result":{},"jsonrpc":"2.0","id":1}`:                              response,
		`{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`:                response,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`: response,
		`{"jsonrpc":"2.0","id":1}`:                                          response,
		`{"jsonrpc":"2.0","id":1,"res`:                                      response,
		`{"jsonrpc":"2.0","id":1,"result":{"x":`:                            response,
		`{"jsonrpc":"2.0","Method":"notifications/x"}`:                      message,
		`{"jsonrpc":"2.0"}`:                                                 message,
		`{"error":"gone","level":3}`:                                        other,
		`{"level":"info","msg":"notifications/x"}`:                          other,
		`{}`:                     other,
		`[]`:                     other,
		`[1,{"a":2}]`:            other,
		`["notifications/x",{}]`: other,
		`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"x"}]`: message,
		`[{"jsonrpc":"2.0","method":"x"},{"js`:                                  message,
		`[info] started`:                                                        other,
		`{"jsonrpc":"2.0","method":"notifications/x","id":1,"method":"ping"}`:   message,
		`{"jsonrpc":"2.0","method":"notifications/x"`:                           message,
		`{"method":"notifications/`:                                             message,
		`{"method":"notifications/x`:                                            message,
		`{"jsonrpc":"2.0","method":"notifications/pro`:                          message,
		`{"jsonrpc":"2.0","me`:                                                  message,
		`{"method":"notif`:                                                      message,
		`{"jsonrpc":"2.`:                                                        message,
		`{"jso`:                                                                 message,
		`{"params":{"x`:                                                         message,
		`{"level":"info","msg":"cut`:                                            other,
		`{"lev`:                                                                 other,
		`{`:                                                                     other,
		`{port: 3}`:                                                             other,
		`{'jsonrpc': '2.0', 'method': 'notifications/x'}`:                       message,
		`{'jsonrpc': '2.0', 'id': 1, 'result': {}}`:                             other,
		`{"jsonrpc":"2.0","method":"notifications/x"}{"jsonrpc":"2.0","id":1}`:    message,
		`{"jsonrpc":"2.0","method":"notifications/x","params":{"level":"a" "b"}}`: message,
		`text`: other,
		``:     other,
		`"{"`:  other,
		`null`: other,
	} {
		got, short := classify([]byte(input)), classifyWhole([]byte(input))
		if got.class != want || short.class != want {
			t.Errorf("%s: class %d, in short %d, want %d", input, got.class, short.class, want)
		}
	}
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func TestLines(t *testing.T) {
	pretty := "{\n  \"jsonrpc\": \"2.0\",\n\n  \"method\": \"x\"\n}"
	for _, test := range []struct {
		name, input string
		messages    []string
		tally       Tally
	}{
		{"plain", listChanged + "\r\n\n" + `  {"method":"notifications/x"}`, []string{listChanged, `  {"method":"notifications/x"}`}, Tally{Messages: 2}},
		{"mark", byteOrderMark + listChanged + "\n", []string{listChanged}, Tally{Messages: 1}},
		{"noise", "started\n" + listChanged + "\n{\"a\":1}\n[x]\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n",
			[]string{listChanged}, Tally{Messages: 1, Requests: 1, Responses: 1, Others: 3}},
		{"prefix", "2026-01-01 <- " + listChanged + "\n[info] server: " + listChanged + " { metadata: undefined }\n" +
			"12:00 ctx={\"id\":3} {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n12:01 " + listChanged[:30] + "\n12:02 {\"method\":\"GET\"}\n",
			[]string{listChanged, listChanged, listChanged[:30]}, Tally{Messages: 3, Responses: 1, Others: 1}},
		{"pretty", pretty + "\n" + listChanged + "\n", []string{pretty, listChanged}, Tally{Messages: 2}},
		{"pretty, deeper", "\t{\n\t\t\"jsonrpc\": \"2.0\",\n\t\t\"id\": 1,\n\t\t\"result\": {\n\t\t}\n\t}\r\n" + listChanged, []string{listChanged}, Tally{Messages: 1, Responses: 1}},
		{"pretty, cut off", pretty[:24] + "\n" + listChanged + "\n", []string{pretty[:24], listChanged}, Tally{Messages: 2}},
		{"pretty, cut off by the end", pretty[:24], []string{pretty[:24]}, Tally{Messages: 1}},
		{"split", "{ \"jsonrpc\":\"2.0\",\n  \"method\":\"x\" }\n" + listChanged, []string{"{ \"jsonrpc\":\"2.0\",\n  \"method\":\"x\" }", listChanged}, Tally{Messages: 2}},
		{"split behind a value", "{\"jsonrpc\":\"2.0\"\n,\"params\":{}\n,\"method\":\"x\"}\n", []string{"{\"jsonrpc\":\"2.0\"\n,\"params\":{}\n,\"method\":\"x\"}"}, Tally{Messages: 1}},
		{"split behind a brace", "{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}\n}\n", []string{"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}\n}"}, Tally{Messages: 1}},
		{"split, cut off", "{\"jsonrpc\":\"2.0\",\n" + listChanged + "\n", []string{"{\"jsonrpc\":\"2.0\",", listChanged}, Tally{Messages: 2}},
		{"split, cut off before a value", "{\"jsonrpc\":\"2.0\",\"params\":\n" + listChanged + "\n", []string{"{\"jsonrpc\":\"2.0\",\"params\":", listChanged}, Tally{Messages: 2}},
		{"pretty behind text", "12:00 " + pretty + " sent\n12:01 -> {\n  \"a\": 1\n}\nmain() {\n  " + listChanged + "\n}\n", []string{pretty, "  " + listChanged}, Tally{Messages: 2, Others: 3}},
		{"split behind text", "12:00 {\"jsonrpc\":\"2.0\",\n\"method\":\"x\"}\n", []string{"{\"jsonrpc\":\"2.0\",\n\"method\":\"x\"}"}, Tally{Messages: 1}},
		{"batch behind text", "2026 -> [" + listChanged + "]\nctx[1] [ " + listChanged + " ] x\n", []string{"[" + listChanged + "]", "[ " + listChanged + " ]"}, Tally{Messages: 2}},
		{"pretty batch", "[\n  {\n    \"jsonrpc\": \"2.0\",\n    \"method\": \"x\"\n  }\n]\n", []string{"[\n  {\n    \"jsonrpc\": \"2.0\",\n    \"method\": \"x\"\n  }\n]"}, Tally{Messages: 1}},
		{"pretty batch behind text", "12:00 [{\n\"jsonrpc\": \"2.0\",\n\"method\": \"x\"}]\n", []string{"[{\n\"jsonrpc\": \"2.0\",\n\"method\": \"x\"}]"}, Tally{Messages: 1}},
		{"a bracket and lines", "tags [\n" + listChanged + "\n" + listChanged + "\n", []string{listChanged, listChanged}, Tally{Messages: 2, Others: 1}},
		{"a bracket at the end", "[\n" + listChanged, []string{listChanged}, Tally{Messages: 1, Others: 1}},
		{"braces", "{\n}\n{\n", nil, Tally{Others: 2}},
		{"batches", `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"method":"ping"}]` + "\n[" + listChanged + "]\n",
			[]string{"[" + listChanged + "]"}, Tally{Messages: 1, Requests: 1, Responses: 1}},
		{"wrapped", `{"log":"{\"jsonrpc\":\"2.0\"}\n","stream":"stdout"}` + "\n", nil, Tally{Others: 1, Wrapper: "log"}},
		{"wrapped in what no command can name", `{"a b":"{\"jsonrpc\":\"2.0\"}\n"}` + "\n", nil, Tally{Others: 1}},
	} {
		for form, src := range sources(test.input) {
			g := readUntagged(t, src, Options{Name: "log.txt"})
			if g.format != Lines || !slices.Equal(g.messages, test.messages) || g.tally != test.tally || g.err != nil {
				t.Errorf("%s, %s: %v %q %+v %v, want %q %+v", test.name, form, g.format, g.messages, g.tally, g.err, test.messages, test.tally)
			}
		}
	}
}

// sources hands an input out in several ways.
func sources(input string) map[string]io.Reader {
	return map[string]io.Reader{"whole": strings.NewReader(input), "byte by byte": iotest.OneByteReader(strings.NewReader(input)),
		"with its end": iotest.DataErrReader(strings.NewReader(input))}
}

func TestSSE(t *testing.T) {
	for _, test := range []struct {
		name, input string
		messages    []string
		tally       Tally
	}{
		{"plain", "data: " + listChanged + "\n\n", []string{listChanged}, Tally{Messages: 1}},
		{"without the space, CR LF", "data:" + listChanged + "\r\n\r\ndata: " + listChanged + "\r\n\r\n", []string{listChanged, listChanged}, Tally{Messages: 2}},
		{"CR", "data: " + listChanged + "\r\rdata: " + listChanged + "\r\r", []string{listChanged, listChanged}, Tally{Messages: 2}},
		{"joined", byteOrderMark + "data: {\"jsonrpc\":\"2.0\",\ndata:  \"method\":\"x\"}\n\n", []string{"{\"jsonrpc\":\"2.0\",\n \"method\":\"x\"}"}, Tally{Messages: 1}},
		{"joined, CR LF", "data: {\"jsonrpc\":\"2.0\",\r\ndata: \"method\":\"x\"}\r\n\r\n", []string{"{\"jsonrpc\":\"2.0\",\n\"method\":\"x\"}"}, Tally{Messages: 1}},
		{"everything else", ": hi\n:\nid: 1\nevent: message\nretry: 3\ndatax: 1\ndata: " + listChanged + "\nDATA: x\n\nid: 2\n\nevent: endpoint\ndata: /x\n\n" +
			"data: " + listChanged + "\n\ndata: hello\n\ndata:\n\ndata\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
			[]string{listChanged, listChanged}, Tally{Messages: 2, Responses: 1, Others: 3, Comments: 2, Fields: 2, Named: 1, Name: "endpoint"}},
		{"behind the head of a response", "HTTP/1.1 200 OK\r\nnel: {\"max_age\":1}\r\ncontent-type: text/event-stream\r\n\r\n3f\r\ndata: " + listChanged + "\r\n\r\n",
			[]string{listChanged}, Tally{Messages: 1, Fields: 4}},
		{"no lines of JSON-RPC", "data: x\n\n" + listChanged + "\n", nil, Tally{Others: 1, Fields: 1}},
		{"broken", "data: " + listChanged[:40] + "\n\n", []string{listChanged[:40]}, Tally{Messages: 1}},
		{"a name cleared", "event: a\nevent:\ndata: " + listChanged + "\n\n", []string{listChanged}, Tally{Messages: 1}},
		{"keeping alive", ": ping\n\n: ping\n\n", nil, Tally{Comments: 2}},
	} {
		for form, src := range sources(test.input) {
			g := readUntagged(t, src, Options{Name: "log.sse"})
			if g.format != SSE || !slices.Equal(g.messages, test.messages) || g.tally != test.tally || g.err != nil || g.torn != nil {
				t.Errorf("%s, %s: %v %q %+v %q %v, want %q %+v", test.name, form, g.format, g.messages, g.tally, g.torn, g.err, test.messages, test.tally)
			}
		}
	}
}

// An event that the end cuts off is shown, and said to be cut off; one without a notification is not.
func TestSSETorn(t *testing.T) {
	for input, torn := range map[string]int{
		"data: " + listChanged: 1, "\n\ndata: " + listChanged + "\n": 1, "data: " + listChanged + "\n\nid: 3\n": 0,
		"data: " + listChanged + "\n\ndata: x": 0, "data: " + listChanged + "\r\r": 0,
	} {
		g := readUntagged(t, strings.NewReader(input), Options{Name: "log.sse", Format: SSE})
		if len(g.messages) != 1 || len(g.torn) != torn || torn == 1 && !strings.Contains(g.torn[0], " of log.sse: the stream ends inside this event") {
			t.Errorf("%q: %q, %q", input, g.messages, g.torn)
		}
	}
}

// Messages over the cap are cut to their head, and what is no message is bounded by the same cap.
func TestUntaggedOversize(t *testing.T) {
	const limit = 1000
	long := listChanged[:len(listChanged)-1] + `,"x":"` + strings.Repeat("y", 100<<10) + `"}`
	noise := strings.Repeat("noise ", 100<<10)
	exact := listChanged[:len(listChanged)-1] + `,"x":"` + strings.Repeat("y", limit-1-len(listChanged)-7) + `"}`
	if len(exact) != limit-1 {
		t.Fatal(len(exact))
	}
	lines := noise + "\n" + long + "\n" + exact + "\n" + "12:00 " + long + "\n" + exact[:len(exact)-1] + " }\n" + listChanged
	sse := ":" + noise + "\n" + noise + "\nevent: " + noise + "\nevent:\ndata: " + strings.Replace(long, ",", ",\ndata: ", 1) + "\n\ndata: " + exact + "\n\nid: " +
		noise + "\ndata: " + long + "\n\ndata: " + exact[:len(exact)-1] + "\ndata: }\n\ndata: " + listChanged + "\n\n"
	head := listChanged + `,"x`
	for input, sizes := range map[string][]int64{
		lines: {int64(len(long)), limit - 1, int64(len(long)), limit, int64(len(listChanged))},
		sse:   {int64(len(long)) + 1, limit - 1, int64(len(long)), limit, int64(len(listChanged))},
	} {
		for form, src := range sources(input) {
			g := readUntagged(t, src, Options{MaxSize: limit})
			if !slices.Equal(g.sizes, sizes) || g.err != nil {
				t.Fatalf("%v, %s: sizes %v, want %v; %v", g.format, form, g.sizes, sizes, g.err)
			}
			for i, m := range g.messages {
				want := min(sizes[i], headSize-1)
				if sizes[i] < limit {
					want = sizes[i]
				}
				if int64(len(m)) != want || !strings.HasPrefix(strings.Replace(m, "\n", "", 1), head[:20]) {
					t.Errorf("%v, %s: message %d has %d bytes, want %d: %.80q", g.format, form, i, len(m), want, m)
				}
			}
		}
	}
}

// A message is yielded when its line or event is there to the end, before the next one comes.
func TestUntaggedLive(t *testing.T) {
	for _, chunks := range [][]string{
		{listChanged + "\n", listChanged + "\n"},
		{"started\n", listChanged + "\n", listChanged + "\n"},
		{": hello\n\n", "event: message\n", "data: " + listChanged + "\n\n", "data: " + listChanged + "\r\r"},
		{"data: " + listChanged + "\r\n\r", "\ndata: " + listChanged + "\r\n\r"},
	} {
		in, out := io.Pipe()
		r := NewReader(in, Options{Untagged: true})
		written := 0
		got := make(chan int)
		go func() {
			defer close(got)
			for {
				b := session.NewBatch()
				err := r.Next(b)
				if len(b.Events) > 0 {
					got <- len(b.Events)
				}
				b.Release()
				if err != nil {
					return
				}
			}
		}()
		for _, chunk := range chunks {
			io.WriteString(out, chunk)
			if strings.Contains(chunk, listChanged) {
				written++
				if n := <-got; n != 1 {
					t.Errorf("%q: %d messages at once", chunks, n)
				}
			}
		}
		out.Close()
		for range got {
			t.Errorf("%q: more than %d messages", chunks, written)
		}
	}
}

// Packed input is unpacked before its first lines are looked at.
func TestUntaggedPacked(t *testing.T) {
	for input, format := range map[string]Format{listChanged + "\n": Lines, ": hi\n\ndata: " + listChanged + "\n\n": SSE} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		io.WriteString(w, input)
		w.Close()
		for _, f := range []Format{Auto, format} {
			g := readUntagged(t, bytes.NewReader(packed.Bytes()), Options{Format: f})
			if g.format != format || !slices.Equal(g.messages, []string{listChanged}) || g.err != nil || g.hint != "" {
				t.Errorf("%q: %+v", input, g)
			}
		}
	}
}

func TestUntaggedFormat(t *testing.T) {
	for input, want := range map[string]Format{
		"": Lines, "text\n": Lines, "id: 1\n": SSE, "id: 1\n" + listChanged: Lines, ": ping\n\ndata: x\n": SSE, "error: {\"jsonrpc\":\"2.0\",\"id\":1}\ndata:": Lines,
		"error: {\"a\":1}\ndata:": SSE, "retry: 1\r\rdata:": SSE, "dat": Lines,
	} {
		if f, _ := untaggedFormat([]byte(input)); f != want {
			t.Errorf("%q: %v, want %v", input, f, want)
		}
	}
}

func TestUntaggedHints(t *testing.T) {
	for input, want := range map[string]string{
		listChanged + "\n":                         "--untagged reads it, line by line",
		"12:00 " + listChanged + "\n":              "--untagged reads it, line by line",
		"data: " + listChanged + "\n\n":            "--untagged reads its events",
		"{\"method\":\"x\"}\n{\"method\":\"y\"}\n": "--untagged reads it, line by line",
		"{\"method\":\"x\"}\n":                     "",
		"hello\n":                                  "",
	} {
		g := read(Auto, input)
		if g.format != Raw || !strings.HasSuffix(g.hint, want) || want == "" && g.hint != "" {
			t.Errorf("%q: %v, hint %q, want %q", input, g.format, g.hint, want)
		}
	}
	g := readUntagged(t, strings.NewReader("\xff\xfe{\x00\"\x00"), Options{})
	if !strings.Contains(g.hint, "UTF-16, little-endian") {
		t.Errorf("hint %q", g.hint)
	}
	if g := readUntagged(t, strings.NewReader(""), Options{}); g.hint != noBytesUntagged {
		t.Errorf("hint %q", g.hint)
	}
}

// untaggedSeeds are what the fuzz targets of untagged input begin with, beside the files in testdata.
var untaggedSeeds = []string{
	listChanged + "\r\n{\n \"jsonrpc\":1\n}\n12:00 " + listChanged + " x\nnoise\n[" + listChanged + "]",
	byteOrderMark + "event: message\r\nid: 1\rdata: {\"jsonrpc\":\"2.0\",\ndata:\"method\":\"x\"}\r\n\r: c\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1}\n\nevent:x\ndata\n\ndata: {\"jso",
	"data: " + listChanged[:len(listChanged)-1] + strings.Repeat(" ", 5<<10) + "}\n\n",
	"{\n" + strings.Repeat("  \"jsonrpc\": 1,\n", 20) + "}\n",
}

// FuzzUntagged checks that lines, streams and what auto makes of either do not hang on how the source hands them out (a
// hint may: it goes by what has come when the first line is read, and nothing waits for more), and that what fuzzReader holds of messages holds of these.
func FuzzUntagged(f *testing.F) {
	for _, s := range untaggedSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		for _, format := range []Format{Auto, Lines, SSE} {
			o := Options{Format: format, Name: "log.txt", MaxSize: fuzzCap}
			whole := readUntagged(t, strings.NewReader(input), o)
			split := readUntagged(t, iotest.OneByteReader(strings.NewReader(input)), o)
			if !slices.Equal(whole.messages, split.messages) || !slices.Equal(whole.sizes, split.sizes) || !slices.Equal(whole.torn, split.torn) ||
				whole.tally != split.tally || whole.format != split.format || whole.err != nil || split.err != nil {
				t.Errorf("%v: whole: %+v\nbyte by byte: %+v", format, whole, split)
			}
			if int(whole.tally.Messages) != len(whole.messages) {
				t.Errorf("%d messages of %d", len(whole.messages), whole.tally.Messages)
			}
			for i, m := range whole.messages {
				if size := whole.sizes[i] + 1; size <= fuzzCap && int64(len(m)+1) != size || size > fuzzCap && len(m)+1 != headSize {
					t.Errorf("message %d: %d bytes of %d", i, len(m)+1, size)
				}
			}
		}
	})
}

// streamEvents reads an event stream as the standard says it (WHATWG HTML sections 9.2.5 and 9.2.6), all at once, and
// returns name and data of each event; last is whether the last one was cut off by the end, and would be dropped.
func streamEvents(input string) (events [][2]string, last bool) {
	input = strings.TrimPrefix(input, byteOrderMark)
	input = strings.ReplaceAll(strings.ReplaceAll(input, "\r\n", "\n"), "\r", "\n")
	data, name, has := "", "", false
	lines := strings.Split(input, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	for _, line := range lines {
		if line == "" {
			if data != "" {
				events = append(events, [2]string{name, strings.TrimSuffix(data, "\n")})
			}
			data, name, has = "", "", false
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case strings.HasPrefix(line, ":"):
		case field == "data":
			data, has = data+value+"\n", true
		case field == "event":
			name = value
		}
	}
	if has {
		events = append(events, [2]string{name, strings.TrimSuffix(data, "\n")})
	}
	return events, has
}

// FuzzSSE holds the reader to streamEvents.
func FuzzSSE(f *testing.F) {
	for _, s := range untaggedSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		events, cut := streamEvents(input)
		var want []string
		torn, named := 0, int64(0)
		for i, ev := range events {
			switch {
			case ev[0] != "" && ev[0] != "message":
				named++
			case classify([]byte(ev[1])).class == message:
				want = append(want, ev[1])
				if cut && i == len(events)-1 {
					torn = 1
				}
			}
		}
		for form, src := range sources(input) {
			g := readUntagged(t, src, Options{Format: SSE})
			if !slices.Equal(g.messages, want) || len(g.torn) != torn || g.tally.Named != named {
				t.Errorf("%s: %q, %d torn, %d named, want %q, %d, %d", form, g.messages, len(g.torn), g.tally.Named, want, torn, named)
			}
		}
	})
}
