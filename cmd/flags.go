package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"kind4/decode"
	"kind4/render"
)

// Names of the flags that more than one command reads.
const (
	flagOutput    = "output"
	flagColor     = "color"
	flagTimestamp = "timestamp"
	flagInclude   = "include"
	flagExclude   = "exclude"
	flagCount     = "count"
	flagExpect    = "expect"
	flagFailOn    = "fail-on"
	flagIgnore    = "ignore"
	flagSummary   = "summary"
	flagNoSummary = "no-summary"
	flagStatus    = "status"
	flagQuiet     = "quiet"
	flagVerbose   = "verbose"
	flagMaxSize   = "max-size"
	flagInput     = "input"
	flagFormat    = "format"
)

// What --status says.
const (
	statusAuto   = "auto"
	statusAlways = "always"
	statusNever  = "never"
)

// defaultMaxSize is the longest message that is read whole where --max-size says nothing: what the reference proxy and
// provider take (protocol, "64 MiB a message").
const defaultMaxSize = "64MiB"

// listSeparator parts the values of a repeatable flag in its environment variable.
const listSeparator = "\n"

func stringFlag(name, short, value, usage, env string) *cli.StringFlag {
	flag := &cli.StringFlag{Name: name, Value: value, DefaultText: value, Usage: usage}
	if short != "" {
		flag.Aliases = []string{short}
	}
	if env != "" {
		flag.EnvVars = []string{env}
	}
	return flag
}

func listFlag(name, short, usage, env string) *cli.StringSliceFlag {
	flag := &cli.StringSliceFlag{Name: name, Usage: usage}
	if short != "" {
		flag.Aliases = []string{short}
	}
	if env != "" {
		flag.EnvVars = []string{env}
	}
	return flag
}

func boolFlag(name, short, usage string) *cli.BoolFlag {
	flag := &cli.BoolFlag{Name: name, Usage: usage, DisableDefaultText: true}
	if short != "" {
		flag.Aliases = []string{short}
	}
	return flag
}

// everyCommandFlags are understood by every command.
func everyCommandFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag("help", "h", "show this help"),
		boolFlag("version", "V", "show the version"),
	}
}

// showFlags are those of the commands that show messages.
func showFlags() []cli.Flag {
	count := stringFlag(flagCount, "n", "", "stop after `N` messages shown", "")
	count.Aliases = append(count.Aliases, "c")
	return []cli.Flag{
		stringFlag(flagOutput, "o", "pretty", "output `FORM`: pretty, line, json, hex, raw, lp32, payload", "KIND4_OUTPUT"),
		colorFlag(),
		stringFlag(flagTimestamp, "t", "clock", "time `COLUMN`: clock, delta, start, none", "KIND4_TIMESTAMP"),
		listFlag(flagInclude, "i", "show only notifications whose method matches `GLOB`, * for any run of characters (repeatable); the rest stays", "KIND4_INCLUDE"),
		listFlag(flagExclude, "e", "hide notifications whose method matches `GLOB` (repeatable, wins)", "KIND4_EXCLUDE"),
		count,
		listFlag(flagExpect, "", "succeed as soon as a notification matching each `GLOB` came (repeatable)", ""),
		stringFlag(flagFailOn, "", "error", "exit 6 at findings of this `LEVEL`: error, warning, never", "KIND4_FAIL_ON"),
		listFlag(flagIgnore, "", "silence the findings with this `CODE` (repeatable)", "KIND4_IGNORE"),
		boolFlag(flagSummary, "", "print a summary at the end, on a terminal or not"),
		boolFlag(flagNoSummary, "", "print no summary"),
		stringFlag(flagStatus, "", statusAuto, "the last line on standard error that says how it goes, `WHEN`: auto, always, never", ""),
		boolFlag(flagQuiet, "q", "standard error carries errors only (wins over -v and --summary)"),
		verboseFlag(),
		maxSizeFlag(),
	}
}

func colorFlag() cli.Flag {
	return stringFlag(flagColor, "", "auto", "colour `WHEN`: auto, always, never", "KIND4_COLOR")
}

func verboseFlag() cli.Flag {
	return boolFlag(flagVerbose, "v", "say more: recognised formats, headers, pings")
}

func maxSizeFlag() cli.Flag {
	return stringFlag(flagMaxSize, "", defaultMaxSize, "the longest message that is read whole, a `SIZE`", "KIND4_MAX_SIZE")
}

// given reports whether the flag stands on the command line; its environment variable does not count.
func given(c *cli.Context, name string) bool {
	inv, _ := c.App.Metadata[metadataInvocation].(*invocation)
	return inv != nil && inv.given[name] != nil
}

// text reads a string flag; an empty environment variable counts as unset.
func text(c *cli.Context, name string) string {
	value := c.String(name)
	if value != "" || given(c, name) {
		return value
	}
	for _, flag := range c.Command.Flags {
		if s, ok := flag.(*cli.StringFlag); ok && s.Name == name {
			return s.DefaultText
		}
	}
	return ""
}

// list reads a repeatable flag. A line end parts values in its environment variable alone, where empty ones do not count.
func list(c *cli.Context, name string) []string {
	if given(c, name) {
		return c.App.Metadata[metadataInvocation].(*invocation).given[name]
	}
	return slices.DeleteFunc(slices.Clone(c.StringSlice(name)), func(s string) bool { return s == "" })
}

