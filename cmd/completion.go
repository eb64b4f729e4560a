package cmd

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/urfave/cli/v2"

	"kind4/decode"
)

func completionCommand(env *environment, code *int) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "write a completion script for a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: "Completes subcommands, flags, the words that a flag takes, and finding codes. In bash: " +
			"source <(kind4 completion bash)",
		Action: func(c *cli.Context) error {
			script, err := completionScript(c)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(env.out, script); err != nil {
				return outputError(err)
			}
			*code = exitOK
			return nil
		},
	}
}

var shells = map[string]func(*completions) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}

func completionScript(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", &usageError{"completion takes one shell: bash, zsh or fish", ""}
	}
	write := shells[c.Args().First()]
	if write == nil {
		return "", &usageError{"no completion for the shell " + quote(c.Args().First()), "there are bash, zsh and fish"}
	}
	return write(newCompletions(c.App)), nil
}

// completions is what the scripts are made from: the tables of the app itself.
type completions struct {
	commands []commandCompletion
	codes    []string
}

type commandCompletion struct {
	name, usage string
	flags       []flagCompletion
	words       []string // arguments that it takes
}

type flagCompletion struct {
	names []string // "--output", "-o"
	usage string
	value bool
	words []string // values that it takes
}

func newCompletions(app *cli.App) *completions {
	all := &completions{}
	for _, code := range decode.Codes() {
		all.codes = append(all.codes, code.String())
	}
	for _, command := range app.Commands {
		entry := commandCompletion{name: command.Name, usage: command.Usage}
		for _, flag := range append(append([]cli.Flag{}, command.Flags...), app.Flags...) {
			entry.flags = append(entry.flags, all.flag(flag))
		}
		switch command.Name {
		case "completion":
			entry.words = []string{"bash", "zsh", "fish"}
		case "explain":
			entry.words = append(append([]string{}, all.codes...), all.faults()...)
		}
		all.commands = append(all.commands, entry)
	}
	return all
}

func (all *completions) flag(flag cli.Flag) flagCompletion {
	doc := flag.(cli.DocGenerationFlag)
	placeholder, usage := splitUsage(doc.GetUsage())
	entry := flagCompletion{usage: usage, value: doc.TakesValue()}
	for _, name := range flag.Names() {
		if len(name) == 1 {
			entry.names = append(entry.names, "-"+name)
		} else {
			entry.names = append(entry.names, "--"+name)
		}
	}
	if name := flag.Names()[0]; name == flagIgnore {
		entry.words = all.codes
	} else if name == flagFault {
		entry.words = faultNames()
	} else if _, list, ok := strings.Cut(usage, placeholder+": "); ok && placeholder != "" {
		list, _, _ = strings.Cut(list, " (")
		entry.words = strings.Split(list, ", ")
	}
	return entry
}

// faults returns the names of faults that are no finding codes as well.
func (all *completions) faults() []string {
	return slices.DeleteFunc(faultNames(), func(name string) bool { return slices.Contains(all.codes, name) })
}

func (all *completions) names() string {
	var names []string
	for _, command := range all.commands {
		names = append(names, command.name)
	}
	return strings.Join(names, " ")
}

// bashHead finds the command, and undoes that bash splits words at "=".
const bashHead = `# bash completion for kind4
_kind4() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' ended='' words='' i
    if [[ $cur == = ]]; then
        cur=''
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) ended=1 ;;
        %s) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;
        esac
    done
    case $ended$command:$prev in
`

// bashTail offers files where there are no words; only they are quoted.
const bashTail = `    esac
    if [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        return
    fi
    local IFS=$'\n'
    compopt -o filenames
    COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _kind4 kind4
`

