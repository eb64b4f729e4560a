package packet

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

// hello opens the connection: the client's data starts at 101, the server's at 501.
var hello = []seg{{flags: "S", seq: 100}, {from: Server, flags: "S", seq: 500, ack: 101}, {seq: 101, ack: 501}}

// with puts segments behind hello.
func with(segs ...seg) []seg { return append(slices.Clone(hello), segs...) }

// open is how a connection without an end ends.
var open = []string{"C EndCapture", "S EndCapture"}

func TestStreams(t *testing.T) {
	for _, c := range []struct {
		name string
		segs []seg
		want []string
	}{
		{"in order", with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, ack: 104, data: "xyz"}, seg{seq: 104, data: "def"}),
			append([]string{"C abc", "S xyz", "C def"}, open...)},
		{"out of order", with(seg{seq: 107, data: "ghi"}, seg{seq: 104, data: "def"}, seg{seq: 101, data: "abc"}),
			append([]string{"C abc", "C def", "C ghi"}, open...)},
		{"sent again", with(seg{seq: 101, data: "abc"}, seg{seq: 101, data: "abc"}, seg{seq: 101, data: "abcdef"}, seg{seq: 102, data: "bcde"}),
			append([]string{"C abc", "C def"}, open...)},
		{"overlaps what was yielded with other content", with(seg{seq: 101, data: "abc"}, seg{seq: 102, data: "XYZ"}),
			append([]string{"C abc", "C Z"}, open...)},
		{"overlaps what waits with other content", with(seg{seq: 103, data: "cd"}, seg{seq: 102, data: "WXYZ"}, seg{seq: 101, data: "abcdef"}),
			append([]string{"C a", "C W", "C cd", "C Z", "C f"}, open...)},
		{"around what waits", with(seg{seq: 104, data: "d"}, seg{seq: 107, data: "g"}, seg{seq: 102, data: "BCDEFGH"}, seg{seq: 101, data: "A"}),
			append([]string{"C A", "C BC", "C d", "C EF", "C g", "C H"}, open...)},
		{"sequence numbers wrap", []seg{{flags: "S", seq: 0xfffffffd}, {from: Server, flags: "S", seq: 500, ack: 0xfffffffe},
			{seq: 3, data: "fgh"}, {seq: 0xfffffffe, data: "abcde"}, {seq: 6, data: "i"}},
			append([]string{"C abcde", "C fgh", "C i"}, open...)},
		{"keep-alive probes", with(seg{seq: 101, data: "abc"}, seg{seq: 103, data: "\x00"}, seg{seq: 103}, seg{from: Server, seq: 501, ack: 104}, seg{seq: 104, data: "d"}),
			append([]string{"C abc", "C d"}, open...)},
		{"starts in the middle", []seg{{seq: 700, ack: 900, data: "abc"}, {from: Server, seq: 900, ack: 703, data: "xyz"}, {seq: 703, data: "def"}},
			append([]string{"C -? abc", "S -? xyz", "C def"}, open...)},
		{"starts with a keep-alive", []seg{{from: Server, seq: 900, ack: 700}, {seq: 699, ack: 900, data: "\x00"}, {seq: 700, ack: 900, data: "abc"}},
			append([]string{"C -? abc"}, open...)},
		{"the SYN is captured late", []seg{{seq: 101, ack: 501, data: "abc"}, {flags: "S", seq: 100}, {from: Server, flags: "S", seq: 500, ack: 101}, {from: Server, seq: 501, data: "x"}},
			append([]string{"C -? abc", "S x"}, open...)},
		{"the SYN+ACK is captured late", with(seg{seq: 101, data: "abc"})[1:],
			append([]string{"C abc"}, open...)},
		{"never captured", with(seg{seq: 101, data: "abc"}, seg{seq: 110, data: "jkl"}, seg{seq: 113, data: "mno"}),
			append([]string{"C abc", "C -6 jkl", "C mno"}, open...)},
		{"acknowledged, never captured", with(seg{seq: 101, data: "abc"}, seg{seq: 110, data: "jkl", at: 1e6}, seg{from: Server, seq: 501, ack: 113, at: 1e6},
			seg{from: Server, seq: 501, ack: 113, data: "x", at: 1.5e6}, seg{from: Server, seq: 502, ack: 113, data: "y", at: 2.1e6}),
			append([]string{"C abc", "S x", "S y", "C -6 jkl"}, open...)},
		{"acknowledged, captured late", with(seg{seq: 110, data: "jkl", at: 1e6}, seg{from: Server, seq: 501, ack: 113, at: 1e6}, seg{seq: 101, data: "abcdefghi", at: 1.2e6}),
			append([]string{"C abcdefghi", "C jkl"}, open...)},
		{"acknowledged only up to the hole", with(seg{seq: 110, data: "jkl"}, seg{from: Server, seq: 501, ack: 101, at: 1e6}, seg{from: Server, seq: 501, ack: 101, at: 9e6},
			seg{seq: 101, data: "abcdefghi", at: 10e6}),
			append([]string{"C abcdefghi", "C jkl"}, open...)},
		{"acknowledged at the end, never captured", with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, ack: 124}),
			[]string{"C abc", "C -20 EndCapture", "S EndCapture"}},
		{"cut", with(seg{seq: 101, data: "abcdef", cut: 2}, seg{seq: 107, data: "ghi"}),
			append([]string{"C abcd", "C -2 ghi"}, open...)},
		{"cut while it waits", with(seg{seq: 107, data: "ghijk", cut: 3}, seg{seq: 112, data: "lm"}, seg{seq: 101, data: "abcdef", cut: 6}),
			append([]string{"C -6 gh", "C -3 lm"}, open...)},
		{"cut within the options", with(seg{seq: 101, data: "abcdef", cut: 10}, seg{seq: 107, data: "ghi"}),
			append([]string{"C -6 ghi"}, open...)},
		{"cut at the end", with(seg{seq: 101, data: "abcdef", cut: 2}, seg{seq: 107, flags: "F"}),
			[]string{"C abcd", "C -2 FIN", "S EndCapture"}},
		{"half-close", with(seg{seq: 101, data: "abc", flags: "F"}, seg{from: Server, seq: 501, ack: 105, data: "xyz"}, seg{from: Server, seq: 504, ack: 105, flags: "F"}, seg{seq: 105, ack: 505}),
			[]string{"C abc", "C FIN", "S xyz", "S FIN"}},
		{"FIN before data", with(seg{seq: 107, flags: "F"}, seg{seq: 104, data: "def"}, seg{seq: 101, data: "abc"}),
			[]string{"C abc", "C def", "C FIN", "S EndCapture"}},
		{"FIN behind a hole", with(seg{seq: 107, flags: "F"}, seg{from: Server, seq: 501, ack: 108, flags: "F"}),
			[]string{"S FIN", "C -6 FIN"}},
		{"data behind the FIN", with(seg{seq: 104, flags: "F"}, seg{seq: 101, data: "abcdef"}, seg{seq: 107, data: "ghi"}),
			[]string{"C abc", "C FIN", "S EndCapture"}},
		{"data that waits behind the FIN", with(seg{seq: 110, data: "jkl"}, seg{seq: 104, flags: "F"}, seg{seq: 101, data: "abc"}),
			[]string{"C abc", "C FIN", "S EndCapture"}},
		{"RST", with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, ack: 104, flags: "R"}, seg{seq: 104, data: "def"}),
			[]string{"C abc", "S RST", "C RST"}},
		{"RST behind a hole", with(seg{seq: 107, data: "ghi"}, seg{from: Server, seq: 501, flags: "R"}),
			[]string{"C -6 ghi", "S RST", "C RST"}},
		{"RST that is too old", with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, ack: 104}, seg{seq: 102, flags: "R"}, seg{seq: 104, data: "def"}),
			append([]string{"C abc", "C def"}, open...)},
		{"RST beyond every window", with(seg{seq: 101, data: "abc"}, seg{seq: 0x50000000, flags: "R"}, seg{seq: 104, data: "def"}),
			append([]string{"C abc", "C def"}, open...)},
		{"RST alone, then data", []seg{{from: Server, seq: 501, flags: "R"}, {seq: 101, data: "abc"}},
			append([]string{"S RST", "C RST", "C -? abc"}, open...)},
		{"FIN that is too old", with(seg{seq: 101, data: "abc"}, seg{seq: 102, flags: "F"}, seg{seq: 104, data: "def"}),
			append([]string{"C abc", "C def"}, open...)},
		{"FIN that was not captured", with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, ack: 105, flags: "R"}),
			[]string{"C abc", "S RST", "C RST"}},
		{"refused", []seg{{flags: "S", seq: 100}, {from: Server, flags: "R", seq: 0, ack: 101}},
			[]string{"S RST", "C RST"}},
		{"refused, and tried again with the same number", slices.Concat([]seg{{flags: "S", seq: 100}, {from: Server, flags: "R", seq: 0, ack: 101}}, with(seg{seq: 101, data: "abc"})),
			append([]string{"S RST", "C RST", "C abc"}, open...)},
		{"refused, and tried again without a captured answer", []seg{{flags: "S", seq: 100}, {from: Server, flags: "R", seq: 0, ack: 101}, {flags: "S", seq: 100}, {seq: 101, data: "abc"}},
			append([]string{"S RST", "C RST", "C abc"}, open...)},
		{"captured twice, behind its end", slices.Concat(with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, flags: "R"}), with(seg{seq: 101, data: "abc"})),
			[]string{"C abc", "S RST", "C RST"}},
		{"far from its end", with(seg{seq: 101, data: "abc"}, seg{from: Server, seq: 501, flags: "R"}, seg{seq: 0x40000000, data: "new"}),
			append([]string{"C abc", "S RST", "C RST", "C -? new"}, open...)},
		{"the same ports again, of a connection whose start was not captured", []seg{{from: Server, seq: 700, data: "x"}, {flags: "S", seq: 9000}, {from: Server, flags: "S", seq: 20, ack: 9001}, {seq: 9001, data: "new"}},
			append([]string{"S -? x", "C Reused", "S Reused", "C new"}, open...)},
		{"SYN sent again", with(seg{flags: "S", seq: 100}, seg{from: Server, flags: "S", seq: 500, ack: 101}, seg{seq: 101, data: "abc"}),
			append([]string{"C abc"}, open...)},
		{"data on the SYN", []seg{{flags: "S", seq: 100, data: "abc"}, {from: Server, flags: "S", seq: 500, ack: 104, data: "xy"}, {seq: 104, data: "def"}},
			append([]string{"C abc", "S xy", "C def"}, open...)},
		{"the same ports again", slices.Concat(with(seg{seq: 101, flags: "F"}, seg{from: Server, seq: 501, ack: 102, flags: "F"}, seg{seq: 102, ack: 502}),
			[]seg{{flags: "S", seq: 9000}, {from: Server, flags: "S", seq: 20, ack: 9001}, {seq: 9001, data: "new"}}),
			append([]string{"C FIN", "S FIN", "C new"}, open...)},
		{"the same ports again, while open", slices.Concat(with(seg{seq: 101, data: "abc"}, seg{seq: 110, data: "jkl"}),
			[]seg{{flags: "S", seq: 9000}, {from: Server, flags: "S", seq: 20, ack: 9001}, {seq: 9001, data: "new"}, {from: Server, seq: 21, data: "old"}}),
			append([]string{"C abc", "C -6 jkl", "C Reused", "S Reused", "C new", "S old"}, open...)},
		{"a forged SYN", with(seg{seq: 101, data: "abc"}, seg{flags: "S", seq: 9000, data: "evil"}, seg{from: Server, seq: 501, ack: 104}, seg{seq: 104, data: "def"}),
			append([]string{"C abc", "C def"}, open...)},
		{"the same ports again, without a SYN", with(seg{seq: 101, data: "abc"}, seg{seq: 0xf0000000, data: "new"}),
			append([]string{"C abc", "C Reused", "S Reused", "C -? new"}, open...)},
		{"connections at once", []seg{{flags: "S", seq: 100}, {flags: "S", seq: 300, port: 40001}, {seq: 101, data: "a"}, {seq: 301, data: "1", port: 40001},
			{seq: 102, data: "b"}, {from: Server, flags: "R", seq: 0, ack: 302, port: 40001}, {seq: 103, data: "c"}},
			[]string{"C a", "C 1", "C b", "S RST", "C RST", "C c", "C EndCapture", "S EndCapture"}},
		{"a side that was not captured", []seg{{from: Server, seq: 500, ack: 100, data: "x"}, {from: Server, seq: 501, ack: 200, data: "y"}},
			[]string{"S -? x", "S y", "C -? EndCapture", "S EndCapture"}},
		{"idle", with(seg{seq: 104, data: "def"}, seg{flags: "S", port: 40001, at: 119e6}, seg{seq: 1, data: "x", port: 40001, at: 119e6},
			seg{seq: 2, data: "y", port: 40001, at: 121e6}, seg{seq: 3, data: "z", port: 40001, at: 121e6}),
			[]string{"C x", "C y", "C -3 def", "C z", "C EndCapture", "S EndCapture", "C EndCapture", "S EndCapture"}},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, rawFile(c.segs...), c.want...) })
	}
}

