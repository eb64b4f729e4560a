package render

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// unknown returns a message that needs no decoding.
func unknown(b []byte) *Message {
	f := &decode.Frame{Message: b, Size: int64(len(b)), Type: decode.TypeUnknown}
	if len(b) == 0 {
		f.Type = decode.TypeEmpty
	} else {
		f.Tag = decode.Tag(b[0])
	}
	return &Message{Seq: 12, Frame: f, Event: &session.Event{Kind: session.Message, Channel: 2, HasChannel: true}}
}

func TestHexLayout(t *testing.T) {
	p := New(Hex, Options{})
	got := string(p.AppendMessage([]byte("x\n"), unknown([]byte("{\"method\":\"notif\"}"))))
	want := "x\n" +
		"00000000: 7b22 6d65 7468 6f64 223a 226e 6f74 6966  {\"method\":\"notif  #12 ch 2 unknown tag 123 18 B\n" +
		"00000010: 227d                                     \"}\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = string(p.AppendMessage(nil, unknown([]byte{0x9f, 0xff, 'a'})))
	want = "00000000: 9fff 61                                  ..a               #12 ch 2 unknown tag 159 3 B\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = string(p.AppendMessage(nil, unknown(nil)))
	if want = "00000000:  #12 ch 2 empty 0 B\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHexColour(t *testing.T) {
	got := string(New(Hex, Options{Color: true}).AppendMessage(nil, unknown([]byte("{ab"))))
	for _, want := range []string{"\x1b[7m7b\x1b[27m61 62", "\x1b[7m{\x1b[27mab"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

// xxd returns the path of the real xxd. Without one the test is skipped, and fails where CI=true.
func xxd(t *testing.T) string {
	path, err := exec.LookPath("xxd")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("xxd is not installed")
		}
		t.Skip("xxd is not installed")
	}
	return path
}

func run(t *testing.T, in []byte, name string, args ...string) []byte {
	t.Helper()
	c := exec.Command(name, args...)
	c.Stdin = bytes.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

// hexSamples are messages of every length up to 40, of bytes and of text that reads like hex digits.
func hexSamples() [][]byte {
	samples := [][]byte{nil}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for n := 1; n <= 40; n++ {
		samples = append(samples, bytes.Repeat([]byte("ab cd 00: "), 4)[:n], bytes.Repeat([]byte("f"), n), every[256-n:])
	}
	return append(samples, every, bytes.Repeat(every, 257))
}

// The dump of one message goes back through the real xxd, whatever its length and its note.
func TestHexThroughXXD(t *testing.T) {
	path := xxd(t)
	p := New(Hex, Options{})
	for _, sample := range hexSamples() {
		dump := p.AppendMessage(nil, unknown(sample))
		if got := run(t, dump, path, "-r"); !bytes.Equal(got, sample) {
			t.Errorf("%q comes back as %q from\n%s", sample, got, dump)
		}
	}
}

// Rows are laid out as the real xxd lays them out.
func TestRowsLikeXXD(t *testing.T) {
	path := xxd(t)
	for _, sample := range hexSamples() {
		if got, want := appendRows(nil, sample, 0), run(t, sample, path); !bytes.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestLongOffsets(t *testing.T) {
	got := string(appendRows(nil, []byte("0123456789abcdefg"), 1<<32-16))
	want := "fffffff0: 3031 3233 3435 3637 3839 6162 6364 6566  0123456789abcdef\n" +
		"100000000: 67                                       g\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
