package render

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"kind4/decode/capture"
	"kind4/decode/session"
)

// What hex and lp32 write of many messages, the reader of captures takes back, the same.
func TestBackThroughCapture(t *testing.T) {
	messages := vectors(t)
	for form, formats := range map[Form][]capture.Format{Hex: {capture.XXD, capture.Auto}, LP32: {capture.LP32}} {
		var out []byte
		var want [][]byte
		p := New(form, Options{})
		each(messages, func(m *Message) {
			out = p.AppendMessage(out, m)
			want = append(want, m.Frame.Message)
		})
		for _, format := range formats {
			t.Run(form.String()+"-"+format.String(), func(t *testing.T) {
				compareMessages(t, want, readBack(t, out, format))
			})
		}
	}
}

func compareMessages(t *testing.T, want, got [][]byte) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if !bytes.Equal(want[i], got[i]) {
			t.Fatalf("message %d: got %q, want %q", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d messages came back of %d", len(got), len(want))
	}
}

func readBack(t *testing.T, out []byte, format capture.Format) [][]byte {
	t.Helper()
	var got [][]byte
	r := capture.NewReader(bytes.NewReader(out), capture.Options{Format: format, MaxSize: 1 << 26})
	for {
		b := session.NewBatch()
		err := r.Next(b)
		for i := range b.Events {
			got = append(got, bytes.Clone(b.Events[i].Data))
		}
		b.Release()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A message of any kind goes through the real xxd -r with its note: a sample of the vectors.
func TestVectorsThroughXXD(t *testing.T) {
	path := xxd(t)
	p := New(Hex, Options{})
	n := 0
	each(vectors(t), func(m *Message) {
		if n++; n%67 != 0 {
			return
		}
		dump := p.AppendMessage(nil, m)
		if got := run(t, dump, path, "-r"); !bytes.Equal(got, m.Frame.Message) {
			t.Errorf("%q comes back as %q from\n%s", m.Frame.Message, got, dump)
		}
	})
}
