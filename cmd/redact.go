package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
	"kind4/render"
)

const flagRedact = "redact"

// redactedWord is what stands in place of text that is not to be seen, outside JSON.
const redactedWord = "[redacted]"

func redactFlag() cli.Flag {
	return listFlag(flagRedact, "", "put \"[redacted]\" in place of strings under `NAME`, or a JSON pointer (repeatable)", "")
}

// redaction is what --redact does. It comes behind the verdict, and before anything is shown or recorded.
type redaction struct {
	finder *decode.Redactor
	fields []string // the names, of which some may be those of headers

	frame    decode.Frame // of the message at hand, as it is to be seen
	memory   []byte
	changed  bool           // it is another than came
	withhold bool           // none of its bytes is to be seen
	repeats  bool           // it is withheld, and the one before once more
	said     []session.Said // it is withheld, and this was found

	strings  uint64 // how many were replaced
	withheld uint64 // messages that do not decode
	methods  bool   // a method was replaced
}

// newRedaction returns nil where nothing is to be redacted.
func newRedaction(c *cli.Context) (*redaction, error) {
	names := list(c, flagRedact)
	if len(names) == 0 {
		return nil, nil
	}
	for _, name := range names {
		if _, err := decode.NewRedactor([]string{name}); err != nil {
			return nil, badValue(c, flagRedact, name, err)
		}
	}
	finder, err := decode.NewRedactor(names)
	return &redaction{finder: finder, fields: names}, err
}

// tells reports whether that a finding is there, whatever its text, would tell a string that is not to be seen: of token
// twins one is the other in quotes.
func (r *redaction) tells(f *inspect.Finding) bool {
	return f.Code == decode.TokenTwins && r.finder.HidesParam("progressToken")
}

// message returns the frame to be shown in place of f, and takes out of the findings what would tell of the rest. Where
// a message does not decode nothing can be found in it, and none of its bytes is shown.
func (r *redaction) message(f *decode.Frame, findings []inspect.Finding) *decode.Frame {
	r.changed, r.withhold = false, false
	if len(f.Message) == 0 {
		return f
	}
	hidden, ok := r.finder.Find(f)
	switch {
	case !ok:
		r.leaveOut(f, findings)
		return &r.frame
	case len(hidden) == 0:
		return f
	}
	r.changed = true
	r.strings += uint64(len(hidden))
	r.memory = r.frame.SetRedacted(f, hidden, r.memory)
	r.methods = r.methods || r.frame.MethodIs(redactedWord)
	for i := range findings {
		findings[i].Redact(f.Message, hidden)
	}
	return &r.frame
}

// leaveOut makes of a message one of which none of the bytes is to be seen.
func (r *redaction) leaveOut(f *decode.Frame, findings []inspect.Finding) {
	r.withhold, r.repeats, r.said = true, false, r.said[:0]
	r.withheld++
	r.methods = r.methods || f.Method.Present() && r.finder.Hides("method")
	r.frame.SetWithheld(f)
	for i := range findings {
		r.repeats = r.repeats || findings[i].Code == decode.RepeatedMessage
		findings[i].Withhold()
		if said, ok := findings[i].Said(f.Err); ok {
			r.said = append(r.said, said)
		}
	}
}

// verdict is what the record says of a message that is left out.
func (r *redaction) verdict() *session.Verdict {
	v := &session.Verdict{Type: r.frame.Type, Tag: r.frame.Tag, Repeats: r.repeats, ErrorCode: r.frame.Code, Said: r.said}
	if e := r.frame.Err; e != nil {
		v.Code, v.Offset = e.Code, e.Offset
	}
	return v
}

// event redacts an event that is no message of a notification path: the headers of the names, whatever their case, what
// is quoted of a head that cannot be read, and the payloads of asks, pings and pongs, which are not looked into.
func (r *redaction) event(ev *session.Event) {
	switch ev.Kind {
	case session.Opened:
		ev.Header = r.header(ev.Header)
	case session.Asked:
		if len(ev.Data) > askHeader && string(ev.Data[askHeader:]) != "null" {
			if !ev.Withheld {
				ev.Verdict = session.AskVerdict(ev.Data)
			}
			ev.Data, ev.Withheld = ev.Data[:askHeader], true
		}
	case session.Note:
		if ev.Note == session.NoteBadRequest || ev.Note == session.NoteNoAnswer {
			ev.Reason = r.unquoted(ev.Reason)
		}
	case session.Control:
		if len(ev.Data) > 0 {
			ev.Data, ev.Size, ev.Withheld = nil, int64(len(ev.Data)), true
		}
	}
}

// unquoted redacts all that stands in quotes: what is quoted may hold quotes itself.
func (r *redaction) unquoted(text string) string {
	first, last := strings.IndexByte(text, '"'), strings.LastIndexByte(text, '"')
	if first < 0 {
		return text
	}
	r.strings++
	if first == last {
		return text[:first] + redactedWord
	}
	return text[:first] + redactedWord + text[last+1:]
}

// header redacts the fields of a request's header. A line that begins with white space goes on with the field before
// it (RFC 9112 section 5.2) and goes with its value; white space around a name makes it no other name.
func (r *redaction) header(text string) string {
	var kept strings.Builder
	hiding := false
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.TrimLeft(line, " \t") != line {
			if !hiding {
				kept.WriteString(line)
			}
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if hiding = ok && r.names(strings.TrimSpace(name)); !hiding {
			kept.WriteString(line)
			continue
		}
		r.strings++
		kept.WriteString(name + ": " + redactedWord + value[len(strings.TrimRight(value, "\r\n")):])
	}
	return kept.String()
}

// names reports whether a field of that name is redacted.
func (r *redaction) names(field string) bool {
	return slices.ContainsFunc(r.fields, func(name string) bool { return strings.EqualFold(name, field) })
}

// record makes of a message's event what may be recorded.
func (r *redaction) record(ev *session.Event) {
	switch {
	case ev.Kind != session.Message || len(ev.Data) == 0:
	case ev.Path == pathRequests:
		ev.Data, ev.Withheld = nil, true
	case r.withhold:
		ev.Data, ev.Withheld, ev.Verdict = nil, true, r.verdict()
	case r.changed:
		ev.Data, ev.Size = r.frame.Message, r.frame.Size
	}
}

// bare reports whether a form writes nothing but the bytes of messages: of one whose bytes are withheld, nothing.
func bare(form render.Form) bool {
	return form == render.Raw || form == render.LP32 || form == render.Payload
}

// methodWords is the method of the message at hand as standard error may name it.
func (v *view) methodWords(method string) string {
	r := v.redact
	if r != nil && (r.changed && v.seen.MethodIs(redactedWord) || r.withhold && r.finder.Hides("method")) {
		return redactedWord
	}
	return method
}

// custom leaves the names out of the custom methods that the summary counts, where a method was replaced.
func (r *redaction) custom(repeats map[string]uint64) map[string]uint64 {
	if r == nil || !r.methods {
		return repeats
	}
	var all uint64
	for _, n := range repeats {
		all += n
	}
	if all == 0 {
		return nil
	}
	return map[string]uint64{redactedWord: all}
}

// line is what the summary says.
func (r *redaction) line() string {
	line := "redacted: " + plural(r.strings, "string")
	if r.withheld > 0 {
		line += fmt.Sprintf("; %s that %s not decode withheld", plural(r.withheld, "message"), doDoes(r.withheld))
	}
	return line
}

func doDoes(n uint64) string {
	if n == 1 {
		return "does"
	}
	return "do"
}