func bashCompletion(all *completions) string {
	var b strings.Builder
	fmt.Fprintf(&b, bashHead, strings.ReplaceAll(all.names(), " ", "|"))
	for _, command := range all.commands {
		for _, flag := range command.flags {
			if flag.value {
				var patterns []string
				for _, name := range flag.names {
					patterns = append(patterns, command.name+":"+name)
				}
				fmt.Fprintf(&b, "    %s) words='%s' ;;\n", strings.Join(patterns, "|"), strings.Join(flag.words, " "))
			}
		}
	}
	for _, command := range all.commands {
		var flags []string
		for _, flag := range command.flags {
			flags = append(flags, flag.names...)
		}
		fmt.Fprintf(&b, "    %s:*) if [[ $cur == -* ]]; then words='%s'; else words='%s'; fi ;;\n",
			command.name, strings.Join(flags, " "), strings.Join(command.words, " "))
	}
	fmt.Fprintf(&b, "    :*) words='%s --help --version' ;;\n", all.names())
	return b.String() + bashTail
}

// zshTail serves both ways to load the script: sourced, and as the function _kind4 from a folder of fpath.
const zshTail = `if [ "$funcstack[1]" = _kind4 ]; then
  _kind4 "$@"
else
  compdef _kind4 kind4
fi
`

func zshCompletion(all *completions) string {
	var b strings.Builder
	b.WriteString("#compdef kind4\n_kind4() {\n  local -a commands\n  commands=(\n")
	for _, command := range all.commands {
		fmt.Fprintf(&b, "    %s\n", shellQuote(command.name+":"+command.usage))
	}
	b.WriteString("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n" +
		"  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n")
	for _, command := range all.commands {
		fmt.Fprintf(&b, "  %s)\n    _arguments -s", command.name)
		for _, flag := range command.flags {
			for _, name := range flag.names {
				b.WriteString(" \\\n      " + shellQuote(zshSpec(name, flag)))
			}
		}
		if len(command.words) > 0 {
			b.WriteString(" \\\n      " + shellQuote("*:word:("+strings.Join(command.words, " ")+")"))
		} else {
			b.WriteString(" \\\n      '*:file:_files'")
		}
		b.WriteString("\n    ;;\n")
	}
	b.WriteString("  esac\n}\n" + zshTail)
	return b.String()
}

func zshSpec(name string, flag flagCompletion) string {
	usage := strings.NewReplacer("[", "(", "]", ")", ":", " -").Replace(flag.usage)
	spec := name + "[" + usage + "]"
	switch {
	case !flag.value:
		return spec
	case len(flag.words) > 0:
		return "*" + spec + ":value:(" + strings.Join(flag.words, " ") + ")"
	}
	return "*" + spec + ":value:"
}

func fishCompletion(all *completions) string {
	var b strings.Builder
	b.WriteString("# fish completion for kind4\n")
	for _, command := range all.commands {
		fmt.Fprintf(&b, "complete -c kind4 -n __fish_use_subcommand -f -a %s -d %s\n", command.name, shellQuote(command.usage))
	}
	for _, command := range all.commands {
		condition := shellQuote("__fish_seen_subcommand_from " + command.name)
		if len(command.words) > 0 {
			words := append([]string{}, command.words...)
			sort.Strings(words)
			fmt.Fprintf(&b, "complete -c kind4 -n %s -f -a %s\n", condition, shellQuote(strings.Join(words, " ")))
		}
		for _, flag := range command.flags {
			fmt.Fprintf(&b, "complete -c kind4 -n %s", condition)
			for _, name := range flag.names {
				if long, ok := strings.CutPrefix(name, "--"); ok {
					b.WriteString(" -l " + long)
				} else {
					b.WriteString(" -s " + name[1:])
				}
			}
			if flag.value {
				b.WriteString(" -x")
			}
			if len(flag.words) > 0 {
				b.WriteString(" -a " + shellQuote(strings.Join(flag.words, " ")))
			}
			b.WriteString(" -d " + shellQuote(flag.usage) + "\n")
		}
	}
	return b.String()
}

// shellQuote puts s into single quotes.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
