package cmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"

	"github.com/urfave/cli/v2"

	"kind4/decode"
	"kind4/decode/capture"
	"kind4/decode/inspect"
)

func encodeCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "encode",
		Usage:     "write message bytes, good or bad, from JSON or from anything else",
		ArgsUsage: "[FILE]",
		Description: "Puts the tag byte in front of the body that stands in FILE, or on standard input, and writes the " +
			"message. The body is taken as it is, byte for byte, valid or not: this is how to make messages to test with.",
		Flags: []cli.Flag{
			stringFlag("tag", "", "0", "the tag byte, a `NUMBER` from 0 to 255 (0x10 works too)", ""),
			boolFlag("empty", "", "write the empty message: no tag, no body"),
			boolFlag("lines", "", "each line is the body of a message of its own"),
			boolFlag("check", "", "exit 6, with the finding, when a message would not decode"),
			stringFlag("method", "", "", "make the body: a notification with this method `NAME`", ""),
			stringFlag("params", "", "", "the notification's params, as `JSON`", ""),
			stringFlag("error", "", "", "make the body: an error with this `CODE`, under tag 1", ""),
			stringFlag("message", "", "", "the error's message `TEXT`", ""),
			stringFlag("data", "", "", "the error's data, as `JSON`", ""),
			formatFlag("raw, or lp32 with --lines"),
			maxSizeFlag(),
		},
		Action: func(c *cli.Context) (err error) {
			*code, err = runEncode(c, env)
			return err
		},
	}
}

func formatFlag(otherwise string) cli.Flag {
	return stringFlag(flagFormat, "f", "", "output `FORMAT`: raw, hex, base64, lp32 (default "+otherwise+")", "")
}

// writableFormats are the formats that messages can be written in.
var writableFormats = []string{"raw", "hex", "base64", "lp32"}

// readFormat reads -f. Bytes are not written to a terminal: where no format is asked for, hex takes their place.
func readFormat(c *cli.Context, env *environment, otherwise capture.Format) (capture.Format, error) {
	asked := given(c, flagFormat)
	format := otherwise
	if asked {
		word, err := choice(c, flagFormat, writableFormats...)
		if err != nil {
			return 0, err
		}
		format, _ = capture.ParseFormat(word)
	}
	if isTerminal(env.out) && (format == capture.Raw || format == capture.LP32) {
		if asked {
			return 0, &usageError{"-f " + format.String() + " writes bytes that a terminal would act on",
				"send them to a file or a pipe, or use -f hex"}
		}
		newStatus(env.err, false).say("hex, since standard output is a terminal; a pipe or a file gets the bytes")
		format = capture.Hex
	}
	return format, nil
}

// encoder is one run of the command.
type encoder struct {
	out    *bufio.Writer
	status *status
	tag    decode.Tag
	format capture.Format
	check  bool
	failed bool
	frame  decode.Frame
	seq    int
	buf    []byte
	msg    []byte
}

func runEncode(c *cli.Context, env *environment) (int, error) {
	tag, err := readTag(c)
	if err != nil {
		return 0, err
	}
	otherwise := capture.Raw
	if c.Bool("lines") {
		otherwise = capture.LP32
	}
	format, err := readFormat(c, env, otherwise)
	if err != nil {
		return 0, err
	}
	made, err := madeBody(c)
	if err != nil {
		return 0, err
	}
	limit, err := size(c, flagMaxSize)
	if err != nil {
		return 0, err
	}
	e := &encoder{out: bufio.NewWriterSize(env.out, flushAt), status: newStatus(env.err, false), tag: tag, format: format, check: c.Bool("check")}
	switch {
	case c.Bool("empty"):
		err = e.write(nil)
	case made != nil:
		err = e.body(made)
	default:
		err = e.input(c, env, limit)
	}
	if flushed := e.out.Flush(); err == nil && flushed != nil {
		err = outputError(flushed)
	}
	if err == nil && e.failed {
		return exitFindings, nil
	}
	return exitOK, err
}

func outputError(err error) error {
	return fmt.Errorf("cannot write standard output: %w", plainPathError(err))
}

// readTag reads --tag; an error's body has tag 1 where no other is asked for.
func readTag(c *cli.Context) (decode.Tag, error) {
	if given(c, "error") && !given(c, "tag") {
		return decode.TagError, nil
	}
	value := text(c, "tag")
	tag, err := parseNumber(value, 8)
	if err != nil {
		return 0, badValue(c, "tag", value, "not a number from 0 to 255")
	}
	return decode.Tag(tag), nil
}

