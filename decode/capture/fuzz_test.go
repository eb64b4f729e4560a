package capture

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// fuzzCap is the cap on a message while fuzzing: small enough to be passed, in bytes.
const fuzzCap = 200

// fuzzReader checks what holds for any input of a format: no panic; messages within the cap or cut to their
// head; the same messages, sizes and error however the source hands the input out; errors that are safe
// to print and lie inside the input.
func fuzzReader(f *testing.F, format Format) {
	f.Fuzz(func(t *testing.T, input string) {
		o := Options{Format: format, Name: "dump.txt", MaxSize: fuzzCap}
		whole := collect(strings.NewReader(input), o)
		split := collect(iotest.OneByteReader(strings.NewReader(input)), o)
		if !equal(whole.messages, split.messages) || errorText(t, whole.err) != errorText(t, split.err) ||
			whole.format != split.format || whole.hint != split.hint {
			t.Errorf("whole: %q, %v\nbyte by byte: %q, %v", whole.messages, whole.err, split.messages, split.err)
		}
		for i, m := range whole.messages {
			size := whole.sizes[i]
			if size != split.sizes[i] {
				t.Errorf("message %d has size %d, byte by byte %d", i, size, split.sizes[i])
			}
			if whole.format.sessions() {
				continue // which has other events too, and a record says what a message's size was
			}
			if size <= fuzzCap && int64(len(m)) != size || size > fuzzCap && len(m) != headSize {
				t.Errorf("message %d: %d bytes of %d", i, len(m), size)
			}
		}
		var e *Error
		if errors.As(whole.err, &e) {
			if e.Offset < 0 || !e.Unpacked && e.Offset > int64(len(input)) || strings.ContainsFunc(e.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("offset %d of %d bytes, %q", e.Offset, len(input), e.Error())
			}
		}
	})
}

func FuzzAuto(f *testing.F)        { fuzzReader(f, Auto) }
func FuzzHex(f *testing.F)         { fuzzReader(f, Hex) }
func FuzzHexLines(f *testing.F)    { fuzzReader(f, HexLines) }
func FuzzXXD(f *testing.F)         { fuzzReader(f, XXD) }
func FuzzHexdump(f *testing.F)     { fuzzReader(f, Hexdump) }
func FuzzBase64(f *testing.F)      { fuzzReader(f, Base64) }
func FuzzBase64Lines(f *testing.F) { fuzzReader(f, Base64Lines) }
func FuzzLiteral(f *testing.F)     { fuzzReader(f, Literal) }
func FuzzHAR(f *testing.F)         { fuzzReader(f, HAR) }
func FuzzLP32(f *testing.F)        { fuzzReader(f, LP32) }

// FuzzRoundTrip writes two messages and reads them back.
func FuzzRoundTrip(f *testing.F) {
	f.Fuzz(func(t *testing.T, first, second string) {
		messages := []string{first, second}
		for _, format := range []Format{LP32, HexLines, Base64Lines, XXD, Literal} {
			if g := read(format, encodeAll(format, messages)); g.err != nil || !equal(g.messages, messages) {
				t.Errorf("%v: %q, %v", format, g.messages, g.err)
			}
		}
		for _, format := range []Format{Raw, Hex, Base64} {
			if g := read(format, string(AppendEncoded(nil, format, []byte(first)))); g.err != nil || !equal(g.messages, messages[:1]) {
				t.Errorf("%v: %q, %v", format, g.messages, g.err)
			}
		}
	})
}
