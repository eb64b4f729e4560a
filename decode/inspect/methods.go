package inspect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"kind4/decode"
)

// typedMethods are the methods that the receiver has a type for.
var typedMethods = func() (names []string) {
	for _, known := range decode.KnownMethods() {
		names = append(names, known.Name)
	}
	return names
}()

// clientMethods are the notifications that only a client sends (MCP, ClientNotification).
var clientMethods = []string{"notifications/initialized", "notifications/roots/list_changed"}

// oldMethods are the server's notifications of MCP 2025-11-25 that the receiver has no type for.
var oldMethods = []string{"notifications/elicitation/complete", "notifications/tasks/status"}

// requestMethods are the requests of every MCP revision from 2024-11-05 to 2026-07-28, either side's.
var requestMethods = []string{
	"initialize", "ping", "server/discover",
	"tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
	"prompts/list", "prompts/get",
	"logging/setLevel", "completion/complete",
	"subscriptions/listen",
	"tasks/get", "tasks/list", "tasks/result", "tasks/update", "tasks/cancel",
	"sampling/createMessage", "elicitation/create", "roots/list",
}

// RequestMethods returns the methods of MCP's requests, either side's, of every revision from 2024-11-05 to
// 2026-07-28. The slice is the caller's.
func RequestMethods() []string { return slices.Clone(requestMethods) }

// foreignMethods says which protocol's a method is by how it begins.
var foreignMethods = []struct{ prefix, protocol string }{
	{"$/", "the Language Server Protocol"},
	{"window/", "the Language Server Protocol"},
	{"textDocument/", "the Language Server Protocol"},
	{"notebookDocument/", "the Language Server Protocol"},
	{"workspace/", "the Language Server Protocol"},
	{"workspaceFolder/", "the Language Server Protocol"},
	{"telemetry/event", "the Language Server Protocol"},
	{"client/registerCapability", "the Language Server Protocol"},
	{"client/unregisterCapability", "the Language Server Protocol"},
	{"codex/", "the Codex agent"},
	{"session/update", "the Agent Client Protocol"},
	{"session/request_permission", "the Agent Client Protocol"},
	{"notifications/stderr", "the MCP Inspector's proxy, which sends a server's standard error so"},
}

// methodClass is what kind of method a custom one is; its code is 0 for a method that the receiver types.
type methodClass struct {
	code decode.Code
	name string // NearMiss: the method that was meant; ForeignMethod: the protocol
}

// classify is classify for a method's literal. It compares a custom method with all that it could have been meant to
// be once, and not each time it comes: that takes longer than all else that is done for such a message.
func (in *Inspector) classify(literal []byte) methodClass {
	if _, ok := in.custom[string(literal)]; ok {
		return methodClass{code: decode.CustomMethod}
	}
	var buf [maxSlipped * 2]byte
	text, _ := beginning(buf[:0], literal) // no method that is like a known one is longer
	class := classify(text)
	if class.code == decode.CustomMethod && len(literal) <= MaxKey && len(in.custom) < MaxMethods {
		if in.custom == nil {
			in.custom = make(map[string]struct{})
		}
		in.custom[string(literal)] = struct{}{}
	}
	return class
}

// classify says what is to be said of a method that is custom to the receiver. It allocates nothing.
func classify(method []byte) methodClass {
	switch {
	case len(method) == 0:
		return methodClass{code: decode.EmptyMethod}
	case isOneOf(method, typedMethods):
		return methodClass{}
	case hasPrefix(method, "rpc."):
		return methodClass{code: decode.ReservedMethod}
	case isOneOf(method, requestMethods):
		return methodClass{code: decode.RequestMethod}
	case isOneOf(method, clientMethods):
		return methodClass{code: decode.WrongDirection}
	case isOneOf(method, oldMethods):
		return methodClass{code: decode.OldMethod}
	}
	for i := range foreignMethods {
		if hasPrefix(method, foreignMethods[i].prefix) {
			return methodClass{decode.ForeignMethod, foreignMethods[i].protocol}
		}
	}
	if meant := nearMiss(method); meant != "" {
		return methodClass{decode.NearMiss, meant}
	}
	return methodClass{code: decode.CustomMethod}
}

func isOneOf(method []byte, names []string) bool {
	for _, name := range names {
		if string(method) == name {
			return true
		}
	}
	return false
}