func TestWhoIsTheClient(t *testing.T) {
	for _, c := range []struct {
		name    string
		segs    []seg
		client  string
		certain bool
		from    Side
	}{
		{"SYN", []seg{{flags: "S", seq: 1}}, "10.0.0.1:40000", true, Client},
		{"SYN+ACK", []seg{{from: Server, flags: "S", seq: 1, ack: 9}}, "10.0.0.1:40000", true, Client},
		{"higher port", []seg{{from: Server, seq: 1, data: "x"}}, "10.0.0.1:40000", false, Server},
		{"higher port, but a SYN", []seg{{flags: "S", seq: 1, port: 7}}, "10.0.0.1:7", true, Client},
		{"higher port, but a SYN+ACK", []seg{{from: Server, flags: "S", seq: 1, ack: 9, port: 7}}, "10.0.0.1:7", true, Client},
		{"equal ports", []seg{{from: Server, seq: 1, data: "x", port: 80}}, "10.0.0.2:80", false, Client},
		{"IPv6", []seg{{flags: "S", seq: 1, v6: true}}, "[2001:db8::1]:40000", true, Client},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := NewReader(bytes.NewReader(rawFile(c.segs...)), Options{}).Next()
			if err != nil {
				t.Fatal(err)
			}
			if p.Conn.Client != c.client || p.Conn.Certain != c.certain || p.From != c.from {
				t.Errorf("client %s, certain %v, from %v", p.Conn.Client, p.Conn.Certain, p.From)
			}
		})
	}
}

