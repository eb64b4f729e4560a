package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/ws"
)

// A quick run ends well and prints every line of the table but that of 2 GB.
func TestQuick(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.Command(bash, "../../bench", "--quick").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, work := range []string{"decode -o json", "decode -o pretty", "decode -o hex", "decode -o line", "the scanner alone",
		"two cores, -o json", "memory, 20 MB of input", "tail -o json", "latency at 1,000/s, p50", "latency at 1,000/s, p99",
		"start, --version", "binary, stripped"} {
		if !strings.Contains(string(out), "\n"+work) {
			t.Errorf("no line %q in\n%s", work, out)
		}
	}
	if !strings.Contains(string(out), "left out: the input of 2 GB") || strings.Contains(string(out), "missed") {
		t.Errorf("a quick run leaves out 2 GB, says so, and judges nothing:\n%s", out)
	}
}

func TestOptions(t *testing.T) {
	for _, test := range []struct {
		args string
		rows string
		code int
	}{
		{"--dir d", rowNames(rows()), 0},
		{"--dir d size json", "json, size", 0},
		{"--dir d sizes", "", 2},
		{"--dir d --rounds 0", "", 2},
		{"--quik", "", 2},
		{"", "", 2},
	} {
		o, err := readOptions(strings.Fields(test.args))
		code := 0
		if err != nil {
			code = exitCode(err)
		}
		if code != test.code || code == 0 && rowNames(o.rows) != test.rows {
			t.Errorf("%q: rows %s, exit code %d", test.args, rowNames(o.rows), code)
		}
	}
}

// The input is what scripts/bench says of it: good messages of five kinds, 200 bytes on average, nested, not all ASCII.
func TestMessages(t *testing.T) {
	made, size, wide := newMessages(), 0, 0
	var f decode.Frame
	methods := map[string]int{}
	const count = 10_000
	for range count {
		message := made.appendNext(nil)
		size += len(message)
		if len(message) != utf8.RuneCount(message) {
			wide++
		}
		if err := f.Decode(message); err != nil {
			t.Fatalf("%q: %v", message, err)
		}
		for _, finding := range inspect.Message(nil, &f) {
			if finding.Code.Severity() != decode.Info {
				t.Fatalf("%q: %v", message, finding)
			}
		}
		methods[methodOf(message)]++
	}
	if mean := size / count; mean < 190 || mean > 210 || len(methods) != 5 || wide < count/4 {
		t.Errorf("%d bytes on average, %d not ASCII, methods %v", mean, wide, methods)
	}
}

func methodOf(message []byte) string {
	_, rest, _ := strings.Cut(string(message), `"method":"`)
	method, _, _ := strings.Cut(rest, `"`)
	return method
}

func TestLargeMessages(t *testing.T) {
	var f decode.Frame
	for _, size := range []int{8 << 10, 8<<10 + 1, 64 << 10, 1 << 20} {
		message := newMessages().appendLarge(nil, size)
		if err := f.Decode(message); err != nil || len(message) != size {
			t.Errorf("%d bytes of %d: %v", len(message), size, err)
		}
	}
}

// The plain reader writes each payload as a line, wherever the stream is cut, for each form of length of RFC 6455
// section 5.2 that it takes, and answers the Close.
func TestPlainReader(t *testing.T) {
	var wire, want []byte
	for _, size := range []int{0, 1, 125, 126, 127, 65535, 65536, 200} {
		payload := bytes.Repeat([]byte{'x'}, size)
		wire = ws.AppendFrame(wire, ws.OpBinary, payload, &[4]byte{1, 2, 3, byte(size)})
		want = append(append(want, payload...), '\n')
	}
	wire = ws.AppendClose(wire, 1000, "", &[4]byte{9, 9, 9, 9})
	for name, conn := range map[string]*halves{
		"whole":        {Reader: bytes.NewReader(wire)},
		"byte by byte": {Reader: iotest.OneByteReader(bytes.NewReader(wire))},
	} {
		var out bytes.Buffer
		if err := copyPayloads(&out, conn); err != nil || !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%s: %d bytes of %d, %v", name, out.Len(), len(want), err)
		}
		if got := conn.answer.Bytes(); !bytes.Equal(got, []byte{0x88, 2, 3, 0xE8}) {
			t.Errorf("%s: the Close is answered with % x", name, got)
		}
	}
	large := ws.AppendFrame(nil, ws.OpBinary, make([]byte, 2*block), &[4]byte{})
	if err := copyPayloads(new(bytes.Buffer), &halves{Reader: bytes.NewReader(large)}); err == nil || !strings.Contains(err.Error(), "128 KiB") {
		t.Errorf("a frame of 128 KiB: %v", err)
	}
}

