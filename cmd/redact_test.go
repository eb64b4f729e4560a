package cmd

import (
	"testing"

	"kind4/decode/session"
)

func TestRedactHeader(t *testing.T) {
	for _, test := range []struct{ header, want string }{
		{"Host: a\nAuthorization: s3cret\nX: y\n", "Host: a\nAuthorization: [redacted]\nX: y\n"},
		{"Authorization:Bearer s3cret\n", "Authorization: [redacted]\n"},
		{"authorization : s3cret\r\n", "authorization : [redacted]\r\n"},
		{"AUTHORIZATION:\ts3cret\n", "AUTHORIZATION: [redacted]\n"},
		{"X-Fold: a\n s3cret\n\ts3cret\nX: y\n kept\n", "X-Fold: [redacted]\nX: y\n kept\n"},
		{"X-Fold:\n s3cret", "X-Fold: [redacted]\n"},
		{"X-Authorization: a\nnone\n", "X-Authorization: a\nnone\n"},
		{"", ""},
	} {
		r := &redaction{fields: []string{"authorization", "x-fold"}}
		if got := r.header(test.header); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.header, got, test.want)
		}
	}
}

func TestRedactPing(t *testing.T) {
	ev := session.Event{Kind: session.Control, Opcode: session.OpPing, Data: []byte("s3cret")}
	new(redaction).event(&ev)
	if ev.Data != nil || ev.Size != 6 || !ev.Withheld {
		t.Errorf("%+v", ev)
	}
}
