package cmd

import (
	"fmt"
	"slices"
	"strings"

	"kind4/decode"
	"kind4/decode/inspect"
)

// expectation is one --expect and what became of it.
type expectation struct {
	glob   glob
	met    bool
	near   string // a method that it would match behind "notifications/"
	custom bool   // said that it came, but as custom
}

// kept returns the job's findings from that one on, without those that --ignore silences.
func (v *view) kept(from int) []inspect.Finding {
	findings := v.job.findings[from:]
	if len(v.opts.ignore) > 0 {
		findings = slices.DeleteFunc(findings, func(f inspect.Finding) bool { return v.opts.ignore[f.Code] })
		v.job.findings = v.job.findings[:from+len(findings)]
	}
	return findings[:len(findings):len(findings)]
}

// judge notes what bears on the exit code.
func (v *view) judge(f *decode.Frame) {
	if f.Type == decode.TypeError {
		if !v.endings.errors {
			v.failedAt = v.seq
		}
		v.endings.errors = true
	}
	v.judgeFindings(v.findings, v.seq)
	if v.opts.failOn != failNever && f.Type.Failed() && !v.endings.findings {
		v.endings.findings = true // --ignore silenced its finding, not its failure
		v.blame.add(failureCode(f), v.seq)
	}
}

// judgeFindings applies --fail-on. A broken WebSocket is exit 7's, never 6's, on whatever path.
func (v *view) judgeFindings(findings []inspect.Finding, seq uint64) {
	for i := range findings {
		severity := findings[i].Severity
		if findings[i].Code == decode.BrokenWebSocket {
			v.endings.died = true
			continue
		}
		if v.opts.failOn == failError && severity == decode.Error ||
			v.opts.failOn == failWarning && severity >= decode.Warning {
			v.endings.findings = true
			v.blame.add(findings[i].Code, seq)
		}
	}
}

// failureCode is why a message failed.
func failureCode(f *decode.Frame) decode.Code {
	if f.Err != nil {
		return f.Err.Code
	}
	return decode.Oversize
}

// expect marks the expectations that the message meets. A known method meets one only by its typed variant.
func (v *view) expect(f *decode.Frame) {
	if f.Type != decode.TypeNotification || len(v.expected) == 0 {
		return
	}
	method := string(v.method)
	for i := range v.expected {
		e := &v.expected[i]
		switch {
		case e.met:
		case !e.glob.matches(method):
			if rest, cut := strings.CutPrefix(method, methodPrefix); cut && e.glob.matchesWhole(rest) {
				e.near = v.methodWords(method)
			}
		case f.Variant == f.Known:
			e.met = true
		case !e.custom:
			e.custom = true
			line := fmt.Sprintf("%s came, but as custom (%s, #%d)", v.methodWords(method), misfitCode(v.findings), v.seq)
			v.later(func() { v.status.failure(line) })
		}
	}
}

// misfitCode is the finding that says why a known method came as custom.
func misfitCode(findings []inspect.Finding) decode.Code {
	for i := range findings {
		switch code := findings[i].Code; code {
		case decode.SnakeCase, decode.CaseVariant, decode.DuplicateMember:
			return code
		}
	}
	return decode.ParamsMisfit
}

// finishWhenMet ends the session when every expectation or the count is met.
func (v *view) finishWhenMet() {
	allSeen := true
	for i := range v.expected {
		allSeen = allSeen && v.expected[i].met
	}
	switch {
	case len(v.expected) > 0 && allSeen:
		v.endings.met, v.done = true, true
	case v.opts.count > 0 && v.shown >= v.opts.count:
		v.endings.met, v.done = true, true
		v.endings.missing = !allSeen
	}
}

// unmet says of each expectation that was not met that it did not come, and what came instead.
func (v *view) unmet() []string {
	var lines []string
	for i := range v.expected {
		e := &v.expected[i]
		switch {
		case e.met:
		case e.near != "":
			lines = append(lines, fmt.Sprintf("expected %s, which did not come; %s did, and a pattern with a / stands for the whole method",
				e.glob.pattern, e.near))
		default:
			lines = append(lines, "expected "+e.glob.pattern+", which did not come")
		}
	}
	return lines
}
