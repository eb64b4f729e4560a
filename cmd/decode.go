package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"kind4/decode/capture"
	"kind4/decode/session"
)

// stdinName stands for standard input among the files.
const stdinName = "-"

func decodeCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "decode",
		Usage:     "decode captured messages",
		ArgsUsage: "[FILE ...]",
		Description: "Reads messages from the files, or from standard input when there is none (or -), in the format " +
			"that they are recognised to be in, and shows each like tail does.",
		Flags: append(append(append([]cli.Flag{inputFlag(), channelFlag(), untaggedFlag()}, showFlags()...), redactFlag()), append(recordFlags(), recordSecretsFlag())...),
		Action: func(c *cli.Context) (err error) {
			*code, err = runDecode(c, env)
			return err
		},
	}
}

func inputFlag() cli.Flag {
	return stringFlag(flagInput, "", "auto", "input `FORMAT`: "+strings.Join(formatNames(), ", "), "")
}

func formatNames() []string {
	var names []string
	for _, format := range capture.Formats() {
		names = append(names, format.String())
	}
	return names
}

func readInput(c *cli.Context) (capture.Format, error) {
	word, err := choice(c, flagInput, formatNames()...)
	format, _ := capture.ParseFormat(word)
	return format, err
}

// decoder is one run of the command.
type decoder struct {
	env     *environment
	view    *view
	format  capture.Format
	channel *uint32 // --channel
	files   []string
	bar     *progressBar

	untagged bool           // the messages have no tags
	shown    string         // the name of the file under way, "" for none
	read     capture.Format // what it is read as
	tally    capture.Tally  // what it held so far
}

func runDecode(c *cli.Context, env *environment) (int, error) {
	o, err := readShowOptions(c)
	if err != nil {
		return 0, err
	}
	format, err := readInput(c)
	if err != nil {
		return 0, err
	}
	channel, err := readChannel(c)
	if err != nil {
		return 0, err
	}
	untagged, err := readUntagged(c, format)
	if err != nil {
		return 0, err
	}
	if err := refuseBinary(o.form, env.out); err != nil {
		return 0, err
	}
	if !isTerminal(env.out) {
		env = newLastLine(env, o).around(env)
	}
	st := newStatus(env.err, o.quiet)
	v := newView(o, env, st)
	d := &decoder{env: env, view: v, format: format, channel: channel, untagged: untagged, files: c.Args().Slice()}
	v.session.Untagged = untagged
	if len(d.files) == 0 {
		d.files = []string{stdinName}
	}
	v.captured = true
	if err := v.keep(c, env, d.files...); err != nil {
		return 0, err
	}
	d.run()
	v.recordFailed(v.recorder.close())
	v.mu.Lock()
	defer v.mu.Unlock()
	d.conclude()
	st.finish()
	v.summarize(isTerminal(env.err))
	v.sayVerdict()
	return v.endings.code(), nil
}

// run reads the files in a goroutine of its own, since a read may block for good, and waits for what ends it.
func (d *decoder) run() {
	signals, stopSignals := catchSignals()
	defer stopSignals()
	unwatch := make(chan struct{})
	defer close(unwatch)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.readFiles()
	}()
	var signal os.Signal
	gone := false
	select {
	case <-ended:
	case signal = <-signals:
	case <-watchHangUp(d.env.out, unwatch):
		gone = true
	}
	lastLineOf(d.env.err).end()
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	if signal != nil {
		d.view.endings.signal = signal
	}
	d.view.endings.closed = d.view.endings.closed || gone
}

func (d *decoder) readFiles() {
	for i, name := range d.files {
		if i > 0 {
			d.view.newSource()
		}
		if err := d.readFile(name); err != nil {
			d.fail(err)
		}
		if d.view.over() {
			return
		}
	}
}

// fail says what went wrong with one file; the others are still read.
func (d *decoder) fail(err error) {
	d.view.mu.Lock()
	d.view.endings.failure = true
	d.view.mu.Unlock()
	if d.said(err) {
		return
	}
	d.view.status.failure(err.Error())
}

