package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"kind4/decode/session"
)

// gzipped returns text as one gzip member.
func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// zstded returns text as one zstd frame with a checksum.
func zstded(text string) string {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return string(w.EncodeAll([]byte(text), nil))
}

// skippable returns a zstd frame that is to be skipped (RFC 8878 section 3.1.2).
func skippable(data string) string {
	return "\x53\x2a\x4d\x18" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) + data
}

// packers are the ways to pack a text that are one.
var packers = map[string]func(string) string{
	"gzip":           gzipped,
	"zstd":           zstded,
	"gzip in zstd":   func(s string) string { return zstded(gzipped(s)) },
	"two members":    func(s string) string { return gzipped(s[:len(s)/2]) + gzipped(s[len(s)/2:]) },
	"empty members":  func(s string) string { return gzipped("") + gzipped(s) + gzipped("") },
	"padded":         func(s string) string { return gzipped(s) + strings.Repeat("\x00", 700) },
	"two frames":     func(s string) string { return zstded(s[:len(s)/2]) + zstded(s[len(s)/2:]) },
	"frames skipped": func(s string) string { return skippable("x") + zstded(s) + skippable("") },
}

// TestUnpacks holds what is packed to the same unpacked, in every format, told and recognised.
func TestUnpacks(t *testing.T) {
	messages := []string{"\x00{\"method\":\"x\"}", "\x01{}", "\x00{" + strings.Repeat("long", 40<<10) + "}"}
	for _, f := range []Format{LP32, HexLines, Base64Lines, XXD, Literal} {
		text := encodeAll(f, messages)
		for name, pack := range packers {
			for _, told := range []Format{f, Auto} {
				packed := pack(text)
				for _, src := range []io.Reader{strings.NewReader(packed), iotest.OneByteReader(strings.NewReader(packed))} {
					g := collect(src, Options{Format: told})
					if g.err != nil || !equal(g.messages, messages) || g.hint != "" {
						t.Errorf("%v, told %v, %s: %d messages, %v, hint %q", f, told, name, len(g.messages), g.err, g.hint)
					}
				}
			}
		}
	}
}

func TestReadAs(t *testing.T) {
	dump := "00000000: 007b 7d  .{}\n"
	for _, c := range []struct{ input, want, hint string }{
		{dump, "xxd", ""},
		{gzipped(dump), "gzip, xxd", ""},
		{zstded(gzipped(dump)), "zstd, gzip, xxd", ""},
		{gzipped("\x00{}"), "gzip, raw", "unpacked from gzip and taken for one raw message"},
		{gzipped(gzipped(gzipped(dump))), "gzip, gzip, raw", "looks like gzip and is taken for one raw message"},
		{zstded(headerLine), "zstd, record", ""},
	} {
		r := NewReader(strings.NewReader(c.input), Options{})
		b := session.NewBatch()
		r.Next(b)
		b.Release()
		if r.ReadAs() != c.want || !strings.Contains(r.Hint(), c.hint) || (c.hint == "") != (r.Hint() == "") {
			t.Errorf("read as %q, hint %q, want %q, %q", r.ReadAs(), r.Hint(), c.want, c.hint)
		}
	}
}

// TestRawIsNotUnpacked leaves a message alone that is compressed itself, which is its fault.
func TestRawIsNotUnpacked(t *testing.T) {
	for _, packed := range []string{gzipped("\x00{}"), zstded("\x00{}")} {
		expect(t, "raw", read(Raw, packed), Raw, packed)
	}
}

