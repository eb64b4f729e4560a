package cmd

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"kind4/decode"
	"kind4/render"
)

// sessionLine makes the last line of a session that waits for messages.
type sessionLine struct {
	view     *view
	received func() int64
	samples  []sample // of the last rateOver, oldest first
}

// sample is how many messages had come at a time.
type sample struct {
	at       time.Time
	received int64
}

// rateOver is what the rate is measured over.
const rateOver = 3 * time.Second

// newSessionLine returns the line of a session, nil where there is to be none: newLastLine's reasons, and a pipe on
// standard output, whose reader may write to the same terminal, unless a flag asks for it.
func newSessionLine(env *environment, o *showOptions) *lastLine {
	if f := fileOf(env.out); f != nil && o.status != statusAlways {
		if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
			return nil
		}
	}
	return newLastLine(env, o)
}

// text is what there is room for. What comes first is kept longest.
func (l *sessionLine) text(now time.Time, width int) string {
	received := l.received()
	rate := l.rate(now, received)
	v := l.view
	v.mu.Lock()
	errors, warnings, open, last := v.counts.severities[decode.Error], v.counts.severities[decode.Warning], len(v.paths), v.last
	v.mu.Unlock()

	ago := "no message yet"
	if last != 0 {
		ago = "last " + timeWords(now.Sub(time.UnixMicro(last)).Truncate(time.Second)) + " ago"
	}
	parts := []linePart{
		{linePrefix + plural(received, "message"), 0},
		{fmt.Sprintf("%.0f/s", rate), 4},
		{findingWords(errors, warnings), 2},
		{plural(open, "open path"), 3},
		{ago, 1},
	}
	return joinFitting(parts, width)
}

// rate is how many messages a second came of late.
func (l *sessionLine) rate(now time.Time, received int64) float64 {
	l.samples = slices.DeleteFunc(l.samples, func(s sample) bool { return now.Sub(s.at) > rateOver })
	l.samples = append(l.samples, sample{now, received})
	first := l.samples[0]
	if elapsed := now.Sub(first.at); elapsed > 0 {
		return float64(received-first.received) / elapsed.Seconds()
	}
	return 0
}

// findingWords counts what is wrong.
func findingWords(errors, warnings uint64) string {
	var words []string
	if errors > 0 {
		words = append(words, plural(errors, "error"))
	}
	if warnings > 0 {
		words = append(words, plural(warnings, "warning"))
	}
	if len(words) == 0 {
		return "no findings"
	}
	return strings.Join(words, ", ")
}

// linePart is one part of a line; the one with the highest rank goes first where there is no room.
type linePart struct {
	text string
	rank int
}

// joinFitting puts the parts beside each other, without those that do not fit. The one with rank 0 always stays.
func joinFitting(parts []linePart, width int) string {
	for rank := len(parts); ; rank-- {
		var texts []string
		for _, part := range parts {
			if part.rank < rank || part.rank == 0 {
				texts = append(texts, part.text)
			}
		}
		if line := strings.Join(texts, "  "); rank <= 1 || render.Width(line) <= width {
			return line
		}
	}
}
