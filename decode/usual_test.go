package decode

import (
	"bytes"
	"reflect"
	"testing"
)

// TestUsualHead holds what the usual head of an envelope gives to what reading it member by member does, for the
// vectors and for everything that can be cut from, or stand twice in, a message with such a head.
func TestUsualHead(t *testing.T) {
	var messages [][]byte
	for _, v := range vectors(t) {
		messages = append(messages, v.message)
	}
	for _, head := range []string{`{"jsonrpc":"2.0","method":`, `{"method":`, `{"jsonrpc":"2.0","method": `, `{"jsonrpc":"1.0","method":`} {
		for _, method := range []string{`"notifications/progress"`, `"x"`, `"\u006e"`, `7`, `"a`, ``} {
			for _, rest := range []string{
				`}`, ` }`, `,"params":{}}`, `,"params": {"progressToken":1,"progress":2,"a":{"b":[]}} }`, `,"params":null}`, `,"params":3,"params":4}`,
				`,"method":"y","params":{}}`, `,"params":{},"method":"y"}`, `,"params":{},"jsonrpc":"2.0"}`, `,"jsonrpc":"2.0"}`,
				`,"params":}`, `,"params":{"_meta":1}}x`, `,"params":{"progress":1,"progress":2}}`, `,"id":1,"params":{}}`, `]`, `,`,
			} {
				whole := []byte("\x00" + head + method + rest)
				for cut := range len(whole) {
					messages = append(messages, whole[:len(whole)-cut])
				}
			}
		}
	}
	taken := 0
	for _, message := range messages {
		checkUsualHead(t, message)
		for _, head := range usualHeads {
			if bytes.HasPrefix(message, []byte("\x00"+head.text)) {
				taken++
			}
		}
	}
	if taken < 1000 {
		t.Errorf("only %d messages with a usual head", taken)
	}
}

// checkUsualHead decodes a message with the usual heads and without them.
func checkUsualHead(t *testing.T, message []byte) {
	t.Helper()
	var got, want Frame
	_ = got.Decode(message)
	usual := usualHeads
	usualHeads = nil
	_ = want.Decode(message)
	usualHeads = usual
	got.memory, want.memory = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\n got %+v\nwant %+v", message, got, want)
	}
}