// madeBody makes the body that --method or --error describes; nil where it comes from the input. JSON values are
// taken as given.
func madeBody(c *cli.Context) ([]byte, error) {
	method, failure := given(c, "method"), given(c, "error")
	if err := contradictions(c, method, failure); err != nil {
		return nil, err
	}
	switch {
	case method:
		body := append([]byte(`{"method":`), jsonString(c.String("method"))...)
		if given(c, "params") {
			body = append(append(body, `,"params":`...), c.String("params")...)
		}
		return append(body, '}'), nil
	case failure:
		value := c.String("error")
		if !integerLiteral().MatchString(value) {
			return nil, badValue(c, "error", value, "not an error code, which is an integer such as -32603")
		}
		body := append([]byte(`{"code":`+value+`,"message":`), jsonString(c.String("message"))...)
		if given(c, "data") {
			body = append(append(body, `,"data":`...), c.String("data")...)
		}
		return append(body, '}'), nil
	}
	return nil, nil
}

// integerLiteral is an integer as JSON writes it.
var integerLiteral = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`) })

// contradictions refuses flags that do not go together.
func contradictions(c *cli.Context, method, failure bool) error {
	made := method || failure
	switch {
	case method && failure:
		return &usageError{"--method and --error contradict each other", ""}
	case given(c, "params") && !method:
		return &usageError{"--params goes with --method", ""}
	case (given(c, "message") || given(c, "data")) && !failure:
		return &usageError{"--message and --data go with --error", ""}
	case made && (c.Bool("empty") || c.Bool("lines") || c.NArg() > 0):
		return &usageError{"--method and --error make the body: --empty, --lines and FILE do not go with them", ""}
	case c.Bool("empty") && (given(c, "tag") || c.Bool("lines") || c.NArg() > 0):
		return &usageError{"--empty is a message without a tag and a body: --tag, --lines and FILE do not go with it", ""}
	case c.NArg() > 1:
		return &usageError{"encode reads one file, and there are " + strconv.Itoa(c.NArg()), ""}
	}
	return nil
}

// jsonString is s as a JSON string; what is not UTF-8 in it stays as it is.
func jsonString(s string) []byte {
	out := []byte{'"'}
	for i := range len(s) {
		switch b := s[i]; {
		case b == '"' || b == '\\':
			out = append(out, '\\', b)
		case b < 0x20:
			out = fmt.Appendf(out, `\u%04x`, b)
		default:
			out = append(out, b)
		}
	}
	return append(out, '"')
}

// input makes messages from FILE or standard input.
func (e *encoder) input(c *cli.Context, env *environment, limit int64) error {
	name := stdinName
	if c.NArg() == 1 {
		name = c.Args().First()
	}
	in, shown, err := openInput(env, name)
	if err != nil {
		return err
	}
	defer in.Close()
	if c.Bool("lines") {
		return e.lines(in, shown, limit)
	}
	body, err := io.ReadAll(io.LimitReader(in, limit))
	if err != nil {
		return fileError(shown, err)
	}
	if int64(len(body)) == limit {
		return fmt.Errorf("%s: the message is longer than %d bytes; --max-size raises the limit", shown, limit)
	}
	return e.body(body)
}

// flushingReader writes what is waiting before each read, which may block.
type flushingReader struct {
	io.Reader
	out *bufio.Writer
}

// Read flushes and reads.
func (r flushingReader) Read(p []byte) (int, error) {
	if err := r.out.Flush(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// splitLineFeeds parts lines at LF alone: a CR before it is the body's.
func splitLineFeeds(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// lines makes a message of each line, without its LF.
func (e *encoder) lines(in io.Reader, name string, limit int64) error {
	if e.format == capture.Raw {
		return &usageError{"-f raw cannot hold several messages apart", "use lp32, hex or base64 with --lines"}
	}
	scanner := bufio.NewScanner(flushingReader{in, e.out})
	scanner.Buffer(nil, int(min(limit, 1<<31-1)))
	scanner.Split(splitLineFeeds)
	for scanner.Scan() {
		if err := e.body(scanner.Bytes()); err != nil {
			return err
		}
	}
	if err := e.out.Flush(); err != nil {
		return outputError(err)
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s: line %d is longer than %d bytes; --max-size raises the limit", name, e.seq+1, limit)
	}
	if err := scanner.Err(); err != nil {
		return fileError(name, err)
	}
	return nil
}

func (e *encoder) body(body []byte) error {
	e.msg = decode.AppendMessage(e.msg[:0], e.tag, body)
	return e.write(e.msg)
}

// write writes one message, and with --check says why it would not decode.
func (e *encoder) write(message []byte) error {
	e.seq++
	if e.check {
		e.checkMessage(message)
	}
	e.buf = capture.AppendEncoded(e.buf[:0], e.format, message)
	if _, err := e.out.Write(e.buf); err != nil {
		return outputError(err)
	}
	return nil
}

func (e *encoder) checkMessage(message []byte) {
	if e.frame.Decode(message) == nil {
		return
	}
	e.failed = true
	for _, finding := range inspect.Message(nil, &e.frame) {
		if finding.Severity == decode.Error {
			e.status.failure(fmt.Sprintf("message %d: %s, byte %d: %s", e.seq, finding.Code, max(finding.Offset, 0), finding.AppendText(nil)))
		}
	}
}
