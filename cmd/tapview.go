package cmd

import (
	"fmt"
	"net/http"

	"kind4/decode"
	"kind4/decode/session"
)

// tappedAsk says what ask passed a tap, and what is wrong with it.
func (v *view) tappedAsk(ev *session.Event) {
	var ask decode.Ask
	_ = ask.Decode(ev.Data) // the failure is one of the findings
	if ask.Header == askHeader {
		v.ask(ev, decode.Ask{Channel: ask.Channel, Kind: ask.Kind})
	}
	findings := v.found(ev)
	if len(findings) > 0 {
		v.sayAsked()
		v.sayEnding(v.name(ev), "", findings, false)
	}
	v.printEvent(findings)
}

// refuse notes what a refusal says of the proxy: behind a tap kind4 answers 502 where it cannot be dialled, and 503
// where kind4 itself has not what it takes; where kind4 dials, the refusal is the proxy's.
func (e *endings) refuse(ev *session.Event) {
	switch {
	case ev.From != 0 && ev.FromKind4:
		e.unreached = true
	case ev.From != 0:
		e.reached = true
	case ev.FromKind4 && ev.Status == http.StatusBadGateway:
		e.unreached = true
	case ev.FromKind4 && ev.Status == http.StatusServiceUnavailable:
		e.failure = true
	}
}

// died reports whether the connection ended without a closing handshake.
func died(end *session.End) bool {
	return end.Kind != session.EndClose && end.Kind != session.EndOurs && end.Kind != session.EndReceiver &&
		end.Kind != session.EndCapture
}

// endedBy returns the side that receives the messages of a path, where it is the one that ended it.
func endedBy(ev *session.Event) session.Side {
	sender := session.Provider
	if ev.Path == toolNotifications {
		sender = session.Proxy
	}
	if ev.From == sender {
		return 0
	}
	return ev.From
}

func byWords(side session.Side) string { return sideWords(" by the ", side) }

func fromWords(side session.Side) string { return sideWords(" from the ", side) }

func sideWords(before string, side session.Side) string {
	if side == 0 {
		return ""
	}
	return before + side.String()
}

// tapNoteLine words a Note event of a tap; "" where there is nothing to say.
func tapNoteLine(ev *session.Event) string {
	switch ev.Note {
	case session.NoteRelayed:
		return fmt.Sprintf("%s relayed: %s", cut(ev.Path, 300), ev.Reason)
	case session.NoteNoAnswer:
		return fmt.Sprintf("%s relayed, and the proxy gave %s", cut(ev.Path, 300), ev.Reason)
	case session.NoteUndecoded:
		return fmt.Sprintf("%s opened, and is not decoded: %s", ev.Path, ev.Reason)
	case session.NoteUnrelayed:
		return fmt.Sprintf("%s: %s behind the provider's request not relayed, since it opened no path", cut(ev.Path, 300), plural(ev.Size, "byte"))
	case session.NoteOpenAgain:
		return fmt.Sprintf("%s opened again by %s while it is open, and the proxy let it in: 409 is due", ev.Path, ev.Remote)
	case session.NoteWrongWay:
		message := "a message"
		if ev.Opcode == session.OpText {
			message = "a text message"
		}
		return fmt.Sprintf("the %s sent %s of %s on %s, which means nothing there", ev.From, message, plural(ev.Size, "byte"), ev.Path)
	}
	return packetNoteLine(ev)
}
