package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"kind4/decode"
)

// readmeBlocks returns the README's code blocks in that language.
func readmeBlocks(t *testing.T, language string) []string {
	t.Helper()
	var blocks []string
	fence := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$")
	for _, match := range fence.FindAllStringSubmatch(readPage(t, "README.md"), -1) {
		blocks = append(blocks, match[1])
	}
	return blocks
}

// The README's blocks in console are real: "$ command" lines run, one after another in one directory, and print what
// stands below them, standard error included. A line of "…" stands for any lines, and times and ports may differ.
func TestReadmeSessionsAreReal(t *testing.T) {
	bash := needsTool(t, "bash")
	for _, tool := range []string{"jq", "xxd"} {
		needsTool(t, tool)
	}
	blocks := readmeBlocks(t, "console")
	if len(blocks) == 0 {
		t.Fatal("the README shows no session")
	}
	dir := t.TempDir()
	for _, block := range blocks {
		for command, want := range sessionCommands(block) {
			run := exec.Command(bash, "-c", asOnTerminal(command))
			run.Dir = dir
			run.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C.UTF-8", "CI=")
			out, err := run.CombinedOutput()
			if _, exited := err.(*exec.ExitError); err != nil && !exited {
				t.Fatal(err)
			}
			if got := string(out); !sameSession(got, want) {
				t.Errorf("README: $ %s\nprints\n%s\nand the README says\n%s", command, got, want)
			}
		}
	}
}

// needsTool finds a program; a machine without it skips the test, except in CI.
func needsTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

// sessionCommands yields the commands of a console block, each with what it prints. A command goes on over lines that
// begin with "> ".
func sessionCommands(block string) func(yield func(command, output string) bool) {
	return func(yield func(command, output string) bool) {
		for part := range strings.SplitSeq("\n"+block, "\n$ ") {
			command, output, _ := strings.Cut(part, "\n")
			for strings.HasPrefix(output, "> ") {
				var more string
				more, output, _ = strings.Cut(output[2:], "\n")
				command += "\n" + more
			}
			if command != "" && !yield(command, strings.TrimSuffix(output, "\n")) {
				return
			}
		}
	}
}

// asOnTerminal makes a command print here what it prints to a terminal: the summary, too. The program need not be
// built again.
func asOnTerminal(command string) string {
	if rest, ok := strings.CutPrefix(command, "go run . "); ok {
		return "kind4 " + rest + " --summary"
	}
	return command
}

var changing = []struct {
	pattern *regexp.Regexp
	same    string
}{
	{regexp.MustCompile(`\d\d:\d\d:\d\d\.\d+`), "TIME"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), "TIME"},
	{regexp.MustCompile(`\+\d+\.\d+s`), "+DELTA"},
	{regexp.MustCompile(`"delta":[0-9.e-]+`), `"delta":0`},
	{regexp.MustCompile(`in \d+\.\d+ s\b`), "in 0 s"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
}

// sameSession reports whether got is want, but for times and ports and for what "…" lines leave out.
func sameSession(got, want string) bool {
	for _, c := range changing {
		got, want = c.pattern.ReplaceAllString(got, c.same), c.pattern.ReplaceAllString(want, c.same)
	}
	pattern := regexp.QuoteMeta(strings.TrimRight(want, "\n") + "\n")
	pattern = regexp.MustCompile(`(?m)^…\n`).ReplaceAllString(pattern, `(?:.*\n)*?`)
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(strings.TrimRight(got, "\n") + "\n")
}

func TestSameSession(t *testing.T) {
	for _, test := range []struct {
		got, want string
		same      bool
	}{
		{"a\n", "a", true},
		{"a\n", "b", false},
		{"a\nb\nc\n", "a\n…\nc", true},
		{"a\nb\nc\n", "a\n…\nd", false},
		{"a\nc\n", "a\n…\nc", true},
		{"#1  12:03:04.118204  +0.011s", "#1  01:02:03.000000  +0.001s", true},
		{"#1  12:03:04.118204", "#2  12:03:04.118204", false},
		{"ws://127.0.0.1:4711\n", "ws://127.0.0.1:14979\n", true},
	} {
		if same := sameSession(test.got, test.want); same != test.same {
			t.Errorf("sameSession(%q, %q) = %v", test.got, test.want, same)
		}
	}
}

var (
	kind4Call = regexp.MustCompile(`(?m)(?:^|[|(]|\s)(?:kind4|go run \.) ((?:tail|tap|decode|encode|ask|provide|explain|completion)\b[^|\n>)]*)`)
	smokeCall = regexp.MustCompile(`(?m)scripts/smoke (.*?) -- `)
)

