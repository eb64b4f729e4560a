package live

import (
	"strconv"
	"sync"

	"kind4/decode"
	"kind4/decode/ws"
)

// The messages that faults are made of.
const (
	goodMessage = "\x00" + `{"method":"notifications/message","params":{"level":"info","logger":"fault","data":"all is well"}}`
	goodError   = "\x01" + `{"code":-32603,"message":"upstream gone"}`
)

func progress(token, value, total string) string {
	return "\x00" + `{"method":"notifications/progress","params":{"progressToken":` + token + `,"progress":` + value + `,"total":` + total + `}}`
}

func task(status, more string) string {
	return "\x00" + `{"method":"notifications/tasks","params":{"taskId":"fault","status":"` + status +
		`","createdAt":"2026-11-30T12:00:00Z","lastUpdatedAt":"2026-11-30T12:00:01Z"` + more + `}}`
}

// faults is the one table: of provide, explain, completion and the man pages. RFC 6455 sections stand where a rule of
// it is broken.
var faults = sync.OnceValue(func() []*Fault {
	return []*Fault{
		// Messages.
		{Name: "empty", Does: "Sends a message of no bytes.", Finding: decode.EmptyMessage, messages: []string{""}},
		{Name: "unknown-tag", Does: "Sends a notification under tag 9.", Finding: decode.UnknownTag, messages: []string{"\x09" + goodMessage[1:]}},
		{Name: "no-tag", Does: "Sends a notification without its tag byte.", Finding: decode.UnknownTag, messages: []string{goodMessage[1:]}},
		{Name: "empty-body", Does: "Sends a tag byte and nothing behind it.", Finding: decode.EmptyBody, messages: []string{"\x00"}},
		{Name: "bad-json", Does: "Sends a body with a comma too many.", Finding: decode.JSONSyntax, messages: []string{"\x00" + `{"method":"x",}`}},
		{Name: "cut-json", Does: "Sends a body that ends inside an object.", Finding: decode.JSONTruncated, messages: []string{"\x00" + `{"method":"x","params":{`}},
		{Name: "not-utf8", Does: "Sends a string in Latin-1.", Finding: decode.NotUTF8, messages: []string{"\x00{\"method\":\"gr\xfc\xdfe\"}"}},
		{Name: "batch", Does: "Sends an array of two notifications.", Finding: decode.NotAnObject, messages: []string{"\x00" + `[{"method":"x"},{"method":"y"}]`}},
		{Name: "misfit", Does: "Sends progress in quotes, taken for a custom notification.", Finding: decode.ParamsMisfit, messages: []string{progress(`"fault"`, `"50"`, "100")}},
		{Name: "bad-error", Does: "Sends an error without a code; a receiver cannot decode it.", Finding: decode.ErrorShape, messages: []string{"\x01" + `{"message":"upstream gone"}`}},
		{Name: "frame-too-large", Does: "Sends a message of 16 MiB and one byte in one frame.", Finding: decode.FrameTooLarge, do: large(16<<20 + 1)},
		{Name: "oversize", Does: "Sends a message of 64 MiB and one byte in one frame.", Finding: decode.Oversize, do: large(64<<20 + 1)},

		// The session.
		{Name: "receiver-stopped", Does: "Sends an empty message, and a good one behind it.", Finding: decode.ReceiverStopped, messages: []string{"", goodMessage}},
		{Name: "progress-backwards", Does: "Sends progress 2, then 1, for one token.", Finding: decode.ProgressNotIncreasing, messages: []string{progress(`"fault"`, "2", "9"), progress(`"fault"`, "1", "9")}},
		{Name: "progress-over-total", Does: "Sends progress above the total.", Finding: decode.ProgressOverTotal, messages: []string{progress(`"fault-total"`, "10", "9")}},
		{Name: "progress-after-cancel", Does: "Sends progress for a cancelled request.", Finding: decode.ProgressAfterCancel, messages: []string{
			"\x00" + `{"method":"notifications/cancelled","params":{"requestId":"fault-cancel"}}`, progress(`"fault-cancel"`, "1", "9")}},
		{Name: "token-twins", Does: "Sends progress for the tokens 4 and \"4\".", Finding: decode.TokenTwins, messages: []string{progress("4", "1", "9"), progress(`"4"`, "1", "9")}},
		{Name: "task-after-end", Does: "Sends a task's status after it was cancelled.", Finding: decode.TaskAfterEnd, messages: []string{task("cancelled", ""), task("working", "")}},
		{Name: "repeated", Does: "Sends one message twice, at once.", Finding: decode.RepeatedMessage, messages: []string{goodMessage, goodMessage}},
		{Name: "many-tokens", Does: "Sends progress for 1,025 tokens: not all are remembered.", Finding: decode.StateCapped, messages: manyTokens(1025)},

		// The wire.
		{Name: "text", Does: "Sends a notification as a text message.", Finding: decode.TextMessage, wire: textFrame, frames: 1, text: true},
		{Name: "fragment", Does: "Sends a notification in two frames.", Finding: decode.Fragmented, wire: fragments, frames: 2},
		{Name: "ping-inside-message", Does: "Sends a ping between two fragments, which is allowed (section 5.4).", Finding: decode.Fragmented, wire: pingBetween, frames: 2},

		// Other paths.
		{Name: "requests-message", Does: "Sends a message on /requests, which is the proxy's.", Finding: decode.RequestsMessage, do: onRequests},
		{Name: "second-opening", Does: "Opens the notification path again while it is open.", Seen: "a refusal, 409", do: again},
		{Name: "second-requests", Does: "Opens /requests again while it is open.", Seen: "a refusal, 409", do: againRequests},
		{Name: "unknown-channel", Does: "Opens a notification path that was not announced.", Seen: "a refusal, 404", do: unannounced},

		// The end of the path.
		{Name: "not-served", Does: "Closes the path without any message.", Finding: decode.NotServed, then: thenClose, silent: true},
		{Name: "after-error", Does: "Sends a notification behind the error that ends the stream.", Finding: decode.AfterError, messages: []string{goodError, goodMessage}, then: thenClose},
		{Name: "close-code", Does: "Closes with code 1011 (internal error).", Finding: decode.CloseCode, then: thenClose, closes: closeInternalError},
		{Name: "eof-without-close", Does: "Ends the connection in order, without a Close.", Seen: pathDied, then: thenCut},
		{Name: "cut-header", Does: "Ends the connection inside a frame's header.", Seen: pathDied, wire: cutHeader, then: thenCut},
		{Name: "cut-payload", Does: "Ends the connection inside a frame's payload.", Seen: pathDied, wire: cutPayload, then: thenCut},
		{Name: "cut-fragments", Does: "Ends the connection between two fragments of a message.", Seen: pathDied, wire: firstFragment, then: thenCut},

		// RFC 6455, after which nothing can follow.
		broken("unmasked", "Sends a frame that is not masked (section 5.1).", func(b []byte) []byte {
			return ws.AppendFrame(b, ws.OpBinary, []byte(goodMessage), nil)
		}),
		broken("reserved-bit", "Sends a frame with the reserved bit 1 set (section 5.2).", func(b []byte) []byte {
			return appendFrame(b, 0xC0|ws.OpBinary, goodMessage)
		}),
		broken("reserved-opcode", "Sends a frame with opcode 3 (section 5.2).", func(b []byte) []byte {
			return appendFrame(b, 0x83, goodMessage)
		}),
		broken("length-not-shortest", "Sends a length below 126 in two bytes (section 5.2).", func(b []byte) []byte {
			return appendMasked(append(b, 0x82, 0x80|126, 0, byte(len(goodMessage))), goodMessage)
		}),
		broken("length-top-bit", "Sends a 64-bit length with its top bit set (section 5.2).", func(b []byte) []byte {
			return appendMasked(append(b, 0x82, 0x80|127, 0x80, 0, 0, 0, 0, 0, 0, 1), "")
		}),
		broken("fragmented-control", "Sends a ping without FIN (section 5.5).", func(b []byte) []byte {
			return appendFrame(b, ws.OpPing, "hello")
		}),
		broken("oversize-control", "Sends a ping of 126 bytes (section 5.5).", func(b []byte) []byte {
			return appendFrame(b, 0x80|ws.OpPing, string(make([]byte, ws.MaxControl+1)))
		}),
		broken("continuation-of-nothing", "Sends a continuation and no message to continue (section 5.4).", func(b []byte) []byte {
			return appendFrame(b, 0x80|ws.OpContinuation, goodMessage)
		}),
		broken("message-inside-message", "Begins a message inside an unfinished one (section 5.4).", func(b []byte) []byte {
			return appendFrame(firstFragment(b), 0x80|ws.OpBinary, goodMessage)
		}),
		broken("close-inside-message", "Sends a Close inside an unfinished message (section 5.4).", func(b []byte) []byte {
			return appendFrame(firstFragment(b), 0x80|ws.OpClose, "\x03\xe8")
		}),
		broken("bad-close-code", "Closes with code 1005, which must not be sent (section 7.4.1).", func(b []byte) []byte {
			return appendFrame(b, 0x80|ws.OpClose, "\x03\xed")
		}),
		broken("bad-close-payload", "Closes with a payload of one byte (section 5.5.1).", func(b []byte) []byte {
			return appendFrame(b, 0x80|ws.OpClose, "\x03")
		}),
		broken("bad-close-reason", "Closes with a reason that is not UTF-8 (section 8.1).", func(b []byte) []byte {
			return appendFrame(b, 0x80|ws.OpClose, "\x03\xe8gr\xfc\xdfe")
		}),
	}
})

