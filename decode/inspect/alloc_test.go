package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kind4/decode"
	"kind4/decode/session"
)

// TestAllocations holds good messages to cost nothing.
func TestAllocations(t *testing.T) {
	for name, messages := range map[string][]string{
		"progress": {step(`"up"`, "1"), step(`"up"`, "2.5"), step(`"up"`, "9007199254740993123"), progressWith(`"progressToken":"up","progress":1e30,"total":2e30`)},
		"log":      {logWith(`"level":"info","logger":"db","data":{"rows":4,"ms":1.25}`)},
		"updated":  {`0:{"method":"notifications/resources/updated","params":{"uri":"file:///etc/motd"}}`},
		"changed":  {"0:" + changed},
		"jsonrpc":  {`0:{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`},
		"custom":   {method("acme/warm")},
		"cancel":   {`0:{"method":"notifications/cancelled","params":{"requestId":4}}`},
		"error":    {`1:{"code":-32603,"message":"gone"}`},
	} {
		s := NewSession()
		var frames []decode.Frame
		for _, message := range messages {
			var f decode.Frame
			if err := f.Decode(bytesOf(message)); err != nil {
				t.Fatal(err)
			}
			frames = append(frames, f)
		}
		dst := make([]Finding, 0, 8)
		ev := session.Event{Kind: session.Message, Path: testPath, Opcode: session.OpBinary, Fragments: 1, Time: 1}
		for i := range frames {
			dst = s.Message(dst[:0], &ev, &frames[i])
		}
		allocs := testing.AllocsPerRun(100, func() {
			p := s.path(ev.Opening())
			for token := range p.tokens { // so that progress increases each time
				p.tokens[token].last.set(amount{nil, -1, true})
			}
			for i := range frames {
				ev.Time += 1_000_000
				dst = s.Message(dst[:0], &ev, &frames[i])
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations, %v", name, allocs, codesOf(dst))
		}
	}
}

// TestManyNames holds the search for duplicates to linear time: four times the names take far less than
// sixteen times as long, and the one duplicate among them is found.
func TestManyNames(t *testing.T) {
	body := func(n int) []byte {
		var b strings.Builder
		b.WriteString("\x00" + `{"method":"acme/x","params":{"first":1`)
		for i := range n {
			fmt.Fprintf(&b, `,"n%d":0`, i)
		}
		b.WriteString(`,"n7":"again"}}`)
		return []byte(b.String())
	}
	took := func(n int) time.Duration {
		message := body(n)
		var f decode.Frame
		if err := f.Decode(message); err != nil {
			t.Fatal(err)
		}
		best := time.Hour
		for range 7 {
			start := time.Now()
			findings := Message(nil, &f)
			best = min(best, time.Since(start))
			if len(findings) != 2 || findings[0].Code != decode.DuplicateMember {
				t.Fatal(codesOf(findings))
			}
			said(t, findings, decode.DuplicateMember, decode.Warning, `"n7" stands twice in one object, 0 and then "again"`)
		}
		return best
	}
	small, large := took(20_000), took(80_000)
	if large > 12*small {
		t.Errorf("20,000 names take %v, 80,000 take %v", small, large)
	}
}

// TestManyNamesMemory holds what the search for duplicates takes of a large object to twice its size.
func TestManyNamesMemory(t *testing.T) {
	var b strings.Builder
	b.WriteString("\x00" + `{"method":"acme/x","params":{"first":1`)
	for i := range 500_000 {
		fmt.Fprintf(&b, `,"n%d":0`, i)
	}
	b.WriteString("}}")
	var f decode.Frame
	if err := f.Decode([]byte(b.String())); err != nil {
		t.Fatal(err)
	}
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Message(nil, &f)
		}
	})
	if took := result.AllocedBytesPerOp(); took > 2*f.Size {
		t.Errorf("%d bytes for a message of %d", took, f.Size)
	}
}

// TestManyAlike holds what a message may say of one kind to a handful, the last of which counts the rest.
func TestManyAlike(t *testing.T) {
	_, findings := inSession(bytesOf(logWith(`"level":"info","data":[` + strings.Repeat("9007199254740993,", 999) + `1]`)))
	if len(findings) != maxAlike {
		t.Fatalf("%d findings", len(findings))
	}
	if s := string(findings[maxAlike-1].AppendText(nil)); !strings.HasSuffix(s, "(and 991 more like it)") {
		t.Error(s)
	}
}

func TestDecimals(t *testing.T) {
	ordered := []string{"-1e400", "-9007199254740993", "-9007199254740992", "-1.5", "-1", "-1e-400", "0", "1e-99999999999999999999",
		"1e-400", "0.1", "0.100000000000000000000001", "1", "1.5", "10", "9007199254740992", "9007199254740993", "1e400"}
	for i, a := range ordered {
		for j, b := range ordered {
			want := min(max(i-j, -1), 1)
			da, okA := parseDecimal([]byte(a))
			db, okB := parseDecimal([]byte(b))
			if got := compareDecimals(&da, &db); got != want || !okA || !okB {
				t.Errorf("%s against %s: %d, want %d", a, b, got, want)
			}
		}
	}
	for _, same := range [][2]string{{"1", "1.0"}, {"100", "1e2"}, {"0", "-0.0"}, {"0e5", "0"}, {"1200e-2", "12"}, {"0.0012", "12E-4"}} {
		a, _ := parseDecimal([]byte(same[0]))
		b, _ := parseDecimal([]byte(same[1]))
		if compareDecimals(&a, &b) != 0 {
			t.Errorf("%s is not %s", same[0], same[1])
		}
	}
}
