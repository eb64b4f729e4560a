package capture

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestOd reads what od prints of messages, one after the other, in every radix of offsets, unit and width that holds
// bytes (POSIX od, -A and -t; z and -w are GNU's), with repeated lines and without.
func TestOd(t *testing.T) {
	od, err := exec.LookPath("od")
	if err != nil {
		t.Skip("no od: ", err)
	}
	if out, err := exec.Command(od, "--version").Output(); err != nil || !strings.Contains(string(out), "GNU") {
		t.Skip("no od by GNU, which has z and -w")
	}
	messages := []string{"\x00" + listChanged, "\x00" + strings.Repeat("a", 200), "\x01{", "", "\x00><| >", strings.Repeat("\x00", 64), mixed(9)[8]}
	for _, radix := range []string{"x", "o", "d"} {
		for _, unit := range []string{"x1", "x1z"} {
			for _, more := range [][]string{nil, {"-v"}, {"-w8"}, {"-w32", "-v"}, {"-w5"}} {
				args := append([]string{"-A", radix, "-t", unit}, more...)
				var dump bytes.Buffer
				for _, m := range messages {
					cmd := exec.Command(od, args...)
					cmd.Stdin, cmd.Stdout = strings.NewReader(m), &dump
					if err := cmd.Run(); err != nil {
						t.Fatal(args, err)
					}
				}
				for _, format := range []Format{Auto, Hexdump} {
					expect(t, strings.Join(args, " "), read(format, dump.String()), Hexdump, messages...)
				}
			}
		}
	}
}

// Without offsets (-A n) nobody can know where a message ends, how often a line is repeated, or which text is a column.
func TestOdWithoutOffsets(t *testing.T) {
	for input, message := range map[string]string{
		" 00 7b 22 6d  >.{\"m<\n":              `line 1 of dump.txt: ">" is not a hex digit; a dump is read by its offsets, which od -A x -t x1 prints`,
		" 00 7b 22 61\n 61 61 61 61\n*\n 7d\n": `line 3 of dump.txt: "*" is not a hex digit; a dump is read by its offsets, which od -A x -t x1 prints`,
	} {
		if g := read(Auto, input); errorText(t, g.err) != message {
			t.Errorf("%q: %v, want %s", input, g.err, message)
		}
	}
}
