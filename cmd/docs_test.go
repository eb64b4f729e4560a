package cmd

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"kind4/decode"
	"kind4/decode/capture"
)

var updateDocs = flag.Bool("update-docs", false, "write what is generated into the man pages")

// documentedApp is the app as the pages have to describe it.
func documentedApp() *cli.App {
	app, _ := newApp(&environment{strings.NewReader(""), io.Discard, io.Discard})
	return app
}

func readPage(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func commandPage(name string) string { return "man/kind4-" + name + ".1" }

// mdocItems returns what stands on each ".It MACRO" line of a page, "Fl o , Fl -output Ar form" for instance.
func mdocItems(page, macro string) []string {
	var items []string
	for line := range strings.SplitSeq(page, "\n") {
		if rest, ok := strings.CutPrefix(line, ".It "+macro+" "); ok {
			items = append(items, macro+" "+rest)
		}
	}
	return items
}

var mdocFlag = regexp.MustCompile(`Fl (-?[A-Za-z0-9-]+)`)

// pageFlags returns the names of the flags that a page describes, without dashes.
func pageFlags(page string) []string {
	var names []string
	for _, item := range mdocItems(page, "Fl") {
		for _, match := range mdocFlag.FindAllStringSubmatch(item, -1) {
			names = append(names, strings.TrimPrefix(match[1], "-"))
		}
	}
	slices.Sort(names)
	return names
}

func TestManPagesDescribeEveryFlag(t *testing.T) {
	app := documentedApp()
	for _, command := range app.Commands {
		var want []string
		for _, f := range append(slices.Clone(command.Flags), app.Flags...) {
			want = append(want, f.Names()...)
		}
		slices.Sort(want)
		name := commandPage(command.Name)
		if got := pageFlags(readPage(t, name)); !slices.Equal(got, want) {
			t.Errorf("%s describes the flags\n%q, there are\n%q", name, got, want)
		}
	}
}

// flagEntry returns what a page says of a flag.
func flagEntry(page, name string) string {
	at := regexp.MustCompile(`(?m)^\.It Fl .*\bFl -` + regexp.QuoteMeta(name) + `\b|^\.It Fl -` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(page)
	if at == nil {
		return ""
	}
	text, _, _ := strings.Cut(page[at[1]:], "\n.It Fl ")
	return text
}

func TestManPagesGiveDefaultsAndWords(t *testing.T) {
	for _, command := range documentedApp().Commands {
		page := readPage(t, commandPage(command.Name))
		for _, f := range command.Flags {
			s, ok := f.(*cli.StringFlag)
			if !ok {
				continue
			}
			text := flagEntry(page, s.Name)
			words := []string{s.DefaultText}
			if _, list, ok := strings.Cut(s.Usage, ": "); ok && s.Name != flagInput && !strings.Contains(list, "`") {
				words = append(words, regexp.MustCompile(`[a-z0-9-]+`).FindAllString(strings.SplitN(list, " (", 2)[0], -1)...)
			}
			for _, word := range words {
				if !strings.Contains(text, word) {
					t.Errorf("%s: the entry of --%s lacks %q", commandPage(command.Name), s.Name, word)
				}
			}
		}
	}
}

func TestManPagesNameTheEnvironment(t *testing.T) {
	all := map[string]bool{"NO_COLOR": true, "LC_ALL": true, "LC_CTYPE": true, "LANG": true, "TERM": true}
	for _, command := range documentedApp().Commands {
		want := map[string]bool{}
		for _, f := range command.Flags {
			for _, variable := range f.(cli.DocGenerationFlag).GetEnvVars() {
				want[variable], all[variable] = true, true
			}
			want["NO_COLOR"] = want["NO_COLOR"] || f.Names()[0] == flagColor
		}
		if !want["NO_COLOR"] {
			delete(want, "NO_COLOR")
		}
		checkEnvironment(t, commandPage(command.Name), want)
	}
	checkEnvironment(t, "man/kind4.1", all)
}

func checkEnvironment(t *testing.T, name string, want map[string]bool) {
	t.Helper()
	got := map[string]bool{}
	for _, item := range mdocItems(readPage(t, name), "Ev") {
		for _, variable := range regexp.MustCompile(`[A-Z][A-Z0-9_]+`).FindAllString(item, -1) {
			got[variable] = true
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s names the variables\n%v, there are\n%v", name, got, want)
	}
}

func TestManPageOfTheWholeToolNamesEveryCommand(t *testing.T) {
	page := readPage(t, "man/kind4.1")
	pages := []string{"man/kind4.1", "man/kind4-capture.5"}
	for _, command := range documentedApp().Commands {
		pages = append(pages, commandPage(command.Name))
		entry := regexp.MustCompile(`(?m)^\.It Cm ` + command.Name + `\n(.*\n)+?\.Xr kind4-` + command.Name + ` 1 \.$`)
		if !entry.MatchString(page) {
			t.Errorf("man/kind4.1 has no entry of %s that refers to its page", command.Name)
		}
	}
	there, err := filepath.Glob("../man/*")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(pages)
	for i, name := range there {
		there[i] = filepath.ToSlash(strings.TrimPrefix(name, "../"))
	}
	if !slices.Equal(there, pages) {
		t.Errorf("pages: %q, want %q", there, pages)
	}
}

// section returns what stands under a heading of a man page.
func section(page, heading string) string {
	_, rest, _ := strings.Cut(page, "\n.Sh "+heading+"\n")
	text, _, _ := strings.Cut(rest, "\n.Sh ")
	return text
}

func TestManPagesNameTheExitCodes(t *testing.T) {
	var all []string
	for _, term := range exitTerms {
		all = append(all, term.name)
	}
	number := regexp.MustCompile(`(?m)^\.It (\d+)$`)
	names := []string{"man/kind4.1"}
	for _, command := range documentedApp().Commands {
		names = append(names, commandPage(command.Name))
	}
	for _, name := range names {
		var got []string
		for _, match := range number.FindAllStringSubmatch(section(readPage(t, name), "EXIT STATUS"), -1) {
			got = append(got, match[1])
			if !slices.Contains(all, match[1]) {
				t.Errorf("%s: there is no exit code %s", name, match[1])
			}
		}
		whole := name == "man/kind4.1" || name == commandPage("tail")
		if whole && !slices.Equal(got, all) {
			t.Errorf("%s has the exit codes %v, there are %v", name, got, all)
		}
		if len(got) == 0 {
			t.Errorf("%s has no exit codes", name)
		}
	}
}

func TestManPagesNameFormsAndFormats(t *testing.T) {
	for _, test := range []struct {
		page, section string
		want          []string
	}{
		{"man/kind4.1", "OUTPUT FORMS", outputForms(t)},
		{commandPage("decode"), "INPUT FORMATS", inputFormats()},
	} {
		var got []string
		for _, item := range mdocItems(section(readPage(t, test.page), test.section), "Cm") {
			got = append(got, strings.TrimPrefix(item, "Cm "))
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s, %s: %q, want %q", test.page, test.section, got, test.want)
		}
	}
}

// outputForms reads the forms from the usage of --output.
func outputForms(t *testing.T) []string {
	t.Helper()
	for _, f := range showFlags() {
		if f.Names()[0] == flagOutput {
			_, list, _ := strings.Cut(f.(cli.DocGenerationFlag).GetUsage(), ": ")
			return strings.Split(list, ", ")
		}
	}
	t.Fatal("there is no --output")
	return nil
}

func inputFormats() []string {
	var names []string
	for _, format := range capture.Formats() {
		names = append(names, format.String())
	}
	return names
}

const (
	findingsBegin = ".\\\" findings: begin\n"
	findingsEnd   = ".\\\" findings: end\n"
)

// findingsMdoc is the list of findings as mdoc, from the table that explain prints.
func findingsMdoc() string {
	var b strings.Builder
	b.WriteString(".Bl -tag -width Ds\n")
	for _, code := range decode.Codes() {
		short := findingTexts[code].short
		if strings.HasPrefix(short, ".") || strings.HasPrefix(short, "'") {
			short = `\&` + short
		}
		fmt.Fprintf(&b, ".It Cm %s Pq %s, %s\n%s\n", code, code.Layer(), code.Severity(), strings.ReplaceAll(short, `\u`, `\eu`))
	}
	b.WriteString(".El\n")
	return b.String()
}

func TestManPageOfExplainListsTheFindings(t *testing.T) {
	name := commandPage("explain")
	page := readPage(t, name)
	before, rest, begun := strings.Cut(page, findingsBegin)
	got, after, ended := strings.Cut(rest, findingsEnd)
	if !begun || !ended {
		t.Fatalf("%s has no lines %q and %q", name, findingsBegin, findingsEnd)
	}
	want := findingsMdoc()
	if got == want {
		return
	}
	if *updateDocs {
		if err := os.WriteFile(filepath.Join("..", name), []byte(before+findingsBegin+want+findingsEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not list the findings as explain does; go test ./cmd -run ManPage -update-docs mends it", name)
}
