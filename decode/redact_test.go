package decode

import (
	"slices"
	"strings"
	"testing"
)

func redacted(t *testing.T, message string, names ...string) (f, shown Frame, hidden []Value) {
	t.Helper()
	r, err := NewRedactor(names)
	if err != nil {
		t.Fatal(err)
	}
	f.Decode([]byte(message))
	hidden, ok := r.Find(&f)
	if !ok {
		shown.SetWithheld(&f)
		return f, shown, nil
	}
	shown.SetRedacted(&f, hidden, nil)
	return f, shown, hidden
}

func TestRedact(t *testing.T) {
	for _, test := range []struct{ names, body, want string }{
		{"token", `{"method":"x","params":{"token":"s","n":1}}`, `{"method":"x","params":{"token":#,"n":1}}`},
		{"token", `{"method":"x","params":{"token":{"a":"s","b":["t",{"c":"u"},3]},"v":"v"}}`,
			`{"method":"x","params":{"token":{"a":#,"b":[#,{"c":#},3]},"v":"v"}}`},
		{"token", `{"method":"x","params":{"to\u006ben":"\u0073","Token":"T"}}`, `{"method":"x","params":{"to\u006ben":#,"Token":#}}`},
		{"token", `{"method":"x","params":{"token":1,"token":"a","token":""}}`, `{"method":"x","params":{"token":1,"token":#,"token":#}}`},
		{"/params/a~1b", `{"method":"x","params":{"a/b":"s","a":{"b":"t"}}}`, `{"method":"x","params":{"a/b":#,"a":{"b":"t"}}}`},
		{"/params/list/1", `{"method":"x","params":{"list":["a","b",["c"]]}}`, `{"method":"x","params":{"list":["a",#,["c"]]}}`},
		{"/params/list/2", `{"method":"x","params":{"list":["a",{"b":"b"},["c"]]}}`, `{"method":"x","params":{"list":["a",{"b":"b"},[#]]}}`},
		{"/params", `{"method":"x","params":{"list":["a"],"b":true}}`, `{"method":"x","params":{"list":[#],"b":true}}`},
		{"method", `{"method":"x"}`, `{"method":#}`},
		{"/", `{"method":"x","":"s"}`, `{"method":"x","":#}`},
		{"secret token", `{"method":"x","params":{"token":"a"},"more":{"secret":"b"}}`, `{"method":"x","params":{"token":#},"more":{"secret":#}}`},
		{"/0", ` ["x",{"a":"b"}] `, ` [#,{"a":"b"}] `},
		{"/params/uri", `{"method":"x","params":{"URI":"s"}}`, `{"method":"x","params":{"URI":#}}`},
		{"token", `{"method":"x"}`, `{"method":"x"}`},
		{"method", `["x",{"a":"b"}]`, `[#,{"a":"b"}]`},
		{"/params/uri", `["notifications/resources/updated",{"uri":"u","v":"v"}]`, `["notifications/resources/updated",{"uri":#,"v":"v"}]`},
		{"/params", `["x",{"a":"b"}]`, `["x",{"a":#}]`},
		{"/1/a", `["x",{"a":"b"}]`, `["x",{"a":#}]`},
		{"resourceSubscriptions",
			`{"method":"notifications/subscriptions/acknowledged","params":{"notifications":[true,null,null,["a"]]}}`,
			`{"method":"notifications/subscriptions/acknowledged","params":{"notifications":[true,null,null,[#]]}}`},
		{"method", `{"method":"notifications/tasks","params":{"inputRequests":{"a":["m",{"p":"q"}]}}}`,
			`{"method":#,"params":{"inputRequests":{"a":[#,{"p":"q"}]}}}`},
	} {
		f, shown, hidden := redacted(t, "\x00"+test.body, strings.Fields(test.names)...)
		want := strings.ReplaceAll("\x00"+test.want, "#", Redacted)
		if string(shown.Message) != want || len(hidden) != strings.Count(test.want, "#") {
			t.Errorf("%s of %s: %q, %d hidden", test.names, test.body, shown.Message, len(hidden))
		}
		if shown.Type != f.Type || shown.Variant != f.Variant || shown.Size != int64(len(want)) {
			t.Errorf("%s: the verdict changed", test.body)
		}
		if v, ok := shown.JSONBody(); !ok || string(shown.Raw(v)) != strings.TrimSpace(want[1:]) {
			t.Errorf("%s: body %q", test.body, shown.Raw(v))
		}
	}
}

func TestRedactPositionalError(t *testing.T) {
	for names, want := range map[string]string{
		"message": `[-1,#,{"a":"b"}]`, "/message": `[-1,#,{"a":"b"}]`, "/1": `[-1,#,{"a":"b"}]`,
		"DATA": `[-1,"m",{"a":#}]`, "/data/a": `[-1,"m",{"a":#}]`, "code": `[-1,"m",{"a":"b"}]`,
	} {
		_, shown, _ := redacted(t, "\x01"+`[-1,"m",{"a":"b"}]`, names)
		if want = strings.ReplaceAll("\x01"+want, "#", Redacted); string(shown.Message) != want {
			t.Errorf("%s: %q", names, shown.Message)
		}
	}
}

