package cmd

import (
	"strings"

	"kind4/cmd/live"
)

const topicFault = "fault"

// faultExplanations are those of the one table of faults.
func faultExplanations() []explanation {
	var all []explanation
	for _, f := range live.Faults() {
		where := "It comes behind the first message of FILE, and the stream goes on unless the proxy ends it."
		if f.Ends() {
			where = "It comes behind the last message of FILE and ends the path, in place of --end."
		}
		short, _, _ := strings.Cut(strings.TrimSuffix(f.Does, "."), " (section ")
		all = append(all, explanation{name: f.Name, meaning: meaning{
			short:   short,
			means:   f.Does + " " + where,
			matters: "Where kind4 tail stands in for the proxy it reports " + faultSees(f) + ".",
			act:     "kind4 provide --fault " + f.Name + " URL FILE does it to the proxy at URL.",
		}})
	}
	return all
}

// faultSees is what kind4 tail says about a fault.
func faultSees(f *live.Fault) string {
	if f.Finding != 0 {
		return "the finding " + f.Finding.String()
	}
	return f.Seen
}

func faultNames() []string {
	var names []string
	for _, f := range live.Faults() {
		names = append(names, f.Name)
	}
	return names
}
