package inspect

import (
	"bytes"
	"encoding/base64"

	"kind4/decode"
)

func decodeBase64(text []byte) ([]byte, bool) {
	if len(text) > maxTried {
		return nil, false
	}
	decoded, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		decoded, err = base64.RawStdEncoding.DecodeString(string(text))
	}
	return decoded, err == nil
}

// notObjectHint says what a body may have been meant to be that is an array, a string or another scalar.
func notObjectHint(message []byte) hint {
	start := bodyStart(message)
	if start >= len(message) {
		return hint{}
	}
	switch message[start] {
	case '[':
		return arrayHint(message, start)
	case '"':
		return encodedHint(message, start)
	}
	return hint{}
}

// arrayHint says how many notifications an array holds.
func arrayHint(message []byte, start int) hint {
	notifications, objects, total := 0, 0, 0
	firstIsMethod := false
	for it := elementsOf(message, start); ; {
		v, ok := it.next()
		if !ok {
			break
		}
		if total == 0 && v.Kind == decode.String {
			firstIsMethod = true
		}
		total++
		if v.Kind != decode.Object {
			continue
		}
		objects++
		if method, ok := findMember(message, v.Start, "method"); ok && method.Kind == decode.String && !hasMember(message, v.Start, "id") {
			notifications++
		}
	}
	switch {
	case notifications == 1:
		return hint{format: "a batch that hides 1 notification: MCP has no batches, and each needs a message of its own"}
	case notifications > 1:
		return hint{"a batch that hides % notifications: MCP has no batches, and each needs a message of its own",
			[2]Arg{number(int64(notifications))}}
	case firstIsMethod && total != 2:
		return hint{"of arrays the receiver takes those of a method and params, and this one has length %", [2]Arg{number(int64(total))}}
	case objects > 0:
		return hint{format: "a batch without any notification"}
	}
	return hint{}
}

// envelopeFacts are what the members of an object say about what it is.
type envelopeFacts struct {
	count                                        int
	method, id, result, err, code, message, ping bool
	variant                                      decode.Value // a name that is "method" but for case or white space
	typo                                         decode.Value // a name one slip from "method"
	wrapper                                      decode.Value // the name of a member that holds a notification
	errorValue                                   decode.Value
	token, progress, level, data, requestID      bool
}

// paramsOf names the notification that such an object is the params of, "" for none.
func (e *envelopeFacts) paramsOf() string {
	switch {
	case e.token && e.progress:
		return "notifications/progress"
	case e.level && e.data:
		return "notifications/message"
	case e.requestID && e.count <= 2:
		return "notifications/cancelled"
	}
	return ""
}

func factsOf(body []byte, start int) envelopeFacts {
	var e envelopeFacts
	for it := membersOf(body, start); ; {
		m, ok := it.next()
		if !ok {
			return e
		}
		e.count++
		var buf [32]byte
		name := unquoted(buf[:0], view(body, m.name.Start, m.name.End))
		e.see(body, m, name)
	}
}

func (e *envelopeFacts) see(body []byte, m member, name []byte) {
	switch string(name) {
	case "method":
		e.method = true
	case "id":
		e.id = true
	case "result":
		e.result = true
	case "error":
		e.err, e.errorValue = true, m.value
	case "code":
		e.code = true
	case "message":
		e.message = true
		e.wraps(body, m)
	case "progressToken":
		e.token = true
	case "progress":
		e.progress = true
	case "level":
		e.level = true
	case "data":
		e.data = true
		e.wraps(body, m)
	case "requestId":
		e.requestID = true
	case "params":
	case "ping", "pong", "heartbeat", "keepalive", "keep_alive", "keepAlive":
		e.ping = true
	case "type", "event", "kind", "op", "action":
		e.ping = e.ping || isHeartbeat(body, m.value)
	default:
		e.wraps(body, m)
		switch {
		case bytes.EqualFold(bytes.TrimSpace(name), []byte("method")):
			e.variant = m.name
		case !e.typo.Present() && len(name) <= maxSlipped && oneEdit(name, []byte("method")):
			e.typo = m.name
		}
	}
}

func (e *envelopeFacts) wraps(body []byte, m member) {
	if e.wrapper.Present() || m.value.Kind != decode.Object {
		return
	}
	if method, ok := findMember(body, m.value.Start, "method"); ok && method.Kind == decode.String {
		e.wrapper = m.name
	}
}

