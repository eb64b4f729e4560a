package cmd

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"kind4/decode"
	"kind4/decode/session"
)

// linePrefix begins every line on standard error.
const linePrefix = "kind4: "

// status writes the lines on standard error, each in one write and safe for a terminal: a line end in a text from outside
// is shown escaped like any other control character, and cannot begin a line of its own. A refusal that came before is
// counted; its count is written before the next line that is none.
type status struct {
	mu       sync.Mutex
	w        io.Writer
	quiet    bool
	silent   bool // nothing is written any more
	refusals []refusal
}

// refusal is one line, and how often it came again since it was last written.
type refusal struct {
	text  string
	again int
}

// maxRefusals is how many different refusals are remembered; one more forgets them all.
const maxRefusals = 256

func newStatus(w io.Writer, quiet bool) *status { return &status{w: w, quiet: quiet} }

// say writes a line about the session; --quiet silences it.
func (s *status) say(format string, args ...any) {
	if !s.quiet {
		s.failure(fmt.Sprintf(format, args...))
	}
}

// failure writes a line that --quiet does not silence.
func (s *status) failure(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countRefusals()
	s.write(text)
}

// silence ends all writing: nobody listens any more.
func (s *status) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = true
}

// refused writes a refusal, or counts it where it came before.
func (s *status) refused(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quiet {
		return
	}
	for i := range s.refusals {
		if s.refusals[i].text == text {
			s.refusals[i].again++
			return
		}
	}
	if len(s.refusals) == maxRefusals {
		s.countRefusals()
		s.refusals = s.refusals[:0]
	}
	s.refusals = append(s.refusals, refusal{text: text})
	s.write(text)
}

// finish says how often refusals came again, where they did.
func (s *status) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.countRefusals()
}

func (s *status) countRefusals() {
	for i := range s.refusals {
		if r := &s.refusals[i]; r.again > 0 {
			s.write(fmt.Sprintf("%s (%s more)", r.text, times(r.again)))
			r.again = 0
		}
	}
}