// halves reads from one end and keeps what is written to the other.
type halves struct {
	io.Reader
	answer bytes.Buffer
}

func (h *halves) Write(p []byte) (int, error) { return h.answer.Write(p) }

func TestStamps(t *testing.T) {
	const at = 1234567890 * time.Nanosecond
	message := appendStamped(nil, at)
	var f decode.Frame
	if err := f.Decode(message); err != nil || len(message) != 200 {
		t.Errorf("%d bytes, %v: %q", len(message), err, message)
	}
	if got, err := stampOf(message); got != at || err != nil {
		t.Errorf("stamp %v, %v", got, err)
	}
	if _, err := stampOf([]byte("no stamp")); err == nil {
		t.Error("a stamp where there is none")
	}
}

func TestFigures(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   string
	}{
		{nil, "–"},
		{[]float64{4.987}, "4.99 u"},
		{[]float64{3, 1, 2}, "2 (1–3) u"},
		{[]float64{10, 1234.5, 99.96, 12.34}, "56.1 (10–1234) u"},
	} {
		if got := summary(test.values, "u"); got != test.want {
			t.Errorf("%v: %q, want %q", test.values, got, test.want)
		}
	}
	if got := (series{name: "jq .", unit: "u"}).String(); got != "jq . –" {
		t.Errorf("a peer without values: %q", got)
	}
	if got := (series{}).String(); got != "" {
		t.Errorf("no peer: %q", got)
	}
	hundred := make([]float64, 100)
	for i := range hundred {
		hundred[i] = float64(i + 1)
	}
	if p50, p99 := quantile(hundred, 50), quantile(hundred, 99); p50 != 50 || p99 != 99 {
		t.Errorf("quantiles %v and %v of 1 to 100", p50, p99)
	}
	if got := quantile([]float64{7}, 50); got != 7 {
		t.Errorf("quantile of one value: %v", got)
	}
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		goal     goal
		compared []float64
		want     string
	}{
		{atLeast(15), []float64{14, 15, 16}, "reached"},
		{atLeast(15), []float64{14, 14.9, 16}, "missed"},
		{atMost(24, "MB"), []float64{24}, "reached"},
		{atMost(24, "MB"), []float64{24.1}, "missed"},
		{atMost(24, "MB"), nil, "not measured"},
	} {
		var out bytes.Buffer
		table := newTable(&out, true)
		table.add([]line{{work: "w", compared: test.compared, goal: test.goal}})
		short := 1
		if test.want == "reached" {
			short = 0
		}
		if text := out.String(); !strings.HasSuffix(text, " "+test.want+"\n") || table.short != short {
			t.Errorf("%v of %v: %q, %d short", test.goal, test.compared, text, table.short)
		}
	}
}

func TestScanRatios(t *testing.T) {
	const out = `goos: linux
BenchmarkScan/progress-2         	    1554	         1.133 gjson
BenchmarkScan/two-words-2        	     393	         0 ns/op	         1.228 gjson
PASS
BenchmarkScan/progress-2         	    1554	         1.335 gjson
ok  	kind4/decode	3.185s
`
	bodies, err := scanRatios(out)
	if err != nil {
		t.Fatal(err)
	}
	worst, all := worstBody(bodies)
	if median(worst) != (1.133+1.335)/2 || all != "medians: progress 1.23, two-words 1.23" {
		t.Errorf("worst %v of %s", worst, all)
	}
	if _, err := scanRatios("PASS\n"); err == nil {
		t.Error("ratios of nothing")
	}
}
