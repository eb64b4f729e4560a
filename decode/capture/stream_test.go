package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"kind4/decode/session"
)

// encodeAll writes messages in a format that carries any number of them.
func encodeAll(f Format, messages []string) string {
	var b []byte
	for _, m := range messages {
		switch f {
		case XXD:
			b = append(b, xxd(m)...)
		case Literal:
			b = fmt.Appendf(b, "%#v\n", []byte(m))
		default:
			b = AppendEncoded(b, f, []byte(m))
		}
	}
	return string(b)
}

// xxd dumps a message as xxd does; an empty one as a line without bytes.
func xxd(m string) string {
	var s strings.Builder
	for i := 0; i == 0 || i < len(m); i += 16 {
		row := m[i:min(i+16, len(m))]
		fmt.Fprintf(&s, "%08x: % x  %s\n", i, row, strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '.'
			}
			return r
		}, latin1(row)))
	}
	return s.String()
}

// latin1 returns a character for each byte.
func latin1(s string) string {
	r := make([]rune, len(s))
	for i := range r {
		r[i] = rune(s[i])
	}
	return string(r)
}

// mixed returns n messages of many lengths, empty ones and binary ones among them.
func mixed(n int) []string {
	rnd := rand.New(rand.NewPCG(1, 2))
	messages := make([]string, n)
	for i := range messages {
		b := make([]byte, []int{0, 1, 2, 15, 16, 17, 90, 255, 4096}[rnd.IntN(9)])
		for j := range b {
			b[j] = byte(rnd.Uint32())
		}
		messages[i] = string(b)
	}
	return messages
}

// TestManyMessages reads back what was written, however the source hands it out.
func TestManyMessages(t *testing.T) {
	messages := append(mixed(400), strings.Repeat("\x00large", 12<<10), "", strings.Repeat("z", 70<<10), "end")
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD, Literal} {
		text := encodeAll(f, messages)
		for name, src := range map[string]io.Reader{
			"whole": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			"in halves": iotest.HalfReader(strings.NewReader(text)), "with its error": iotest.DataErrReader(strings.NewReader(text)),
		} {
			g := collect(src, Options{Format: f})
			if g.err != nil || !equal(g.messages, messages) {
				t.Errorf("%v, %s: %d messages, %v; want the %d written", f, name, len(g.messages), g.err, len(messages))
			}
			for i, size := range g.sizes {
				if size != int64(len(messages[i])) {
					t.Fatalf("%v, %s: size %d of message %d, want %d", f, name, size, i, len(messages[i]))
				}
			}
		}
	}
}

// TestOversize reads on behind a message over the cap, in every format that has a next one.
func TestOversize(t *testing.T) {
	const limit = 100
	long := "\x00{" + strings.Repeat("long ", 20<<10)
	messages := []string{"\x00{first", strings.Repeat("x", limit), long, strings.Repeat("y", limit+1), "\x00{last"}
	want := []string{messages[0], messages[1], long[:headSize], messages[3][:headSize], messages[4]}
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD, Literal} {
		text := encodeAll(f, messages)
		for _, src := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			g := collect(src, Options{Format: f, MaxSize: limit})
			if g.err != nil || !equal(g.messages, want) {
				t.Fatalf("%v: %.300q, %v", f, g.messages, g.err)
			}
			for i, m := range messages {
				if g.sizes[i] != int64(len(m)) {
					t.Errorf("%v: message %d has size %d, want %d", f, i, g.sizes[i], len(m))
				}
			}
		}
	}
	for _, f := range []Format{Raw, Hex, Base64} {
		g := collect(strings.NewReader(string(AppendEncoded(nil, f, []byte(long)))), Options{Format: f, MaxSize: limit})
		if g.err != nil || !equal(g.messages, []string{long[:headSize]}) || g.sizes[0] != int64(len(long)) {
			t.Errorf("%v: %q, sizes %v, %v", f, g.messages, g.sizes, g.err)
		}
	}
}

