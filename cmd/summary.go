package cmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kind4/decode"
	"kind4/decode/inspect"
)

// counts is what the summary says.
type counts struct {
	types      [8]uint64 // by decode.Type
	variants   [16]uint64
	severities [decode.Error + 1]uint64 // findings
	codes      map[decode.Code]map[decode.Severity]uint64
	paths      int
	hidden     uint64
	since      int64 // microseconds, of the first event and the last
	until      int64
	stopped    uint64 // where a real proxy stopped
	missed     uint64 // how many messages it never saw
	repeats    map[string]uint64
}

func newCounts() counts {
	return counts{codes: map[decode.Code]map[decode.Severity]uint64{}, repeats: map[string]uint64{}}
}

func (c *counts) message(f *decode.Frame, findings []inspect.Finding) {
	c.types[f.Type]++
	if f.Type == decode.TypeNotification {
		c.variants[f.Variant]++
	}
	c.add(findings)
}

func (c *counts) add(findings []inspect.Finding) {
	for i := range findings {
		code := findings[i].Code
		c.severities[findings[i].Severity]++
		if c.codes[code] == nil {
			c.codes[code] = map[decode.Severity]uint64{}
		}
		c.codes[code][findings[i].Severity]++
	}
}

func (c *counts) path() { c.paths++ }

// close takes in what a source's session knows at its end.
func (c *counts) close(s *inspect.Session) {
	if seq, missed, ok := s.Stopped(); ok {
		if c.stopped == 0 {
			c.stopped = seq
		}
		c.missed += missed
	}
	for _, repeat := range s.Repeats() {
		if repeat.Code == decode.CustomMethod {
			c.repeats[repeat.Name] += repeat.Count
		}
	}
}

func (c *counts) messages() uint64 {
	var n uint64
	for _, k := range c.types {
		n += k
	}
	return n
}

// lines is the summary, a line an element.
func (c *counts) lines() []string {
	lines := []string{c.messageLine()}
	if line := c.findingLine(); line != "" {
		lines = append(lines, line)
	}
	if len(c.repeats) > 0 {
		lines = append(lines, "custom methods: "+repeatWords(c.repeats))
	}
	if c.stopped > 0 {
		lines = append(lines, stoppedLine(c.stopped, c.missed))
	}
	return lines
}

// stoppedLine says where a real proxy stopped and how many messages it missed.
func stoppedLine(stopped, missed uint64) string {
	line := fmt.Sprintf("a real proxy stopped at #%d", stopped)
	switch missed {
	case 0:
		return line + ", behind which nothing came"
	case 1:
		return line + " and missed the message after it"
	}
	return fmt.Sprintf("%s and missed the %d messages after it", line, missed)
}

func (c *counts) messageLine() string {
	line := plural(c.messages(), "message")
	if c.paths > 0 {
		line += " on " + plural(c.paths, "path")
	}
	if c.until > c.since && c.since > 0 {
		line += fmt.Sprintf(" in %.2f s", float64(c.until-c.since)/1e6)
	}
	var parts []string
	if n := c.types[decode.TypeNotification]; n > 0 {
		parts = append(parts, plural(n, "notification")+" ("+c.variantWords()+")")
	}
	if n := c.types[decode.TypeError]; n > 0 {
		parts = append(parts, plural(n, "error"))
	}
	if n := c.types[decode.TypeText]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d text", n))
	}
	failed := c.types[decode.TypeUnknown] + c.types[decode.TypeEmpty] + c.types[decode.TypeUndecodable] + c.types[decode.TypeOversize]
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d not decoded", failed))
	}
	if c.hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d hidden by the filters", c.hidden))
	}
	if len(parts) == 0 {
		return line
	}
	return line + ": " + strings.Join(parts, ", ")
}

// variantWords names the variants that came, most often first.
func (c *counts) variantWords() string {
	var came []decode.Variant
	for v := decode.Cancelled; v <= decode.Custom; v++ {
		if c.variants[v] > 0 {
			came = append(came, v)
		}
	}
	slices.SortStableFunc(came, func(a, b decode.Variant) int { return cmp.Compare(c.variants[b], c.variants[a]) })
	words := make([]string, len(came))
	for i, v := range came {
		words[i] = fmt.Sprintf("%d %s", c.variants[v], v)
	}
	return strings.Join(words, ", ")
}

// findingLine counts the findings by severity and code, "" where there are none.
func (c *counts) findingLine() string {
	var parts []string
	for severity := decode.Error; severity >= decode.Info; severity-- {
		var total uint64
		var words []string
		for _, code := range decode.Codes() {
			if n := c.codes[code][severity]; n > 0 {
				total += n
				words = append(words, fmt.Sprintf("%s %d", code, n))
			}
		}
		if total > 0 {
			noun := severity.String()
			if severity == decode.Info {
				parts = append(parts, fmt.Sprintf("%d info (%s)", total, strings.Join(words, ", ")))
				continue
			}
			parts = append(parts, plural(total, noun)+" ("+strings.Join(words, ", ")+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "findings: " + strings.Join(parts, ", ")
}

// maxNamed is how many custom methods the summary names.
const maxNamed = 8

func repeatWords(repeats map[string]uint64) string {
	names := slices.SortedFunc(maps.Keys(repeats), func(a, b string) int {
		return cmp.Or(cmp.Compare(repeats[b], repeats[a]), strings.Compare(a, b))
	})
	var words []string
	for i, name := range names {
		if i == maxNamed {
			words = append(words, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		words = append(words, fmt.Sprintf("%s %d", cut(name, 80), repeats[name]))
	}
	return strings.Join(words, ", ")
}

// summarize prints the summary where it is asked for, or standard error is a terminal.
func (v *view) summarize(terminal bool) {
	if v.opts.noSummary || v.opts.quiet || !v.opts.summary && !terminal {
		return
	}
	v.counts.close(v.session)
	v.counts.repeats = v.redact.custom(v.counts.repeats)
	for _, line := range v.counts.lines() {
		v.status.say("%s", line)
	}
	if v.redact != nil {
		v.status.say("%s", v.redact.line())
	}
}
