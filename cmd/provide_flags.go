package cmd

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"kind4/cmd/live"
	"kind4/decode"
)

const flagFault = "fault"

// provideOptions are the flags of provide, read and checked.
type provideOptions struct {
	live    live.ProviderOptions
	source  *sendFile
	timeout time.Duration
	quiet   bool
}

func readProvideOptions(c *cli.Context, env *environment) (o *provideOptions, err error) {
	if c.NArg() != 2 {
		return nil, &usageError{"provide takes a URL and a FILE, and there are " + plural(c.NArg(), "argument"),
			"kind4 provide ws://127.0.0.1:14979 FILE; - is standard input"}
	}
	o = &provideOptions{quiet: c.Bool(flagQuiet)}
	o.source = &sendFile{env: env, name: c.Args().Get(1), verbose: c.Bool(flagVerbose) && !o.quiet}
	o.live.Reconnect, o.live.Open = c.Bool("reconnect"), o.source.open
	for _, read := range []func(*cli.Context) error{o.readURL, o.readSource, o.readPace, o.readRepeat, o.readEnd, o.readAnswers,
		o.readFaults, o.readPaths} {
		if err := read(c); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// proxyPort is where a container proxy listens (specification 2.3.0, proxy).
const proxyPort = "14979"

func (o *provideOptions) readURL(c *cli.Context) (err error) {
	o.live.Addr, err = proxyAddress(c.Args().First())
	return err
}

// proxyAddress takes HOST:PORT out of the URL of a proxy.
func proxyAddress(text string) (string, error) {
	bad := func(why string) error { return &usageError{"URL " + quote(text) + ": " + why, "write ws://HOST:PORT"} }
	u, err := url.Parse(text)
	switch {
	case strings.HasPrefix(text, "wss:"):
		return "", bad("a proxy speaks ws:// only, without TLS")
	case err != nil || u.Scheme != "ws" || u.Hostname() == "":
		return "", bad("not the URL of a proxy")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", bad("host and port are all that it has: provide opens the paths itself")
	case u.Port() == "":
		return "", bad("the port is missing; a proxy's is " + proxyPort)
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); err != nil || port == 0 {
		return "", bad("there is no such port")
	}
	return net.JoinHostPort(u.Hostname(), u.Port()), nil
}

func (o *provideOptions) readSource(c *cli.Context) (err error) {
	if o.source.format, err = readInput(c); err != nil {
		return err
	}
	if o.source.untagged, err = readUntagged(c, o.source.format); err != nil {
		return err
	}
	if o.timeout, err = duration(c, "timeout"); err != nil {
		return err
	}
	o.source.maxSize, err = size(c, flagMaxSize)
	return err
}

func (o *provideOptions) readPace(c *cli.Context) (err error) {
	if given(c, "rate") {
		if given(c, "speed") {
			return &usageError{"--rate and --speed contradict each other", ""}
		}
		value := c.String("rate")
		if o.live.Rate, err = positive(strings.TrimSuffix(value, "/s")); err != nil {
			return badValue(c, "rate", value, "not a number of messages a second")
		}
		return nil
	}
	value := text(c, "speed")
	if value == "max" {
		return nil
	}
	if o.live.Speed, err = positive(value); err != nil {
		return badValue(c, "speed", value, "not a number greater than 0, and not max")
	}
	return nil
}

// positive reads a number greater than 0.
func positive(s string) (float64, error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) || strings.ContainsAny(s, "xXpP_") {
		return 0, fmt.Errorf("not a number greater than 0")
	}
	return n, nil
}

func (o *provideOptions) readRepeat(c *cli.Context) error {
	value := text(c, "repeat")
	if value != "forever" {
		n, err := strconv.ParseUint(value, 10, 31)
		if err != nil || n == 0 {
			return badValue(c, "repeat", value, "not a number of times from 1 on, and not forever")
		}
		o.live.Repeat = int(n)
	}
	if o.source.name == stdinName && (o.live.Repeat != 1 || o.live.Reconnect) {
		return &usageError{"--repeat and --reconnect need a FILE that can be read again, and - is standard input", ""}
	}
	return nil
}

func (o *provideOptions) readEnd(c *cli.Context) error {
	word, err := choice(c, "end", "close", "error", "abort", "hold")
	if err != nil {
		return err
	}
	o.live.End = map[string]live.Ending{"close": live.EndWithClose, "error": live.EndWithError, "abort": live.EndWithAbort,
		"hold": live.EndWithHold}[word]
	if word != "error" && (given(c, "error") || given(c, "message")) {
		return &usageError{"--error and --message go with --end error", ""}
	}
	value := text(c, "error")
	if _, err := strconv.ParseInt(value, 10, 32); err != nil || !integerLiteral().MatchString(value) {
		return badValue(c, "error", value, "not an error code, which is an integer of 32 bits such as -32603")
	}
	body := append([]byte(`{"code":`+value+`,"message":`), jsonString(text(c, "message"))...)
	o.live.Error = string(decode.AppendMessage(nil, decode.TagError, append(body, '}')))
	return nil
}

// answerKinds are the names of the kinds that --answer takes, as their answer paths have them.
var answerKinds = [decode.KindNotifications]string{"list-tools", "list-resources", "call-tool", "read-resource"}

func (o *provideOptions) readAnswers(c *cli.Context) error {
	for _, value := range list(c, "answer") {
		name, body, _ := strings.Cut(value, "=")
		kind, ok := answerKind(name)
		switch {
		case !ok:
			return badValue(c, "answer", value, "no kind from 0 to 3 in front of a =: "+strings.Join(answerKinds[:], ", "))
		case !json.Valid([]byte(body)):
			return badValue(c, "answer", value, "what stands behind the = is not JSON")
		}
		o.live.Answers[kind] = string(decode.AppendMessage(nil, decode.TagNotification, []byte(body)))
	}
	return nil
}

func answerKind(name string) (decode.AskKind, bool) {
	for kind, known := range answerKinds {
		if name == known || name == strconv.Itoa(kind) {
			return decode.AskKind(kind), true
		}
	}
	return 0, false
}

func (o *provideOptions) readFaults(c *cli.Context) error {
	var end *live.Fault
	for _, name := range list(c, flagFault) {
		f, ok := live.FindFault(name)
		switch {
		case !ok:
			return badValue(c, flagFault, name, unknownFault(name))
		case f.Ends() && end != nil:
			return &usageError{"--fault " + end.Name + " and --fault " + f.Name + " both end the path", ""}
		case f.Ends() && (given(c, "end") || o.live.Repeat == 0):
			return &usageError{"--fault " + f.Name + " ends the path: --end and --repeat forever do not go with it", ""}
		case f.Ends():
			end = f
		}
		o.live.Faults = append(o.live.Faults, f)
	}
	return nil
}

func unknownFault(name string) string {
	var names []string
	for _, f := range live.Faults() {
		names = append(names, f.Name)
	}
	if hint := didYouMean(name, names); hint != "" {
		return "there is no such fault; " + hint
	}
	return "there is no such fault; kind4 explain lists them"
}

func (o *provideOptions) readPaths(c *cli.Context) error {
	if !given(c, "paths") {
		return nil
	}
	value := c.String("paths")
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil || n == 0 {
		return badValue(c, "paths", value, "not a number of notification paths from 1 on")
	}
	if !o.live.Reconnect {
		return &usageError{"--paths goes with --reconnect", ""}
	}
	o.live.Paths = int(n)
	return nil
}
