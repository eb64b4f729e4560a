package cmd

import (
	"strconv"
	"strings"
	"sync"

	"kind4/decode"
	"kind4/decode/inspect"
)

// The names of the topics that code tells apart.
const (
	topicFinding = "finding"
	topicExit    = "exit code"
	topicTag     = "tag"
	topicKind    = "kind"
	topicMethod  = "method"
	topicError   = "error code"
	topicClose   = "close code"
)

// topics returns the whole table, in the order in which it is listed: the one source of `kind4 explain`, of
// completion, and, held to it by tests, of the man pages.
var topics = sync.OnceValue(func() []topic {
	return []topic{
		newTopic(topicFinding, "Findings", findingExplanations()),
		newTopic(topicExit, "Exit codes", explanations(exitTerms)),
		newTopic(topicTag, "Tags: the first byte of a message", explanations(tagTerms)),
		newTopic("type", "Types and variants of a message", explanations(typeTerms)),
		newTopic("ending", "Endings of a path", explanations(endingTerms)),
		newTopic(topicMethod, "Methods", methodExplanations()),
		newTopic("log level", "Log levels", levelExplanations()),
		newTopic(topicError, "JSON-RPC error codes", explanations(errorTerms)),
		newTopic(topicKind, "Kinds of ask", kindExplanations()),
		newTopic(topicFault, "Faults, which kind4 provide commits on purpose", faultExplanations()),
		newTopic("severity", "Severities", explanations(severityTerms)),
		newTopic("layer", "Layers, in the order in which a message meets them", explanations(layerTerms)),
		newTopic("refusal", "Refusals of an upgrade (HTTP)", explanations(statusTerms)),
		newTopic(topicClose, "Close codes (WebSocket)", explanations(closeTerms)),
	}
})

func newTopic(name, title string, words []explanation) topic {
	for i := range words {
		words[i].topic = name
	}
	return topic{name, title, words}
}

func explanations(terms []headword) []explanation {
	all := make([]explanation, len(terms))
	for i, t := range terms {
		all[i] = explanation{name: t.name, also: strings.Fields(t.also), meaning: t.meaning}
	}
	return all
}

func findingExplanations() []explanation {
	var all []explanation
	for _, code := range decode.Codes() {
		all = append(all, explanation{name: code.String(), code: code, meaning: findingTexts[code]})
	}
	return all
}

func kindExplanations() []explanation {
	all := make([]explanation, len(kindTerms))
	for kind, m := range kindTerms {
		m.short = decode.AskKind(kind).String()
		all[kind] = explanation{name: strconv.Itoa(kind), meaning: m}
	}
	return all
}

func methodExplanations() []explanation {
	all := explanations(methodTerms)
	for _, name := range inspect.RequestMethods() {
		all = append(all, explanation{name: name, meaning: requestText})
	}
	return all
}

func levelExplanations() []explanation {
	all := make([]explanation, len(levelNames))
	for i, name := range levelNames {
		all[i] = explanation{name: name, meaning: levelText}
	}
	return all
}