// TestOversizeSmallCap keeps no more of a message than the cap: what is longer is never there whole.
func TestOversizeSmallCap(t *testing.T) {
	messages := []string{"hello", "abc", strings.Repeat("x", 70), "", "abcd"}
	for limit := 1; limit <= headSize+1; limit++ {
		var want []string
		for _, m := range messages {
			if len(m) > limit {
				m = m[:min(limit, headSize)]
			}
			want = append(want, m)
		}
		for _, f := range []Format{LP32, HexLines, Base64Lines, XXD, Literal} {
			g := collect(strings.NewReader(encodeAll(f, messages)), Options{Format: f, MaxSize: int64(limit)})
			if g.err != nil || !equal(g.messages, want) || fmt.Sprint(g.sizes) != "[5 3 70 0 4]" {
				t.Errorf("%v, %d bytes: %q, sizes %v, %v", f, limit, g.messages, g.sizes, g.err)
			}
		}
		for _, f := range []Format{Raw, Hex, Base64} {
			g := collect(strings.NewReader(string(AppendEncoded(nil, f, []byte(messages[2])))), Options{Format: f, MaxSize: int64(limit)})
			if g.err != nil || !equal(g.messages, want[2:3]) || g.sizes[0] != 70 {
				t.Errorf("%v, %d bytes: %q, sizes %v, %v", f, limit, g.messages, g.sizes, g.err)
			}
		}
	}
}

// TestSqueezedOversize counts what "*" stands for without writing it out.
func TestSqueezedOversize(t *testing.T) {
	g := collect(strings.NewReader("00000000: 0000\n*\n3fffffffffffff00: 01\n"), Options{Format: XXD})
	if len(g.messages) != 1 || len(g.messages[0]) != headSize || g.sizes[0] != 0x3fffffffffffff01 {
		t.Errorf("%q, sizes %v, %v", g.messages, g.sizes, g.err)
	}
}

// TestNextDoesNotWait yields what has come while more may come later.
func TestNextDoesNotWait(t *testing.T) {
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD, Hexdump, Literal} {
		pr, pw := io.Pipe()
		first, rest := encodeAll(f, []string{"\x00{one"}), encodeAll(f, []string{"\x00{two"})
		if f == XXD || f == Hexdump {
			first, rest = "00000000: 01\n00000000: 02\n", "00000000: 03\n"
			if f == Hexdump {
				first, rest = strings.ReplaceAll(first, ":", ""), strings.ReplaceAll(rest, ":", "")
			}
		}
		go func() {
			io.WriteString(pw, first)
			io.WriteString(pw, rest[:3])
		}()
		b := session.NewBatch()
		if err := NewReader(pr, Options{Format: f}).Next(b); err != nil || len(b.Events) != 1 {
			t.Errorf("%v: %d events, %v; want the first message", f, len(b.Events), err)
		}
		pr.Close()
	}
}

// TestBatchKeepsWhatItHolds appends to a batch that has events already.
func TestBatchKeepsWhatItHolds(t *testing.T) {
	b := session.NewBatch()
	b.Buf = append(b.Buf, "before"...)
	b.Events = append(b.Events, session.Event{Kind: session.Message, Data: b.Buf[:6]})
	r := NewReader(strings.NewReader(encodeAll(LP32, mixed(500))), Options{Format: LP32})
	for r.Next(b) == nil {
	}
	if string(b.Events[0].Data) != "before" || len(b.Events) != 501 {
		t.Errorf("%q, %d events", b.Events[0].Data, len(b.Events))
	}
	for i, m := range mixed(500) {
		if ev := b.Events[i+1]; string(ev.Data) != m || ev.Kind != session.Message || ev.Opcode != session.OpBinary || ev.Time != 0 {
			t.Fatalf("event %d: %+v", i, ev)
		}
	}
}

// TestReadError yields what came before a source fails, then the same located error for good.
func TestReadError(t *testing.T) {
	broken := &fs.PathError{Op: "read", Path: "x", Err: errors.New("input/output error")}
	for _, f := range []Format{LP32, HexLines, Base64Lines, Literal, Hex, Raw, XXD, Auto} {
		text := encodeAll(f, []string{"\x00{}"})
		r := NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), Options{Format: f, Name: "a\nb"})
		var err error
		messages := 0
		for range 5 {
			b := session.NewBatch()
			if err = r.Next(b); err == nil && len(b.Events) == 0 {
				t.Errorf("%v: neither events nor an error", f)
			}
			messages += len(b.Events)
		}
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, broken) {
			t.Fatalf("%v: error %v", f, err)
		}
		if want := fmt.Sprintf(`byte %d of "a\nb": cannot read on: input/output error`, len(text)); err.Error() != want {
			t.Errorf("%v: error %s, want %s", f, err, want)
		}
		whole := map[Format]int{Hex: 1, LP32: 1, HexLines: 1, Base64Lines: 1, Literal: 1}
		if messages != whole[f] {
			t.Errorf("%v: %d messages, want %d", f, messages, whole[f])
		}
	}
}

