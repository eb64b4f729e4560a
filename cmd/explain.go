package cmd

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"kind4/decode"
	"kind4/render"
)

// topic is one of the lists that explain knows.
type topic struct {
	name  string // of one of its words, in the singular
	title string // of the list
	words []explanation
}

// explanation is one meaning of one word.
type explanation struct {
	topic   string
	name    string
	also    []string    // other words that lead here
	code    decode.Code // of a finding
	meaning meaning
}

// explain writes every meaning that the words have, or the lists when there are none. Several words are taken as
// one first ("vault set", "kind 4"), then one by one. The error is a *usageError when nothing is known of a word;
// then nothing was written.
func explain(w io.Writer, words []string, theme *render.Theme) error {
	var b strings.Builder
	if len(words) == 0 {
		writeTopics(&b, theme)
		_, err := io.WriteString(w, b.String())
		return err
	}
	found := explainWord(strings.Join(words, " "))
	if len(found) == 0 {
		for _, word := range words {
			meanings := explainWord(word)
			if len(meanings) == 0 {
				return unknownWord(word)
			}
			found = append(found, meanings...)
		}
	}
	for i := range found {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeExplanation(&b, &found[i], theme)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// explainWord returns every meaning of a word, none when nothing is known of it. A topic's name in front keeps to
// that topic: "exit code 6", "kind 6".
func explainWord(word string) []explanation {
	word = strings.Join(strings.Fields(word), " ")
	var found []explanation
	for _, t := range topics() {
		wanted, inTopic := cutPrefixFold(word, t.name+" ")
		if !inTopic {
			wanted = word
		}
		matches := t.find(wanted)
		if inTopic && len(matches) > 0 {
			return matches
		}
		found = append(found, matches...)
	}
	return found
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// find returns the topic's meanings of word: those of that name, or else those that the word leads to.
func (t *topic) find(word string) []explanation {
	var also []explanation
	for _, e := range t.words {
		if strings.EqualFold(e.name, word) {
			return []explanation{e}
		}
		leadsHere := func(other string) bool { return strings.EqualFold(other, word) }
		if leadsHere(e.meaning.short) || slices.ContainsFunc(e.also, leadsHere) {
			also = append(also, e)
		}
	}
	if len(also) == 0 {
		also = t.findNumber(word)
	}
	return also
}

// findNumber returns what a number that has no word of its own means in the topic.
func (t *topic) findNumber(word string) []explanation {
	n, err := strconv.ParseInt(word, 10, 64)
	if hex, ok := strings.CutPrefix(strings.ToLower(word), "0x"); ok {
		n, err = strconv.ParseInt(hex, 16, 64)
	}
	if err != nil || word[0] == '+' || word == "-0" {
		return nil
	}
	e := explanation{topic: t.name, name: strconv.FormatInt(n, 10)}
	byteSized := n >= 0 && n <= 255
	switch {
	case t.name == topicTag && byteSized:
		e.name = fmt.Sprintf("%d (0x%02x)", n, n)
		e.meaning = unknownTag
	case t.name == topicKind && byteSized:
		e.meaning = unknownKind
	case t.name == topicError && n >= -32099 && n <= -32000:
		e.meaning = serverError
	case t.name == topicError && n >= -32768 && n <= -32100:
		e.meaning = reservedError
	case t.name == topicError && n < 0 && n >= math.MinInt32:
		e.meaning = applicationError
	case t.name == topicClose && n >= 3000 && n <= 4999:
		e.meaning = applicationClose
	default:
		return nil
	}
	return []explanation{e}
}

// unknownWord is the usage error for a word that nothing is known of.
func unknownWord(word string) error {
	var names []string
	for _, t := range topics() {
		for _, e := range t.words {
			names = append(append(names, e.name), e.also...)
		}
	}
	hint := ""
	if _, err := strconv.ParseInt(word, 0, 64); err != nil { // the nearest number is another matter
		hint = didYouMean(strings.ToLower(word), names)
	}
	if hint == "" {
		hint = "kind4 explain lists the words"
	}
	return &usageError{"nothing known about " + quote(word), hint}
}

// listColumn is where the list's second column begins: two past the longest finding code.
const listColumn = 29

func writeTopics(b *strings.Builder, theme *render.Theme) {
	for i, t := range topics() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(theme.Method.Sprint(t.title) + "\n")
		for _, e := range t.words {
			writeListed(b, &e, theme)
		}
	}
	b.WriteString("\nkind4 explain WORD says more about any of these.\n")
}

func writeListed(b *strings.Builder, e *explanation, theme *render.Theme) {
	if e.code == 0 {
		entry(b, "  "+e.name, listColumn, e.meaning.short)
		return
	}
	severity := e.code.Severity()
	fmt.Fprintf(b, "  %-*s%s%*s%s\n", listColumn-2, e.name, theme.Severity(severity).Sprint(severity.String()),
		9-len(severity.String()), "", e.meaning.short)
}

func writeExplanation(b *strings.Builder, e *explanation, theme *render.Theme) {
	b.WriteString(theme.Method.Sprint(e.name) + "  " + e.topic)
	if e.code != 0 {
		severity := e.code.Severity()
		b.WriteString(", " + e.code.Layer().String() + ", " + theme.Severity(severity).Sprint(severity.String()))
	} else if e.meaning.short != "" && !strings.HasPrefix(e.meaning.means, e.meaning.short) {
		b.WriteString(": " + e.meaning.short)
	}
	b.WriteByte('\n')
	const column = 16
	for _, part := range []struct{ label, text string }{
		{"  means", e.meaning.means}, {"  why it matters", e.meaning.matters}, {"  what to do", e.meaning.act},
	} {
		if part.text != "" {
			entry(b, part.label, column+2, part.text)
		}
	}
}
