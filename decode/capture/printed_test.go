package capture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printedBy is the format of what each tool printed into testdata/printed: the name between the dots is the
// tool and its options (od-x is od -A x -t x1z, od-octal od -t x1, od-decimal od -A d -t x1 -v).
var printedBy = map[string]Format{
	"xxd": XXD, "xxd-g1": XXD, "xxd-u": XXD, "xxd-c7": XXD, "xxd-c5-g2": XXD, "xxd-g0": XXD, "xxd-c64": XXD, "xxd-a": XXD,
	"xxd-p": Hex, "hexdump-C": Hexdump, "od-x": Hexdump, "od-octal": Hexdump, "od-decimal": Hexdump,
	"base64": Base64, "base64-w0": Base64,
}

// TestPrintedByTools reads what real tools printed of a message, named and recognised, with either line end,
// and twice over.
func TestPrintedByTools(t *testing.T) {
	paths, err := filepath.Glob("testdata/printed/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files in testdata/printed", err)
	}
	for _, path := range paths {
		parts := strings.Split(filepath.Base(path), ".")
		format, ok := printedBy[parts[1]]
		if !ok {
			t.Errorf("%s: printed by what?", path)
			continue
		}
		text := readFile(t, path)
		want := readFile(t, filepath.Join("testdata/printed", parts[0]+".bin"))
		for _, f := range []Format{format, Auto} {
			expect(t, path, read(f, text), format, want)
			expect(t, path+" CRLF", read(f, strings.ReplaceAll(text, "\n", "\r\n")), format, want)
			if format == XXD || format == Hexdump {
				expect(t, path+" twice", read(f, text+text), format, want, want)
			}
		}
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// expect compares what was read with a format and messages, and wants no error.
func expect(t *testing.T, name string, g got, format Format, messages ...string) {
	t.Helper()
	if g.err != nil {
		t.Errorf("%s: %v", name, g.err)
	}
	if g.format != format {
		t.Errorf("%s: read as %v, want %v", name, g.format, format)
	}
	if !equal(g.messages, messages) {
		t.Errorf("%s: messages\n%q, want\n%q", name, g.messages, messages)
	}
}
