//go:build unix

package cmd

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// terminalSignals are those that a terminal sends, or who stops a job on it, and that end nothing.
type terminalSignals struct {
	resized, stopping, continued chan os.Signal
}

func watchTerminal() terminalSignals {
	s := terminalSignals{make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan os.Signal, 1)}
	signal.Notify(s.resized, syscall.SIGWINCH)
	signal.Notify(s.continued, syscall.SIGCONT)
	if !signal.Ignored(syscall.SIGTSTP) { // by a shell without job control
		signal.Notify(s.stopping, syscall.SIGTSTP)
	}
	return s
}

func (s terminalSignals) stop() {
	signal.Stop(s.resized)
	signal.Stop(s.continued)
	signal.Stop(s.stopping)
}

// stopPatience is how long it takes at most until the process is stopped. Where nobody could continue it, it is not.
const stopPatience = 100 * time.Millisecond

// suspend does what SIGTSTP would do where it is not caught, and returns once the process goes on. Its own action is
// lost for good where Go has caught it once; SIGTTIN has the same, down to the group of processes that nobody could
// continue, which it does not stop.
func (s terminalSignals) suspend() {
	syscall.Kill(os.Getpid(), syscall.SIGTTIN)
	select {
	case <-s.continued:
	case <-time.After(stopPatience):
	}
}
