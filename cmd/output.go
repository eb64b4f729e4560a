package cmd

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"kind4/render"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f := fileOf(stream)
	return f != nil && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// terminalWidth is the width of the terminal in columns; 0 where the stream is none.
func terminalWidth(stream any) int {
	f := fileOf(stream)
	if f == nil {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// useColor decides on colour for one stream: the flag wins, then NO_COLOR, then whether it is a terminal that knows
// colours.
func useColor(when string, stream any) bool {
	switch when {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && knowsCursor() && isTerminal(stream)
}

// asciiOnly reports whether the locale says that the terminal does not show UTF-8. A locale that is not set says nothing.
func asciiOnly() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			value = strings.ToUpper(value)
			return !strings.Contains(value, "UTF-8") && !strings.Contains(value, "UTF8")
		}
	}
	return false
}

// refuseBinary is the usage error for bytes that would go to a terminal.
func refuseBinary(form render.Form, out io.Writer) error {
	if form.Binary() && isTerminal(out) {
		return &usageError{"-o " + form.String() + " writes bytes that a terminal would act on",
			"send them to a file or a pipe, or use -o hex"}
	}
	return nil
}

// plainPathError takes the path off an error of a standard stream: it is none that the user gave.
func plainPathError(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
