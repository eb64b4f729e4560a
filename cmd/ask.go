package cmd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"kind4/decode"
	"kind4/decode/capture"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

func askCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "ask",
		Usage:     "write the bytes of an ask, or say what given bytes ask for",
		ArgsUsage: "[FILE ...]",
		Description: "Writes one ask as it goes over /requests: channel (4 bytes, big-endian), kind (1 byte), payload. With " +
			"--decode, reads asks like decode reads messages and says in words what each holds.",
		Flags: []cli.Flag{
			stringFlag("channel", "", "1", "the channel, a `NUMBER` of 32 bits", ""),
			stringFlag("kind", "", "4", "the kind, a `NUMBER` from 0 to 255", ""),
			stringFlag("payload", "", "", "the payload `TEXT`, as given (default null for kinds 0 to 3, else empty)", ""),
			formatFlag("raw"),
			boolFlag("decode", "", "read asks and say what they hold"),
			inputFlag(),
			boolFlag(flagVerbose, "v", "with --decode: show vault values too, which are secrets"),
			maxSizeFlag(),
		},
		Action: func(c *cli.Context) (err error) {
			*code, err = runAsk(c, env)
			return err
		},
	}
}

func runAsk(c *cli.Context, env *environment) (int, error) {
	if c.Bool("decode") {
		for _, name := range []string{"channel", "kind", "payload", flagFormat} {
			if given(c, name) {
				return 0, &usageError{"--" + name + " does not go with --decode", ""}
			}
		}
		return decodeAsks(c, env)
	}
	if c.NArg() > 0 || given(c, flagInput) {
		return 0, &usageError{"files and --input go with --decode", ""}
	}
	channel, err := parseNumber(text(c, "channel"), 32)
	if err != nil {
		return 0, badValue(c, "channel", text(c, "channel"), "not a number from 0 to 4294967295")
	}
	kind, err := parseNumber(text(c, "kind"), 8)
	if err != nil {
		return 0, badValue(c, "kind", text(c, "kind"), "not a number from 0 to 255")
	}
	format, err := readFormat(c, env, capture.Raw)
	if err != nil {
		return 0, err
	}
	payload := c.String("payload")
	if kind <= uint64(decode.KindReadResource) && !given(c, "payload") {
		payload = "null"
	}
	ask := decode.AppendAsk(nil, uint32(channel), decode.AskKind(kind), []byte(payload))
	if _, err := env.out.Write(capture.AppendEncoded(nil, format, ask)); err != nil {
		return 0, outputError(err)
	}
	return exitOK, nil
}

// decodeAsks says what each ask in the files holds: a line an ask on standard output, its findings behind it.
func decodeAsks(c *cli.Context, env *environment) (int, error) {
	format, err := readInput(c)
	if err == nil && format.Untagged() {
		err = badValue(c, flagInput, format.String(), "it holds JSON-RPC, and asks are none")
	}
	if err != nil {
		return 0, err
	}
	limit, err := size(c, flagMaxSize)
	if err != nil {
		return 0, err
	}
	files := c.Args().Slice()
	if len(files) == 0 {
		files = []string{stdinName}
	}
	a := &askReader{env: env, status: newStatus(env.err, false), format: format, limit: limit, secrets: c.Bool(flagVerbose)}
	for _, name := range files {
		if err := a.file(name); err != nil {
			if isClosedPipe(err) {
				return exitOK, nil
			}
			a.failure = true
			a.status.failure(err.Error())
		}
	}
	switch {
	case a.failure:
		return exitOperation, nil
	case a.bad:
		return exitFindings, nil
	case a.count == 0:
		return exitTooLittle, nil
	}
	return exitOK, nil
}

// askReader is one run of `ask --decode`.
type askReader struct {
	env     *environment
	status  *status
	format  capture.Format
	limit   int64
	secrets bool
	count   int
	bad     bool
	failure bool
}

func (a *askReader) file(name string) error {
	in, shown, err := openInput(a.env, name)
	if err != nil {
		return err
	}
	defer in.Close()
	r := capture.NewReader(in, capture.Options{Format: a.format, Name: shown, MaxSize: a.limit, Asks: true})
	for {
		b := session.NewBatch()
		readErr := r.Next(b)
		err := a.batch(b)
		b.Release()
		switch {
		case err != nil:
			return err
		case errors.Is(readErr, io.EOF):
			if hint := r.Hint(); hint != "" {
				a.status.failure(shown + ": " + hint)
			}
			return nil
		case readErr != nil:
			return readErr
		}
	}
}

func (a *askReader) batch(b *session.Batch) error {
	var out strings.Builder
	for i := range b.Events {
		if ev := &b.Events[i]; ev.Kind == session.Message {
			a.count++
			a.ask(&out, ev)
		}
	}
	if _, err := io.WriteString(a.env.out, out.String()); err != nil {
		return outputError(err)
	}
	return nil
}

func (a *askReader) ask(out *strings.Builder, ev *session.Event) {
	var ask decode.Ask
	_ = ask.Decode(ev.Data) // the failure is one of the findings
	if ev.Withheld {
		fmt.Fprintf(out, "#%d  %s  %s that the record leaves out\n", a.count, a.header(&ask), plural(ev.Size-int64(len(ev.Data)), "byte"))
	} else {
		fmt.Fprintf(out, "#%d  %s\n", a.count, a.words(&ask))
	}
	asked := *ev
	asked.Kind = session.Asked
	for _, finding := range inspect.NewSession().Event(nil, &asked) {
		a.bad = a.bad || finding.Severity == decode.Error
		fmt.Fprintf(out, "%s %s byte %d: %s\n", finding.Severity, finding.Code, max(finding.Offset, 0), finding.AppendText(nil))
	}
}

// words says what an ask holds. The values of a vault are shown by their length alone, but with --verbose.
func (a *askReader) words(ask *decode.Ask) string {
	words := a.header(ask)
	for _, part := range ask.Parts {
		words += fmt.Sprintf("  %s %s", part.Name, a.part(ask, part))
		if part.Cut {
			words += " (cut off)"
		}
	}
	return words
}

// header says what channel and kind are, as far as they are there.
func (a *askReader) header(ask *decode.Ask) string {
	switch {
	case ask.Header < 4:
		return plural(ask.Header, "byte") + " of a channel, which has 4"
	case ask.Header < 5:
		return fmt.Sprintf("channel %d  no kind", ask.Channel)
	}
	words := fmt.Sprintf("channel %d  kind %d", ask.Channel, ask.Kind)
	if !ask.Kind.Known() {
		return words + "  unknown"
	}
	words += fmt.Sprintf("  %s  answered on %s", ask.Kind, ask.Kind.Path(ask.Channel))
	if len(ask.Payload) == 0 {
		words += "  payload empty"
	}
	return words
}

// part shows one part of a payload. Of what may be a secret only the length is shown, but with --verbose.
func (a *askReader) part(ask *decode.Ask, part decode.Part) string {
	raw := ask.Raw(part)
	switch part.Name {
	case "ttl":
		if len(raw) == 4 {
			return strconv.FormatUint(uint64(binary.BigEndian.Uint32(raw)), 10)
		}
	case "value", "bytes", "payload", "ignored":
		return a.secret(ask.Kind, raw)
	}
	return quote(string(raw))
}

// secret shows bytes that may be a secret, which those of kinds 0 to 4 are not.
func (a *askReader) secret(kind decode.AskKind, bytes []byte) string {
	if kind <= decode.KindNotifications || a.secrets {
		return quote(string(bytes))
	}
	return plural(len(bytes), "byte")
}