func (s *status) write(text string) {
	if s.silent {
		return
	}
	line := decode.AppendSafe([]byte(linePrefix), []byte(text))
	s.w.Write(append(line, '\n'))
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// plural is "1 message" or "12 messages".
func plural[N int | int64 | uint64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// quote puts text that came from outside into double quotes, safe for a terminal and cut where it is long.
func quote(s string) string { return string(decode.AppendQuoted(nil, []byte(s), 200)) }

// quoteBare makes text that came from outside safe for a terminal, without quotes.
func quoteBare(s string) string { return string(decode.AppendSafe(nil, []byte(s))) }

// refusalLine words a Refused event.
func refusalLine(ev *session.Event) string {
	who := ""
	if ev.From != 0 {
		who = "the " + ev.From.String() + " "
	}
	return who + fmt.Sprintf("refused %s %s: %d %s", ev.Method, cut(ev.Path, 300), ev.Status, ev.Reason)
}

// askedLine words the asks that went out together.
func askedLine(asks []decode.Ask) string {
	words := make([]string, len(asks))
	for i, ask := range asks {
		words[i] = fmt.Sprintf("kind %d on channel %d", ask.Kind, ask.Channel)
	}
	return "asked " + strings.Join(words, ", ")
}

// queueFull is said at once, when reading begins to wait.
const queueFull = "the output is slower than the provider: reading waits for it, nothing is lost"

// noteLine words a Note event; "" where there is nothing to say.
func noteLine(ev *session.Event) string {
	switch ev.Note {
	case session.NoteTLS:
		return fmt.Sprintf("%s speaks TLS, and ws:// is expected; use ws://, not wss://", ev.Remote)
	case session.NoteNoRequest:
		return fmt.Sprintf("%s connected and ended before its request%s", ev.Remote, because(ev.Reason))
	case session.NoteBadRequest:
		return fmt.Sprintf("%s sent no HTTP request that can be read%s", ev.Remote, because(ev.Reason))
	case session.NoteQueueFull:
		return queueFull
	case session.NoteNoAsk:
		return "/requests opened while a notification path is open: no kind-4 ask goes out on it"
	case session.NoteNoPath:
		return "no notification path is open, and /requests still is: kind4 asks again once the provider opens that anew"
	case session.NoteFirstAnswer:
		return firstAnswerLine(ev)
	case session.NoteNotReading:
		return fmt.Sprintf("%s: the peer reads nothing%s; nothing is sent there any more", ev.Path, because(ev.Reason))
	case session.NoteTooMany:
		return fmt.Sprintf("too many connections without a request: the oldest, %s, gave way", ev.Remote)
	case session.NoteAskLost:
		return fmt.Sprintf("/requests ended before channel %d was answered: that ask is lost", ev.Channel)
	}
	return tapNoteLine(ev)
}

// firstAnswerLine words how the first exchange was answered; "" where the path's own line says how it ended.
func firstAnswerLine(ev *session.Event) string {
	switch end := ev.End; {
	case end == nil:
	case end.Outcome == session.NotServed:
		return ev.Path + " closed without an answer: " + closeWords(end)
	case end.Kind != session.EndClose && ev.Size == 0:
		return ""
	case end.Code > 1001:
		return fmt.Sprintf("%s answered: %s, %s", ev.Path, plural(ev.Size, "byte"), closeWords(end))
	}
	return fmt.Sprintf("%s answered: %s", ev.Path, plural(ev.Size, "byte"))
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

// cut shortens s to at most n bytes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// pathEnding is what a notification path's last line is made from.
type pathEnding struct {
	outcome  session.Outcome
	messages uint64
	failure  string // with Failed: the tag-1 message's code, name and text
	end      *session.End
	by       session.Side // that receives the messages, where it ended the path
}

// line words how a path ended, without the path.
func (p pathEnding) line() string {
	switch p.outcome {
	case session.Complete:
		return "complete: " + closeWords(p.end) + p.after()
	case session.NotServed:
		if p.messages > 0 {
			return fmt.Sprintf("not served: %s and no message but %d of text", closeWords(p.end), p.messages)
		}
		return "not served: " + closeWords(p.end) + " and no message"
	case session.Failed:
		line := "failed: " + p.failure
		if died(p.end) {
			line += "; then the connection died"
		}
		return line
	case session.Died:
		if v := p.end.Violation; p.end.Kind == session.EndBroken {
			return "died: broken WebSocket" + byWords(p.by) + p.after() + ": " + violationWords(v)
		}
		return "died: " + deathWords(p.end) + byWords(p.by) + p.after() + partialWords(p.end)
	}
	if p.outcome == session.Open {
		return p.openWords()
	}
	if p.end.Kind == session.EndReceiver {
		return "ended" + byWords(p.by) + ": " + closeWords(p.end) + p.after()
	}
	return "ended by kind4: " + sentWords(p.end) + p.after()
}

func (p pathEnding) after() string { return " after " + plural(p.messages, "message") }

func closeWords(end *session.End) string {
	switch {
	case end.Code == 0:
		return "close without a code"
	case end.Reason != "":
		return fmt.Sprintf("close %d %s", end.Code, quote(end.Reason))
	}
	return fmt.Sprintf("close %d", end.Code)
}

func sentWords(end *session.End) string {
	if end.Sent == 0 {
		return "cut off"
	}
	return fmt.Sprintf("close %d", end.Sent)
}

func deathWords(end *session.End) string {
	switch end.Kind {
	case session.EndReset:
		return end.Error
	case session.EndBroken:
		return "broken WebSocket: " + violationWords(end.Violation)
	}
	return "connection ended without a Close"
}

func violationWords(v *session.Violation) string {
	return fmt.Sprintf("RFC 6455 section %s, byte %d: %s", v.Section, v.Offset, v.Message)
}

func partialWords(end *session.End) string {
	switch {
	case end.Partial == 0 || end.Kind == session.EndBroken:
		return ""
	case end.Where == session.InControl:
		return fmt.Sprintf(", %s into a control frame", plural(end.Partial, "byte"))
	}
	where := map[session.Where]string{
		session.InHeader:         " (inside a frame header)",
		session.BetweenFragments: " (between two fragments)",
	}[end.Where]
	return fmt.Sprintf(", %s into the next%s", plural(end.Partial, "byte"), where)
}

// connectionEnding words how a path without messages of its own, /requests say, ended.
func connectionEnding(end *session.End) string { return connectionEndingBy(end, 0) }

// connectionEndingBy says which side of a tap's ended it, too; 0 where there is only one peer.
func connectionEndingBy(end *session.End, by session.Side) string {
	switch end.Kind {
	case session.EndClose, session.EndReceiver:
		return "closed" + byWords(by) + ": " + closeWords(end)
	case session.EndOurs:
		return "ended by kind4: " + sentWords(end)
	case session.EndCapture:
		return pathEnding{end: end}.openWords()
	}
	return "died: " + deathWords(end) + byWords(by)
}