// TestTimes: data has the time of its packet; what waited that of the packet it waited for;
// what was given up its own; ends that of the last packet.
func TestTimes(t *testing.T) {
	r := NewReader(bytes.NewReader(rawFile(with(seg{seq: 101, data: "a", at: 10}, seg{seq: 103, data: "c", at: 20}, seg{seq: 102, data: "b", at: 30},
		seg{seq: 110, data: "d", at: 40}, seg{from: Server, seq: 501, data: "x", at: 50})...)), Options{})
	for _, want := range []int64{10, 30, 30, 50, 40, 50, 50} {
		p, err := r.Next()
		if err != nil || p.Time != want {
			t.Errorf("%s at %d, want %d (%v)", words(p), p.Time, want, err)
		}
	}
}

func TestMemoryCap(t *testing.T) {
	var segs []seg
	for i := range 400 {
		s := with(seg{seq: 102, data: strings.Repeat("x", 1000)})
		for j := range s {
			s[j].port = uint16(1000 + i)
		}
		segs = append(segs, s...)
	}
	r := NewReader(bytes.NewReader(rawFile(segs...)), Options{MaxMemory: 100_000})
	most, pieces := 0, 0
	for {
		p, err := r.Next()
		if err == io.EOF {
			break
		}
		most = max(most, r.conns.bytes)
		if len(p.Data) > 0 {
			pieces++
			if p.Missing != 1 || len(p.Data) != 1000 {
				t.Fatalf("missing %d, %d bytes", p.Missing, len(p.Data))
			}
		}
	}
	if most > 100_000 || pieces != 400 || r.Stats().GivenUpGaps < 300 {
		t.Errorf("%d bytes held, %d pieces, %d gaps given up", most, pieces, r.Stats().GivenUpGaps)
	}
}

