package inspect

import "kind4/decode"

// What a wrong name leads to.
const (
	comesAsCustom  = "; so this comes as a custom notification"
	cancelsNothing = "; so nothing says which request is cancelled"
)

// paramNames are the names that the receiver reads in the params of each variant.
var paramNames = func() (names [decode.Custom + 1][]string) {
	for _, known := range decode.KnownMethods() {
		for _, member := range known.Members {
			names[known.Variant] = append(names[known.Variant], member.Name)
		}
	}
	for variant := range names {
		names[variant] = append(names[variant], decode.MemberMeta.String())
	}
	return names
}()

// ackNames are the names that the receiver reads in the notifications of an acknowledgement.
var ackNames = []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged", "resourceSubscriptions"}

// mayBeNull are the optional members of each variant that MCP's schema knows no null for. A task's ttlMs is
// not among them: null is its word for "no limit".
var mayBeNull = func() (members [decode.Custom + 1][]decode.Member) {
	for _, known := range decode.KnownMethods() {
		for _, m := range known.Members {
			if !m.Required && m.Member != decode.MemberTTL {
				members[known.Variant] = append(members[known.Variant], m.Member)
			}
		}
	}
	return members
}()

// params appends what is to be said of a notification's params; explained says that a finding before tells why
// something needed is missing.
func params(dst []Finding, f *decode.Frame, explained bool) []Finding {
	if f.Params.Kind == decode.Null {
		finding := newFinding(decode.ParamsNull, f.Params.Start, "params is null: taken as absent here, refused by the TypeScript SDK")
		finding.silent = f.Misfit.Kind != 0 // without params it would not fit either
		dst = append(dst, finding.at(f.Message))
	}
	if f.Params.Kind == decode.Object && f.Clues&(decode.ClueUnknownName|decode.ClueEscapedName) != 0 {
		var spelt bool
		dst, spelt = paramsMembers(dst, f)
		explained = explained || spelt
	}
	dst = misfit(dst, f, explained)
	if f.Clues&decode.ClueNull != 0 {
		dst = nullMembers(dst, f)
	}
	if f.Known == decode.SubscriptionsAcknowledged {
		dst = acknowledged(dst, f)
	}
	if f.Clues&decode.ClueOddEnum != 0 {
		dst = oddEnums(dst, f)
	}
	switch f.Variant {
	case decode.ResourceUpdated:
		dst = relativeURI(dst, f)
	case decode.Cancelled:
		dst = cancelled(dst, f, explained)
	}
	return dst
}

// paramsMembers appends what is to be said of names in params; explained says that one of them is why a
// needed member is missing.
func paramsMembers(dst []Finding, f *decode.Frame) (_ []Finding, explained bool) {
	for it := membersOf(f.Message, f.Params.Start); ; {
		m, ok := it.next()
		if !ok {
			return dst, explained
		}
		known, how := match(f.Message, m.name, paramNames[f.Known])
		consequence := ""
		if how == spelledCase || how == spelledSnake {
			if consequence = lacking(f, known); consequence != "" {
				explained = true
			}
		}
		dst = spellingFinding(dst, f.Message, m, known, how, consequence)
	}
}

// lacking says what follows from a method's having no member of that name, "" where nothing does.
func lacking(f *decode.Frame, name string) string {
	switch {
	case f.Misfit.Kind == decode.MisfitMissing && (f.Misfit.Name == name || name == "params"):
		return comesAsCustom
	case f.Variant == decode.Cancelled && !f.Members[decode.MemberRequestID].Present() && (name == "requestId" || name == "params"):
		return cancelsNothing
	}
	return ""
}

func nullMembers(dst []Finding, f *decode.Frame) []Finding {
	if v := f.Members[decode.MemberMeta]; v.Kind == decode.Null {
		dst = append(dst, optionalNull(f.Message, v, "_meta"))
	}
	for _, member := range mayBeNull[f.Known] {
		v := f.Members[member]
		if v.Kind != decode.Null || f.Misfit.Kind != 0 && f.Misfit.Value.Start == v.Start {
			continue
		}
		dst = append(dst, optionalNull(f.Message, v, member.String()))
	}
	return dst
}

