package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// helpWidth is how wide help is at most, in columns: it fits any terminal.
const helpWidth = 80

// writeHelp writes the help of one command, or of the whole tool where command is nil.
func writeHelp(w io.Writer, app *cli.App, command *cli.Command) error {
	var b strings.Builder
	if command == nil {
		appHelp(&b, app)
	} else {
		commandHelp(&b, app, command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func appHelp(b *strings.Builder, app *cli.App) {
	fmt.Fprintf(b, "%s\n\nUsage: kind4 COMMAND [flags] [arguments]\n\nCommands:\n", wrap(capital(app.Usage)+".", 0))
	for _, command := range app.Commands {
		entry(b, "  "+command.Name, 14, command.Usage)
	}
	b.WriteString("\nFlags of every command:\n")
	flagsHelp(b, app.Flags)
	b.WriteString("\nkind4 COMMAND --help shows a command's flags; kind4 explain says what a finding,\n" +
		"an exit code or a method means. Try it: kind4 tail --demo\n")
}

func commandHelp(b *strings.Builder, app *cli.App, command *cli.Command) {
	fmt.Fprintf(b, "%s\n\nUsage: %s\n", wrap(capital(command.Usage)+".", 0),
		strings.TrimSpace("kind4 "+command.Name+" [flags] "+command.ArgsUsage))
	if command.Description != "" {
		b.WriteString("\n" + wrap(command.Description, 0) + "\n")
	}
	b.WriteString("\nFlags:\n")
	flagsHelp(b, command.Flags)
	flagsHelp(b, app.Flags)
	if environment := environmentHelp(command.Flags); environment != "" {
		b.WriteString("\nEnvironment, where a flag is not given:\n" + environment)
	}
}

// flagsHelp writes one entry a flag, its short names first.
func flagsHelp(b *strings.Builder, flags []cli.Flag) {
	const column = 26
	for _, flag := range flags {
		doc := flag.(cli.DocGenerationFlag)
		placeholder, usage := splitUsage(doc.GetUsage())
		left := "      --" + flag.Names()[0]
		if short := shortNames(flag); short != "" {
			left = "  " + short + ", --" + flag.Names()[0]
		}
		if placeholder != "" && doc.TakesValue() {
			left += " " + placeholder
		}
		if s, ok := flag.(*cli.StringFlag); ok && s.DefaultText != "" {
			usage += " (default " + s.DefaultText + ")"
		}
		entry(b, left, column, usage)
	}
}

func shortNames(flag cli.Flag) string {
	var short []string
	for _, name := range flag.Names()[1:] {
		short = append(short, "-"+name)
	}
	return strings.Join(short, ", ")
}

// splitUsage takes the placeholder, which stands in back quotes, out of a usage text.
func splitUsage(usage string) (placeholder, plain string) {
	before, rest, ok := strings.Cut(usage, "`")
	name, after, closed := strings.Cut(rest, "`")
	if !ok || !closed {
		return "", usage
	}
	return name, before + name + after
}

func environmentHelp(flags []cli.Flag) string {
	var names []string
	for _, flag := range flags {
		names = append(names, flag.(cli.DocGenerationFlag).GetEnvVars()...)
	}
	if len(names) == 0 {
		return ""
	}
	help := "  " + wrap(strings.Join(names, " "), 2) + "\n"
	if slices.Contains(names, environmentName(flagColor)) {
		help += "NO_COLOR turns colours off, where --color does not turn them on.\n"
	}
	return help
}

// entry writes left, and right wrapped in a column of its own beside it.
func entry(b *strings.Builder, left string, column int, right string) {
	gap := column - len(left)
	if gap < 2 {
		left += "\n"
		gap = column
	}
	b.WriteString(left + strings.Repeat(" ", gap) + wrap(right, column) + "\n")
}

// wrap breaks text at spaces so that it stays inside helpWidth when it begins in that column.
func wrap(text string, column int) string {
	var b strings.Builder
	used := column
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case used+1+len(word) > helpWidth:
			b.WriteString("\n" + strings.Repeat(" ", column))
			used = column
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
