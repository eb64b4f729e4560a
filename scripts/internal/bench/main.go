// Bench measures kind4 beside what people use today, and prints one table. scripts/bench builds and runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// Programs of its own that run in a process each are this one, with another first argument.
const (
	asReader = "plain-reader"
	asPeak   = "peak-memory"
)

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) > 0 && args[0] == asReader:
		err = plainReader(os.Stdout, os.Stderr)
	case len(args) > 1 && args[0] == asPeak:
		err = reportPeak(args[1:])
	default:
		err = run(args)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) { // for which flag has printed the flags
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(exitCode(err))
	}
}

// A usageError makes the exit code 2.
type usageError struct{ error }

func exitCode(err error) int {
	if _, usage := errors.AsType[usageError](err); usage {
		return 2
	}
	return 1
}

// row is one measurement, which gives one line of the table or several.
type row struct {
	name    string
	measure func(*bench) ([]line, error)
}

// rows are in the order of the table.
func rows() []row {
	return []row{
		{"json", benchJSON},
		{"pretty", benchPretty},
		{"hex", benchHex},
		{"line", benchLine},
		{"scan", benchScan},
		{"cores", benchCores},
		{"memory", benchMemory},
		{"tail", benchTail},
		{"latency", benchLatency},
		{"start", benchStart},
		{"size", benchSize},
	}
}

// options are what the command line asks for.
type options struct {
	dir    string
	kind4  string // the program to measure, stripped where it is built from here
	rounds int
	quick  bool
	big    bool
	strict bool
	rows   []row
}

func readOptions(args []string) (o options, err error) {
	flags := flag.NewFlagSet("scripts/bench [ROW ...]", flag.ContinueOnError)
	flags.StringVar(&o.dir, "dir", "", "directory for everything that is written")
	flags.StringVar(&o.kind4, "program", "", "the kind4 to measure, in place of one that is built from here: `FILE`")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds of everything, `N`")
	flags.BoolVar(&o.quick, "quick", false, "small input, one round")
	flags.BoolVar(&o.strict, "strict", false, "exit 1 where a goal is missed or not measured")
	noBig := flags.Bool("no-big", false, "without the input of 2 GB")
	if err := flags.Parse(args); err != nil {
		return o, usageError{err}
	}
	o.big = !*noBig && !o.quick
	if o.quick {
		o.rounds = 1
	}
	if o.rounds < 1 || o.dir == "" {
		return o, usageError{errors.New("--rounds is 1 or more, and --dir is given; scripts/bench gives it")}
	}
	o.rows, err = chosen(flags.Args())
	return o, err
}

// chosen are the rows of these names, all without any.
func chosen(names []string) ([]row, error) {
	all := rows()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(r row) bool { return r.name == name }) {
			return nil, usageError{fmt.Errorf("no row %q; there are %s", name, rowNames(all))}
		}
	}
	if len(names) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(r row) bool { return !slices.Contains(names, r.name) }), nil
}

func rowNames(all []row) string {
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// run measures, prints the table, and is an error where something could not run.
func run(args []string) error {
	o, err := readOptions(args)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b, err := newBench(ctx, o)
	if err != nil {
		return err
	}
	b.printMachine(os.Stdout)
	t := newTable(os.Stdout, !o.quick)
	for _, r := range o.rows {
		b.say("measuring %s", r.name)
		lines, err := r.measure(b)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		t.add(lines)
	}
	b.printLeftOut(os.Stdout)
	if o.strict && t.short > 0 {
		return fmt.Errorf("goals missed or not measured: %d", t.short)
	}
	return nil
}
