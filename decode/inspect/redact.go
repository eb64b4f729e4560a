package inspect

import (
	"bytes"

	"kind4/decode"
	"kind4/decode/session"
)

// redactedText stands in a finding's text where it would quote what is not to be seen.
const redactedText = "[redacted]"

// Redact leaves out of the finding's text what it would tell of the hidden strings of the message that it is
// about: quotes of them and of copies of them, and guesses at what was meant. Code, offset and pointer stay
// those of the message as it came.
func (f *Finding) Redact(message []byte, hidden []decode.Value) {
	if f.lead != "" {
		f.lead = decode.WithheldText
	}
	told := false
	for i := range f.args {
		a := &f.args[i]
		switch {
		case a.kind == argWords && told && (i >= 2 || f.Code == decode.TaskAfterEnd):
			a.words = redactedText
		case a.tells(message, hidden):
			*a = a.redacted()
			told = true
		}
	}
}

// tells reports whether the argument quotes one of the hidden strings of a message.
func (a *Arg) tells(message []byte, hidden []decode.Value) bool {
	switch a.kind {
	case argBytes, argQuote, argValue:
		return decode.Shares(message, a.bytes, hidden)
	case argNoun:
		return decode.Shares(message, view(a.bytes, a.value.Start, a.value.End), hidden)
	case argWords:
		for _, v := range hidden {
			if text := decode.Unquote(nil, message[v.Start:v.End]); len(text) > 0 && string(text) == a.words {
				return true
			}
		}
	}
	return false
}

// redacted is what stands in the argument's place: a string stays one.
func (a *Arg) redacted() Arg {
	if literal := []byte(decode.Redacted); a.kind == argNoun && a.value.Kind == decode.String {
		return noun(literal, decode.Value{End: len(literal), Kind: decode.String})
	}
	return words(redactedText)
}

// Withhold leaves out of the finding all that it would tell of a message whose bytes are withheld, but for its
// code, offset and numbers.
func (f *Finding) Withhold() {
	f.body, f.path = nil, ""
	switch {
	case f.Code == decode.TextMessage:
		*f = withheldText(f.args[0].number)
		return
	case f.Code == decode.Oversize:
		*f = withheldOversize(f.args[0].number)
		return
	case f.plain():
		return
	}
	f.lead, f.format, f.args = decode.WithheldText, "", [4]Arg{}
}

// plain reports whether the text holds numbers and words of its own alone.
func (f *Finding) plain() bool {
	for i := range f.args {
		switch f.args[i].kind {
		case argNone, argNumber, argSize:
		case argWords:
			if f.Code != decode.FrameTooLarge {
				return false
			}
		default:
			return false
		}
	}
	return f.lead == ""
}

// Said returns a withheld finding as a verdict keeps it; ok is false for what is said again without it, from the
// verdict's other members, the wire and the messages before.
func (f *Finding) Said(failure *decode.DecodeError) (said session.Said, ok bool) {
	switch {
	case f.Layer() == decode.LayerWire, f.Code == decode.AfterError, f.Code == decode.ReceiverStopped, f.Code == decode.RepeatedMessage,
		failure != nil && f.Code == failure.Code && f.Severity == decode.Error:
		return said, false
	}
	return session.Said{Code: f.Code, Severity: f.Severity, Offset: f.Offset, Text: string(f.AppendText(nil))}, true
}

// withheld appends what is to be said of a message whose bytes are withheld, but for what the wire adds.
func withheld(dst []Finding, f *decode.Frame, v *session.Verdict) []Finding {
	if f.Err != nil {
		dst = append(dst, Finding{Code: f.Err.Code, Severity: decode.Error, Offset: f.Err.Offset, lead: decode.WithheldText})
	}
	if v == nil {
		return dst
	}
	for _, said := range v.Said {
		dst = append(dst, Finding{Code: said.Code, Severity: said.Severity, Offset: said.Offset, lead: string(decode.AppendSafe(nil, []byte(said.Text)))})
	}
	return dst
}

func withheldText(length int64) Finding {
	return newFinding(decode.TextMessage, NoOffset, textFormat, size(length))
}

func withheldOversize(length int64) Finding {
	return newFinding(decode.Oversize, NoOffset, "%, more than --max-size: the rest was skipped, and the beginning is withheld", size(length))
}

// torn is the finding for a capture that ends inside something, which reason names: text of a capture's reader.
func torn(reason string) Finding {
	return Finding{Code: decode.CaptureTorn, Severity: decode.CaptureTorn.Severity(), Offset: NoOffset,
		lead: string(decode.AppendSafe(nil, bytes.TrimSpace([]byte(reason))))}
}
