package decode

import (
	"bytes"
	"errors"
	"testing"
)

func TestAskDecode(t *testing.T) {
	tests := []struct {
		message string
		channel uint32
		kind    AskKind
		parts   []string // name=text
	}{
		{"\x00\x00\x00\x07\x04", 7, KindNotifications, nil},
		{"\x00\x00\x00\x07\x04new", 7, KindNotifications, []string{"ignored=new"}},
		{"\x00\x00\x00\x01\x00null", 1, KindListTools, []string{"params=null"}},
		{"\xff\xff\xff\xff\x02{}", 1<<32 - 1, KindCallTool, []string{"params={}"}},
		{"\x00\x00\x00\x01\x05k", 1, KindVaultGet, []string{"key=k"}},
		{"\x00\x00\x00\x01\x06\x00\x02kkvalue", 1, KindVaultSet, []string{"key=kk", "value=value"}},
		{"\x00\x00\x00\x01\x06\x00\x00", 1, KindVaultSet, []string{"key=", "value="}},
		{"\x00\x00\x00\x01\x08\x00\x00\x00\x3ckey", 1, KindVaultLock, []string{"ttl=\x00\x00\x00\x3c", "key=key"}},
		{"\x00\x00\x00\x01\x09", 1, KindVaultUnlock, []string{"key="}},
		{"\x00\x00\x00\x01\x0a\x00\xff", 1, KindCommand, []string{"payload=\x00\xff"}},
		{"\x00\x00\x00\x01\x0b", 1, KindPostgres, nil},
		{"\x00\x00\x00\x01\x0c\x00\x02id/etc", 1, KindFuseRead, []string{"id=id", "path=/etc"}},
		{"\x00\x00\x00\x01\x0d\x00\x02id\x00\x04/etcdata", 1, KindFuseWrite, []string{"id=id", "path=/etc", "bytes=data"}},
		{"\x00\x00\x00\x01\x10\x00\x02id\x00\x02/a/b", 1, KindFuseRename, []string{"id=id", "from=/a", "to=/b"}},
		{"\x00\x00\x00\x01\x12\x00\x00/", 1, KindFuseStat, []string{"id=", "path=/"}},
		{"\x00\x00\x00\x01\x13??", 1, 19, []string{"payload=??"}},
		{"\x00\x00\x00\x01\xff", 1, 255, []string{"payload="}},
	}
	var a Ask
	for _, test := range tests {
		if err := a.Decode([]byte(test.message)); err != nil {
			t.Errorf("%q: %v", test.message, err)
		}
		if a.Channel != test.channel || a.Kind != test.kind {
			t.Errorf("%q: kind %d on channel %d, want kind %d on channel %d", test.message, a.Kind, a.Channel, test.kind, test.channel)
		}
		checkParts(t, &a, test.message, test.parts)
		if got := a.Append(nil); string(got) != test.message {
			t.Errorf("%q became %q", test.message, got)
		}
	}
}

func checkParts(t *testing.T, a *Ask, message string, want []string) {
	t.Helper()
	if len(a.Parts) != len(want) {
		t.Errorf("%q: parts %+v, want %q", message, a.Parts, want)
		return
	}
	for i, p := range a.Parts {
		if got := p.Name + "=" + string(a.Raw(p)); got != want[i] {
			t.Errorf("%q: part %q, want %q", message, got, want[i])
		}
	}
}

func TestAskTruncated(t *testing.T) {
	tests := []struct {
		message string
		offset  int
		text    string
		parts   []string
	}{
		{"", 0, "an ask of 0 bytes: channel and kind alone take 5", nil},
		{"\x00", 1, "an ask of 1 byte: channel and kind alone take 5", nil},
		{"\x00\x00\x00\x07", 4, "an ask of 4 bytes: channel and kind alone take 5", nil},
		{"\x00\x00\x00\x07\x06", 5, "the length of key takes 2 bytes, and 0 are left", []string{"key="}},
		{"\x00\x00\x00\x07\x06\x01", 5, "the length of key takes 2 bytes, and 1 is left", []string{"key=\x01"}},
		{"\x00\x00\x00\x07\x06\x01\x00key", 5, "key is 256 bytes long by its length, and 3 are left", []string{"key=key"}},
		{"\x00\x00\x00\x07\x08\x00\x00\x01", 5, "ttl takes 4 bytes, and 3 are left", []string{"ttl=\x00\x00\x01"}},
		{"\x00\x00\x00\x07\x0d\x00\x02id\x00\x09/etc", 9, "path is 9 bytes long by its length, and 4 are left", []string{"id=id", "path=/etc"}},
	}
	for _, test := range tests {
		var a Ask
		err := a.Decode([]byte(test.message))
		var located *DecodeError
		if !errors.As(err, &located) {
			t.Errorf("%q: %v, want a DecodeError", test.message, err)
			continue
		}
		if located.Code != AskTruncated || located.Offset != test.offset || located.Message != test.text {
			t.Errorf("%q: %+v, want byte %d: %s", test.message, located, test.offset, test.text)
		}
		if len(test.message) >= 4 && a.Channel != 7 {
			t.Errorf("%q: channel %d, want 7", test.message, a.Channel)
		}
		checkParts(t, &a, test.message, test.parts)
		if n := len(a.Parts); n > 0 && !a.Parts[n-1].Cut {
			t.Errorf("%q: the last part is not marked as cut", test.message)
		}
	}
}

func TestAskKinds(t *testing.T) {
	paths := map[AskKind]string{
		0: "/mcp/list-tools/7", 1: "/mcp/list-resources/7", 2: "/mcp/call-tool/7", 3: "/mcp/read-resource/7",
		4: "/mcp/notifications/7", 5: "/vault/get/7", 6: "/vault/set/7", 7: "/vault/delete/7", 8: "/vault/lock/7",
		9: "/vault/unlock/7", 10: "/command/7", 11: "/postgres/7", 12: "/fuse/read/7", 13: "/fuse/write/7",
		14: "/fuse/list/7", 15: "/fuse/remove/7", 16: "/fuse/rename/7", 17: "/fuse/mkdir/7", 18: "/fuse/stat/7", 19: "",
	}
	for k, want := range paths {
		if got := k.Path(7); got != want {
			t.Errorf("kind %d is answered on %q, want %q", k, got, want)
		}
	}
	if got := KindVaultGet.String() + ", " + AskKind(200).String(); got != "vault get, kind 200" {
		t.Errorf("names: %s", got)
	}
	if got := AppendAsk(nil, 7, KindNotifications, nil); !bytes.Equal(got, []byte{0, 0, 0, 7, 4}) {
		t.Errorf("kind 4 on channel 7 is % x", got)
	}
}

func TestErrorName(t *testing.T) {
	tests := map[int32]string{
		-32700: "parse error", -32603: "internal error", -32002: "resource not found",
		-32000: "implementation-defined server error", -32099: "implementation-defined server error",
		-32100: "", -31999: "", 0: "",
	}
	for code, want := range tests {
		if got := ErrorName(code); got != want {
			t.Errorf("ErrorName(%d) = %q, want %q", code, got, want)
		}
	}
	for _, code := range NamedErrors() {
		if errorNames[code] == "" {
			t.Errorf("%d has no name", code)
		}
	}
	if len(NamedErrors()) != len(errorNames) {
		t.Error("NamedErrors leaves some out")
	}
}
