package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/render"
)

// meaningsOf returns "topic name" of every meaning of word.
func meaningsOf(word string) []string {
	var names []string
	for _, e := range explainWord(word) {
		names = append(names, e.topic+" "+e.name)
	}
	return names
}

func TestExplainWordFindsEveryMeaning(t *testing.T) {
	for _, test := range []struct {
		word string
		want []string
	}{
		{"params-misfit", []string{"finding params-misfit"}},
		{"PARAMS-MISFIT", []string{"finding params-misfit"}},
		{"6", []string{"exit code 6", "tag 6 (0x06)", "kind 6"}},
		{"0", []string{"exit code 0", "tag 0", "kind 0"}},
		{"1", []string{"exit code 1", "tag 1", "kind 1"}},
		{"4", []string{"exit code 4", "tag 4 (0x04)", "kind 4"}},
		{"18", []string{"tag 18 (0x12)", "kind 18"}},
		{"19", []string{"tag 19 (0x13)", "kind 19"}},
		{"124", []string{"exit code 124", "tag 124 (0x7c)", "kind 124"}},
		{"0x7b", []string{"tag 123 (0x7b)", "kind 123"}},
		{"130", []string{"exit code 130", "tag 130 (0x82)", "kind 130"}},
		{"256", nil},
		{"-32603", []string{"error code -32603"}},
		{"internal error", []string{"error code -32603", "close code 1011"}},
		{"-32000", []string{"error code -32000"}},
		{"-32099", []string{"error code -32099"}},
		{"-32100", []string{"error code -32100"}},
		{"-32768", []string{"error code -32768"}},
		{"-32769", []string{"error code -32769"}},
		{"notifications/progress", []string{"method notifications/progress"}},
		{"progress", []string{"method notifications/progress"}},
		{"list_changed", []string{"method notifications/resources/list_changed", "method notifications/tools/list_changed",
			"method notifications/prompts/list_changed", "method notifications/roots/list_changed"}},
		{"ping", []string{"method ping"}},
		{"error", []string{"type error", "log level error", "severity error"}},
		{"custom", []string{"type custom"}},
		{"not served", []string{"ending not served"}},
		{"died", []string{"ending died"}},
		{"vault set", []string{"kind 6"}},
		{"kind 6", []string{"kind 6"}},
		{"exit code 6", []string{"exit code 6"}},
		{"tag 123", []string{"tag 123 (0x7b)"}},
		{"409", []string{"refusal 409"}},
		{"1006", []string{"close code 1006"}},
		{"4000", []string{"close code 4000"}},
		{"5000", nil},
		{"-2147483649", nil},
		{"", nil},
		{"no such thing", nil},
	} {
		if got := meaningsOf(test.word); !slices.Equal(got, test.want) {
			t.Errorf("explainWord(%q): %q, want %q", test.word, got, test.want)
		}
	}
}

func TestExplainUnknownWord(t *testing.T) {
	for _, test := range []struct{ word, want string }{
		{"parms-misfit", `nothing known about "parms-misfit"; did you mean params-misfit?`},
		{"notifications/progres", `nothing known about "notifications/progres"; did you mean notifications/progress?`},
		{"\x1b[31m", `nothing known about "\u001b[31m"; kind4 explain lists the words`},
		{"500", `nothing known about "500"; kind4 explain lists the words`},
		{"xyzzyxyzzy", `nothing known about "xyzzyxyzzy"; kind4 explain lists the words`},
	} {
		var out bytes.Buffer
		err := explain(&out, []string{"progress", test.word}, render.NewTheme(false))
		var usage *usageError
		if !errors.As(err, &usage) || err.Error() != test.want {
			t.Errorf("explain %q: %v, want a usage error: %s", test.word, err, test.want)
		}
		if out.Len() > 0 {
			t.Errorf("explain %q wrote %q before it failed", test.word, out.String())
		}
	}
}

func TestExplainPrintsWhatWhyAndWhatToDo(t *testing.T) {
	var out bytes.Buffer
	if err := explain(&out, []string{"custom-method"}, render.NewTheme(false)); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"custom-method finding, envelope, info", "why it matters", "what to do",
		"authorisation must look at the method"} {
		if !strings.Contains(text, want) {
			t.Errorf("explain custom-method lacks %q:\n%s", want, out.String())
		}
	}
}

func TestExplainColoursOnlyWhenAsked(t *testing.T) {
	for _, on := range []bool{false, true} {
		for _, words := range [][]string{nil, {"error"}, {"params-misfit"}} {
			var out bytes.Buffer
			if err := explain(&out, words, render.NewTheme(on)); err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(out.Bytes(), []byte("\x1b[")); got != on {
				t.Errorf("explain %v with colour %v: escape sequences %v", words, on, got)
			}
		}
	}
}

