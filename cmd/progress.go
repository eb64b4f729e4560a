package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progressBar shows how much of a file has been read, on a terminal's last line. The zero file size means that it shows
// nothing.
type progressBar struct {
	mu    sync.Mutex
	w     io.Writer
	size  int64
	next  time.Time
	shown bool
}

// When the bar appears, and how often it moves.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// newProgressBar returns a bar for in. It shows only where standard error is a terminal, standard output is none, and
// in is a regular file.
func newProgressBar(env *environment, in io.Reader, st *status) *progressBar {
	bar := &progressBar{w: env.err, next: time.Now().Add(progressAfter)}
	file, ok := in.(interface{ Stat() (os.FileInfo, error) })
	if !ok || !isTerminal(env.err) || isTerminal(env.out) {
		return bar
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		bar.size = info.Size()
	}
	st.live = bar.clear
	return bar
}

// show draws the bar at that many bytes read, where it is time to.
func (b *progressBar) show(done int64) {
	if b.size == 0 {
		return
	}
	now := time.Now()
	if now.Before(b.next) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = now.Add(progressEvery)
	const cells = 30
	full := int(min(done, b.size) * cells / b.size)
	fmt.Fprintf(b.w, "\r%s[%s%s] %3d %%", linePrefix, strings.Repeat("=", full), strings.Repeat(" ", cells-full),
		min(done, b.size)*100/b.size)
	b.shown = true
}

// clear takes the bar away.
func (b *progressBar) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shown {
		io.WriteString(b.w, "\r\x1b[K")
		b.shown = false
	}
}