// maxSlipped is the longest method that can be one slip away from a known one, with room for white space.
const maxSlipped = 64

// nearMiss returns the known method that method is one slip away from, "" when there is none. A slip is a
// wrong case or separator, a stray space or slash, "notifications/" left out, or one edit.
func nearMiss(method []byte) string {
	method = bytes.TrimSpace(method)
	if len(method) == 0 || len(method) > maxSlipped {
		return ""
	}
	if string(method) == "notifications/cancel" {
		return "notifications/cancelled"
	}
	var buf [maxSlipped]byte
	bare, prefixed := bareMethod(buf[:0], method)
	for i := range slipTargets {
		target := &slipTargets[i]
		if bytes.Equal(bare, target.bare) || prefixed && oneEdit(bare, target.bare) || oneEditName(method, target.name) {
			return string(target.name)
		}
	}
	return ""
}

// slipTarget is a method that another may be one slip away from.
type slipTarget struct{ name, bare []byte }

var slipTargets = func() (targets []slipTarget) {
	for _, name := range slices.Concat(typedMethods, clientMethods, oldMethods) {
		bare, _ := bareMethod(nil, []byte(name))
		targets = append(targets, slipTarget{[]byte(name), bare})
	}
	return targets
}()

// bareMethod appends the method without its prefix, separators and case.
func bareMethod(dst, method []byte) (bare []byte, prefixed bool) {
	for _, b := range method {
		switch {
		case b == '/' || b == '_' || b == '-' || b == '.' || b == ':' || b == ' ' || b == '\\':
		case 'A' <= b && b <= 'Z':
			dst = append(dst, b+'a'-'A')
		default:
			dst = append(dst, b)
		}
	}
	for {
		rest := withoutPrefix(dst)
		if len(rest) == len(dst) {
			return dst, prefixed
		}
		dst, prefixed = rest, true
	}
}

// withoutPrefix is a bare method without one "notifications" before it.
func withoutPrefix(bare []byte) []byte {
	for _, prefix := range [...]string{"notifications", "notification"} {
		if len(bare) > len(prefix) && hasPrefix(bare, prefix) {
			return bare[len(prefix):]
		}
	}
	return bare
}

// oneEditName is oneEdit for whole methods, most of which differ too much in length.
func oneEditName(method, name []byte) bool {
	d := len(method) - len(name)
	return d >= -utf8.UTFMax && d <= utf8.UTFMax && oneEdit(method, name)
}

// oneEdit reports whether one character left out, put in, changed, or swapped with the next turns a into b.
func oneEdit(a, b []byte) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	na, nb := utf8.RuneCount(a), utf8.RuneCount(b)
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return na <= 1 && nb <= 1 || swapped
}

// method appends what is to be said of the method of a custom notification.
func (in *Inspector) method(dst []Finding, f *decode.Frame) []Finding {
	if !f.Method.Present() || f.Method.Kind != decode.String {
		return dst
	}
	literalText := f.Raw(f.Method)
	class := in.classify(literalText)
	if class.code == 0 {
		return dst
	}
	finding := newFinding(class.code, f.Method.Start, methodFormats[class.code], literal(literalText))
	if class.name != "" {
		finding.args[1] = words(class.name)
		finding.silent = class.code == decode.NearMiss && !isOneOf([]byte(class.name), typedMethods)
	}
	finding.path = "/method"
	if f.Positional {
		finding.path = "/0"
	}
	return append(dst, finding)
}

// methodFormats are the texts of the codes that classify gives; the first argument is the method.
var methodFormats = map[decode.Code]string{
	decode.EmptyMethod:    "the method is the empty string",
	decode.ReservedMethod: "%: JSON-RPC reserves names that start with rpc. for itself",
	decode.RequestMethod:  "% is the method of a request, where only notifications travel: nobody answers it",
	decode.WrongDirection: "% is a client's notification, sent by a server",
	decode.OldMethod:      "% is of MCP 2025-11-25; the receiver has no type for it and takes it as custom",
	decode.ForeignMethod:  "% is a method of %",
	decode.NearMiss:       "% is unknown; did you mean \"%\"?",
	decode.CustomMethod:   "% is no method of MCP: the receiver hands it over as custom",
}
