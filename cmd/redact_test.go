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

func TestRedactQuotedHead(t *testing.T) {
	for note, want := range map[session.NoteKind]string{
		session.NoteBadRequest: "missing colon: [redacted]", session.NoteNoAnswer: "missing colon: [redacted]",
		session.NoteTorn: `missing colon: "Authorization s3cret"`,
	} {
		ev := session.Event{Kind: session.Note, Note: note, Reason: `missing colon: "Authorization s3cret"`}
		new(redaction).event(&ev)
		if ev.Reason != want {
			t.Errorf("%s: %q", note, ev.Reason)
		}
	}
}

func TestRedactQuotes(t *testing.T) {
	for text, want := range map[string]string{
		`"s3cret" is no request line of HTTP`: `[redacted] is no request line of HTTP`,
		`a: "s3cret \"s3cret\" s3"`:           `a: [redacted]`,
		`a: "s3cret`:                          `a: [redacted]`,
		`plain`:                               `plain`,
	} {
		if got := new(redaction).unquoted(text); got != want {
			t.Errorf("%s becomes %s", text, got)
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
