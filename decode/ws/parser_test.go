package ws

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"kind4/decode/session"
)

// frame builds one frame by hand: first is FIN, RSV and opcode; mask nil for an unmasked one.
func frame(first byte, payload string, mask []byte) []byte {
	b := []byte{first}
	var bit byte
	if mask != nil {
		bit = 0x80
	}
	switch n := len(payload); {
	case n < 126:
		b = append(b, bit|byte(n))
	case n < 65536:
		b = append(b, bit|126, byte(n>>8), byte(n))
	default:
		b = append(b, bit|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	b = append(b, mask...)
	for i := range len(payload) {
		c := payload[i]
		if mask != nil {
			c ^= mask[i%4]
		}
		b = append(b, c)
	}
	return b
}

var testMask = []byte{0x37, 0xfa, 0x21, 0x3d}

func masked(first byte, payload string) []byte { return frame(first, payload, testMask) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// collect runs stream through a parser that is fed pieces of the given size, as a reader with a small
// buffer does, and returns what it found, as text, the way it would end with an EOF there included.
func collect(stream []byte, size int, p Parser) (items []string) {
	var buf []byte
	for {
		for item := p.Next(buf); item != nil; item = p.Next(buf) {
			items = append(items, describe(item))
		}
		if len(buf) > 0 && len(stream)%2 == 0 {
			buf = p.Compact(buf)
		} else {
			buf = p.Carry(nil, buf)
		}
		if len(stream) == 0 {
			break
		}
		n := min(size, len(stream))
		buf = append(buf, stream[:n]...)
		stream = stream[n:]
	}
	where, partial := p.Unfinished(buf)
	return append(items, fmt.Sprintf("end in %d after %d", where, partial))
}

func describe(item *Item) string {
	switch item.Kind {
	case Message:
		return fmt.Sprintf("message %x %q size %d fragments %d max %d", item.Opcode, item.Data, item.Size, item.Fragments, item.MaxFrame)
	case Control:
		return fmt.Sprintf("control %x %q", item.Opcode, item.Data)
	case Close:
		return fmt.Sprintf("close %d %q", item.Code, item.Reason)
	}
	return fmt.Sprintf("broken %s at %d, close %d", item.Violation.Section, item.Violation.Offset, item.Code)
}

func TestParser(t *testing.T) {
	long := strings.Repeat("x", 300)
	huge := strings.Repeat("0123456789abcdef", 5000)
	tests := []struct {
		name   string
		stream []byte
		want   []string
	}{
		// The examples of RFC 6455 section 5.7.
		{"masked text", []byte("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58"),
			[]string{`message 1 "Hello" size 5 fragments 1 max 5`, "end in 0 after 0"}},
		{"empty binary", masked(0x82, ""), []string{`message 2 "" size 0 fragments 1 max 0`, "end in 0 after 0"}},
		{"16-bit length", masked(0x82, long),
			[]string{fmt.Sprintf("message 2 %q size 300 fragments 1 max 300", long), "end in 0 after 0"}},
		{"64-bit length", masked(0x82, huge),
			[]string{fmt.Sprintf("message 2 %q size 80000 fragments 1 max 80000", huge), "end in 0 after 0"}},
		{"fragments", join(masked(0x02, "Hel"), masked(0x00, "lo, "), masked(0x80, "you")),
			[]string{`message 2 "Hello, you" size 10 fragments 3 max 4`, "end in 0 after 0"}},
		{"empty fragments", join(masked(0x02, ""), masked(0x00, ""), masked(0x80, "")),
			[]string{`message 2 "" size 0 fragments 3 max 0`, "end in 0 after 0"}},
		{"ping between fragments", join(masked(0x02, "Hel"), masked(0x89, "p1"), masked(0x00, "lo, and much more"), masked(0x8A, "p2"), masked(0x80, "!")),
			[]string{`control 9 "p1"`, `control a "p2"`, `message 2 "Hello, and much more!" size 21 fragments 3 max 17`, "end in 0 after 0"}},
		{"ping of 125", masked(0x89, long[:125]), []string{fmt.Sprintf("control 9 %q", long[:125]), "end in 0 after 0"}},
		{"two messages", join(masked(0x82, "a"), masked(0x82, "b")),
			[]string{`message 2 "a" size 1 fragments 1 max 1`, `message 2 "b" size 1 fragments 1 max 1`, "end in 0 after 0"}},
		{"close without a code", masked(0x88, ""), []string{`close 0 ""`, "end in 0 after 0"}},
		{"close", masked(0x88, "\x03\xe8bye"), []string{`close 1000 "bye"`, "end in 0 after 0"}},
		{"frames after a close", join(masked(0x88, "\x03\xe8"), masked(0x82, "a")), []string{`close 1000 ""`, "end in 0 after 0"}},

		{"end in the first byte's frame", masked(0x82, "ab")[:1], []string{"end in 1 after 1"}},
		{"end in a mask", masked(0x82, "ab")[:5], []string{"end in 1 after 5"}},
		{"end before a payload", masked(0x82, "ab")[:6], []string{"end in 2 after 6"}},
		{"end in a payload", masked(0x82, "ab")[:7], []string{"end in 2 after 7"}},
		{"end between fragments", masked(0x02, "ab"), []string{"end in 3 after 8"}},
		{"end in the second fragment's header", join(masked(0x02, "ab"), masked(0x80, "c")[:3]), []string{"end in 1 after 11"}},
		{"end in the second fragment", join(masked(0x02, "ab"), masked(0x80, "cd")[:7]), []string{"end in 2 after 15"}},
		{"end in a ping's header", join(masked(0x82, "ab"), masked(0x89, "pq")[:1]),
			[]string{`message 2 "ab" size 2 fragments 1 max 2`, "end in 4 after 1"}},
		{"end in a ping", masked(0x89, "pqrst")[:7], []string{"end in 4 after 7"}},
		{"end in a close", masked(0x88, "\x03\xe8")[:6], []string{"end in 4 after 6"}},
		{"end in a ping between fragments", join(masked(0x02, "ab"), masked(0x89, "pq")[:7]), []string{"end in 3 after 8"}},
		{"end after a ping between fragments", join(masked(0x02, "ab"), masked(0x89, "p")), []string{`control 9 "p"`, "end in 3 after 8"}},

		{"RSV1", masked(0xC2, "a"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"RSV2", masked(0xA2, "a"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"RSV3", masked(0x92, "a"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"reserved data opcode", masked(0x83, "a"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"reserved control opcode", masked(0x8B, "a"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"unmasked", join(masked(0x82, "abc"), frame(0x82, "a", nil)),
			[]string{`message 2 "abc" size 3 fragments 1 max 3`, "broken 5.1 at 9, close 1002", "end in 0 after 0"}},
		{"fragmented ping", masked(0x09, "a"), []string{"broken 5.5 at 0, close 1002", "end in 0 after 0"}},
		{"ping of 126", masked(0x89, long[:126]), []string{"broken 5.5 at 0, close 1002", "end in 0 after 0"}},
		{"continuation of nothing", masked(0x80, "a"), []string{"broken 5.4 at 0, close 1002", "end in 0 after 0"}},
		{"continuation after a whole message", join(masked(0x82, "a"), masked(0x80, "a")),
			[]string{`message 2 "a" size 1 fragments 1 max 1`, "broken 5.4 at 7, close 1002", "end in 0 after 0"}},
		{"message inside another", join(masked(0x02, "a"), masked(0x82, "b")), []string{"broken 5.4 at 7, close 1002", "end in 0 after 0"}},
		{"close inside a message", join(masked(0x02, "a"), masked(0x88, "")), []string{"broken 5.4 at 7, close 1002", "end in 0 after 0"}},
		{"5 in 16 bits", []byte("\x82\xfe\x00\x05\x00\x00\x00\x00hello"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"125 in 16 bits", []byte("\x82\xfe\x00\x7d\x00\x00\x00\x00"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"126 in 16 bits", []byte("\x82\xfe\x00\x7e\x00\x00\x00\x00"), []string{"end in 2 after 8"}},
		{"65535 in 64 bits", []byte("\x82\xff\x00\x00\x00\x00\x00\x00\xff\xff\x00\x00\x00\x00"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"65536 in 64 bits", []byte("\x82\xff\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), []string{"end in 2 after 14"}},
		{"the top bit", []byte("\x82\xff\x80\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"), []string{"broken 5.2 at 0, close 1002", "end in 0 after 0"}},
		{"2^62 bytes", []byte("\x82\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00abc"), []string{"end in 2 after 17"}},
		{"close of one byte", join(masked(0x82, ""), masked(0x88, "\x03")),
			[]string{`message 2 "" size 0 fragments 1 max 0`, "broken 5.5.1 at 6, close 1002", "end in 0 after 0"}},
		{"illegal close code", masked(0x88, "\x03\xed"), []string{"broken 7.4 at 0, close 1002", "end in 0 after 0"}},
		{"bad UTF-8 in a close reason", masked(0x88, "\x03\xe8a\xff"), []string{"broken 8.1 at 0, close 1007", "end in 0 after 0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, 64, 1 << 20} {
				if len(test.stream) > 1000 && size < 7 {
					continue
				}
				got := collect(bytes.Clone(test.stream), size, Parser{Masked: true, MaxSize: 1 << 20})
				if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
					t.Errorf("%d bytes at a time:\ngot  %q\nwant %q", size, got, test.want)
				}
			}
		})
	}
}

func TestServerFrames(t *testing.T) {
	got := collect(join(frame(0x82, "abc", nil), masked(0x82, "abc")), 1, Parser{})
	want := []string{`message 2 "abc" size 3 fragments 1 max 3`, "broken 5.1 at 5, close 1002", "end in 0 after 0"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A message beyond MaxSize is dropped as it comes: 64 bytes and the size stay, and what follows is read.
func TestOversize(t *testing.T) {
	text := strings.Repeat("0123456789", 20)
	head := fmt.Sprintf("%q", text[:64])
	tests := []struct {
		name   string
		stream []byte
		want   []string
	}{
		{"just the limit", masked(0x82, text[:100]), []string{fmt.Sprintf(`message 2 %q size 100 fragments 1 max 100`, text[:100]), "end in 0 after 0"}},
		{"one frame", join(masked(0x82, text[:101]), masked(0x82, "b")),
			[]string{"message 2 " + head + " size 101 fragments 1 max 101", `message 2 "b" size 1 fragments 1 max 1`, "end in 0 after 0"}},
		{"the second fragment", join(masked(0x02, text[:30]), masked(0x89, "p"), masked(0x80, text[30:130]), masked(0x82, "b")),
			[]string{`control 9 "p"`, "message 2 " + head + " size 130 fragments 2 max 100", `message 2 "b" size 1 fragments 1 max 1`, "end in 0 after 0"}},
		{"pings inside", join(masked(0x02, text[:110]), masked(0x89, "p"), masked(0x00, ""), masked(0x00, text[:7]), masked(0x8A, "q"), masked(0x80, "")),
			[]string{`control 9 "p"`, `control a "q"`, "message 2 " + head + " size 117 fragments 4 max 110", "end in 0 after 0"}},
		{"cut off", masked(0x82, text[:150])[:128], []string{"end in 2 after 128"}},
		{"cut off between fragments", masked(0x02, text[:110]), []string{"end in 3 after 116"}},
		{"cut off in a header", join(masked(0x02, text[:110]), masked(0x80, "")[:2]), []string{"end in 1 after 118"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 5, 64, 1 << 20} {
				got := collect(bytes.Clone(test.stream), size, Parser{Masked: true, MaxSize: 100})
				if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
					t.Errorf("%d bytes at a time:\ngot  %q\nwant %q", size, got, test.want)
				}
			}
		})
	}
}

// Below 64 bytes the limit itself is what stays of a message beyond it.
func TestOversizeSmallLimit(t *testing.T) {
	stream := join(masked(0x82, "hello"), masked(0x02, "ab"), masked(0x00, "c"), masked(0x80, "de"), masked(0x82, "abc"))
	want := []string{`message 2 "hel" size 5 fragments 1 max 5`, `message 2 "abc" size 5 fragments 3 max 2`,
		`message 2 "abc" size 3 fragments 1 max 3`, "end in 0 after 0"}
	for _, size := range []int{1, 2, 5, 64} {
		got := collect(bytes.Clone(stream), size, Parser{Masked: true, MaxSize: 3})
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%d bytes at a time:\ngot  %q\nwant %q", size, got, want)
		}
	}
}

// What a parser needs to keep is what came of a message, not what a frame announces.
func TestKeeps(t *testing.T) {
	p := Parser{Masked: true, MaxSize: 100}
	stream := binary.BigEndian.AppendUint64([]byte{0x82, 0xFF}, 1<<62)
	buf := append(stream, 0, 0, 0, 0)
	for range 1000 {
		buf = append(buf, make([]byte, 100)...)
		if item := p.Next(buf); item != nil {
			t.Fatalf("got %+v", item)
		}
		if buf = p.Compact(buf); len(buf) != 0 || p.Kept(buf) != 0 {
			t.Fatalf("keeps %d bytes", len(buf))
		}
	}
	if where, partial := p.Unfinished(buf); where != session.InPayload || partial != 14+100_000 {
		t.Errorf("unfinished: %d, %d", where, partial)
	}
	if got := p.Offset(); got != 14+100_000 {
		t.Errorf("offset %d", got)
	}
}

// Every 16-bit code: what RFC 6455 section 7.4 and its registry allow on the wire, and nothing else.
func TestCloseCodes(t *testing.T) {
	legal := map[int]bool{1000: true, 1001: true, 1002: true, 1003: true, 1007: true, 1008: true, 1009: true, 1010: true,
		1011: true, 1012: true, 1013: true, 1014: true}
	for code := range 1 << 16 {
		want := legal[code] || code >= 3000 && code < 5000
		if got := ValidCloseCode(uint16(code)); got != want {
			t.Errorf("code %d: %v", code, got)
		}
	}
}

func TestAppendFrame(t *testing.T) {
	mask := [4]byte(testMask)
	for _, n := range []int{0, 1, 125, 126, 127, 65535, 65536, 65537} {
		payload := strings.Repeat("z", n)
		if got, want := AppendFrame(nil, OpBinary, []byte(payload), nil), frame(0x82, payload, nil); !bytes.Equal(got, want) {
			t.Errorf("%d bytes unmasked: % x…", n, got[:min(len(got), 16)])
		}
		if got, want := AppendFrame(nil, OpBinary, []byte(payload), &mask), masked(0x82, payload); !bytes.Equal(got, want) {
			t.Errorf("%d bytes masked: % x…", n, got[:min(len(got), 16)])
		}
	}
}

func TestAppendClose(t *testing.T) {
	tests := []struct {
		code   uint16
		reason string
		want   string
	}{
		{0, "ignored", "\x88\x00"},
		{1000, "", "\x88\x02\x03\xe8"},
		{1002, "why", "\x88\x05\x03\xeawhy"},
		{1002, strings.Repeat("x", 122) + "é", "\x88\x7c\x03\xea" + strings.Repeat("x", 122)},
		{1002, strings.Repeat("x", 200), "\x88\x7d\x03\xea" + strings.Repeat("x", 123)},
	}
	for _, test := range tests {
		if got := AppendClose(nil, test.code, test.reason, nil); string(got) != test.want {
			t.Errorf("%d %q: got %q, want %q", test.code, test.reason, got, test.want)
		}
	}
}

// The same bytes give the same items, and memory stays in bounds, however they are split.
func FuzzParser(f *testing.F) {
	f.Add(join(masked(0x82, "abc"), masked(0x02, "a"), masked(0x89, "p"), masked(0x80, "b"), masked(0x88, "\x03\xe8")), true, uint8(3))
	f.Add(join(frame(0x82, strings.Repeat("x", 130), nil), frame(0x02, "a", nil), frame(0x00, strings.Repeat("y", 90), nil)), false, uint8(50))
	f.Add([]byte("\x82\xff\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00abc"), true, uint8(1))
	f.Add([]byte("\x82\xfe\x00\x05\x00\x00\x00\x00hello"), true, uint8(2))
	f.Fuzz(func(t *testing.T, stream []byte, masked bool, size uint8) {
		p := Parser{Masked: masked, MaxSize: 80}
		whole := collect(bytes.Clone(stream), len(stream)+1, p)
		pieces := collect(bytes.Clone(stream), int(size)+1, p)
		if strings.Join(whole, "\n") != strings.Join(pieces, "\n") {
			t.Errorf("at once:\n%q\n%d bytes at a time:\n%q", whole, int(size)+1, pieces)
		}
	})
}

func BenchmarkParser(b *testing.B) {
	for _, n := range []int{90, 1000, 60000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			one := masked(0x82, strings.Repeat("x", n))
			count := max(1, 65536/len(one))
			stream := bytes.Repeat(one, count)
			buf := make([]byte, len(stream))
			p := Parser{Masked: true, MaxSize: 1 << 20}
			b.SetBytes(int64(len(one)))
			b.ReportAllocs()
			for i := 0; i < b.N; i += count {
				copy(buf, stream)
				for p.Next(buf) != nil {
				}
				if len(p.Compact(buf)) != 0 {
					b.Fatal("bytes left")
				}
			}
		})
	}
}