// badValue is the usage error for a flag's value; it names the environment variable where that is where it came from.
func badValue(c *cli.Context, name, value string, why any) error {
	where := "--" + name
	if !given(c, name) {
		where = environmentName(name)
	}
	return &usageError{fmt.Sprintf("%s %s: %v", where, quote(value), why), ""}
}

// environmentName is the variable that stands in for a flag, KIND4_FAIL_ON for --fail-on.
func environmentName(flag string) string {
	return "KIND4_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// choice reads a flag whose value is one of a few words.
func choice(c *cli.Context, name string, words ...string) (string, error) {
	value := text(c, name)
	for _, word := range words {
		if value == word {
			return value, nil
		}
	}
	why := "not one of " + strings.Join(words, ", ")
	if hint := didYouMean(value, words); hint != "" {
		why += "; " + hint
	}
	return "", badValue(c, name, value, why)
}

// duration reads a flag that holds a duration; 0 where it is not given.
func duration(c *cli.Context, name string) (time.Duration, error) {
	value := text(c, name)
	if value == "" && !given(c, name) {
		return 0, nil
	}
	d, err := parseDuration(value)
	if err != nil {
		return 0, badValue(c, name, value, err)
	}
	return d, nil
}

func size(c *cli.Context, name string) (int64, error) {
	value := text(c, name)
	n, err := parseSize(value)
	if err != nil {
		return 0, badValue(c, name, value, err)
	}
	return n, nil
}

// failLevel is what --fail-on names.
type failLevel uint8

const (
	failNever failLevel = iota
	failWarning
	failError
)

// showOptions are the flags of the commands that show messages, read and checked.
type showOptions struct {
	form      render.Form
	color     string
	timestamp render.Timestamp
	include   []glob
	exclude   []glob
	count     uint64 // 0: no limit
	expect    []glob
	failOn    failLevel
	ignore    map[decode.Code]bool
	summary   bool
	noSummary bool
	status    string
	quiet     bool
	verbose   bool
	maxSize   int64
}

func readShowOptions(c *cli.Context) (*showOptions, error) {
	o := &showOptions{
		include:   newGlobs(list(c, flagInclude)),
		exclude:   newGlobs(list(c, flagExclude)),
		expect:    newGlobs(list(c, flagExpect)),
		summary:   c.Bool(flagSummary),
		noSummary: c.Bool(flagNoSummary),
		quiet:     c.Bool(flagQuiet),
		verbose:   c.Bool(flagVerbose),
	}
	for _, read := range []func(*cli.Context) error{o.readForm, o.readLook, o.readLimits, o.readIgnore} {
		if err := read(c); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{flagInclude, flagExclude, flagExpect} {
		if slices.Contains(list(c, name), "") {
			return nil, badValue(c, name, "", "an empty pattern matches nothing that anybody waits for; * matches everything")
		}
	}
	if o.summary && o.noSummary {
		return nil, &usageError{"--summary and --no-summary contradict each other", ""}
	}
	return o, nil
}

func (o *showOptions) readForm(c *cli.Context) error {
	word, err := choice(c, flagOutput, "pretty", "line", "json", "hex", "raw", "lp32", "payload")
	o.form, _ = render.ParseForm(word)
	return err
}

func (o *showOptions) readLook(c *cli.Context) (err error) {
	if o.color, err = choice(c, flagColor, "auto", "always", "never"); err != nil {
		return err
	}
	if o.status, err = choice(c, flagStatus, statusAuto, statusAlways, statusNever); err != nil {
		return err
	}
	word, err := choice(c, flagTimestamp, "clock", "delta", "start", "none")
	o.timestamp = map[string]render.Timestamp{
		"clock": render.Clock, "delta": render.Delta, "start": render.Start, "none": render.None}[word]
	return err
}

func (o *showOptions) readLimits(c *cli.Context) (err error) {
	if given(c, flagCount) {
		value := c.String(flagCount)
		if o.count, err = parseCount(value); err != nil {
			return badValue(c, flagCount, value, err)
		}
	}
	word, err := choice(c, flagFailOn, "error", "warning", "never")
	if err != nil {
		return err
	}
	o.failOn = map[string]failLevel{"error": failError, "warning": failWarning, "never": failNever}[word]
	o.maxSize, err = size(c, flagMaxSize)
	return err
}

func (o *showOptions) readIgnore(c *cli.Context) error {
	o.ignore = map[decode.Code]bool{}
	for _, name := range list(c, flagIgnore) {
		code, ok := decode.ParseCode(name)
		if !ok {
			return badValue(c, flagIgnore, name, unknownCode(name))
		}
		o.ignore[code] = true
	}
	return nil
}

func unknownCode(name string) string {
	var names []string
	for _, code := range decode.Codes() {
		names = append(names, code.String())
	}
	if hint := didYouMean(name, names); hint != "" {
		return "no finding has this code; " + hint
	}
	return "no finding has this code; kind4 explain lists them"
}

// conditional reports whether there is a condition whose meeting ends the session.
func (o *showOptions) conditional() bool { return o.count > 0 || len(o.expect) > 0 }
