package cmd

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"kind4/decode"
	"kind4/decode/capture"
	"kind4/decode/session"
)

// flagChannel names the notification path of connections whose upgrade a packet capture lacks.
const flagChannel = "channel"

func channelFlag() cli.Flag {
	return stringFlag(flagChannel, "", "", "the connections of a capture of which it lacks the upgrade are notification path `NUMBER`", "")
}

// readChannel reads --channel; nil where it is not given.
func readChannel(c *cli.Context) (*uint32, error) {
	if !given(c, flagChannel) {
		return nil, nil
	}
	n, err := parseNumber(text(c, flagChannel), 32)
	if err != nil {
		return nil, badValue(c, flagChannel, text(c, flagChannel), "not a number from 0 to 4294967295")
	}
	channel := uint32(n)
	return &channel, nil
}

// said reports whether a line has said already what went wrong, since it is a finding too.
func (d *decoder) said(err error) bool {
	var broken *capture.Error
	return errors.As(err, &broken) && broken.Told && !d.view.opts.quiet && !d.view.opts.ignore[decode.CaptureTorn]
}

// midStream follows a path from where a capture has it.
func (v *view) midStream(ev *session.Event) {
	v.endings.reached = true
	if isNotificationPath(ev.Path) {
		v.opened++
		v.follow(ev)
	}
}

// packetNoteLine words a Note event of a packet capture; "" where there is nothing to say.
func packetNoteLine(ev *session.Event) string {
	switch ev.Note {
	case session.NoteMidStream:
		if ev.Remote == "" {
			return ev.Reason
		}
		return fmt.Sprintf("%s %s", ev.Remote, ev.Reason)
	case session.NoteCarried:
		if ev.Path == "" {
			return "a WebSocket not decoded: " + ev.Reason
		}
		return fmt.Sprintf("%s not decoded: %s", cut(ev.Path, 300), ev.Reason)
	case session.NoteUnanswered:
		return fmt.Sprintf("%s asked for, and the capture holds %s", cut(ev.Path, 300), ev.Reason)
	}
	return ""
}

// openWords says how far a path is known whose end a capture does not hold.
func (p pathEnding) openWords() string {
	after := partialWords(p.end)
	if p.messages > 0 {
		after = p.after() + after
	}
	if p.end.Error != "" {
		return "not followed to its end" + after + ": " + p.end.Error
	}
	return "open when the capture ends" + after
}
