//go:build unix

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// hangUpPoll is how long one look at standard output takes at most, in milliseconds.
const hangUpPoll = 200

// watchHangUp closes the returned channel when the reader of out has gone away, so that a silent stream ends too. It
// watches until stop is closed; files and terminals never hang up.
func watchHangUp(out any, stop <-chan struct{}) <-chan struct{} {
	gone := make(chan struct{})
	f := fileOf(out)
	if f == nil {
		return gone
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return gone
	}
	go func() {
		for {
			fds := []unix.PollFd{{Fd: int32(f.Fd())}}
			n, err := unix.Poll(fds, hangUpPoll)
			if err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
				close(gone)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	return gone
}