// kind4Calls returns the command lines of kind4 in a shell text, without the program's name.
func kind4Calls(text string) []string {
	text = strings.ReplaceAll(text, "\\\n", " ")
	var calls []string
	for _, call := range kind4Call.FindAllStringSubmatch(text, -1) {
		calls = append(calls, call[1])
	}
	for _, call := range smokeCall.FindAllStringSubmatch(text, -1) {
		calls = append(calls, "tail "+call[1])
	}
	return calls
}

// checkCalls reports the commands whose flags there are not, and fails when fewer than atLeast are found.
func checkCalls(t *testing.T, where string, calls []string, atLeast int) {
	t.Helper()
	for _, call := range calls {
		if _, err := parseArgs(documentedApp(), strings.Fields(call)); err != nil {
			t.Errorf("%s: kind4 %s: %v", where, call, err)
		}
	}
	if len(calls) < atLeast {
		t.Errorf("%s: only %d commands found", where, len(calls))
	}
}

// Every kind4 command that the README shows, run or not, uses flags that there are.
func TestReadmeCommandsParse(t *testing.T) {
	var calls []string
	for _, language := range []string{"console", "sh", "yaml"} {
		for _, block := range readmeBlocks(t, language) {
			calls = append(calls, kind4Calls(block)...)
		}
	}
	checkCalls(t, "README", calls, 15)
}

func TestManPageExamplesParse(t *testing.T) {
	pages := []string{"man/kind4.1"}
	for _, command := range documentedApp().Commands {
		pages = append(pages, commandPage(command.Name))
	}
	for _, name := range pages {
		examples := strings.ReplaceAll(section(readPage(t, name), "EXAMPLES"), "\\(dq", `"`)
		checkCalls(t, name, kind4Calls(examples), 2)
	}
}

func TestReadmeNamesWhatThereIs(t *testing.T) {
	readme := readPage(t, "README.md")
	app := documentedApp()
	flags, variables := map[string]bool{}, map[string]bool{"KIND4_URL": true}
	for _, command := range app.Commands {
		if !strings.Contains(readme, "`kind4 "+command.Name) {
			t.Errorf("the README does not name `kind4 %s`", command.Name)
		}
		for _, f := range append(slices.Clone(command.Flags), app.Flags...) {
			for _, name := range f.Names() {
				flags[name] = true
			}
			for _, variable := range f.(cli.DocGenerationFlag).GetEnvVars() {
				variables[variable] = true
			}
		}
	}
	for _, match := range regexp.MustCompile("`(?:kind4 [a-z]+ )?--?([a-z-]+)").FindAllStringSubmatch(readme, -1) {
		if !flags[match[1]] {
			t.Errorf("the README names a flag %q that there is not", match[1])
		}
	}
	for _, variable := range regexp.MustCompile(`KIND4_[A-Z_]+`).FindAllString(readme, -1) {
		if !variables[variable] {
			t.Errorf("the README names %s, which nothing reads", variable)
		}
	}
	for variable := range variables {
		if !strings.Contains(readme, variable) {
			t.Errorf("the README does not name %s", variable)
		}
	}
	for _, term := range exitTerms {
		if !strings.Contains(readme, "| "+term.name+" |") {
			t.Errorf("the README's table lacks the exit code %s", term.name)
		}
	}
	for _, form := range outputForms(t) {
		if !strings.Contains(readme, "`"+form+"`") {
			t.Errorf("the README does not name the form %s", form)
		}
	}
}

// A word with hyphens in code type is a finding code, a file, a flag or a format; a misspelt code is none of these.
func TestReadmeFindingCodesExist(t *testing.T) {
	for _, match := range regexp.MustCompile("`([a-z0-9]+(?:-[a-z0-9]+)+)`").FindAllStringSubmatch(readPage(t, "README.md"), -1) {
		if _, ok := decode.ParseCode(match[1]); !ok && !slices.Contains(inputFormats(), match[1]) {
			t.Errorf("the README names `%s`, which is neither a finding nor a format", match[1])
		}
	}
}

// CI runs what the README tells people to run.
func TestCIRunsTheReadmesTestCommand(t *testing.T) {
	_, after, found := strings.Cut(readPage(t, "README.md"), "<!-- test command -->\n")
	match := regexp.MustCompile("\\A```sh\n(.*)\n```\n").FindStringSubmatch(after)
	if !found || match == nil {
		t.Fatal("the README has no block of one line under <!-- test command -->")
	}
	script := readPage(t, ".ci/run")
	lines := strings.Split(strings.TrimSpace(script), "\n")
	if last, want := lines[len(lines)-1], "exec "+match[1]; last != want {
		t.Errorf(".ci/run ends with %q, the README says %q", last, match[1])
	}
	if _, err := os.Stat(filepath.Join("..", match[1])); err != nil {
		t.Error(err)
	}
}

func TestChangelogKnowsThisVersion(t *testing.T) {
	if !strings.Contains(readPage(t, "CHANGELOG.md"), version) {
		t.Errorf("CHANGELOG.md does not name %s", version)
	}
}
