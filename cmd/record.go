package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/urfave/cli/v2"

	"kind4/decode/capture"
	"kind4/decode/session"
)

const (
	flagRecord  = "record"
	flagAppend  = "append"
	flagForce   = "force"
	flagSecrets = "record-secrets"
)

// recordFlags are those of the commands that can record what they see.
func recordFlags() []cli.Flag {
	return []cli.Flag{
		stringFlag(flagRecord, "w", "", "record the session in `FILE`; - is standard output, in place of messages", ""),
		boolFlag(flagAppend, "", "with -w: add to a file that is not empty"),
		boolFlag(flagForce, "", "with -w: overwrite a file that is not empty"),
	}
}

// recordSecretsFlag is for the commands that see asks of every kind.
func recordSecretsFlag() cli.Flag {
	return boolFlag(flagSecrets, "", "with -w: keep the payloads of asks of kinds other than 0 to 4")
}

// recorder writes a session's events to a file, or to standard output. What fails is told once: the session goes on
// without it. Its methods may be called from several goroutines.
type recorder struct {
	name    string
	file    *os.File // nil for standard output
	created bool     // the file was not there before
	regular bool     // it is one that can be synced
	held    bool     // it holds something, which stays as it is until there is an event to record

	overwrites bool // what it holds is to go
	torn       bool // its last line lacks its end

	mu     sync.Mutex
	w      *capture.Writer
	failed bool
	closed bool
}

// newRecorder opens what --record names, nil where it names nothing. A file that is not empty is neither overwritten
// nor added to unless a flag says so, and not before there is an event; none of the inputs is ever written to.
func newRecorder(c *cli.Context, env *environment, inputs ...string) (*recorder, error) {
	name := c.String(flagRecord)
	if !given(c, flagRecord) {
		for _, flag := range []string{flagAppend, flagForce, flagSecrets} {
			if given(c, flag) {
				return nil, &usageError{"--" + flag + " goes with --record", ""}
			}
		}
		return nil, nil
	}
	if c.Bool(flagAppend) && c.Bool(flagForce) {
		return nil, &usageError{"--append and --force contradict each other", ""}
	}
	r := &recorder{name: name}
	if name == stdinName {
		r.w = capture.NewWriter(env.out)
	} else if err := r.open(c.Bool(flagAppend), c.Bool(flagForce), env, inputs); err != nil {
		r.discard()
		return nil, fmt.Errorf("cannot record to %s: %w", quote(name), plainPathError(err))
	}
	r.w.Secrets = c.Bool(flagSecrets)
	return r, r.w.Begin()
}

// Why a file is not recorded to.
var (
	errNotEmpty = errors.New("it is there and not empty; --append adds to it, --force overwrites it")
	errIsInput  = errors.New("it is also read from")
	errDangling = errors.New("it is a symbolic link to a file that is not there")
)

func (r *recorder) open(add, overwrite bool, env *environment, inputs []string) (err error) {
	r.file, err = os.OpenFile(r.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if r.created = err == nil; errors.Is(err, fs.ErrExist) {
		if r.file, err = openExisting(r.name, add); errors.Is(err, fs.ErrNotExist) {
			return errDangling
		}
	}
	if err != nil {
		return err
	}
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	r.regular = info.Mode().IsRegular()
	r.w = capture.NewWriter((*recordFile)(r))
	if !r.regular || info.Size() == 0 {
		return nil
	}
	switch {
	case isInput(info, env, inputs):
		return errIsInput
	case add:
		r.torn, err = capture.Continue(r.file)
	case overwrite:
		r.overwrites = true
	default:
		return errNotEmpty
	}
	r.held = true
	return err
}

// recordFile is the recorder's file as the record is written to it. The first write does what was put off until
// there is something to record: what the file holds goes, or its last line is ended.
type recordFile recorder

func (f *recordFile) Write(b []byte) (int, error) {
	if f.torn {
		f.torn = false
		n, err := f.file.Write(append([]byte{'\n'}, b...))
		return max(n-1, 0), err
	}
	if f.overwrites {
		f.overwrites = false
		if err := f.file.Truncate(0); err != nil {
			return 0, err
		}
	}
	return f.file.Write(b)
}

// openExisting opens a file to be written to; to be added to, where it can be read too, so that its end can be seen.
func openExisting(name string, add bool) (*os.File, error) {
	if !add {
		return os.OpenFile(name, os.O_WRONLY, 0)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrPermission) {
		return os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	return f, err
}

// isInput reports whether the file is one of the inputs.
func isInput(file os.FileInfo, env *environment, inputs []string) bool {
	for _, name := range inputs {
		info, err := os.Stat(name)
		if in, ok := env.in.(*os.File); name == stdinName && ok {
			info, err = in.Stat()
		}
		if err == nil && os.SameFile(file, info) {
			return true
		}
	}
	return false
}

// keep reads the flags that say what the view records and what it redacts, and opens the record.
func (v *view) keep(c *cli.Context, env *environment, inputs ...string) (err error) {
	if v.redact, err = newRedaction(c); err != nil {
		return err
	}
	if v.recorder, err = newRecorder(c, env, inputs...); err == nil {
		v.out = v.recorder.messages(v.out)
	}
	return err
}

// event records one event.
func (r *recorder) event(ev *session.Event) error {
	return r.do(func() error {
		r.held = r.held && ev.Kind == session.Begun
		return r.w.Write(ev)
	})
}

// flush writes what was gathered.
func (r *recorder) flush() error { return r.do(r.write) }

// write is flush with r.mu held. Over what a file holds nothing is written while there is no event.
func (r *recorder) write() error {
	if r.held {
		return nil
	}
	return r.w.Flush()
}

// do tells the first failure, and then nothing more.
func (r *recorder) do(write func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed || r.closed {
		return nil
	}
	err := write()
	r.failed = err != nil
	return err
}

// close writes what is left and makes sure that it is on the disk.
func (r *recorder) close() error {
	if r == nil {
		return nil
	}
	return r.do(func() error {
		r.closed = true
		err := r.write()
		if r.file == nil {
			return err
		}
		if err == nil && r.regular {
			err = r.file.Sync()
		}
		return errors.Join(err, r.file.Close())
	})
}

// discard lets go of a record in which nothing was written, and takes away a file that was made for it.
func (r *recorder) discard() {
	if r == nil || r.file == nil {
		return
	}
	r.closed = true
	r.file.Close()
	if r.created {
		os.Remove(r.name)
	}
}

// messages is where messages go: nowhere, where standard output carries the record.
func (r *recorder) messages(out io.Writer) io.Writer {
	if r != nil && r.file == nil {
		return io.Discard
	}
	return out
}

// record records what became of an event.
func (v *view) record(ev *session.Event) {
	if v.redact != nil {
		v.redact.record(ev)
	}
	v.recordFailed(v.recorder.event(ev))
}

// recordFailed says that a record could not be written. Standard output that is gone ends the session, as it does for
// messages.
func (v *view) recordFailed(err error) {
	if err == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.recorder.file != nil {
		v.endings.unrecorded = true
		v.status.failure(fmt.Sprintf("cannot write the record %s: %v; what comes from here on is not recorded",
			quote(v.recorder.name), plainPathError(err)))
		return
	}
	v.done, v.gone = true, true
	if isClosedPipe(err) {
		v.endings.closed = true
		return
	}
	v.endings.failure = true
	v.status.failure(fmt.Sprintf("cannot write standard output: %v", plainPathError(err)))
}
