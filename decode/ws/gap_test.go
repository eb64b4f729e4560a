package ws

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// tagged reports whether a message begins as a notification's does.
func tagged(start []byte) bool { return len(start) > 1 && start[0] <= 1 && start[1] == '{' }

// behind parses what comes before and behind a gap of so many bytes, the way a reader of a capture does.
func behind(before, after []byte, missing int64, masked bool) (items []string, known bool) {
	p := Parser{Masked: masked}
	buf := append([]byte(nil), before...)
	for item := p.Next(buf); item != nil; item = p.Next(buf) {
		items = append(items, describe(item))
	}
	known = p.Lose(buf, missing)
	buf = append([]byte(nil), after...)
	if !known {
		at, likely := Boundary(buf, masked, true, 0, tagged)
		if likely != Yes {
			return append(items, "no boundary"), false
		}
		p.Resume(at)
	}
	for item := p.Next(buf); item != nil; item = p.Next(buf) {
		items = append(items, describe(item))
	}
	return items, known
}

func TestGap(t *testing.T) {
	one, two := masked(0x82, "\x00{\"method\":\"one\"}"), masked(0x82, "\x00{\"method\":\"two\"}")
	message := func(name string) string {
		return describe(&Item{Kind: Message, Opcode: OpBinary, Data: []byte("\x00{\"method\":\"" + name + "\"}"), Size: 17, Fragments: 1, MaxFrame: 17})
	}
	begun, goes, ends := masked(0x02, "\x00{\"a\""), masked(0x00, ":1,"), masked(0x80, "\"b\":2}")
	closing := masked(0x88, "\x03\xe8")
	closed := describe(&Item{Kind: Close, Code: 1000, Opcode: OpClose})
	long := masked(0x82, "\x00{"+strings.Repeat(" ", 70000)+"}")
	longItem := describe(&Item{Kind: Message, Opcode: OpBinary, Data: []byte("\x00{" + strings.Repeat(" ", 70000) + "}"), Size: 70003, Fragments: 1, MaxFrame: 70003})
	tests := []struct {
		name          string
		before, after []byte
		missing       int64
		known         bool
		want          []string
	}{
		{"inside a payload", one[:10], join(one[13:], two), 3, true, []string{message("two")}},
		{"the rest of a payload", one[:10], two, int64(len(one) - 10), true, []string{message("two")}},
		{"beyond a payload", one[:10], two[3:], int64(len(one) - 7), false, []string{"no boundary"}},
		{"beyond a payload, and another message", one[:10], join(one[3:], two), int64(len(one) - 7), false, []string{message("two")}},
		{"inside a header", one[:1], join(one[4:], two), 3, false, []string{message("two")}},
		{"a whole frame", one, two, int64(len(one)), false, []string{message("one"), message("two")}},
		{"nobody knows how much", one[:10], two, -1, false, []string{message("two")}},
		{"a first fragment", begun[:8], join(begun[9:], goes, ends, two), 1, true, []string{message("two")}},
		{"a later fragment", join(begun, goes[:8]), join(goes[9:], ends, two), 1, true, []string{message("two")}},
		{"the last fragment", join(begun, goes, ends[:8]), join(ends[9:], two), 1, true, []string{message("two")}},
		{"a ping between fragments", join(begun, masked(0x89, "hello")[:8]), join(masked(0x89, "hello")[9:], goes, ends, two), 1, true, []string{message("two")}},
		{"fragments of what is missing", one, join(goes, ends, two), 20, false, []string{message("one"), message("two")}},
		{"a Close inside what is missing", one[:10], join(one[13:], closing), 3, true, []string{closed}},
		{"nothing but a Close", one, closing, 7, false, []string{message("one"), closed}},
		{"nothing but a Close without a code", one, masked(0x88, ""), 7, false, []string{message("one"), describe(&Item{Kind: Close, Opcode: OpClose})}},
		{"a long message, searched for", nil, long, 5, false, []string{longItem}},
		{"inside a long message", long[:1000], join(long[69000:], two), 68000, true, []string{message("two")}},
		{"nothing that is a frame", one[:3], []byte(strings.Repeat("GET / HTTP/1.1\r\n", 40)), 30, false, []string{"no boundary"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			items, known := behind(test.before, test.after, test.missing, true)
			if fmt.Sprint(items) != fmt.Sprint(test.want) || known != test.known {
				t.Errorf("known %v, %.300q\nwant  %v, %.300q", known, items, test.known, test.want)
			}
		})
	}
}

// Wherever bytes are missing, every message that begins behind the next whole one is read.
func TestGapAnywhere(t *testing.T) {
	const messages = 12
	for _, isMasked := range []bool{true, false} {
		var stream []byte
		var ends []int
		for i := range messages {
			mask := testMask
			if !isMasked {
				mask = nil
			}
			stream = append(stream, frame(0x82, fmt.Sprintf("\x00{\"method\":\"m%02d\",\"params\":{}}", i), mask)...)
			ends = append(ends, len(stream))
		}
		for at := 1; at < len(stream)/2; at++ {
			for n := 1; n < 90; n++ {
				items, _ := behind(stream[:at], stream[at+n:], int64(n), isMasked)
				whole := 0
				for i, end := range ends {
					if start := end - ends[0]; end <= at || start >= at+n {
						whole++
						if want := fmt.Sprintf("m%02d", i); !strings.Contains(fmt.Sprint(items), want) {
							t.Fatalf("masked %v, %d bytes missing at %d: %s is not there: %q", isMasked, n, at, want, items)
						}
					}
				}
				if len(items) != whole {
					t.Fatalf("masked %v, %d bytes missing at %d: %d items, %d whole: %q", isMasked, n, at, len(items), whole, items)
				}
			}
		}
	}
}

