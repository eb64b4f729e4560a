// Package cmd is kind4's command line: one file a subcommand, flags to options, endings to exit codes, and
// all wording on standard error. What the bytes mean is decode's, how a message looks is render's.
package cmd

import (
	"errors"
	"io"
	"io/fs"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"
)

// version is what --version says where the build carries no version of its own.
const version = "0.1.0"

const metadataInvocation = "invocation"

// environment is what a command has around it. A command prints messages to out and everything else to err.
type environment struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// Run carries out the command line args, args[0] being the program's name, and returns its exit code (see
// `kind4 explain`). Terminals are recognised when the streams are *os.File. It takes over SIGINT, SIGTERM,
// SIGHUP and SIGPIPE while it runs.
func Run(args []string, in io.Reader, out, err io.Writer) int {
	signal.Ignore(syscall.SIGPIPE)
	terminal := isTerminal(out)
	env := &environment{in, messagesTo(newPatient(out)), wordsTo(newPatient(err))}
	code, failure := env.run(args)
	if failure == nil {
		return code
	}
	switch {
	case isClosedPipe(failure):
		return exitOK
	case terminal && isHangUp(failure):
		return exitTerminate
	}
	if write := new(fs.PathError); errors.As(failure, &write) && write.Op == "write" {
		failure = outputError(failure)
	}
	newStatus(env.err, false).failure(failure.Error())
	return errorCode(failure)
}

func (env *environment) run(args []string) (int, error) {
	app, code := newApp(env)
	if len(args) < 2 {
		writeHelp(env.err, app, nil)
		return exitUsage, nil
	}
	inv, err := parseArgs(app, args[1:])
	switch {
	case err != nil:
		return 0, err
	case inv.help:
		return exitOK, writeHelp(env.out, app, inv.command)
	case inv.version:
		_, err := io.WriteString(env.out, "kind4 "+buildVersion()+"\n")
		return exitOK, err
	case inv.command == nil:
		return 0, &usageError{"no command is named", "kind4 --help lists them"}
	}
	app.Metadata = map[string]any{metadataInvocation: inv}
	argv := append([]string{app.Name, inv.command.Name}, inv.flags...)
	argv = append(append(argv, "--"), inv.args...)
	if err := app.Run(argv); err != nil {
		return 0, plainError(err)
	}
	return *code, nil
}

// plainError turns what the flag package says of a value into a usage error of our own.
func plainError(err error) error {
	if text := err.Error(); strings.HasPrefix(text, "invalid ") {
		return &usageError{text, ""}
	}
	return err
}

// newApp builds the table of commands and flags. The int receives the exit code of the command that ran.
func newApp(env *environment) (*cli.App, *int) {
	code := new(int)
	app := &cli.App{
		Name:               "kind4",
		Usage:              "see what a Diverge provider sends on its notification channel, and what is wrong with it",
		HideHelp:           true,
		HideHelpCommand:    true,
		HideVersion:        true,
		Flags:              everyCommandFlags(),
		SliceFlagSeparator: listSeparator,
		Writer:             env.out,
		ErrWriter:          env.err,
		ExitErrHandler:     func(*cli.Context, error) {},
		OnUsageError:       func(_ *cli.Context, err error, _ bool) error { return &usageError{err.Error(), ""} },
		Commands: []*cli.Command{
			tailCommand(env, code),
			tapCommand(env, code),
			decodeCommand(env, code),
			encodeCommand(env, code),
			provideCommand(env, code),
			askCommand(env, code),
			explainCommand(env, code),
			completionCommand(env, code),
		},
	}
	for _, command := range app.Commands {
		command.HideHelp, command.HideHelpCommand = true, true
		command.OnUsageError = app.OnUsageError
	}
	return app, code
}

// buildVersion is the module's version where the build knows one, and ours with the revision otherwise.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	if v := info.Main.Version; v != "" && v != "(devel)" && !strings.HasPrefix(v, "v0.0.0-") {
		return strings.TrimPrefix(v, "v")
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" && len(setting.Value) >= 12 {
			return version + " (" + setting.Value[:12] + ")"
		}
	}
	return version
}
