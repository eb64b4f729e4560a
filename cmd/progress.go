package cmd

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"kind4/render"
)

// progressBar shows how much of a file has been read, on a terminal's last line. The nil *progressBar shows nothing.
type progressBar struct {
	line  *lastLine
	name  string // "" for none
	size  int64  // of the file, in bytes; packed where it is packed
	done  atomic.Int64
	began time.Time
}

// progressAfter is when the bar appears: short work needs none.
const progressAfter = time.Second

// barCells is how wide the bar is where there is room, in columns.
const barCells = 20

// newProgressBar starts the bar of in. There is one where env has a last line and in is a regular file.
func newProgressBar(env *environment, in io.Reader, name string) *progressBar {
	line := lastLineOf(env.err)
	file, ok := in.(interface{ Stat() (os.FileInfo, error) })
	if line == nil || !ok {
		return nil
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	b := &progressBar{line: line, name: name, size: info.Size(), began: time.Now()}
	line.start(func(width int) string { return b.text(width, time.Since(b.began)) })
	return b
}

// show takes over how many bytes are read; it costs nothing and draws nothing.
func (b *progressBar) show(done int64) {
	if b != nil {
		b.done.Store(done)
	}
}

// end takes the bar away.
func (b *progressBar) end() {
	if b != nil {
		b.line.stop()
	}
}

// text is what there is room for, after that long.
func (b *progressBar) text(width int, elapsed time.Duration) string {
	if elapsed < progressAfter {
		return ""
	}
	done := min(b.done.Load(), b.size)
	percent := string(render.AppendPercent(nil, float64(done), float64(b.size)))
	bar := func(cells int) string {
		return string(render.AppendBar(nil, float64(done), float64(b.size), cells, b.line.ascii)) + " " + percent
	}
	rate := float64(done) / elapsed.Seconds()
	bytes := fmt.Sprintf("  %s of %s", sizeWords(done), sizeWords(b.size))
	speed := fmt.Sprintf("  %s/s", sizeWords(int64(rate)))
	left := ""
	if done > 0 {
		left = "  " + timeWords(time.Duration(float64(b.size-done)/rate*float64(time.Second))) + " left"
	}
	name := ""
	if b.name != "" {
		name = "  " + b.name
	}
	return widest(width,
		linePrefix+bar(barCells)+bytes+speed+left+name,
		linePrefix+bar(barCells)+bytes+speed+left,
		linePrefix+bar(barCells)+bytes+left,
		linePrefix+bar(barCells)+left,
		linePrefix+bar(barCells/2)+left,
		linePrefix+bar(barCells/2),
		bar(barCells/4),
		percent)
}

// widest returns the first of the texts that fits, or the last.
func widest(width int, texts ...string) string {
	for _, text := range texts {
		if render.Width(text) <= width {
			return text
		}
	}
	return texts[len(texts)-1]
}

// sizeWords is a size in bytes with three digits or so: "1.25 GB", "17 kB".
func sizeWords(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	x, i := float64(n), 0
	for ; x >= 999.5; i++ {
		x /= 1000
	}
	digits := 0
	switch {
	case i == 0 || x >= 99.95:
	case x >= 9.995:
		digits = 1
	default:
		digits = 2
	}
	return fmt.Sprintf("%.*f %s", digits, x, units[i])
}

// timeWords is a duration in its two largest units: "12 s", "3 min 5 s", "2 h 10 min".
func timeWords(d time.Duration) string {
	seconds := int64(max(d, 0).Round(time.Second) / time.Second)
	switch minutes, hours := seconds/60, seconds/3600; {
	case seconds < 60:
		return fmt.Sprintf("%d s", seconds)
	case hours < 1:
		return fmt.Sprintf("%d min %d s", minutes, seconds%60)
	case hours < 100:
		return fmt.Sprintf("%d h %d min", hours, minutes%60)
	default:
		return fmt.Sprintf("%d h", hours)
	}
}
