package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// series is what one program reached in each round.
type series struct {
	name   string
	unit   string
	values []float64
}

// goal is what a line is held to; without a limit it is held to nothing.
type goal struct {
	least bool // the limit is the least that is wanted, not the most
	limit float64
	unit  string // of what is compared; "" for ratios
}

func atLeast(limit float64) goal             { return goal{least: true, limit: limit} }
func atMost(limit float64, unit string) goal { return goal{limit: limit, unit: unit} }

func (g goal) reached(value float64) bool {
	if g.least {
		return value >= g.limit
	}
	return value <= g.limit
}

func (g goal) String() string {
	sign := "≤"
	if g.least {
		sign = "≥"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", sign, digits(g.limit), g.unit))
}

// line is one line of the table: kind4, what stands beside it, and what of the two is held to the goal.
type line struct {
	work     string
	ours     series
	peer     series
	compared []float64 // a round each; none where the peer is missing
	goal     goal
	notes    []string
}

// ratios divides round by round.
func ratios(a, b []float64) []float64 {
	var out []float64
	for i := range min(len(a), len(b)) {
		out = append(out, a[i]/b[i])
	}
	return out
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// digits writes a number with three digits that count, or all before the point.
func digits(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	text := fmt.Sprintf("%.2f", v)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// summary is "median (least–most) unit", a dash where something with a unit was not measured.
func summary(values []float64, unit string) string {
	switch {
	case len(values) == 0 && unit == "":
		return ""
	case len(values) == 0:
		return "–"
	}
	text := digits(median(values))
	if len(values) > 1 {
		text += fmt.Sprintf(" (%s–%s)", digits(slices.Min(values)), digits(slices.Max(values)))
	}
	return strings.TrimSpace(text + " " + unit)
}

func (s series) String() string {
	return strings.TrimSpace(s.name + " " + summary(s.values, s.unit))
}

// table prints its lines as they are measured, in columns of fixed width.
type table struct {
	w     io.Writer
	held  bool // figures are held to their goals
	short int  // lines that do not reach them
}

const columns = "%-24s %-32s %-42s %-24s %-9s %s\n"

func newTable(w io.Writer, held bool) *table {
	fmt.Fprintf(w, columns, "work", "kind4", "beside", "ratio", "goal", "")
	return &table{w: w, held: held}
}

func (t *table) add(lines []line) {
	for _, l := range lines {
		verdict := t.verdict(l)
		ratio := summary(l.compared, l.goal.unit)
		if l.goal.unit != "" {
			ratio = "" // what is compared is the figure itself
		}
		text := fmt.Sprintf(columns, l.work, summary(l.ours.values, l.ours.unit), l.peer, ratio, l.goal, verdict)
		fmt.Fprintln(t.w, strings.TrimRight(text, " \n"))
		for _, note := range l.notes {
			fmt.Fprintf(t.w, "  %s\n", note)
		}
	}
}

// verdict says whether the median reaches the goal, and counts the lines of which it does not.
func (t *table) verdict(l line) string {
	switch {
	case !t.held:
		return ""
	case len(l.compared) == 0:
		t.short++
		return "not measured"
	case l.goal.reached(median(l.compared)):
		return "reached"
	}
	t.short++
	return "missed"
}
