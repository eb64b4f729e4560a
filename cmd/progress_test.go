package cmd

import (
	"strings"
	"testing"
	"time"

	"kind4/render"
)

func TestSizeWords(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 1234: "1.23 kB", 9994: "9.99 kB", 9996: "10.0 kB", 99_960: "100 kB",
		999_499: "999 kB", 999_500: "1.00 MB", 229_500_000: "230 MB", 2_000_000_000: "2.00 GB", 1<<63 - 1: "9.22 EB",
	} {
		if got := sizeWords(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestTimeWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 0: "0 s", 1400 * time.Millisecond: "1 s", 59600 * time.Millisecond: "1 min 0 s", 185 * time.Second: "3 min 5 s",
		time.Hour: "1 h 0 min", 130 * time.Minute: "2 h 10 min", 250 * time.Hour: "250 h", 1<<63 - 1: "2562047 h",
	} {
		if got := timeWords(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// The bar is as told on any width, and no wider than that, whatever the file is called.
func TestProgressBarText(t *testing.T) {
	b := &progressBar{line: &lastLine{}, size: 4_000_000, name: "日本語.txt"}
	if text := b.text(200, progressAfter-1); text != "" {
		t.Errorf("a bar too early: %q", text)
	}
	for _, done := range []int64{0, 1, 1_000_000, 4_000_000, 5_000_000} {
		b.show(done)
		for width := range 120 {
			text := render.Fit(b.text(width, 2*time.Second), width, false)
			if render.Width(text) > width {
				t.Errorf("%d columns of %d: %q", render.Width(text), width, text)
			}
		}
	}
	b.show(1_000_000)
	for width, want := range map[int]string{
		85: "kind4: █████░░░░░░░░░░░░░░░  25 %  1.00 MB of 4.00 MB  500 kB/s  6 s left  日本語.txt",
		84: "kind4: █████░░░░░░░░░░░░░░░  25 %  1.00 MB of 4.00 MB  500 kB/s  6 s left",
	} {
		if got := b.text(width, 2*time.Second); got != want {
			t.Errorf("width %d: %q (%d columns), want %q", width, got, render.Width(got), want)
		}
	}
	b.line.ascii = true
	if got := b.text(30, 2*time.Second); got != "kind4: ###-------  25 %" {
		t.Errorf("in ASCII: %q", got)
	}
}

// A nil bar, and a nil line, show nothing.
func TestNoProgressBar(t *testing.T) {
	var b *progressBar
	b.show(1)
	b.end()
	var l *lastLine
	l.start(func(int) string { return "x" })
	l.stop()
	l.end()
}

// Where there is no room, what matters least goes first.
func TestJoinFitting(t *testing.T) {
	parts := []linePart{{"first", 0}, {"rate", 2}, {"last", 1}}
	for width, want := range map[int]string{17: "first  rate  last", 16: "first  last", 11: "first  last", 10: "first", 0: "first"} {
		if got := joinFitting(parts, width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}

// The rate is that of the last seconds: a burst is forgotten.
func TestSessionLineRate(t *testing.T) {
	l := &sessionLine{}
	start := time.Now()
	for _, c := range []struct {
		after    time.Duration
		received int64
		want     float64
	}{{0, 0, 0}, {time.Second, 100, 100}, {2 * time.Second, 100, 50}, {4 * time.Second, 100, 0}, {10 * time.Second, 100, 0}, {11 * time.Second, 107, 7}} {
		if got := l.rate(start.Add(c.after), c.received); got != c.want {
			t.Errorf("after %v: %v, want %v", c.after, got, c.want)
		}
	}
}

func TestFindingWords(t *testing.T) {
	var words []string
	for _, n := range [][2]uint64{{0, 0}, {1, 0}, {0, 2}, {3, 1}} {
		words = append(words, findingWords(n[0], n[1]))
	}
	if got := strings.Join(words, "; "); got != "no findings; 1 error; 2 warnings; 3 errors, 1 warning" {
		t.Error(got)
	}
}
