package inspect

import (
	"bytes"
	"math"
	"strings"

	"kind4/decode"
)

// misfit appends why the params of a known method do not fit, unless a spelling found before explains it.
func misfit(dst []Finding, f *decode.Frame, explained bool) []Finding {
	m := &f.Misfit
	if m.Kind == 0 || m.Kind == decode.MisfitMissing && explained {
		return dst
	}
	var finding Finding
	switch m.Kind {
	case decode.MisfitDuplicate:
		finding = newFinding(decode.DuplicateMember, m.Offset, "% stands twice, % and then %"+comesAsCustom,
			plain([]byte(strings.ReplaceAll(m.Name, "/", "."))), literal(f.Raw(m.First)), literal(f.Raw(m.Value)))
		if !m.First.Present() {
			finding.format, finding.args[1], finding.args[2] = "% stands twice"+comesAsCustom, Arg{}, Arg{}
		}
	case decode.MisfitMissing:
		finding = missing(f)
	default:
		finding = misfitting(f)
	}
	finding.known = f.Known
	return append(dst, finding.at(f.Message))
}

func missing(f *decode.Frame) Finding {
	m := &f.Misfit
	offset := m.Offset
	if !m.Value.Present() && offset <= 0 {
		offset = f.Method.Start
	}
	if f.Params.Kind == decode.Null {
		offset = f.Params.Start
	}
	name := m.Name[strings.LastIndexByte(m.Name, '/')+1:]
	format := "no %, where % is needed"
	if !f.Params.Present() {
		format = "no params, and so no %, where % is needed"
	} else if f.Params.Kind == decode.Null {
		format = "params is null, and so holds no %, where % is needed"
	}
	if strings.Contains(m.Need, " when ") {
		format = strings.Replace(format, "where % is needed", "which has to be %", 1)
	}
	return newFinding(decode.ParamsMisfit, offset, format+strayed(f, name), plain([]byte(name)), words(m.Need))
}

// strayed says where else a member of params stands that they lack, "" where it stands nowhere near.
func strayed(f *decode.Frame, name string) string {
	if f.Positional || strings.Contains(f.Misfit.Name, "/") {
		return ""
	}
	if hasMember(f.Message, bodyStart(f.Message), name) {
		return "; it stands beside method"
	}
	if f.Params.Kind != decode.Object {
		return ""
	}
	for _, inside := range [...]string{"_meta", "params"} {
		if v, ok := findMember(f.Message, f.Params.Start, inside); ok && v.Kind == decode.Object && hasMember(f.Message, v.Start, name) {
			return "; it stands inside " + inside
		}
	}
	return ""
}

// misfitting makes the finding for a value of the wrong type, range or word.
func misfitting(f *decode.Frame) Finding {
	m := &f.Misfit
	finding := newFinding(decode.ParamsMisfit, m.Value.Start, "% where % is needed", noun(f.Message, m.Value), words(m.Need))
	raw := f.Raw(m.Value)
	last := m.Name[strings.LastIndexByte(m.Name, '/')+1:]
	switch {
	case strings.Contains(m.Need, " when "):
		finding.format = "%, which has to be %"
	case m.Value.Kind <= decode.True:
		finding.format = "%, where % is needed"
	case m.Kind == decode.MisfitWord:
		finding = wrongWord(f, last)
	case m.Value.Kind == decode.Float && isWhole(raw) && (last == "progressToken" || last == "requestId"):
		finding.format = "% where % is needed; newer receivers take a float that is a whole number, this one does not"
	case m.Value.Kind == decode.Integer && m.Kind == decode.MisfitRange:
		finding.format = "% which is out of range, where % is needed"
	case m.Value.Kind == decode.Integer && last == "level":
		if level, ok := syslogLevel(raw); ok {
			finding.format = "% where % is needed; did you mean \"%\"?"
			finding.args[2] = words(level)
		}
	}
	return finding
}