// TestTorn marks the errors of an input that ends too early, and no others.
func TestTorn(t *testing.T) {
	for _, c := range []struct {
		format Format
		input  string
		torn   bool
		line   int
		offset int64
	}{
		{LP32, "\x00\x00\x00\x01x\x00\x00\x00\x09abc", true, 0, 5},
		{LP32, "\x00\x00", true, 0, 0},
		{XXD, "00000000: 00\n*\n", true, 2, 15},
		{Literal, "[1]\n[1, 2", true, 2, 9},
		{Literal, "<Buffer 00 ... 9 more bytes>", true, 1, 11},
		{HexLines, "00\n7b 0\n", false, 2, 6},
		{Base64Lines, "AA==\nAHsiA\n", false, 2, 5},
		{XXD, "00000000: 00\n00000001: 0\n", false, 2, 13},
		{Literal, "[1]\n[x]", false, 2, 6},
	} {
		var e *Error
		if g := read(c.format, c.input); !errors.As(g.err, &e) {
			t.Errorf("%v %q: error %v", c.format, c.input, g.err)
		} else if e.Torn != c.torn || e.Line != c.line || e.Offset != c.offset || e.Name != "dump.txt" {
			t.Errorf("%v %q: %+v, want torn %v, line %d, offset %d", c.format, c.input, e, c.torn, c.line, c.offset)
		}
	}
}

// repeated is a source of n copies of one text.
type repeated struct {
	text string
	n    int
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	if r.at += n; r.at == len(r.text) {
		r.at = 0
		r.n--
	}
	return n, nil
}

// TestConstantMemory reads far more than it may hold: 64 MiB of lp32 and text, in less than 4 MiB, and
// a message of 4 GiB less one byte that is over the cap.
func TestConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MiB a format and 4 GiB")
	}
	block := strings.Repeat("\x00{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":2}}", 8)
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD} {
		text := strings.Repeat(encodeAll(f, []string{block, "", block[:70]}), 100)
		n := (64 << 20) / len(text)
		if count := drain(t, &repeated{text: text, n: n}, Options{Format: f}, 4<<20); count != int64(n)*300 {
			t.Errorf("%v: %d messages, want %d", f, count, n*300)
		}
	}
	head := binary.BigEndian.AppendUint32(nil, 1<<32-1)
	huge := io.MultiReader(bytes.NewReader(head), io.LimitReader(&repeated{text: block, n: 1 << 30}, 1<<32-1),
		strings.NewReader(encodeAll(LP32, []string{"end"})))
	if count := drain(t, huge, Options{Format: LP32}, 4<<20); count != 2 {
		t.Errorf("%d messages, want the large one and the last", count)
	}
}

// drain reads src to its end, holds the heap to a limit above what it was, and returns how many messages
// came.
func drain(t *testing.T, src io.Reader, o Options, limit uint64) (count int64) {
	t.Helper()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := NewReader(src, o)
	b := new(session.Batch) // not of the pool, which lets go of memory at random under the race detector
	for step := 0; ; step++ {
		err := r.Next(b)
		count += int64(len(b.Events))
		b.Events, b.Buf = b.Events[:0], b.Buf[:0]
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("%v: %v", o.Format, err)
		}
		if step%256 == 0 {
			runtime.ReadMemStats(&now)
			if now.HeapAlloc > before.HeapAlloc+limit {
				t.Fatalf("%v: the heap grew from %d to %d bytes", o.Format, before.HeapAlloc, now.HeapAlloc)
			}
		}
	}
}

// TestAllocations holds the hot paths to no allocation a message once a batch has its memory.
func TestAllocations(t *testing.T) {
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD} {
		text := strings.Repeat(encodeAll(f, []string{"\x00{\"method\":\"notifications/tools/list_changed\"}"}), 200)
		r := NewReader(&repeated{text: text, n: 1 << 30}, Options{Format: f})
		b := new(session.Batch)
		next := func() {
			if err := r.Next(b); err != nil {
				t.Fatal(err)
			}
			b.Events, b.Buf = b.Events[:0], b.Buf[:0]
		}
		for range 50 {
			next()
		}
		if n := testing.AllocsPerRun(200, next); n > 0 {
			t.Errorf("%v: %v allocations a batch", f, n)
		}
	}
}

func TestAppendEncoded(t *testing.T) {
	for _, c := range []struct {
		format Format
		want   string
	}{
		{Raw, ">\x00{\xff"}, {Hex, ">007bff\n"}, {HexLines, ">007bff\n"}, {Base64, ">AHv/\n"},
		{Base64Lines, ">AHv/\n"}, {LP32, ">\x00\x00\x00\x03\x00{\xff"},
	} {
		if s := AppendEncoded([]byte(">"), c.format, []byte("\x00{\xff")); string(s) != c.want {
			t.Errorf("%v: %q, want %q", c.format, s, c.want)
		}
	}
}
