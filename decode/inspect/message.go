package inspect

import (
	"kind4/decode"
	"kind4/decode/session"
)

// Message appends what is to be said of one message by itself, errors first. It is pure, and what it appends
// are views of f.Message. What the wire or the session adds is a [Session]'s to say; a text message and one
// that was too long to read have nothing to say for themselves.
//
// A message that does not decode gives exactly one finding of severity Error: the cause, f.Err. It allocates
// nothing where there is nothing to say and f.Clues is empty.
func Message(dst []Finding, f *decode.Frame) []Finding { return new(Inspector).frame(dst, f) }

// Inspector says what messages say by themselves, one after the other. What it remembers saves work and changes
// nothing, so that several may share a session's messages. The zero Inspector is ready for use, by one goroutine.
type Inspector struct {
	// Untagged says that the messages came without a tag byte, as JSON-RPC, where jsonrpc is required.
	Untagged bool

	custom map[string]struct{} // literals of methods that are known to be custom, as busy sources use few
}

// Message appends what is to be said of the message of an event by itself, errors first: what [Message] says, or
// what is known of a message whose bytes are withheld.
func (in *Inspector) Message(dst []Finding, ev *session.Event, f *decode.Frame) []Finding {
	if ev.Withheld {
		return withheld(dst, f, ev.Verdict)
	}
	return in.frame(dst, f)
}

// frame is Message for what came whole.
func (in *Inspector) frame(dst []Finding, f *decode.Frame) []Finding {
	before := len(dst)
	switch f.Type {
	case decode.TypeNotification:
		dst = in.notification(dst, f)
	case decode.TypeError:
		dst = errorBody(dst, f)
		dst = deep(dst, f)
	case decode.TypeUnknown, decode.TypeEmpty, decode.TypeUndecodable:
		dst = in.failure(dst, f)
	}
	if len(dst)-before > 1 {
		sortBySeverity(dst[before:])
	}
	return dst
}

func (in *Inspector) notification(dst []Finding, f *decode.Frame) []Finding {
	explained := false
	switch {
	case f.Positional:
		dst = append(dst, newFinding(decode.PositionalArray, bodyStart(f.Message),
			"an array taken in place of the object {method, params}: this receiver takes it, others refuse it").at(f.Message))
	case in.Untagged || f.Clues&(decode.ClueUnknownName|decode.ClueEscapedName) != 0:
		dst, explained = envelope(dst, f, in.Untagged)
	}
	if f.Known == decode.Custom {
		dst = in.method(dst, f)
	}
	dst = params(dst, f, explained)
	return deep(dst, f)
}

// failure appends why a message does not decode, and what else is wrong with an envelope that is JSON.
func (in *Inspector) failure(dst []Finding, f *decode.Frame) []Finding {
	if f.Err == nil {
		return dst
	}
	cause := Finding{Code: f.Err.Code, Severity: decode.Error, Offset: f.Err.Offset, lead: f.Err.Message}
	if cause.Code == decode.UnknownTag {
		cause.lead = "neither 0 nor 1" // which tag it is stands beside every finding
	}
	hintFor(&cause, f)
	switch {
	case f.Type != decode.TypeUndecodable || cause.Code == decode.EmptyBody || cause.Code == decode.ByteOrderMark:
	case f.Err.Layer() >= decode.LayerJSON || cause.Code == decode.NotUTF8:
		cause = cause.at(f.Message)
	}
	dst = append(dst, cause)
	switch cause.Code {
	case decode.MethodMissing:
		return misspelt(dst, f, envelopeNames[:1])
	case decode.ErrorShape:
		return misspelt(dst, f, errorNames)
	}
	if besides(f) {
		dst, _ = envelope(dst, f, in.Untagged)
		class := len(dst)
		dst = in.method(dst, f)
		if len(dst) > class && dst[class].Severity < decode.Warning {
			dst = dst[:class]
		}
	}
	return dst
}

// misspelt appends that a needed member is there in other case, where the body is an object without it.
func misspelt(dst []Finding, f *decode.Frame, needed []string) []Finding {
	start := bodyStart(f.Message)
	if start >= len(f.Message) || f.Message[start] != '{' {
		return dst
	}
	for it := membersOf(f.Message, start); ; {
		m, ok := it.next()
		if !ok {
			return dst
		}
		if known, how := match(f.Message, m.name, needed); how == spelledCase && !hasMember(f.Message, start, known) {
			dst = spellingFinding(dst, f.Message, m, known, how, "")
		}
	}
}

// besides reports whether the envelope of a notification that failed can be looked at by itself: it is an
// object with a method, and something else in it is at fault.
func besides(f *decode.Frame) bool {
	if f.Tag != decode.TagNotification || f.Type != decode.TypeUndecodable {
		return false
	}
	switch f.Err.Code {
	case decode.ParamsType, decode.MetaType, decode.DuplicateMember, decode.MethodType:
		start := bodyStart(f.Message)
		return start < len(f.Message) && f.Message[start] == '{'
	}
	return false
}
