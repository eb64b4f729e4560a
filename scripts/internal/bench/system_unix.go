//go:build linux || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most memory that an ended process held at once, in bytes (getrusage(2): KiB, on macOS bytes).
func peakMemory(state *os.ProcessState) (bytes int64, known bool) {
	usage, known := state.SysUsage().(*syscall.Rusage)
	if !known {
		return 0, false
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss), true
	}
	return int64(usage.Maxrss) << 10, true
}

// freeSpace is what may still be written below a directory, in bytes.
func freeSpace(dir string) (bytes int64, known bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return int64(stat.Bavail) * int64(stat.Bsize), true
}