// TestRedactKeepsTheVerdict redacts what the verdict was formed from.
func TestRedactKeepsTheVerdict(t *testing.T) {
	const body = "\x00" + `{"method":"notifications/message","params":{"logger":"l","level":"info","data":{"a":"b"}}}`
	_, shown, _ := redacted(t, body, "level", "/params/data", "method")
	if shown.Type != TypeNotification || shown.Variant != LogMessage || !shown.MethodIs("[redacted]") {
		t.Errorf("%+v", shown)
	}
	for member, want := range map[Member]string{MemberLogger: `"l"`, MemberLevel: Redacted, MemberData: `{"a":"[redacted]"}`} {
		if got := string(shown.Raw(shown.Members[member])); got != want {
			t.Errorf("%v: %s", member, got)
		}
	}
	_, misfit, _ := redacted(t, "\x00"+`{"method":"notifications/message","params":{"data":"s","level":"warn"}}`, "data")
	if misfit.Variant != Custom || misfit.Known != LogMessage || string(misfit.Raw(misfit.Misfit.Value)) != `"warn"` {
		t.Errorf("%+v", misfit.Misfit)
	}
}

func TestRedactWithholdsWhatDoesNotDecode(t *testing.T) {
	for _, message := range []string{"{\"token\":\"s\"}", "\x00{\"token\":\"s\"", "\x00{\"method\":\"x\",\"params\":\"s\"}",
		"\x01{\"code\":1,\"message\":\"m\",\"x\":\"\xff\"}"} {
		f, shown, hidden := redacted(t, message, "token")
		if len(shown.Message) > 0 || hidden != nil || shown.Type != f.Type || shown.Size != int64(len(message)) {
			t.Errorf("%q: %+v", message, shown)
		}
		if (f.Err == nil) != (shown.Err == nil) || shown.Err != nil && (shown.Err.Code != f.Err.Code || shown.Err.Message != WithheldText) {
			t.Errorf("%q: %v", message, shown.Err)
		}
	}
}

func TestRedactNames(t *testing.T) {
	for _, name := range []string{"", "/a~", "/a~2", "/~"} {
		if _, err := NewRedactor([]string{name}); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
	r, err := NewRedactor([]string{"a", "/method", "/b/c"})
	if err != nil || !r.Hides("method") || !r.Hides("a") || r.Hides("b") || r.Hides("c") {
		t.Error(r, err)
	}
}

func TestRedactParams(t *testing.T) {
	for name, want := range map[string]bool{"t": true, "T": true, "params": true, "/params": true, "/params/t": true, "/1/t": true, "/1": true,
		"u": false, "/t": false, "/params/u": false, "/params/t/u": false, "/0/t": false} {
		r, err := NewRedactor([]string{"x", name})
		if err != nil || r.HidesParam("t") != want {
			t.Errorf("%s: %v, %v", name, !want, err)
		}
	}
}

func TestShares(t *testing.T) {
	message := []byte("\x00" + `{"a":"secret","b":"s\u0065cret","c":"open"}`)
	literal := strings.Index(string(message), `"secret"`)
	escaped := strings.Index(string(message), `"s\u`)
	hidden := []Value{{literal, literal + 8, String}, {escaped, escaped + 13, String}}
	for _, quoted := range [][]byte{message[literal : literal+3], message[literal+7 : literal+20], []byte("secret"), []byte("ecr"), []byte("the secret is"), message} {
		if !Shares(message, quoted, hidden) {
			t.Errorf("%q is taken for harmless", quoted)
		}
	}
	for _, quoted := range [][]byte{message[1:5], message[len(message)-8:], []byte("open"), nil, slices.Clone(message[:4])} {
		if Shares(message, quoted, hidden) {
			t.Errorf("%q is taken for hidden", quoted)
		}
	}
}

// FuzzRedact redacts any message: no panic, and none of what is hidden is left.
func FuzzRedact(f *testing.F) {
	f.Fuzz(func(t *testing.T, message, name string) {
		r, err := NewRedactor([]string{name})
		if err != nil {
			return
		}
		var frame, shown, again Frame
		frame.Decode([]byte(message))
		hidden, ok := r.Find(&frame)
		if !ok {
			return
		}
		for i, v := range hidden {
			if v.Start < 1 || v.End > len(message) || i > 0 && v.Start < hidden[i-1].End {
				t.Fatalf("%v in %q", hidden, message)
			}
		}
		shown.SetRedacted(&frame, hidden, nil)
		for _, v := range append(shown.Members[:], shown.Method, shown.Params) {
			shown.Raw(v)
		}
		again.Decode(shown.Message)
		left, ok := r.Find(&again)
		if again.Err == nil && (!ok || len(left) != len(hidden) || slices.ContainsFunc(left, func(v Value) bool { return string(again.Raw(v)) != Redacted })) {
			t.Errorf("%q becomes %q", message, shown.Message)
		}
	})
}