func TestOneDirectionHoldsHalf(t *testing.T) {
	segs := with()
	for i := range 100 {
		segs = append(segs, seg{seq: uint32(200 + 2000*i), data: strings.Repeat("x", 1000)})
	}
	r := NewReader(bytes.NewReader(rawFile(segs...)), Options{MaxMemory: 40_000})
	p, err := r.Next()
	if err != nil || p.Missing != 99 || r.Stats().Packets > 3+18 || r.Stats().Packets < 3+14 {
		t.Errorf("missing %d, after %d packets, %v", p.Missing, r.Stats().Packets, err)
	}
}

func TestMaxConns(t *testing.T) {
	var segs []seg
	for i := range 5 {
		port := uint16(1000 + i)
		segs = append(segs, seg{flags: "S", seq: 100, port: port}, seg{seq: 101, data: "a", port: port})
	}
	segs = append(segs, seg{flags: "S", seq: 1, port: 2000}, seg{flags: "S", seq: 1, port: 2001}, seg{seq: 102, data: "b", port: 1000})
	r := NewReader(bytes.NewReader(rawFile(segs...)), Options{MaxConns: 4})
	got, _ := read(t, r)
	same(t, got, []string{"C a", "C a", "C a", "C a",
		"C GivenUp", "S GivenUp", "C a", // 1000 had no packet for longest
		"C GivenUp", "S GivenUp", // 1001
		"C GivenUp", "S GivenUp", // 2000 never had data
		"C GivenUp", "S GivenUp", // 2001 neither
		"C -? b",
		"C EndCapture", "S EndCapture", "C EndCapture", "S EndCapture", "C EndCapture", "S EndCapture", "C EndCapture", "S EndCapture"})
	r = NewReader(bytes.NewReader(rawFile(segs...)), Options{MaxConns: 4})
	var gone []string
	for p, err := r.Next(); err == nil; p, err = r.Next() {
		if p.End == GivenUp && p.From == Client {
			gone = append(gone, p.Conn.Client)
		}
	}
	same(t, gone, []string{"10.0.0.1:1000", "10.0.0.1:1001", "10.0.0.1:2000", "10.0.0.1:2001"})
	if s := r.Stats(); s.GivenUpConns != 4 || s.Conns != 8 || s.TCP != 13 {
		t.Errorf("stats %+v", s)
	}
}

