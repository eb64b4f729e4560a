package cmd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kind4/cmd/live"
	"kind4/decode"
	"kind4/decode/session"
)

// report records what happens, and says what is worth a line.
func (p *provider) report(events []session.Event) {
	for i := range events {
		ev := &events[i]
		p.say(ev)
		if p.recorder != nil {
			p.recordFailed(p.recorder.event(ev))
		}
	}
	if p.recorder != nil {
		p.recordFailed(p.recorder.flush())
	}
}

func (p *provider) recordFailed(err error) {
	if err != nil {
		p.unrecorded(err)
	}
}

func (p *provider) unrecorded(err error) {
	p.lost = true
	name := "standard output"
	if p.recorder.file != nil {
		name = "the record " + quote(p.recorder.name)
	}
	p.status.failure(fmt.Sprintf("cannot write %s: %v; what comes from here on is not recorded", name, plainPathError(err)))
}

func (p *provider) say(ev *session.Event) {
	switch ev.Kind {
	case session.Opened:
		if ev.Path == "/requests" {
			p.status.say("connected to ws://%s%s", ev.Remote, ev.Path)
		} else {
			p.status.say("%s opened", ev.Path)
		}
	case session.Asked:
		p.sayAsk(ev)
	case session.Refused:
		if !p.opts.live.Reconnect && len(p.opts.live.Faults) == 0 {
			return // conclude says it
		}
		if ev.Status != 0 {
			p.status.refused(fmt.Sprintf("%s was refused: %d %s", ev.Path, ev.Status, cut(ev.Reason, 300)))
		} else {
			p.status.refused(fmt.Sprintf("%s cannot be dialled: %s", ev.Path, ev.Reason))
		}
	case session.Note:
		p.sayNote(ev)
	case session.Closed:
		p.strays.end(p.status, ev.Path)
		if !isNotificationPath(ev.Path) {
			p.sayEnd(ev)
		}
	}
}

// sayNote says how an ask of kinds 0 to 3 was answered, or that a message means nothing.
func (p *provider) sayNote(ev *session.Event) {
	if ev.Note == session.NoteWrongWay {
		p.strays.add(p.status, ev, noteLine(ev))
		return
	}
	p.strays.end(p.status, ev.Path)
	p.status.say("%s answered: %s", ev.Path, plural(ev.Size, "byte"))
	if ev.End.Kind == session.EndBroken {
		p.sayEnd(ev)
	}
}

// sayEnd says how a path other than a notification path ended.
func (p *provider) sayEnd(ev *session.Event) {
	line := ev.Path + " " + proxyEnding(ev.End)
	if ev.End.Kind == session.EndBroken {
		p.status.failure(line)
	} else {
		p.status.say("%s", line)
	}
}

// unreadable counts the asks that cannot be read; the first is said at once.
const unreadable = "that cannot be read"

// sayAsk says what the proxy asked, and counts what nobody answers.
func (p *provider) sayAsk(ev *session.Event) {
	var ask decode.Ask
	if err := ask.Decode(ev.Data); err != nil {
		if p.asks[unreadable]++; p.asks[unreadable] == 1 {
			p.status.failure("the proxy sent an ask that cannot be read: " + err.Error())
		}
		return
	}
	p.status.say("asked kind %d (%s) on channel %d", ask.Kind, kindName(ask.Kind), ask.Channel)
	if ev.Fragments > 1 {
		p.strays.add(p.status, ev, fmt.Sprintf("the proxy sent an ask in %d frames, where a message is one", ev.Fragments))
	}
	if ask.Kind > decode.KindNotifications {
		p.asks[fmt.Sprintf("of kind %d (%s)", ask.Kind, kindName(ask.Kind))]++
	}
}

func kindName(kind decode.AskKind) string {
	if !kind.Known() {
		return "unknown"
	}
	return kind.String()
}

// unansweredLine counts the asks that were left unanswered, "" for none.
func unansweredLine(asks map[string]int) string {
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(asks)) {
		parts = append(parts, plural(asks[what], "ask")+" "+what)
	}
	if len(parts) == 0 {
		return ""
	}
	return "left unanswered: " + strings.Join(parts, ", ")
}

// proxyEnding words how a connection ended, in which the proxy has a part.
func proxyEnding(end *session.End) string {
	if end.Kind == session.EndClose {
		return "closed by the proxy: " + closeWords(end)
	}
	return connectionEnding(end)
}

// ended says how a notification path ended.
func (p *provider) ended(end live.PathEnd) {
	line := end.Path + " " + endedWords(&end)
	if end.How == live.Early || end.How == live.Ignored {
		p.status.failure(line)
	} else {
		p.status.say("%s", line)
	}
}

// missed says what the proxy owed and did not do.
func (p *provider) missed(path string, fault *live.Fault) {
	if fault == nil {
		p.status.failure(path + ": the proxy did not answer the Close")
		return
	}
	p.status.failure(fmt.Sprintf("%s: the proxy let the fault %s pass, where %s, was due", path, fault.Name, fault.Seen))
}

func endedWords(e *live.PathEnd) string {
	words := endingWords(e)
	if e.Unanswered {
		words += "; the proxy did not answer the Close"
	}
	return words
}

func endingWords(e *live.PathEnd) string {
	after := " after " + plural(e.Sent, "message")
	if e.Fault != nil {
		after += " and the fault " + e.Fault.Name
	}
	switch {
	case e.How == live.Early && e.Unanswered:
		return "ended by kind4: " + sentWords(&e.End) + after
	case e.How == live.Early && e.End.Sent != 0 && e.End.Kind != session.EndClose:
		return fmt.Sprintf("died: no answer to close %d%s: %s", e.End.Sent, after, deathWords(&e.End))
	case e.How == live.Ignored:
		return "was not ended by the proxy" + after + ", as was due: cut off by kind4"
	case e.How == live.Unsettled:
		return "cut off by kind4" + after + ", before the proxy ended it, as is due"
	case e.How == live.Unread:
		return "ended" + after + ": FILE cannot be read on"
	case e.How == live.Interrupted:
		return "ended by kind4: " + sentWords(&e.End) + after + ", before everything was sent"
	case e.End.Kind == session.EndClose && e.How == live.Early:
		return "closed by the proxy before everything was sent: " + closeWords(&e.End) + after
	case e.End.Kind == session.EndClose:
		return "closed by the proxy: " + closeWords(&e.End) + after
	case e.End.Kind != session.EndOurs:
		return "died: " + deathWords(&e.End) + after
	case e.Ending == live.EndWithAbort && e.End.Sent == 0:
		return "aborted" + after
	case e.End.Sent == 0:
		return "cut off" + after
	case e.Fault != nil && e.Fault.Ends():
		return "ended by kind4: " + sentWords(&e.End) + after
	case e.Sent == 0:
		return "not served: " + sentWords(&e.End) + " and no message"
	case e.Ending == live.EndWithError:
		return "failed, as asked: " + sentWords(&e.End) + after
	}
	return "served: " + sentWords(&e.End) + after
}
