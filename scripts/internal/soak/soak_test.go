package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// shown are the lines of messages with these counters, of 3 each, and of their path's end.
func shown(counters ...int) string {
	var b strings.Builder
	for i, n := range counters {
		fmt.Fprintf(&b, `{"seq":%d,"path":"/mcp/notifications/2","payload":{"params":{"data":{"n":%d,"of":3}}}}`+"\n", i+1, n)
	}
	fmt.Fprintf(&b, `{"event":"closed","path":"/mcp/notifications/2","outcome":"complete","messages":%d}`+"\n", len(counters))
	return b.String()
}

func TestOutputHoldsCountersTogether(t *testing.T) {
	good := shown(0, 1, 2, 0, 1, 2)
	for _, test := range []struct{ name, lines, want string }{
		{"in order", good, ""},
		{"lost", shown(0, 1, 0), "after 2 messages came counter 0 of 3"},
		{"doubled", shown(0, 0, 1, 2), "after 1 messages came counter 0 of 3"},
		{"out of order", shown(1, 0, 2), "after 0 messages came counter 1 of 3"},
		{"a line lost", strings.Replace(good, `{"seq":3,`, `{"seq":4,`, 1), "message 2 is followed by"},
		{"torn", good[:len(good)-9], "standard output ended with EOF"},
		{"a fault's message", strings.Replace(good, `"data":{"n":2,"of":3}`, `"data":"all is well"`, 1), "counter 0 of 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			o := newOutput(read)
			go o.read()
			write.WriteString(test.lines)
			write.Close()
			<-o.done
			if got := fmt.Sprint(o.failure()); test.want == "" && got != "<nil>" || !strings.Contains(got, test.want) {
				t.Errorf("got %s, want %q", got, test.want)
			}
		})
	}
}

func TestOutputCountsEachPath(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	o := newOutput(read)
	go o.read()
	write.WriteString(shown(0, 1, 2, 0))
	write.Close()
	if e, err := o.next(); err != nil || e.counted != 4 || e.Messages != 4 || e.Outcome != complete {
		t.Errorf("got %+v and %v", e, err)
	}
	<-o.done
}

func TestLeaksAreTold(t *testing.T) {
	for _, m := range measures {
		for _, test := range []struct {
			name    string
			a, each int64 // at first, and more in each round
			flat    bool
		}{
			{"flat", 40 << 20, 0, true},
			{"leak", 10, 64 << 20, false},
		} {
			var all []figures
			for n := range int64(9) {
				v := test.a + n*test.each
				all = append(all, figures{time.Second, 0, 0, v, v, v, v, v, v})
			}
			was, is := quarters(all, m.of)
			if m.flat(was, is) != test.flat {
				t.Errorf("%s, %s: %d and %d", m.name, test.name, was, is)
			}
		}
	}
	few := []figures{{files: 9}, {files: 9}, {files: 1}, {files: 2}, {files: 9}, {files: 9}, {files: 5}, {files: 6}}
	if second, last := quarters(few, func(f *figures) int64 { return f.files }); second != 2 || last != 6 {
		t.Errorf("quarters %d and %d", second, last)
	}
}