// TestFaultsOfPacking says what is wrong with what an input is packed in, where, and keeps what came before.
func TestFaultsOfPacking(t *testing.T) {
	lines := encodeAll(HexLines, []string{"\x00{}", "\x01{}"})
	gz, zst := gzipped(lines), zstded(lines)
	damage := func(s string, i int) string { return s[:i] + string(s[i]^0x41) + s[i+1:] }
	wide := "\x28\xb5\x2f\xfd\x00" + string(rune(17<<3)) + "\x01\x00\x00" // window 2^27 (RFC 8878 section 3.1.1.1.2)
	for _, c := range []struct {
		name, input string
		messages    int
		torn        bool
		want        string
	}{
		{"gzip, cut in its trailer", gz[:len(gz)-3], 2, true,
			fmt.Sprintf("byte %d of dump.txt: the gzip data ends before its end", len(gz)-3)},
		{"gzip, cut in a header", gz + gz[:5], 2, true, fmt.Sprintf("byte %d of dump.txt: the gzip data ends before its end", len(gz)+5)},
		{"gzip, checksum", damage(gz, len(gz)-6), 2, false,
			fmt.Sprintf("byte %d of dump.txt: the checksum of the gzip data before this does not match: it is damaged", len(gz))},
		{"gzip, reserved block type (RFC 1951 section 3.2.3)", gz[:10] + "\x07", 0, false, "of dump.txt: the gzip data is damaged"},
		{"gzip, garbage behind", gz + "more", 2, false, fmt.Sprintf("byte %d of dump.txt: what stands behind the gzip data is no gzip", len(gz))},
		{"gzip, garbage behind padding", gz + "\x00\x00" + gz, 2, false,
			fmt.Sprintf("byte %d of dump.txt: what stands behind the gzip data is no gzip", len(gz)+2)},
		{"zstd, cut in its checksum", zst[:len(zst)-1], 2, true,
			fmt.Sprintf("byte %d of dump.txt: the zstd data ends before its end", len(zst)-1)},
		{"zstd, cut in a magic number", zst + zst[:2], 2, true,
			fmt.Sprintf("byte %d of dump.txt: the zstd data ends before its end", len(zst)+2)},
		{"zstd, checksum", damage(zst, len(zst)-1), 2, false,
			fmt.Sprintf("byte %d of dump.txt: the checksum of the zstd data before this does not match: it is damaged", len(zst))},
		{"zstd, garbage behind", zst + "more", 2, false, fmt.Sprintf("byte %d of dump.txt: what stands behind the zstd data is no zstd", len(zst)+4)},
		{"zstd, window", wide, 0, false, "byte 6 of dump.txt: a zstd frame with a window over 64 MiB; zstd -dc --long=31 unpacks it"},
		{"within", zstded(gz + "more"), 2, false, fmt.Sprintf("byte %d of dump.txt, unpacked: what stands behind the gzip data is no gzip", len(gz))},
		{"of the format", gzipped("007b7d\n017\n"), 1, false, `line 2 of dump.txt, unpacked: odd number of hex digits in "017"`},
	} {
		g := read(HexLines, c.input)
		var e *Error
		if !errors.As(g.err, &e) || !strings.HasSuffix(e.Error(), c.want) || e.Torn != c.torn || len(g.messages) != c.messages {
			t.Errorf("%s: %d messages, %v, want %d, %s", c.name, len(g.messages), g.err, c.messages, c.want)
		}
	}
}

// TestEveryCutOfPacking cuts what is packed anywhere: what comes out is a beginning, and an error says that it is torn.
func TestEveryCutOfPacking(t *testing.T) {
	messages := mixed(40)
	lines := encodeAll(HexLines, messages)
	for name, packed := range map[string]string{"gzip": gzipped(lines), "zstd": zstded(lines)} {
		for n := 3; n < len(packed); n += 1 + n/40 {
			g := read(HexLines, packed[:n])
			var e *Error
			if len(g.messages) > len(messages) || !equal(g.messages, messages[:len(g.messages)]) {
				t.Errorf("%s, cut at %d: other messages", name, n)
			}
			if n > 3 && (!errors.As(g.err, &e) || !e.Torn || e.Unpacked || e.Offset != int64(n)) {
				t.Errorf("%s, cut at %d: %v", name, n, g.err)
			}
		}
	}
}

// TestUnreadableWithinPacking names the failure of the file, not that of what it is packed in.
func TestUnreadableWithinPacking(t *testing.T) {
	gz := gzipped(encodeAll(HexLines, mixed(40)))
	src := io.MultiReader(strings.NewReader(gz[:len(gz)/2]), iotest.ErrReader(errors.New("disk on fire")))
	g := collect(src, Options{Format: HexLines, Name: "dump.txt"})
	if want := fmt.Sprintf("byte %d of dump.txt: cannot read on: disk on fire", len(gz)/2); g.err == nil || g.err.Error() != want {
		t.Errorf("%v, want %s", g.err, want)
	}
}