func TestExplainFitsATerminal(t *testing.T) {
	var out bytes.Buffer
	if err := explain(&out, nil, render.NewTheme(false)); err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics() {
		for _, e := range topic.words {
			writeTo(t, &out, e.topic+" "+e.name)
		}
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		if utf8.RuneCountInString(line) > helpWidth {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}

func writeTo(t *testing.T, out *bytes.Buffer, word string) {
	t.Helper()
	if err := explain(out, []string{word}, render.NewTheme(false)); err != nil {
		t.Error(err)
	}
}

func TestExplainListsEveryWord(t *testing.T) {
	var out bytes.Buffer
	if err := explain(&out, nil, render.NewTheme(false)); err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics() {
		if !strings.Contains(out.String(), topic.title+"\n") {
			t.Errorf("the lists lack %q", topic.title)
		}
		for _, e := range topic.words {
			if !strings.Contains(out.String(), "\n  "+e.name+" ") && !strings.Contains(out.String(), "\n  "+e.name+"\n") {
				t.Errorf("the lists lack %s %q", topic.name, e.name)
			}
		}
	}
}

func TestEveryMeaningIsWhole(t *testing.T) {
	reference := regexp.MustCompile("`kind4 explain ([^`]+)`")
	for _, topic := range topics() {
		for _, e := range topic.words {
			m := e.meaning
			if m.short == "" || m.means == "" {
				t.Errorf("%s %s: nothing is said", topic.name, e.name)
			}
			if e.code != 0 && (m.matters == "" || m.act == "") {
				t.Errorf("finding %s: why it matters, or what to do, is missing", e.name)
			}
			for _, sentence := range []string{m.means, m.matters, m.act} {
				if sentence != "" && !strings.ContainsAny(sentence[len(sentence)-1:], ".?)") {
					t.Errorf("%s %s: no full stop: %q", topic.name, e.name, sentence)
				}
				for _, found := range reference.FindAllStringSubmatch(sentence, -1) {
					if len(explainWord(found[1])) == 0 {
						t.Errorf("%s %s refers to %q, of which nothing is known", topic.name, e.name, found[1])
					}
				}
			}
		}
	}
}

func TestFindingTextsAreTheCatalogue(t *testing.T) {
	if got, want := len(findingTexts), len(decode.Codes()); got != want {
		t.Errorf("%d codes are explained, there are %d", got, want)
	}
	for _, code := range decode.Codes() {
		if got := meaningsOf(code.String()); len(got) == 0 || got[0] != "finding "+code.String() {
			t.Errorf("explainWord(%q): %q", code, got)
		}
	}
}

func TestExitTermsAreTheExitCodes(t *testing.T) {
	want := []int{exitOK, exitOperation, exitUsage, exitConnect, exitTooLittle, exitFailed, exitFindings, exitDied,
		exitTime, exitInterrupt, exitTerminate}
	var got []int
	for _, w := range exitTerms {
		code, err := strconv.Atoi(w.name)
		if err != nil {
			t.Error(err)
		}
		got = append(got, code)
	}
	if !slices.Equal(got, want) {
		t.Errorf("exit codes explained: %v, want %v", got, want)
	}
}

func TestErrorTermsAreDecodes(t *testing.T) {
	explained := map[int32]string{}
	for _, w := range errorTerms {
		code, err := strconv.ParseInt(w.name, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		explained[int32(code)] = w.short
	}
	for code := int32(-32800); code <= 0; code++ {
		want := decode.ErrorName(code)
		got := explained[code]
		if found := explainWord(strconv.Itoa(int(code))); got == "" && len(found) > 0 && code >= -32099 && code <= -32000 {
			got = found[0].meaning.short
		}
		if got != want {
			t.Errorf("explain %d: %q, package decode says %q", code, got, want)
		}
	}
}

func TestKindTermsAreTheKinds(t *testing.T) {
	for kind := range 256 {
		if explained := kind < len(kindTerms); explained != decode.AskKind(kind).Known() {
			t.Errorf("kind %d: explained %v", kind, explained)
		}
	}
}

func TestMethodTermsAreDecodes(t *testing.T) {
	for i, known := range decode.KnownMethods() {
		w := methodTerms[i]
		if w.name != known.Name {
			t.Errorf("method %d: %s, package decode says %s", i, w.name, known.Name)
		}
		if got := meaningsOf(known.Variant.String()); !slices.Contains(got, "method "+known.Name) {
			t.Errorf("explainWord(%q): %q", known.Variant, got)
		}
		for _, member := range known.Members {
			if member.Name != "_meta" && !regexp.MustCompile(`\b`+member.Name+`\b`).MatchString(w.means) {
				t.Errorf("%s: the member %s is not explained", w.name, member.Name)
			}
		}
	}
}

// What the table says of a method that does not belong here is what inspect finds.
func TestMethodTermsAreInspects(t *testing.T) {
	want := map[string]decode.Code{
		"notifications/initialized":          decode.WrongDirection,
		"notifications/roots/list_changed":   decode.WrongDirection,
		"notifications/elicitation/complete": decode.OldMethod,
		"notifications/tasks/status":         decode.OldMethod,
	}
	for _, name := range inspect.RequestMethods() {
		want[name] = decode.RequestMethod
	}
	for name, code := range want {
		if got := meaningsOf(name); !slices.Equal(got, []string{"method " + name}) {
			t.Errorf("explainWord(%q): %q", name, got)
		}
		var f decode.Frame
		if err := f.Decode(fmt.Appendf(nil, "\x00{\"method\":%q}", name)); err != nil {
			t.Error(err)
		}
		if codes := codesOf(inspect.Message(nil, &f)); !slices.Contains(codes, code) {
			t.Errorf("%s: inspect finds %v, want %s", name, codes, code)
		}
	}
}

func codesOf(findings []inspect.Finding) []decode.Code {
	codes := make([]decode.Code, len(findings))
	for i := range findings {
		codes[i] = findings[i].Code
	}
	return codes
}