func TestBoundaryWaits(t *testing.T) {
	whole := masked(0x82, "\x00{\"method\":\"one\"}")
	stream := join([]byte("\x01\x02\x03"), whole)
	for n := range len(stream) {
		at, likely := Boundary(stream[:n], true, false, 0, tagged)
		if likely == Yes || at > 3 {
			t.Errorf("after %d bytes: %d, %d", n, at, likely)
		}
	}
	if at, likely := Boundary(stream, true, false, 0, tagged); at != 3 || likely != Yes {
		t.Errorf("after all: %d, %d", at, likely)
	}
}

func TestBegins(t *testing.T) {
	whole := masked(0x82, "\x00{\"method\":\"one\"}")
	for _, test := range []struct {
		name string
		b    []byte
		want bool
	}{
		{"a message", whole, true},
		{"its header and 8 bytes", whole[:14], true},
		{"7 bytes of it", whole[:13], false},
		{"its header alone", whole[:6], false},
		{"nothing", nil, false},
		{"a fragment", masked(0x02, "\x00{\"method\":"), false},
		{"a text message", masked(0x81, "\x00{\"method\":"), false},
		{"no mask", frame(0x82, "\x00{\"method\":\"one\"}", nil), false},
		{"another beginning", masked(0x82, "GET / HTTP/1.1"), false},
		{"within a message", whole[3:], false},
	} {
		if got := Begins(test.b, true, tagged); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// nothing says of no message that it begins as one does.
func nothing([]byte) bool { return false }

// Frames lead from one to the next whatever they hold: directly behind a gap 3 messages of anything, or 2 of text, or 1
// with which the stream ends; further on as many as were counted out in asked.
func TestBoundaryByFramesAlone(t *testing.T) {
	odd, text, empty := masked(0x82, "\x07\x01\x02\x03"), masked(0x82, "\x07hello"), masked(0x82, "")
	noise := bytes.Repeat([]byte{0xff}, 100)
	for _, test := range []struct {
		name   string
		b      []byte
		passed int
		ended  bool
		at     int
		want   Likely
	}{
		{"3 of anything", join(odd, odd, odd), 0, false, 0, Yes},
		{"2 of anything", join(odd, odd), 0, false, 0, Maybe},
		{"2 of text", join(text, text), 0, false, 0, Yes},
		{"an empty one and text", join(empty, text), 0, false, 0, Yes},
		{"1 of anything and the end", odd, 0, true, 0, Yes},
		{"1 that is cut off", odd[:len(odd)-1], 0, true, len(odd) - 1, No},
		{"1 and what is no frame", join(odd, noise), 0, true, len(odd) + len(noise), No},
		{"2 of text far on", join(noise, text, text), 1 << 19, false, 100, Maybe},
		{"2 of text far on and the end", join(noise, text, text), 1 << 19, true, 100, Yes},
		{"3 of text far on", join(noise, text, text, text), 1 << 19, false, 100, Yes},
		{"5 of anything far on", join(noise, odd, odd, odd, odd, odd), 1 << 19, false, 100, Maybe},
		{"6 of anything far on", join(noise, odd, odd, odd, odd, odd, odd), 1 << 19, false, 100, Yes},
		{"a Close without a code and the end", join(noise, masked(0x88, "")), 1 << 19, true, 100, Yes},
		{"a Close without a code", join(noise, masked(0x88, ""), noise), 1 << 19, true, 206, No},
	} {
		if at, likely := Boundary(test.b, true, test.ended, test.passed, nothing); at != test.at || likely != test.want {
			t.Errorf("%s: %d, %d; want %d, %d", test.name, at, likely, test.at, test.want)
		}
	}
}

// What stands before a message and leads to it by chance is no frame.
func TestBoundaryPassesOverChance(t *testing.T) {
	message := masked(0x82, "\x00{\"method\":\"one\"}")
	chance := []byte{0x01, 0x83, 1, 2, 3, 4, 5, 6, 7}
	if at, likely := Boundary(join([]byte{0xff}, chance, message), true, true, 0, tagged); at != 1+len(chance) || likely != Yes {
		t.Errorf("%d, %d", at, likely)
	}
}

// In text below any mask, and in random bytes, no frames are found but about as seldom as is counted out in asked.
func TestBoundaryErrsSeldom(t *testing.T) {
	const gaps, size = 400, 16 << 10
	random := rand.New(rand.NewPCG(1, 2))
	wrong := 0
	for range gaps {
		b := make([]byte, size)
		mask := random.Uint32()
		for i := range b {
			const text = `{"method":"notifications/message","params":{"level":"info","data":"The quick brown fox, 12 times"}}`
			b[i] = text[(i*7+i/len(text)*random.IntN(9))%len(text)] ^ byte(mask>>(i%4*8))
			if mask&1 == 0 {
				b[i] = byte(random.Uint32())
			}
		}
		if at, likely := Boundary(b, true, true, 1, tagged); likely == Yes {
			t.Logf("%d: % x random %v", at, b[at:min(len(b), at+40)], mask&1 == 0)
			wrong++
		}
	}
	if wrong > 2 {
		t.Errorf("%d of %d gaps have a frame behind them that is none", wrong, gaps)
	}
}
