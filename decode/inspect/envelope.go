package inspect

import "kind4/decode"

// envelopeNames are the members of a JSON-RPC notification, and of MCP's _meta where it is often misplaced.
var envelopeNames = []string{"method", "params", "jsonrpc", "id"}

// errorNames are the members of a JSON-RPC error object.
var errorNames = []string{"code", "message", "data"}

// envelope appends what is to be said of the members beside method and params. The body is an object and is
// JSON as far as these members. Untagged bodies need a jsonrpc member. explained says that one of them is why the
// notification has no params, which it needs.
func envelope(dst []Finding, f *decode.Frame, untagged bool) (_ []Finding, explained bool) {
	message := f.Message
	versioned, misnamed, identified := false, false, false
	for it := membersOf(message, bodyStart(message)); ; {
		m, ok := it.next()
		if !ok {
			break
		}
		known, how := match(message, m.name, envelopeNames)
		if how == spelledExact || how == spelledEscaped {
			switch {
			case known == "id" && !identified:
				dst, identified = idFinding(dst, message, m), true
			case known == "jsonrpc" && !versioned:
				dst, versioned = versionFinding(dst, message, m), true
			}
		}
		if how == spelledOther && isMeta(message, m.name) {
			dst = append(dst, newFinding(decode.MetaMisplaced, m.name.Start,
				"_meta stands beside params, where the receiver ignores it; it belongs inside params").at(message))
		}
		if known == "jsonrpc" && (how == spelledCase || how == spelledSnake) {
			misnamed = true
		}
		consequence := ""
		if how == spelledCase && known == "params" && !f.Params.Present() {
			consequence = lacking(f, known)
			explained = explained || consequence != ""
		}
		dst = spellingFinding(dst, message, m, known, how, consequence)
	}
	if untagged && !versioned && !misnamed {
		dst = append(dst, newFinding(decode.JSONRPCVersion, bodyStart(message),
			`no jsonrpc member, where "2.0" is required`).at(message))
	}
	return dst, explained
}

func isMeta(message []byte, name decode.Value) bool {
	var buf [8]byte
	text := view(message, name.Start, name.End)
	return len(text) <= 6*len("_meta")+2 && string(unquoted(buf[:0], text)) == "_meta"
}

func idFinding(dst []Finding, message []byte, m member) []Finding {
	if m.value.Kind == decode.Null {
		return append(dst, newFinding(decode.IDNull, m.value.Start,
			"id is null: neither a notification, which has no id, nor a legal request id").at(message))
	}
	return append(dst, newFinding(decode.IDPresent, m.value.Start,
		"an id, %, makes this a request by shape; the receiver ignores it and nobody answers",
		literal(view(message, m.value.Start, m.value.End))).at(message))
}

func versionFinding(dst []Finding, message []byte, m member) []Finding {
	var buf [32]byte
	text := view(message, m.value.Start, m.value.End)
	if m.value.Kind == decode.String && len(text) <= 32 && string(unquoted(buf[:0], text)) == "2.0" {
		return dst
	}
	return append(dst, newFinding(decode.JSONRPCVersion, m.value.Start,
		`jsonrpc is %, and has to be the string "2.0"`, literal(text)).at(message))
}

// spellingFinding appends what is to be said of a name that is a known one in another spelling. Where
// consequence is given, the spelling is why a known method came as custom.
func spellingFinding(dst []Finding, message []byte, m member, known string, how spelling, consequence string) []Finding {
	name := literal(view(message, m.name.Start, m.name.End))
	var f Finding
	switch how {
	case spelledEscaped:
		f = newFinding(decode.EscapedName, m.name.Start, `% is "%" spelled with escapes`, name, words(known))
	case spelledCase:
		f = newFinding(decode.CaseVariant, m.name.Start,
			`% is not "%": names are case-sensitive, and the receiver does not read it%`, name, words(known), words(consequence))
	case spelledSnake:
		f = newFinding(decode.SnakeCase, m.name.Start,
			`% is not "%": the receiver does not read it%`, name, words(known), words(consequence))
	default:
		return dst
	}
	return append(dst, f.at(message))
}

// errorBody appends what is to be said of an error that the receiver took.
func errorBody(dst []Finding, f *decode.Frame) []Finding {
	if f.Positional {
		dst = append(dst, newFinding(decode.PositionalArray, bodyStart(f.Message),
			"an array taken in place of the object {code, message, data}: this receiver takes it, others refuse it").at(f.Message))
	} else if f.Clues&(decode.ClueUnknownName|decode.ClueEscapedName|decode.ClueSkippedFault) != 0 {
		dst = errorMembers(dst, f.Message)
	}
	code := f.Members[decode.MemberCode]
	switch {
	case f.Code == 0:
		dst = append(dst, newFinding(decode.ErrorCode, code.Start, "code 0 says that nothing went wrong").at(f.Message))
	case f.Code <= -32100 && f.Code >= -32768 && decode.ErrorName(f.Code) == "":
		dst = append(dst, newFinding(decode.ErrorCode, code.Start,
			"code % has no name, and JSON-RPC keeps -32768 to -32000 for itself", number(int64(f.Code))).at(f.Message))
	}
	if data := f.Members[decode.MemberData]; data.Kind == decode.Null {
		finding := newFinding(decode.OptionalNull, data.Start, "data is null: the receiver does not tell it from an absent one")
		finding.silent = true
		dst = append(dst, finding.at(f.Message))
	}
	return dst
}

func errorMembers(dst []Finding, message []byte) []Finding {
	for it := membersOf(message, bodyStart(message)); ; {
		m, ok := it.next()
		if !ok {
			return dst
		}
		known, how := match(message, m.name, errorNames)
		dst = spellingFinding(dst, message, m, known, how, "")
	}
}
