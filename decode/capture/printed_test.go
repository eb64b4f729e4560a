package capture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printedBy is the format of what each tool printed into testdata/printed: the name between the dots is the
// tool and its options (xxd-o is xxd -o 16, xxd-d-o xxd -d -o 48, xxd-i of standard input, xxd-i-file of a file; od-x is od -A x -t x1z,
// od-octal od -t x1, od-decimal od -A d -t x1 -v, od-w8 od -A d -t x1z -w8, od-n od -A n -t x1 -v).
var printedBy = map[string]Format{
	"xxd": XXD, "xxd-g1": XXD, "xxd-u": XXD, "xxd-c7": XXD, "xxd-c5-g2": XXD, "xxd-g0": XXD, "xxd-c64": XXD, "xxd-a": XXD,
	"xxd-d": XXD, "xxd-d-c7": XXD, "xxd-g3": XXD, "xxd-o": XXD, "xxd-d-o": XXD,
	"xxd-p": Hex, "xxd-i": Hex, "od-n": Hex, "hexdump-C": Hexdump, "od-x": Hexdump, "od-octal": Hexdump,
	"od-decimal": Hexdump, "od-z": Hexdump, "od-w8": Hexdump,
	"xxd-i-file": Literal, "xxd-i-C": Literal,
	"go-v": Literal, "go-sharp": Literal, "go-array": Literal, "go-pointer": Literal, "go-q": Literal, "go-plus-q": Literal,
	"go-x": Hex, "go-space-x": Hex, "go-sharp-x": Hex, "go-sharp-space-x": Hex,
	"rust-debug": Literal, "rust-pretty": Literal, "rust-x": Literal, "rust-02x": Literal, "rust-upper-x": Literal,
	"rust-sharp-x": Literal, "rust-str": Literal,
	"python-repr": Literal, "python-list": Literal, "python-tuple": Literal, "python-pprint": Literal, "python-bytearray": Literal,
	"python-array": Literal, "python-one-tuple": Literal, "python-hex": Hex,
	"node-buffer": Literal, "node-uint8array": Literal, "node-arraybuffer": Literal, "node-array": Literal, "node-tojson": Literal,
	"node-json": Literal, "node-json-2": Literal, "node-string": Literal,
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
			if (format == XXD || format == Hexdump) && !strings.HasSuffix(parts[1], "-o") {
				expect(t, path+" twice", read(f, text+text), format, want, want)
			}
		}
	}
}

// TestRefusedPrints refuses what real tools printed of a message in another notation than bytes, named and
// recognised, and says what to do instead.
func TestRefusedPrints(t *testing.T) {
	const bits = "these groups are bits, as xxd -b prints them: print hex digits, without -b"
	const words = "these groups are words in the byte order of some machine, as xxd -e prints them: print bytes, without -e"
	const word, octal = " is a word in the byte order of some machine", " is a byte in octal"
	const byteWanted, hexdump = " where a byte of two hex digits is expected", "; print bytes, with hexdump -C"
	const changed = ": the line was changed, or dumped in another way; print it anew, with xxd or hexdump -C"
	refusals := map[string]string{
		"xxd-e": words, "xxd-e-g2": words, "xxd-e-s5": words, "xxd-b": bits, "xxd-b-c3": bits, "xxd-b-s5": bits,
		"xxd-e-c10": `the text column "2264\"method\"" does not show the bytes "m\"{\u0000ohte"` + changed,
		"xxd-E":     `the text column ".#._...?........" does not show the bytes "\u0000{\"method\":\"x\",\""` + changed,
		"hexdump":   `"7b00"` + word + hexdump, "hexdump-x": `"7b00"` + word + hexdump, "hexdump-d": `"31488"` + word + hexdump,
		"hexdump-o": `"075400"` + word + hexdump, "hexdump-b": `"000"` + octal + hexdump, "hexdump-c": `"\\0"` + byteWanted + hexdump,
		"od": `"075400"` + word + hexdump, "od-x": `"7b00"` + word + hexdump, "od-b": `"000"` + octal + hexdump,
		"od-c": `"\\0"` + byteWanted + hexdump, "od-a": `"nul"` + byteWanted + hexdump,
		"od-tx4": `"6d227b00"` + word + hexdump, "od-tx8": `"6f6874656d227b00"` + word + hexdump,
		"od-tu1": `"0"` + byteWanted + hexdump, "od-td1": `"0"` + byteWanted + hexdump, "od-tu2": `"31488"` + word + hexdump,
		"od-Ax-tx2z": `"7b00"` + word + hexdump,
	}
	paths, err := filepath.Glob("testdata/refused/*.txt")
	if err != nil || len(paths) != len(refusals) {
		t.Errorf("%d files in testdata/refused, want %d (%v)", len(paths), len(refusals), err)
	}
	for _, path := range paths {
		tool := strings.TrimSuffix(filepath.Base(path), ".txt")
		format := Hexdump
		if strings.HasPrefix(tool, "xxd") {
			format = XXD
		}
		text := readFile(t, path)
		for _, f := range []Format{format, Auto} {
			for _, input := range []string{text, strings.ReplaceAll(text, "\n", "\r\n")} {
				g := read(f, input)
				if want := "line 1 of dump.txt: " + refusals[tool]; errorText(t, g.err) != want || len(g.messages) > 0 || g.format != format {
					t.Errorf("%s by %v: read as %v, %q, error\n%v, want\n%s", path, f, g.format, g.messages, g.err, want)
				}
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