func optionalNull(message []byte, v decode.Value, name string) Finding {
	return newFinding(decode.OptionalNull, v.Start,
		"% is null: taken as absent here, refused by readers that hold to the schema", words(name)).at(message)
}

// acknowledged appends what is to be said of the members inside an acknowledgement's notifications.
func acknowledged(dst []Finding, f *decode.Frame) []Finding {
	v := f.Members[decode.MemberNotifications]
	if v.Kind != decode.Object {
		return dst
	}
	for it := membersOf(f.Message, v.Start); ; {
		m, ok := it.next()
		if !ok {
			return dst
		}
		known, how := match(f.Message, m.name, ackNames)
		dst = spellingFinding(dst, f.Message, m, known, how, "")
		taken := f.Variant != decode.Custom && (how == spelledExact || how == spelledEscaped)
		if taken && m.value.Kind == decode.Null {
			dst = append(dst, optionalNull(f.Message, m.value, known))
		}
	}
}

// oddEnums appends what is to be said of spellings that come from how the receiver's types are read, and
// that no other reader takes.
func oddEnums(dst []Finding, f *decode.Frame) []Finding {
	if f.Variant == decode.Custom {
		return dst
	}
	for _, member := range [...]decode.Member{decode.MemberLevel, decode.MemberStatus} {
		if v := f.Members[member]; v.Kind == decode.Object {
			dst = append(dst, newFinding(decode.PositionalArray, v.Start,
				"% is %, taken in place of the word itself: this receiver takes it, others refuse it",
				words(member.String()), literal(f.Raw(v))).at(f.Message))
		}
	}
	if v := f.Members[decode.MemberNotifications]; v.Kind == decode.Array {
		dst = append(dst, newFinding(decode.PositionalArray, v.Start,
			"notifications is an array taken in place of the object: this receiver takes it, others refuse it").at(f.Message))
	}
	return dst
}

// cancelled appends what is to be said of a cancellation; explained says that a finding before tells why its
// requestId is missing.
func cancelled(dst []Finding, f *decode.Frame, explained bool) []Finding {
	v := f.Members[decode.MemberRequestID]
	switch {
	case v.Kind == decode.Null:
		dst = append(dst, newFinding(decode.CancelledWithoutRequest, v.Start,
			"requestId is null, and says of no request that it is cancelled").at(f.Message))
	case !v.Present() && !explained:
		offset := f.Method.Start
		if f.Params.Present() {
			offset = f.Params.Start
		}
		dst = append(dst, newFinding(decode.CancelledWithoutRequest, offset,
			"no requestId says which request is cancelled: legal only in MCP 2025-11-25").at(f.Message))
	}
	return append(dst, newFinding(decode.CancelsWork, f.Method.Start,
		"aborts an operation at the receiver, whose authorisation must look at notifications as at requests").at(f.Message))
}

func relativeURI(dst []Finding, f *decode.Frame) []Finding {
	v := f.Members[decode.MemberURI]
	if v.Kind != decode.String {
		return dst
	}
	var buf [128]byte
	fault := uriFault(unquoted(buf[:0], f.Raw(v)))
	if fault == "" {
		return dst
	}
	return append(dst, newFinding(decode.RelativeURI, v.Start, "uri is no absolute URI: %, %",
		literal(f.Raw(v)), words(fault)).at(f.Message))
}

// uriFault says why text is no absolute URI (RFC 3986 section 3), "" when it is one. Characters beyond ASCII
// pass: many senders write them plainly.
func uriFault(text []byte) string {
	if len(text) == 0 {
		return "which is empty"
	}
	i := 0
	for i < len(text) && isSchemeByte(text[i], i) {
		i++
	}
	switch {
	case i == 0 || i == len(text) || text[i] != ':':
		return "which has no scheme"
	case i == 1 && len(text) > 2 && (text[2] == '\\' || text[2] == '/'):
		return "a Windows path; a file URI begins file:///"
	case i+1 == len(text):
		return "a scheme and nothing else"
	}
	for _, b := range text[i:] {
		if b <= ' ' || b == 0x7f {
			return "which holds white space or a control character"
		}
	}
	return ""
}

func isSchemeByte(b byte, i int) bool {
	letter := 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
	return letter || i > 0 && ('0' <= b && b <= '9' || b == '+' || b == '-' || b == '.')
}
