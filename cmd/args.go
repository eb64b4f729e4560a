package cmd

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// invocation is a command line taken apart by the flag tables: what urfave/cli cannot do by itself are flags behind
// positionals, "-n5", "-qv", "-32603" as a value, and a suggestion for a flag that it does not know.
type invocation struct {
	app     *cli.App
	command *cli.Command        // nil where none is named
	flags   []string            // "--long=value" or "--long"
	args    []string            // positionals
	given   map[string][]string // the values of the flags on the command line, by their first name
	help    bool
	version bool
}

var negativeNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-[0-9]`) })

// parseArgs takes args (without the program's name) apart. Flags may stand before the subcommand too.
func parseArgs(app *cli.App, args []string) (*invocation, error) {
	inv := &invocation{app: app, given: map[string][]string{}}
	var raw []string
	if raw, inv.command = cutCommand(app, args); inv.command == nil && len(raw) > 0 {
		if word := firstPositional(app, raw); word != "" {
			return nil, unknownCommand(app, word)
		}
	}
	table := flagTable(app, inv.command)
	for i := 0; i < len(raw); i++ {
		arg := raw[i]
		switch {
		case arg == "--":
			inv.args = append(inv.args, raw[i+1:]...)
			return inv, nil
		case strings.HasPrefix(arg, "--"):
			used, err := inv.long(table, arg, raw[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		case len(arg) > 1 && arg[0] == '-' && !negativeNumber().MatchString(arg):
			used, err := inv.short(table, arg, raw[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
		default:
			inv.args = append(inv.args, arg)
		}
	}
	return inv, nil
}

// cutCommand takes the first word that is no flag and no flag's value out of args, where it names a command.
// "help" before it asks for that command's help.
func cutCommand(app *cli.App, args []string) ([]string, *cli.Command) {
	i := positionalIndex(app, args)
	if i < 0 {
		return args, nil
	}
	rest := append(append([]string{}, args[:i]...), args[i+1:]...)
	if args[i] == "help" {
		rest, command := cutCommand(app, rest)
		return append([]string{"--help"}, rest...), command
	}
	if command := app.Command(args[i]); command != nil {
		return rest, command
	}
	return args, nil
}

// positionalIndex finds the first word of args that is neither a flag of any command nor a flag's value.
func positionalIndex(app *cli.App, args []string) int {
	table := flagTable(app, nil)
	for _, command := range app.Commands {
		for name, flag := range flagTable(app, command) {
			table[name] = flag
		}
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" || arg == "" {
			return -1
		}
		if arg == "-" || arg[0] != '-' {
			return i
		}
		if takesNext(table, arg) {
			i++
		}
	}
	return -1
}

// takesNext reports whether the flag that arg ends with has its value in the next argument.
func takesNext(table map[string]cli.Flag, arg string) bool {
	if name, long := strings.CutPrefix(arg, "--"); long {
		return takesValue(table[name])
	}
	for j := 1; j < len(arg); j++ {
		if takesValue(table[arg[j:j+1]]) {
			return j == len(arg)-1
		}
	}
	return false
}

func firstPositional(app *cli.App, args []string) string {
	if i := positionalIndex(app, args); i >= 0 {
		return args[i]
	}
	return ""
}

// flagTable maps every name of a command's flags, and of those that every command has, to the flag.
func flagTable(app *cli.App, command *cli.Command) map[string]cli.Flag {
	table := map[string]cli.Flag{}
	flags := app.Flags
	if command != nil {
		flags = append(append([]cli.Flag{}, flags...), command.Flags...)
	}
	for _, flag := range flags {
		for _, name := range flag.Names() {
			table[name] = flag
		}
	}
	return table
}

func takesValue(flag cli.Flag) bool {
	doc, ok := flag.(cli.DocGenerationFlag)
	return ok && doc.TakesValue()
}

// long takes "--name", "--name=value" or "--name value"; it returns how many of the next arguments it used.
func (inv *invocation) long(table map[string]cli.Flag, arg string, next []string) (int, error) {
	name, value, assigned := strings.Cut(arg[2:], "=")
	flag := table[name]
	if flag == nil || len(name) == 1 {
		return 0, inv.unknownFlag(table, "--"+name)
	}
	switch {
	case assigned:
		return 0, inv.set(flag, value, true)
	case !takesValue(flag):
		return 0, inv.set(flag, "", false)
	case len(next) == 0:
		return 0, &usageError{"--" + name + " needs a value", ""}
	}
	return 1, inv.set(flag, next[0], true)
}

// short takes a cluster of one-letter flags, the last of which may have its value behind it or in the next argument.
func (inv *invocation) short(table map[string]cli.Flag, arg string, next []string) (int, error) {
	if long := table[strings.SplitN(arg[1:], "=", 2)[0]]; long != nil && len(arg) > 2 && arg[2] != '=' {
		return 0, &usageError{"unknown flag " + quote(arg), "did you mean -" + arg + "?"}
	}
	for j := 1; j < len(arg); j++ {
		name := arg[j : j+1]
		flag := table[name]
		if flag == nil {
			return 0, inv.unknownFlag(table, "-"+name)
		}
		if !takesValue(flag) {
			if err := inv.set(flag, "", false); err != nil {
				return 0, err
			}
			continue
		}
		if rest := arg[j+1:]; rest != "" {
			return 0, inv.set(flag, strings.TrimPrefix(rest, "="), true)
		}
		if len(next) == 0 {
			return 0, &usageError{"-" + name + " needs a value", ""}
		}
		return 1, inv.set(flag, next[0], true)
	}
	return 0, nil
}

// set notes one flag; assigned says that it came with a value.
func (inv *invocation) set(flag cli.Flag, value string, assigned bool) error {
	name := flag.Names()[0]
	inv.given[name] = append(inv.given[name], value)
	if _, err := strconv.ParseBool(value); assigned && !takesValue(flag) && err != nil {
		return &usageError{"--" + name + " " + quote(value) + ": not true or false", ""}
	}
	switch {
	case name == "help":
		inv.help = true
	case name == "version":
		inv.version = true
	case assigned:
		inv.flags = append(inv.flags, "--"+name+"="+value)
	default:
		inv.flags = append(inv.flags, "--"+name)
	}
	return nil
}

// unknownFlag is the usage error for a flag that the command has not.
func (inv *invocation) unknownFlag(table map[string]cli.Flag, given string) error {
	name := strings.TrimLeft(given, "-")
	if table[name] != nil { // of one letter, behind two dashes
		return &usageError{"unknown flag " + quoteBare(given), "did you mean -" + name + "?"}
	}
	if of := inv.commandsWith(name); len(of) > 0 {
		return &usageError{"unknown flag " + quoteBare(given), "it is a flag of " + strings.Join(of, ", ")}
	}
	names := make([]string, 0, len(table))
	for name := range table {
		if len(name) > 1 {
			names = append(names, "--"+name)
		}
	}
	return &usageError{"unknown flag " + quoteBare(given), didYouMean(given, names)}
}

// commandsWith returns the commands that have a flag of that name.
func (inv *invocation) commandsWith(name string) (of []string) {
	for _, command := range inv.app.Commands {
		if _, has := flagTable(inv.app, command)[name]; has {
			of = append(of, command.Name)
		}
	}
	return of
}

func unknownCommand(app *cli.App, given string) error {
	var names []string
	for _, command := range app.Commands {
		names = append(names, command.Name)
	}
	hint := didYouMean(given, names)
	if hint == "" {
		hint = "kind4 --help lists the commands"
	}
	return &usageError{"unknown command " + quote(given), hint}
}

// didYouMean suggests the nearest of the names, "" where none is near: one slip in three letters at most.
func didYouMean(given string, names []string) string {
	far := max(1, len(given)/3)
	best, distance := "", far+1
	for _, name := range names {
		d := smetrics.WagnerFischer(given, name, 1, 1, 1)
		if strings.HasPrefix(name, given) && len(given) > 3 || swapped(given, name) {
			d = 1
		}
		if d < distance || d == distance && name < best {
			best, distance = name, d
		}
	}
	if best == "" || distance >= len(given) {
		return ""
	}
	return "did you mean " + best + "?"
}

// swapped reports whether two letters that stand in each other's place make a into b.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
