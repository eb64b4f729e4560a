package cmd

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseArgs(t *testing.T) {
	tests := []struct {
		line    string
		command string
		flags   string
		args    string
	}{
		{"decode -o json a b", "decode", "--output=json", "a b"},
		{"decode a -o json b --quiet", "decode", "--output=json --quiet", "a b"},
		{"decode -n5 -qv x", "decode", "--count=5 --quiet --verbose", "x"},
		{"decode -c 5", "decode", "--count=5", ""},
		{"decode -qn5", "decode", "--quiet --count=5", ""},
		{"decode -o=line", "decode", "--output=line", ""},
		{"decode -- -n5 --quiet", "decode", "", "-n5 --quiet"},
		{"decode - x", "decode", "", "- x"},
		{"explain -32603", "explain", "", "-32603"},
		{"encode --error -32603 --message gone", "encode", "--error=-32603 --message=gone", ""},
		{"encode --message --error --error 1", "encode", "--message=--error --error=1", ""},
		{"-q --output json tail", "tail", "--quiet --output=json", ""},
		{"--color never decode x", "decode", "--color=never", "x"},
		{"tail --once=false", "tail", "--once=false", ""},
		{"decode help", "decode", "", "help"},
	}
	app, _ := newApp(&environment{strings.NewReader(""), io.Discard, io.Discard})
	for _, tt := range tests {
		inv, err := parseArgs(app, strings.Fields(tt.line))
		if err != nil {
			t.Errorf("%s: %v", tt.line, err)
			continue
		}
		got := []string{inv.command.Name, strings.Join(inv.flags, " "), strings.Join(inv.args, " ")}
		if diff := cmp.Diff([]string{tt.command, tt.flags, tt.args}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.line, diff)
		}
	}
}

func TestParseArgsRefuses(t *testing.T) {
	tests := map[string]string{
		"tail --tiemout 5":   "unknown flag --tiemout; did you mean --timeout?",
		"tail --timeout":     "--timeout needs a value",
		"decode -n":          "-n needs a value",
		"decode -Z":          "unknown flag -Z",
		"decode -output x":   `unknown flag "-output"; did you mean --output?`,
		"dcode x":            `unknown command "dcode"; did you mean decode?`,
		"tial":               `unknown command "tial"; did you mean tail?`,
		"decode --once":      "unknown flag --once; it is a flag of tail, tap",
		"ask -i x":           "unknown flag -i; it is a flag of tail, tap, decode",
		"decode --n 5":       "unknown flag --n; did you mean -n?",
		"frobnicate x":       `unknown command "frobnicate"; kind4 --help lists the commands`,
		"decode --\x1b[31mx": `unknown flag --\u001b[31mx`,
	}
	app, _ := newApp(&environment{strings.NewReader(""), io.Discard, io.Discard})
	for line, want := range tests {
		_, err := parseArgs(app, strings.Split(line, " "))
		var usage *usageError
		if !errors.As(err, &usage) || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func TestHelpRequests(t *testing.T) {
	app, _ := newApp(&environment{strings.NewReader(""), io.Discard, io.Discard})
	for line, command := range map[string]string{
		"--help": "", "-h": "", "help": "", "help tail": "tail", "tail --help": "tail", "tail -n5 -h x": "tail", "--help tail": "tail",
	} {
		inv, err := parseArgs(app, strings.Fields(line))
		switch {
		case err != nil || !inv.help:
			t.Errorf("%s: help %v, error %v", line, inv != nil && inv.help, err)
		case command == "" && inv.command != nil, command != "" && (inv.command == nil || inv.command.Name != command):
			t.Errorf("%s: another command's help", line)
		}
	}
}