func (d *decoder) readFile(name string) error {
	in, shown, err := openInput(d.env, name)
	if err != nil {
		return err
	}
	defer in.Close()
	d.bar = newProgressBar(d.env, in, d.title(shown))
	defer d.bar.end()
	r := capture.NewReader(in, capture.Options{Format: d.format, Name: shown, MaxSize: d.view.opts.maxSize, Channel: d.channel,
		Untagged: d.untagged})
	d.view.mu.Lock()
	d.shown, d.read, d.tally = shown, d.format, capture.Tally{}
	d.view.mu.Unlock()
	err = newPipeline(d.view, d.filler(r, isRegular(in))).run()
	d.bar.end()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if d.view.opts.verbose {
		d.view.status.say("%s: read as %s", shown, r.ReadAs())
		if contents := r.Contents(); contents != "" {
			d.view.status.say("%s: %s", shown, contents)
		}
	}
	if hint := r.Hint(); hint != "" {
		d.view.status.failure(shown + ": " + hint)
	}
	d.view.mu.Lock()
	defer d.view.mu.Unlock()
	d.sayTally(err == nil && r.Hint() == "")
	return err
}

// title is what the progress bar calls a file, where there are several.
func (d *decoder) title(name string) string {
	if len(d.files) == 1 {
		return ""
	}
	return quoteBare(name)
}

// sayTally says what of the file under way was skipped, if it has no tags, and where it was read to its end (whole) also
// why nothing is left. Where the session ended first, nobody asked for the rest of it. It has d.view.mu held.
func (d *decoder) sayTally(whole bool) {
	if !d.untagged || d.shown == "" || d.view.done {
		return
	}
	if line := tallyLine(d.read, d.tally); line != "" {
		d.view.status.say("%s: %s", quoteBare(d.shown), line)
	}
	if hint := tallyHint(d.read, d.tally); whole && hint != "" {
		d.view.status.failure(d.shown + ": " + hint)
	}
	d.shown = ""
}

// filler gives a pipeline the reader's messages. A read that brought a lot is likely to be followed by another at once;
// of a file, where reading never waits, a job takes several.
func (d *decoder) filler(r *capture.Reader, ready bool) func(j *job) (more bool, err error) {
	ready = ready && !d.view.opts.conditional()
	return func(j *job) (bool, error) {
		for {
			b := session.NewBatch()
			err := r.Next(b)
			d.count(r)
			if err != nil {
				b.Release()
				if len(j.batches) > 0 {
					return false, nil // the error comes again
				}
				return false, err
			}
			j.add(b)
			d.bar.show(r.Offset())
			if !ready || j.full(d.view.opts.form) {
				bytes, _ := j.size()
				return bytes >= shareLeast, nil
			}
		}
	}
}

// count takes over what the reader has counted so far.
func (d *decoder) count(r *capture.Reader) {
	if d.untagged {
		d.view.mu.Lock()
		d.read, d.tally = r.Format(), r.Tally()
		d.view.mu.Unlock()
	}
}

// isRegular reports whether a read of the input never waits for somebody.
func isRegular(in io.Reader) bool {
	file, ok := in.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// openInput opens a file for reading, or standard input for "-", and gives the name that messages call it by.
func openInput(env *environment, name string) (io.ReadCloser, string, error) {
	if name == stdinName {
		if f, ok := env.in.(*os.File); ok {
			return keepOpen{patientInput{f}}, "standard input", nil
		}
		return io.NopCloser(env.in), "standard input", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", fileError(name, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, "", fmt.Errorf("cannot read %s: it is a directory", quote(name))
	}
	return f, name, nil
}

// keepOpen is a file that a command reads and does not own.
type keepOpen struct{ patientInput }

// Close does nothing.
func (keepOpen) Close() error { return nil }

func fileError(name string, err error) error {
	hint := ""
	if errors.Is(err, fs.ErrNotExist) {
		hint = "; - is standard input"
	}
	return fmt.Errorf("cannot read %s: %w%s", quote(name), plainPathError(err), hint)
}

// conclude says what did not come, and settles what of it bears on the exit code.
func (d *decoder) conclude() {
	v := d.view
	d.sayTally(false)
	sayMissing(v)
	if v.seq == 0 || v.opts.conditional() && !v.endings.met {
		v.endings.tooFew = true
	}
}
