package cmd

import (
	"os"
	"os/signal"
	"syscall"
)

// catchSignals delivers the signals that end a session. SIGINT is caught even where a shell started kind4 with it
// ignored (`kind4 … &` in a script); a SIGHUP that is ignored, as nohup has it, stays ignored.
func catchSignals() (signals chan os.Signal, stop func()) {
	signals = make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals, func() { signal.Stop(signals) }
}