// wrongWord makes the finding for a level or status that is none of the words needed.
func wrongWord(f *decode.Frame, member string) Finding {
	m := &f.Misfit
	finding := newFinding(decode.ParamsMisfit, m.Value.Start, "% where % is needed", noun(f.Message, m.Value), words(m.Need))
	if m.Value.Kind != decode.String {
		return finding
	}
	if meant := meantWord(member, unquoted(nil, f.Raw(m.Value))); meant != "" {
		finding.format = "% where % is needed; did you mean %?"
		finding.args[2] = words(meant)
	}
	return finding
}

// levels are MCP's log levels, the most severe first: their index is the syslog severity (RFC 5424 section 6.2.1).
var levels = []string{"emergency", "alert", "critical", "error", "warning", "notice", "info", "debug"}

// levelWords are words that other loggers use, spelled in lower case, and MCP's for them.
var levelWords = map[string]string{
	"warn": `"warning"`, "err": `"error"`, "severe": `"error"`, "crit": `"critical"`, "emerg": `"emergency"`,
	"fatal": `"critical" or "emergency"`, "panic": `"emergency"`, "dpanic": `"critical"`,
	"trace": `"debug"`, "verbose": `"debug"`, "fine": `"debug"`, "finer": `"debug"`, "finest": `"debug"`, "silly": `"debug"`, "dbg": `"debug"`,
	"information": `"info"`, "informational": `"info"`, "log": `"info"`, "http": `"info"`, "default": `"info"`, "success": `"notice"`,
}

// statuses are a task's words for its state (MCP 2026-07-28, tasks).
var statuses = []string{"working", "input_required", "completed", "failed", "cancelled"}

// statusWords are other words for a task's state, in lower case without separators, and MCP's for them.
var statusWords = map[string]string{
	"canceled": `"cancelled"`, "cancel": `"cancelled"`, "aborted": `"cancelled"`, "inputrequired": `"input_required"`,
	"complete": `"completed"`, "done": `"completed"`, "success": `"completed"`, "succeeded": `"completed"`, "finished": `"completed"`,
	"error": `"failed"`, "failure": `"failed"`, "errored": `"failed"`,
	"running": `"working"`, "inprogress": `"working"`, "pending": `"working"`, "submitted": `"working"`, "queued": `"working"`,
	"started": `"working"`,
}

// meantWord returns the word, in quotes, that a level or status stands for, "" when it is anybody's guess.
func meantWord(member string, text []byte) string {
	list, others := levels, levelWords
	switch member {
	case "level":
	case "status":
		list, others = statuses, statusWords
	default:
		return ""
	}
	if len(text) == 0 || len(text) > maxSlipped {
		return ""
	}
	lower := strings.ToLower(strings.TrimSpace(string(text)))
	if w := others[lower]; w != "" {
		return w
	}
	if w := others[strings.NewReplacer("_", "", "-", "", " ", "").Replace(lower)]; w != "" {
		return w
	}
	for _, w := range list {
		if lower == w || len(lower) > 3 && oneEdit([]byte(lower), []byte(w)) {
			return `"` + w + `"`
		}
	}
	return ""
}

func syslogLevel(raw []byte) (string, bool) {
	if len(raw) == 1 && raw[0] >= '0' && raw[0] <= '7' {
		return levels[raw[0]-'0'], true
	}
	return "", false
}

// isNumber reports whether text looks like a decimal number.
func isNumber(text []byte) bool {
	text = bytes.TrimPrefix(trimSpace(text), []byte("-"))
	if len(text) == 0 || text[0] < '0' || text[0] > '9' {
		return false
	}
	for _, b := range text {
		if (b < '0' || b > '9') && b != '.' && b != 'e' && b != 'E' && b != '+' && b != '-' {
			return false
		}
	}
	return true
}

// isWhole reports whether a float's literal stands for a whole number inside i64.
func isWhole(literal []byte) bool {
	d, ok := parseDecimal(literal)
	return ok && math.Abs(float(literal)) < 1<<63 && (d.zero() || d.exponent >= int64(len(d.digits)))
}