// TestUnpacksWhatHasCome yields what a writer flushed before it writes on, and counts what was read of the input.
func TestUnpacksWhatHasCome(t *testing.T) {
	flushing := map[string]func(w io.Writer) interface {
		io.Writer
		Flush() error
	}{
		"gzip": func(w io.Writer) interface {
			io.Writer
			Flush() error
		} {
			return gzip.NewWriter(w)
		},
		"zstd": func(w io.Writer) interface {
			io.Writer
			Flush() error
		} {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			return z
		},
		"a member a message": func(w io.Writer) interface {
			io.Writer
			Flush() error
		} {
			return memberWriter{w}
		},
	}
	for name, open := range flushing {
		for _, format := range []Format{LP32, Auto} {
			pr, pw := io.Pipe()
			r := NewReader(pr, Options{Format: format})
			var packed int64
			w := open(writerFunc(func(p []byte) (int, error) {
				packed += int64(len(p))
				return pw.Write(p)
			}))
			asked := make(chan string)
			go func() {
				for m := range asked {
					io.WriteString(w, m)
					w.Flush()
				}
				pw.Close()
			}()
			first := AppendEncoded(nil, LP32, []byte("\x00{}"))
			if format == Auto {
				first = []byte(headerLine + `{"time":1,"event":"message","opcode":2,"size":3,"data":"AHt9"}` + "\n")
			}
			for range 3 {
				asked <- string(first)
				b := session.NewBatch()
				for len(b.Events) == 0 {
					if err := r.Next(b); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
				if n := len(b.Events); string(b.Events[n-1].Data) != "\x00{}" {
					t.Errorf("%s: %q", name, b.Events[n-1].Data)
				}
				b.Release()
			}
			close(asked)
			b := session.NewBatch()
			if err := r.Next(b); name == "a member a message" && err != io.EOF {
				t.Errorf("%s: %v at the end", name, err)
			}
			b.Release()
			if r.Offset() != packed {
				t.Errorf("%s: offset %d, %d bytes were written", name, r.Offset(), packed)
			}
		}
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// memberWriter writes each text as a gzip member of its own.
type memberWriter struct{ io.Writer }

func (w memberWriter) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, gzipped(string(p)))
	return len(p), err
}

func (memberWriter) Flush() error { return nil }

// TestBomb reads a message of 256 MiB of NULs, packed, in memory that does not grow with it.
func TestBomb(t *testing.T) {
	const size = 256 << 20
	zeros := make([]byte, 1<<20)
	for name, open := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
			return z
		},
	} {
		var bomb bytes.Buffer
		w := open(&bomb)
		for range size / len(zeros) {
			w.Write(zeros)
		}
		w.Close()
		w = nil
		goroutines := runtime.NumGoroutine()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		g := collect(&bomb, Options{MaxSize: 1 << 20})
		runtime.ReadMemStats(&after)
		if g.err != nil || len(g.messages) != 1 || g.sizes[0] != size || len(g.messages[0]) != headSize {
			t.Errorf("%s: %d messages, sizes %v, %v", name, len(g.messages), g.sizes, g.err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			t.Errorf("%s: %d MiB allocated", name, grown>>20)
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%s: %d goroutines, %d before", name, n, goroutines)
		}
	}
}

// FuzzCompressed holds what is packed to the same as it is: messages, sizes, format, and where it is broken.
func FuzzCompressed(f *testing.F) {
	f.Add("00000000: 007b 7d  .{}\n", uint8(0))
	f.Add("007b7d\n017b7\n", uint8(2))
	f.Add("\x00\x00\x00\x03\x00{}\x00\x00\x00\x09\x00{", uint8(9))
	f.Add(headerLine+`{"time":1,"event":"message","opcode":2,"size":3,"data":"AHt9"}`, uint8(12))
	f.Fuzz(func(t *testing.T, input string, how uint8) {
		format := Formats()[int(how>>1)%int(numFormats)]
		if format == Raw || len(input) == 0 {
			return
		}
		for i := range packings {
			if is, maybe := packings[i].is([]byte(input)); is || maybe {
				return
			}
		}
		pack := gzipped
		if how&1 == 1 {
			pack = zstded
		}
		o := Options{Format: format, Name: "dump.txt", MaxSize: fuzzCap}
		plain, packed := collect(strings.NewReader(input), o), collect(strings.NewReader(pack(input)), o)
		where := strings.ReplaceAll(errorText(t, packed.err), " of dump.txt, unpacked: ", " of dump.txt: ")
		if !equal(plain.messages, packed.messages) || errorText(t, plain.err) != where || plain.format != packed.format {
			t.Errorf("as it is: %q, %v, %v\npacked: %q, %v, %v", plain.messages, plain.err, plain.format, packed.messages, packed.err, packed.format)
		}
		half := collect(strings.NewReader(pack(input)[:len(pack(input))/2]), o)
		errorText(t, half.err)
	})
}
