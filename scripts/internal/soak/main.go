// Soak runs kind4 against itself for minutes, and fails where a message is lost, an ending is named wrong, or something
// grows. scripts/soak builds and runs it.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

const (
	long      = 10 * time.Minute
	short     = 20 * time.Second
	leastDone = 8 // rounds, however long they take: a quarter of them is two
)

func main() {
	quick := flag.Bool("short", false, "for 20 s in place of ten minutes")
	duration := flag.Duration("duration", 0, "for so long")
	program := flag.String("kind4", "", "the kind4 that runs in a process of its own")
	dir := flag.String("dir", "", "where files are written")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "soak: usage: scripts/soak [--short] [--duration D]") }
	flag.Parse()
	switch {
	case flag.NArg() > 0 || *program == "" || *dir == "":
		flag.Usage()
		os.Exit(2)
	case *duration == 0 && *quick:
		*duration = short
	case *duration == 0:
		*duration = long
	}
	s := &soak{program: *program, dir: *dir, duration: *duration, began: time.Now(), done: map[string]*work{}, endings: map[string]int{}}
	os.Exit(s.main())
}
