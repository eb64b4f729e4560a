package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"time"
)

// figures are what was measured at the end of a round, when no path was open.
type figures struct {
	at       time.Duration // since the run began
	messages uint64
	paths    int

	goroutines int64 // of this process, which runs all but one kind4
	heap       int64 // bytes that live on its heap
	files      int64 // that it has open
	resident   int64 // bytes
	childFiles int64
	childRSS   int64
}

const figuresHeader = "   time     messages    paths  goroutines    heap     RSS  files   child: RSS  files"

func (f figures) String() string {
	return fmt.Sprintf("%6.0fs %12d %8d %11d %7s %7s %6d %12s %6d", f.at.Seconds(), f.messages, f.paths, f.goroutines,
		mebibytes(f.heap), mebibytes(f.resident), f.files, mebibytes(f.childRSS), f.childFiles)
}

const goroutines = "goroutines"

// measureOf is one of the figures, and how much it may grow.
type measureOf struct {
	name  string
	of    func(*figures) int64
	grows float64 // the share that it may grow by
	slack int64   // and so much more
	show  func(int64) string
}

// measures are what has to stay flat. Numbers of goroutines and files at rest are exact but for a connection that the
// other end is still taking leave of. On the heap, buffers that are used again grow with the largest so far, for some
// minutes. Resident memory follows what the collector gives back, and when.
var measures = []measureOf{
	{goroutines, func(f *figures) int64 { return f.goroutines }, 0, 2, number},
	{"open files", func(f *figures) int64 { return f.files }, 0, 2, number},
	{"child's open files", func(f *figures) int64 { return f.childFiles }, 0, 2, number},
	{"live heap", func(f *figures) int64 { return f.heap }, 0.05, 3 << 20, mebibytes},
	{"resident memory", func(f *figures) int64 { return f.resident }, 0.25, 16 << 20, mebibytes},
	{"child's resident memory", func(f *figures) int64 { return f.childRSS }, 0.15, 8 << 20, mebibytes},
}

func (m *measureOf) most(was int64) int64 { return was + int64(m.grows*float64(was)) + m.slack }

func (m *measureOf) flat(was, is int64) bool { return is <= m.most(was) }

func number(n int64) string { return strconv.FormatInt(n, 10) }

func mebibytes(n int64) string { return fmt.Sprintf("%.1fM", float64(n)/(1<<20)) }

// quarters returns the median of the second quarter and that of the last.
func quarters(all []figures, of func(*figures) int64) (second, last int64) {
	n := len(all) / 4
	return median(all[n:2*n], of), median(all[len(all)-n:], of)
}

func median(some []figures, of func(*figures) int64) int64 {
	values := make([]int64, len(some))
	for i := range some {
		values[i] = of(&some[i])
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// settling is how long what ended may take to be gone, and settled how often in a row it must not have changed.
const (
	settling = 2 * time.Second
	settled  = 10
)

// measure looks at this process and at that of the child, once nothing more goes away.
func measure(child int) (f figures) {
	ends := time.Now().Add(settling)
	for same := 0; same < settled && time.Now().Before(ends); same++ {
		is, files, childFiles := int64(runtime.NumGoroutine()), openFiles("self"), openFiles(strconv.Itoa(child))
		if is != f.goroutines || files != f.files || childFiles != f.childFiles {
			same = 0
		}
		f.goroutines, f.files, f.childFiles = is, files, childFiles
		time.Sleep(settling / 200)
	}
	runtime.GC()
	runtime.GC() // what pools held is free after the second
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	f.heap = int64(live[0].Value.Uint64())
	f.resident, f.childRSS = resident("self"), resident(strconv.Itoa(child))
	return f
}

func hasProc() bool {
	_, err := os.Stat("/proc/self/fd")
	return err == nil
}

// openFiles counts the file descriptors of a process, 0 where /proc does not tell.
func openFiles(pid string) int64 {
	entries, _ := os.ReadDir("/proc/" + pid + "/fd")
	return int64(len(entries))
}

// resident is VmRSS of proc_pid_status(5) in bytes, 0 where /proc does not tell.
func resident(pid string) int64 {
	text, _ := os.ReadFile("/proc/" + pid + "/status")
	_, text, _ = bytes.Cut(text, []byte("\nVmRSS:"))
	var kibibytes int64
	fmt.Sscan(string(text), &kibibytes)
	return kibibytes << 10
}
