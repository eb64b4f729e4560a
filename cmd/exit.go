package cmd

import (
	"errors"
	"os"
	"syscall"
)

// The exit codes. Scripts depend on them; `kind4 explain` and the man pages say the same.
const (
	exitOK        = 0
	exitOperation = 1   // an operation failed: file, write
	exitUsage     = 2   // wrong usage
	exitConnect   = 3   // could not listen, dial or upgrade
	exitTooLittle = 4   // not enough came
	exitFailed    = 5   // a tag-1 message came: the stream failed
	exitFindings  = 6   // something failed at the --fail-on level
	exitDied      = 7   // a notification path died or broke the WebSocket rules
	exitTime      = 124 // --timeout or --wait ran out before the condition was met
	exitInterrupt = 130 // SIGINT
	exitTerminate = 143 // SIGTERM, SIGHUP
)

// usageError is a command line that cannot be carried out: exit 2.
type usageError struct {
	message string
	hint    string // printed behind the message; may be empty
}

func (e *usageError) Error() string {
	if e.hint == "" {
		return e.message
	}
	return e.message + "; " + e.hint
}

// connectError is a failure to listen or dial: exit 3.
type connectError struct{ err error }

func (e *connectError) Error() string { return e.err.Error() }
func (e *connectError) Unwrap() error { return e.err }

// errorCode maps an error that ended a command to its exit code.
func errorCode(err error) int {
	var usage *usageError
	var connect *connectError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &connect):
		return exitConnect
	}
	return exitOperation
}

// endings is all that can bear on a session's exit code.
type endings struct {
	signal   os.Signal // that ended it
	failure  bool      // an operation failed
	findings bool      // something failed at the --fail-on level
	errors   bool      // a tag-1 message came
	died     bool      // a notification path died
	timeUp   bool      // a limit ran out before a condition that was asked for
	tooFew   bool      // not enough came
	met      bool      // the count or every expectation was met
	missing  bool      // the count was met, an expectation was not
	closed   bool      // standard output was closed by its reader
	pardoned bool      // the demo, where no condition was asked for

	unrecorded bool // the record could not be written

	reached   bool // a path was opened, or a tap's proxy answered
	unreached bool // the proxy could not be dialled, or refused the path that kind4 dialled
}

// code is the first that applies, in this order: signal, 1, 3, 6, 5, 7, 124, 4, 0. A condition that was met makes
// 5, 7, 124 and 4 moot; a reader of standard output that went away makes everything moot.
func (e *endings) code() int {
	switch {
	case e.signal == os.Interrupt:
		return exitInterrupt
	case e.signal != nil:
		return exitTerminate
	case e.failure || e.unrecorded:
		return exitOperation
	case e.unreached && !e.reached && !e.closed:
		return exitConnect
	case e.closed || e.pardoned:
		return exitOK
	case e.findings:
		return exitFindings
	case e.missing:
		return exitTooLittle
	case e.met:
		return exitOK
	case e.errors:
		return exitFailed
	case e.died:
		return exitDied
	case e.timeUp:
		return exitTime
	case e.tooFew:
		return exitTooLittle
	}
	return exitOK
}

// isClosedPipe reports whether a write failed because nobody reads any more.
func isClosedPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// isHangUp reports whether a write to a terminal failed because the terminal is gone. SIGHUP says the same to who has it
// for controlling terminal.
func isHangUp(err error) bool { return errors.Is(err, syscall.EIO) }
