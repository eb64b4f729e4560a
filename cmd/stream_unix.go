//go:build unix

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitRoom returns when the file may take more.
func awaitRoom(f *os.File) error { return await(f, unix.POLLOUT) }

// awaitBytes returns when the file may have something to read.
func awaitBytes(f *os.File) error { return await(f, unix.POLLIN) }

func await(f *os.File, event int16) error {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(f.Fd()), Events: event}}, -1)
		if err != unix.EINTR {
			return err
		}
	}
}

// inForeground reports whether a terminal is this process's to draw on: another job may have it.
func inForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err != nil || group == unix.Getpgrp()
}
