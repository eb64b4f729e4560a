package capture

import (
	"bytes"
	"strings"

	"kind4/decode"
)

// class is what a text without a tag is (JSON-RPC 2.0 sections 4 to 6).
type class uint8

const (
	other    class = iota // nothing that a channel of notifications carries, or would by mistake
	message               // a notification, or what was to be one
	request               // a method and an id
	response              // a result or an error
)

// text is what was made out of one text.
type text struct {
	class               class
	end                 int // behind its JSON, where that is whole
	whole               bool
	requests, responses int    // in a batch without a notification
	wrapper             string // the member whose string holds JSON-RPC, of another's log record
}

// classify says what a text is. It goes by the members of an object as far as that is JSON:
//
//	request   a method and an id that is not null, but for a method that is a notification's
//	message   any other method beside jsonrpc, or a notification's, or with nothing else but params; also jsonrpc
//	          with none of method, id, result and error, and what breaks off before any of that can be seen
//	response  a result or an error beside jsonrpc or an id, or with nothing else; also jsonrpc and an id alone
//
// An array is a message where one of its objects is. Broken text that is no JSON from its first member on is a
// message where it begins as a known member's name does, or speaks of "notifications/".
func classify(s []byte) text {
	w := decode.NewWalker(s, 0)
	first, ok := w.Next()
	switch {
	case !ok:
		return text{}
	case first.Kind == decode.BeginObject:
		o := scanObject(s, &w, 1)
		return text{class: o.class(s), end: w.Offset(), whole: o.whole, wrapper: o.wrapper}
	case first.Kind == decode.BeginArray:
		return classifyBatch(s, &w)
	}
	return text{}
}

// commonBeginnings are how most notifications begin, which makes them messages, whatever follows.
var commonBeginnings = [...]string{`{"jsonrpc":"2.0","method":"` + notifications, `{"method":"` + notifications, `{"jsonrpc": "2.0", "method": "` + notifications}

// classifyWhole is classify without end and whole, and so without a look at most messages.
func classifyWhole(s []byte) text {
	if beginsWith(s, commonBeginnings[:]) {
		return text{class: message}
	}
	return classify(s)
}

// classifyBatch is classify for an array, whose first bracket the walker has taken.
func classifyBatch(s []byte, w *decode.Walker) text {
	var batch text
	for {
		t, ok := w.Next()
		switch {
		case !ok:
			return batch
		case t.Kind == decode.EndArray && t.Depth == 1:
			batch.end, batch.whole = w.Offset(), true
			return batch
		case t.Kind != decode.BeginObject:
			w.Skip()
			continue
		}
		o := scanObject(s, w, 2)
		switch o.class(s[t.Start:]) {
		case message:
			batch.class = message
		case request:
			batch.requests++
		case response:
			batch.responses++
		}
	}
}

// object is which members an object has, as far as it is JSON.
type object struct {
	whole                        bool
	members                      int
	method, notification         bool // a method, and whether it is a notification's by its name
	id, outcome, version, params bool // an id that is not null; a result or error; jsonrpc
	others                       bool // any other member
	wrapper                      string
}

// notifications is what the methods of MCP's notifications begin with.
const notifications = "notifications/"

// scanObject looks at the members of an object at a depth, whose first brace the walker has taken.
func scanObject(s []byte, w *decode.Walker, depth int) object {
	var o object
	var buf [64]byte
	for {
		t, ok := w.Next()
		if !ok {
			return o
		}
		if t.Kind != decode.TokenName {
			o.whole = t.Kind == decode.EndObject && t.Depth == depth
			return o
		}
		name := s[t.Start+1 : t.End-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = decode.Unquote(buf[:0], s[t.Start:t.End])
		}
		value, ok := w.Next()
		o.member(s, name, value, ok)
		if !ok {
			return o
		}
		w.Skip()
	}
}

// member takes in one member; ok is whether its value begins as JSON.
func (o *object) member(s, name []byte, value decode.Token, ok bool) {
	o.members++
	switch string(name) {
	case "method":
		o.method = true
		o.notification = o.notification || ok && value.Kind == decode.TokenString && bytes.HasPrefix(s[value.Start+1:], []byte(notifications))
	case "id":
		o.id = o.id || !ok || value.Kind != decode.TokenNull
	case "result", "error":
		o.outcome = true
	case "jsonrpc":
		o.version = true
	case "params":
		o.params = true
	default:
		o.others = true
		if ok && value.Kind == decode.TokenString && o.wrapper == "" && plainName(name) &&
			bytes.Contains(s[value.Start:value.End], []byte(`\"jsonrpc\"`)) {
			o.wrapper = string(name)
		}
	}
}

// plainName reports whether a member's name can stand in a command as it is.
func plainName(name []byte) bool {
	for _, c := range name {
		if !letter(c) && c != '_' {
			return false
		}
	}
	return len(name) > 0 && len(name) <= 32
}

// class says what the object is that s begins with.
func (o *object) class(s []byte) class {
	switch {
	case o.method && o.id && !o.notification:
		return request
	case o.method && (o.version || o.notification || !o.others):
		return message
	case o.outcome && (o.version || o.id || !o.others), o.id && o.version:
		return response
	case o.version, !o.whole && o.params && !o.others:
		return message
	case !o.whole && o.members == 0 && (beginsMember(s) || bytes.Contains(s, []byte(notifications))):
		return message
	}
	return other
}

// envelopeNames are the members that a notification begins with.
var envelopeNames = [...]string{"jsonrpc", "method", "params"}

// beginsMember reports whether s breaks off in the name of the first member of a notification.
func beginsMember(s []byte) bool {
	rest, found := bytes.CutPrefix(bytes.TrimLeft(s[1:], " \t\r\n"), []byte(`"`))
	if !found {
		return false
	}
	for _, name := range envelopeNames {
		if strings.HasPrefix(name, string(rest[:min(len(rest), 16)])) || bytes.HasPrefix(rest, []byte(name+`"`)) {
			return true
		}
	}
	return false
}

// memberNames are those that an object of JSON-RPC begins with.
var memberNames = [...]string{`jsonrpc"`, `method"`, `id"`, `result"`, `error"`, `params"`}

// aroundMessage is how far in a line the JSON of a message may begin, in bytes, behind what a log or a field puts
// before it.
const aroundMessage = 4 << 10

// behindText finds the first object in a line, behind other text, that is one of JSON-RPC, and returns where it begins
// and what it is; -1 where there is none. It begins with a member of JSON-RPC, and jsonrpc stands in it.
func behindText(line []byte) (at int, s text) {
	for at < len(line) {
		i := bytes.Index(line[at:min(len(line), aroundMessage)], []byte(`{"`))
		if i < 0 || !bytes.Contains(line[at+i:], []byte(`"jsonrpc"`)) {
			break
		}
		if at += i; !beginsWith(line[at+2:], memberNames[:]) {
			at++
			continue
		}
		if before := bytes.TrimRight(line[:at], " \t"); len(before) > 1 && before[len(before)-1] == '[' {
			if batch := classify(line[len(before)-1:]); batch.whole && batch.class != other {
				return len(before) - 1, batch
			}
		}
		if s = classify(line[at:]); s.class != other {
			return at, s
		} else if !s.whole {
			break
		}
		at += s.end
	}
	return -1, text{}
}