// pathDied is what a debugger sees where a connection ends without a Close.
const pathDied = "a path that died"

// broken is a fault that breaks RFC 6455.
func broken(name, does string, wire func([]byte) []byte) *Fault {
	return &Fault{Name: name, Does: does, Finding: decode.BrokenWebSocket, wire: wire, then: thenWait}
}

func manyTokens(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = progress(`"fault-`+strconv.Itoa(i)+`"`, "1", "9")
	}
	return all
}

// appendFrame appends a masked frame with any first byte, its length in the shortest form.
func appendFrame(b []byte, first byte, payload string) []byte {
	mask := newMask()
	at := len(b)
	b = ws.AppendFrame(b, ws.OpBinary, []byte(payload), &mask)
	b[at] = first
	return b
}

// appendMasked appends a masking key and the masked payload.
func appendMasked(b []byte, payload string) []byte {
	mask := newMask()
	b = append(b, mask[:]...)
	for i := range payload {
		b = append(b, payload[i]^mask[i%4])
	}
	return b
}

func textFrame(b []byte) []byte { return appendFrame(b, 0x80|ws.OpText, goodMessage) }

func firstFragment(b []byte) []byte { return appendFrame(b, ws.OpBinary, goodMessage[:9]) }

func lastFragment(b []byte) []byte {
	return appendFrame(b, 0x80|ws.OpContinuation, goodMessage[9:])
}

func fragments(b []byte) []byte { return lastFragment(firstFragment(b)) }

func pingBetween(b []byte) []byte {
	return lastFragment(appendFrame(firstFragment(b), 0x80|ws.OpPing, "between"))
}

func cutHeader(b []byte) []byte { return append(b, 0x82) }

func cutPayload(b []byte) []byte {
	whole := appendFrame(nil, 0x82, goodMessage)
	return append(b, whole[:len(whole)/2]...)
}
