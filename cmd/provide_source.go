package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"kind4/cmd/live"
	"kind4/decode"
	"kind4/decode/capture"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// sendFile is the file that provide sends.
type sendFile struct {
	env      *environment
	name     string
	format   capture.Format
	untagged bool
	maxSize  int64
	verbose  bool
	status   *status
	said     sync.Once // what it was read as; paths may be open side by side
	torn     sync.Once // that it ends inside something
	tallied  sync.Once // what of it was skipped
}

// check fails where the file cannot be opened, before anything is dialled.
func (f *sendFile) check() error {
	if f.name == stdinName {
		return nil
	}
	info, err := os.Stat(f.name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil // opening it may have consequences
	}
	in, _, err := openInput(f.env, f.name)
	if err == nil {
		in.Close()
	}
	return err
}

// open begins to read the file.
func (f *sendFile) open() (live.Source, error) {
	in, shown, err := openInput(f.env, f.name)
	if err != nil {
		return nil, err
	}
	r := capture.NewReader(in, capture.Options{Format: f.format, Name: shown, MaxSize: f.maxSize, Untagged: f.untagged})
	return &captureSource{file: f, in: in, name: shown, reader: r}, nil
}

// captureSource yields the messages of notification paths that a capture holds.
type captureSource struct {
	file   *sendFile
	in     io.Closer
	name   string
	reader *capture.Reader
	seen   uint64 // messages
	err    error  // of a message that cannot be sent
}

// Next is that of live.Source. A message that the capture does not hold whole cannot be sent; it ends the source.
func (s *captureSource) Next(b *session.Batch) error {
	if s.err != nil {
		return s.err
	}
	err := s.reader.Next(b)
	kept := b.Events[:0]
	for i := range b.Events {
		ev := &b.Events[i]
		switch {
		case ev.Kind == session.Begun:
			kept = append(kept, *ev)
		case ev.Kind == session.Note && ev.Note == session.NoteTorn:
			s.sayTorn(ev.Reason)
		case ev.Kind == session.Note && ev.Note == session.NoteGap:
			s.sayGap(ev)
		}
		if ev.Kind != session.Message || ev.Path != "" && !isNotificationPath(ev.Path) && ev.Path != toolPath {
			continue
		}
		s.seen++
		if s.err = s.whole(ev); s.err != nil {
			err = s.err
			break
		}
		kept = append(kept, *ev)
	}
	b.Events = kept
	s.say()
	if errors.Is(err, io.EOF) {
		s.sayTally()
	}
	return err
}

// toolPath carries the same frames from a container's own MCP server (Diverge Provider 2.3.0).
const toolPath = "/tool/notifications"

func (s *captureSource) whole(ev *session.Event) error {
	switch {
	case ev.Withheld:
		return fmt.Errorf("%s: message %d was withheld when it was recorded, and cannot be sent", s.name, s.seen)
	case ev.Size > s.file.maxSize:
		return fmt.Errorf("%s: message %d has %s, more than --max-size, and is not sent", s.name, s.seen, plural(ev.Size, "byte"))
	case ev.Size > int64(len(ev.Data)):
		return fmt.Errorf("%s: message %d was cut when it was recorded, and cannot be sent: %d of its %s are there", s.name, s.seen,
			len(ev.Data), plural(ev.Size, "byte"))
	}
	return nil
}

// say tells once what the file was read as, and the reader's hint.
func (s *captureSource) say() {
	s.file.said.Do(func() {
		if s.file.verbose {
			s.file.status.say("%s: read as %s", s.name, s.reader.ReadAs())
		}
		if hint := s.reader.Hint(); hint != "" {
			s.file.status.failure(s.name + ": " + hint)
		}
	})
}

// sayTorn tells once that the file ends too early, in the words of decode.
func (s *captureSource) sayTorn(reason string) {
	s.file.torn.Do(func() {
		s.file.status.say("%s %s: %s", decode.CaptureTorn.Severity(), decode.CaptureTorn, reason)
	})
}

// sayGap tells what the file lacks of a path, in the words of decode.
func (s *captureSource) sayGap(ev *session.Event) {
	for _, f := range inspect.NewSession().Event(nil, ev) {
		s.file.status.say("%s %s: %s", f.Severity, f.Code, f.AppendText(nil))
	}
}

// sayTally tells once what of a file without tags was skipped, in the words of decode.
func (s *captureSource) sayTally() {
	if !s.file.untagged {
		return
	}
	s.file.tallied.Do(func() {
		format, tally := s.reader.Format(), s.reader.Tally()
		if line := tallyLine(format, tally); line != "" {
			s.file.status.say("%s: %s", quoteBare(s.name), line)
		}
		if hint := tallyHint(format, tally); hint != "" && s.reader.Hint() == "" {
			s.file.status.failure(s.name + ": " + hint)
		}
	})
}

func (s *captureSource) Close() error { return s.in.Close() }
