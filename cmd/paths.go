package cmd

import (
	"fmt"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// maxPaths is how many open paths are followed, which no proxy reaches: a capture may claim that paths open without end.
const maxPaths = 16 << 10

// pathState is what the view keeps of one open path.
type pathState struct {
	tracker  session.Tracker
	messages uint64
	failure  string
}

const pathRequests = session.RequestsPath

func (v *view) open(ev *session.Event) {
	switch name := v.name(ev); {
	case ev.Path == pathRequests && !ev.FromKind4 && ev.Remote != "":
		v.say("%s opened by %s", name, ev.Remote)
	case ev.FromKind4:
		v.say("%s opened at %s", name, ev.Remote)
	default:
		v.say("%s opened", name)
	}
	if v.opts.verbose && ev.Header != "" {
		for _, line := range splitLines(ev.Header) {
			v.say("  %s", line)
		}
	}
	v.endings.reached = true
	v.dialled = v.dialled || ev.Path == pathRequests
	if isNotificationPath(ev.Path) || ev.FromKind4 && ev.Path != pathRequests {
		v.opened++
		v.follow(ev)
	}
}

// follow begins to follow a path, beside its first opening where it is open already.
func (v *view) follow(ev *session.Event) {
	if len(v.paths) >= maxPaths {
		return
	}
	opening := ev.Opening().First()
	if v.paths[opening] != nil && !ev.FromKind4 {
		opening = ev.Opening()
		v.session.OpenAgain(ev)
	}
	v.paths[opening], v.recent = &pathState{}, recent{}
}

// opening finds the opening of a path that an event belongs to; nil where it is not followed.
func (v *view) opening(ev *session.Event) (opening session.Opening, path *pathState) {
	opening = ev.Opening()
	if path = v.paths[opening]; path == nil {
		opening = opening.First()
		path = v.paths[opening]
	}
	return opening, path
}

// current is opening where most messages are of the path of the one before: to look it up each time took a third of what
// judging a message does.
func (v *view) current(ev *session.Event) *pathState {
	if opening := ev.Opening(); v.recent.path == nil || v.recent.opening != opening {
		_, path := v.opening(ev)
		v.recent = recent{opening, path}
	}
	return v.recent.path
}

// recent is what current found last; it is forgotten where the paths change.
type recent struct {
	opening session.Opening // as the event named it
	path    *pathState
}

func (v *view) track(ev *session.Event) {
	path := v.current(ev)
	if path == nil {
		return
	}
	path.messages++
	if v.frame.Type == decode.TypeText || v.frame.Type == decode.TypeOversize && ev.Opcode == session.OpText {
		path.tracker.Text()
		return
	}
	failed := v.frame.Type == decode.TypeError
	path.tracker.Message(failed)
	if failed && path.failure == "" {
		path.failure = errorWords(v.seen)
	}
}

// errorWords is an error message's code, the code's name, and its text.
func errorWords(f *decode.Frame) string {
	words := fmt.Sprintf("%d", f.Code)
	if name := decode.ErrorName(f.Code); name != "" {
		words += " " + name
	}
	if text := decode.Unquote(nil, f.Raw(f.Members[decode.MemberMessage])); len(text) > 0 {
		words += ": " + cut(string(text), 300)
	}
	return words
}

// requestsMessage is a message of the provider's on /requests, where only the proxy sends.
func (v *view) requestsMessage(ev *session.Event) {
	findings := v.found(ev)
	v.sayEnding(v.name(ev), "", findings, false)
	v.printEvent(findings)
}

// sayEnding puts findings that belong to no message on one line, behind what is said of the path. --quiet does not
// silence it when it is an error, or one of the findings is.
func (v *view) sayEnding(path, line string, findings []inspect.Finding, isError bool) {
	for i := range findings {
		isError = isError || findings[i].Severity == decode.Error
		if line != "" {
			line += "; "
		}
		line += fmt.Sprintf("%s %s: %s", findings[i].Severity, findings[i].Code, findings[i].AppendText(nil))
	}
	switch line = path + " " + line; {
	case line == path+" ":
	case isError:
		v.later(func() { v.status.failure(line) })
	default:
		v.say("%s", line)
	}
}

// closed says how a path ended, with the findings of its end.
func (v *view) closed(ev *session.Event) {
	findings := v.found(ev)
	opening, path := v.opening(ev)
	if path == nil {
		if isNotificationPath(ev.Path) || ev.Path == pathRequests || ev.End.Kind != session.EndClose {
			v.sayEnding(v.name(ev), connectionEndingBy(ev.End, ev.From), notSaid(findings), ev.End.Kind == session.EndBroken)
		}
		v.printEvent(findings)
		return
	}
	delete(v.paths, opening)
	v.recent = recent{}
	v.done = v.done || v.once && !v.closing
	outcome := path.tracker.Close(ev.End)
	if outcome == session.NotServed && ev.End.Messages > path.messages {
		outcome = session.Complete // the messages were cut out of the record
	}
	ev.End.Outcome, ev.End.Messages = outcome, max(path.messages, ev.End.Messages)
	v.counts.path()
	switch outcome {
	case session.NotServed:
		v.endings.tooFew, v.notServed = true, true
	case session.Failed:
		v.endings.errors = true
	case session.Died:
		v.endings.died = true
	}
	if outcome == session.Failed && died(ev.End) {
		v.endings.died = true
	}
	ending := pathEnding{outcome, ev.End.Messages, path.failure, ev.End, endedBy(ev)}
	rest := notSaid(findings)
	if outcome == session.Failed {
		rest = findings // its line says what the tag-1 message said
	}
	v.sayEnding(v.openingName(opening), ending.line(), rest, outcome != session.Complete && outcome != session.Ended && outcome != session.Open)
	v.printEvent(findings)
}

// notSaid leaves out the findings that a path's line says by itself.
func notSaid(findings []inspect.Finding) []inspect.Finding {
	var rest []inspect.Finding
	for _, finding := range findings {
		if finding.Code != decode.NotServed && finding.Code != decode.BrokenWebSocket {
			rest = append(rest, finding)
		}
	}
	return rest
}