func isHeartbeat(body []byte, v decode.Value) bool {
	var buf [32]byte
	text := view(body, v.Start, v.End)
	if v.Kind != decode.String || len(text) > 32 {
		return false
	}
	text = bytes.ToLower(unquoted(buf[:0], text))
	for _, word := range [...]string{"ping", "pong", "heartbeat", "keepalive", "keep-alive", "keep_alive"} {
		if string(text) == word {
			return true
		}
	}
	return false
}

// methodMissingHint says what an object without a method is instead.
func methodMissingHint(message []byte) hint {
	start := bodyStart(message)
	e := factsOf(message, start)
	name := func(v decode.Value) [2]Arg { return [2]Arg{literal(view(message, v.Start, v.End))} }
	switch {
	case e.variant.Present():
		return hint{"there is %, but names are case-sensitive and hold no white space", name(e.variant)}
	case e.result:
		return hint{format: "it is the response to a request, and belongs to no notification channel"}
	case e.err && e.errorValue.Kind == decode.Object:
		return hint{format: "it is an error response; here the error object alone is sent, behind tag 1"}
	case e.err && e.id:
		return hint{format: "it is an error response, and its error is no object; here an object of code and message is sent, behind tag 1"}
	case e.code && e.message:
		if verdict(decode.TagError, message[1:]) == "" {
			return hint{format: "it has a code and a message, as an error body has; tag 1 meant?"}
		}
		return hint{format: "it is an error body under tag 0; tag 1 meant?"}
	case e.paramsOf() != "":
		return hint{"it holds what params of % do: method and params are missing around it", [2]Arg{words(e.paramsOf())}}
	case e.wrapper.Present():
		return hint{"the member % holds an object with a method: a notification has to be the body itself", name(e.wrapper)}
	case e.typo.Present():
		return hint{"there is %; did you mean \"method\"?", name(e.typo)}
	case e.ping:
		return hint{format: "it looks like a heartbeat: a WebSocket ping keeps a connection alive"}
	case e.count == 0:
		return hint{format: "an empty object, a heartbeat? a WebSocket ping keeps a connection alive"}
	}
	return hint{}
}

// errorShapeHint says what a body under tag 1 may have been meant to be that is no error.
func errorShapeHint(message []byte, offset int) hint {
	start := bodyStart(message)
	if start >= len(message) {
		return hint{}
	}
	switch message[start] {
	case '"':
		return textHint(message, start)
	case '[':
		return hint{format: "of arrays the receiver takes those of code, message and data"}
	case '{':
	default:
		return hint{}
	}
	e := factsOf(message, start)
	switch {
	case e.method:
		if verdict(decode.TagNotification, message[1:]) != "" {
			return hint{format: "it is a valid notification; tag 0 meant?"}
		}
		return hint{format: "it has a method; tag 0 meant?"}
	case e.err && e.errorValue.Kind == decode.Object:
		return hint{format: "it is a whole response: the error object alone belongs here"}
	case e.err && e.errorValue.Kind == decode.String && !e.message:
		return hint{"there is \"error\": %, a text that belongs into message", [2]Arg{literal(view(message, e.errorValue.Start, e.errorValue.End))}}
	case e.result:
		return hint{format: "it is the response to a request, and no error"}
	}
	return errorMemberHint(message, start, offset)
}

func textHint(message []byte, start int) hint {
	if h := encodedHint(message, start); h.format != "" {
		return h
	}
	return hint{format: `plain text; it belongs into the message of {"code":-32603,"message":…}`}
}

// errorMemberHint says what is odd about a code or message that does not fit.
func errorMemberHint(message []byte, start, offset int) hint {
	for it := membersOf(message, start); ; {
		m, ok := it.next()
		if !ok {
			return hint{}
		}
		known, how := match(message, m.name, errorNames)
		raw := view(message, m.value.Start, m.value.End)
		switch {
		case how == spelledCase && !hasMember(message, start, known):
			return hint{`there is %, but names are case-sensitive`, [2]Arg{literal(view(message, m.name.Start, m.name.End))}}
		case known != "code" || how != spelledExact || m.value.Start != offset:
		case m.value.Kind == decode.String && isNumber(unquoted(nil, raw)):
			return hint{format: "a number in quotes"}
		case m.value.Kind == decode.String && len(raw) > 2:
			return hint{format: "a name that belongs into data"}
		case m.value.Kind == decode.Float && isWhole(raw):
			return hint{format: "a float, if a whole number: an integer has neither fraction nor exponent here"}
		}
	}
}

func hasMember(message []byte, start int, name string) bool {
	_, ok := findMember(message, start, name)
	return ok
}