// TestSidesStay: once something was yielded a SYN does not swap the sides.
func TestSidesStay(t *testing.T) {
	r := NewReader(bytes.NewReader(rawFile(seg{seq: 101, data: "abc", port: 7}, seg{flags: "S", seq: 100, port: 7}, seg{seq: 104, data: "def", port: 7})), Options{})
	for range 2 {
		p, err := r.Next()
		if err != nil || p.From != Server || p.Conn.Client != "10.0.0.2:80" || p.Conn.Certain {
			t.Errorf("%s of %+v, %v", words(p), *p.Conn, err)
		}
	}
}

// TestTimeOfGivenUp: what was given up is not earlier than what was yielded before it.
func TestTimeOfGivenUp(t *testing.T) {
	r := NewReader(bytes.NewReader(rawFile(with(seg{seq: 102, data: "b", at: 10}, seg{seq: 110, data: "d", at: 20}, seg{seq: 101, data: "a", at: 30})...)), Options{})
	for _, want := range []int64{30, 30, 30} {
		if p, err := r.Next(); err != nil || p.Time != want {
			t.Errorf("%s at %d, want %d (%v)", words(p), p.Time, want, err)
		}
	}
}

// TestAcknowledgedWithoutTimes: where the clock stands still, packets count.
func TestAcknowledgedWithoutTimes(t *testing.T) {
	segs := with(seg{seq: 110, data: "jkl"})
	for range 2 * ackPackets {
		segs = append(segs, seg{from: Server, seq: 501, ack: 113})
	}
	r := NewReader(bytes.NewReader(rawFile(segs...)), Options{})
	if p, err := r.Next(); err != nil || words(p) != "C -9 jkl" || r.Stats().Packets > 4+ackPackets+1 {
		t.Errorf("%s after %d packets, %v", words(p), r.Stats().Packets, err)
	}
}

func TestMaxHeld(t *testing.T) {
	segs := with()
	for i := range maxHeld + 10 {
		segs = append(segs, seg{seq: uint32(200 + 2*i), data: "x"})
	}
	r := NewReader(bytes.NewReader(rawFile(segs...)), Options{})
	if p, err := r.Next(); err != nil || p.Missing != 99 || r.Stats().Packets != 3+maxHeld || r.Stats().GivenUpGaps != 1 {
		t.Errorf("%s after %d packets, %v", words(p), r.Stats().Packets, err)
	}
}

// What comes behind a gap that was given up is counted, once.
func TestLate(t *testing.T) {
	segs := with(seg{seq: 201, data: strings.Repeat("x", 30_000)}, seg{seq: 101, data: "late"}, seg{seq: 101, data: "late"}, seg{seq: 103, data: "teagain"})
	r := NewReader(bytes.NewReader(rawFile(segs...)), Options{MaxMemory: 40_000})
	if _, err := read(t, r); err != io.EOF || r.Stats().Late != 4+5 || r.Stats().GivenUpGaps != 1 {
		t.Errorf("%v, %+v", err, r.Stats())
	}
}
