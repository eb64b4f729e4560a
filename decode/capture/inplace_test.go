package capture

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// Base64 that is decoded into the memory that it stands in comes out as it does elsewhere.
func TestDecodeInPlace(t *testing.T) {
	rng := rand.NewChaCha8([32]byte{1})
	for _, encoding := range []*base64.Encoding{recordBase64, harBase64} {
		for _, size := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 47, 48, 49, 1000, 100_001, 1 << 20} {
			want := make([]byte, size)
			rng.Read(want)
			text := encoding.AppendEncode(nil, want)
			if got, err := encoding.AppendDecode(text[:0], text); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes: %d other ones, %v", size, len(got), err)
			}
		}
	}
}

// A large message of a record is decoded in place, and all around it is read as it is with a small one.
func TestRecordOfALargeMessage(t *testing.T) {
	large := strings.Repeat("AHsi", inPlace/4)
	line := func(data string) string {
		return `{"event":"message","path":"/mcp/notifications/2","channel":2,"opcode":2,` + data + `,"fragments":3,"proxy":"a:1"}` + "\n"
	}
	for _, data := range []string{
		`"data":"` + large + `"`, `"data":"AA==","data":"` + large + `"`, `"data":"` + large + `","data":"` + large + `"`,
		`"data":"AAAA\/w==` + `","data":"` + strings.ReplaceAll(large, "i", `\u0069`) + `"`,
	} {
		got, err := readRecord(headerLine + line(data) + line(`"data":"AHt7"`))
		if err != io.EOF || len(got) != 2 {
			t.Fatalf("%.40s: %d events, %v", data, len(got), err)
		}
		if want := strings.Repeat("\x00{\"", inPlace/4); string(got[0].Data) != want || got[0].Fragments != 3 || got[0].Proxy != "a:1" {
			t.Errorf("%.40s: %d bytes, %.20q, %d fragments, proxy %s", data, len(got[0].Data), got[0].Data, got[0].Fragments, got[0].Proxy)
		}
		if string(got[1].Data) != "\x00{{" {
			t.Errorf("%.40s: %q behind it", data, got[1].Data)
		}
	}
	var e *Error
	_, err := readRecord(headerLine + line(`"data":"`+large+`*"`))
	if want := `"data" is "\"` + large[:quoteMax-1] + `"…`; !errors.As(err, &e) || !strings.HasPrefix(e.Message, want) {
		t.Errorf("%.120s, want %s", err, want)
	}
}
