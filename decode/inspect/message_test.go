package inspect

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"strings"
	"testing"

	"kind4/decode"
)

// row is one message and one of the findings that it gives. The message is written as a tag's digit, a colon and
// the body; without those it stands for its bytes.
type row struct {
	message  string
	code     decode.Code
	severity decode.Severity
	offset   int // NoOffset: not compared
	pointer  string
	says     string // a part of the text
}

// bytesOf turns a row's message into bytes.
func bytesOf(message string) []byte {
	if len(message) > 1 && message[1] == ':' && message[0] >= '0' && message[0] <= '9' {
		return append([]byte{message[0] - '0'}, message[2:]...)
	}
	return []byte(message)
}

// at is where part stands in the message, in bytes.
func at(message, part string) int {
	i := bytes.Index(bytesOf(message), []byte(part))
	if i < 0 {
		panic("no " + part + " in " + message)
	}
	return i
}

func checkRow(t *testing.T, r row, findings []Finding) {
	t.Helper()
	for i := range findings {
		f := &findings[i]
		if f.Code != r.code || !strings.Contains(string(f.AppendText(nil)), r.says) {
			continue
		}
		if f.Severity != r.severity || r.offset != NoOffset && f.Offset != r.offset || f.Pointer() != r.pointer {
			t.Errorf("%q: %s, severity %v, offset %d, pointer %q; want %v, %d, %q",
				r.message, text(f), f.Severity, f.Offset, f.Pointer(), r.severity, r.offset, r.pointer)
		}
		return
	}
	t.Errorf("%q: no %v that says %q", r.message, r.code, r.says)
	for i := range findings {
		t.Logf("  %s", text(&findings[i]))
	}
}

func checkRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		message := bytesOf(r.message)
		f, findings := inSession(message)
		checkRow(t, r, findings)
		checkInvariants(t, r.message, message, f, findings)
	}
}

// only checks that a message gives exactly these codes, in this order.
func only(t *testing.T, message string, codes ...decode.Code) {
	t.Helper()
	_, findings := inSession(bytesOf(message))
	var want []string
	for _, c := range codes {
		want = append(want, c.String())
	}
	if got := codesOf(findings); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("%q: %v, want %v", message, got, want)
		for i := range findings {
			t.Logf("  %s", text(&findings[i]))
		}
	}
}

// progressWith is a progress notification with the members given.
func progressWith(members string) string {
	return `0:{"method":"notifications/progress","params":{` + members + `}}`
}

func logWith(members string) string {
	return `0:{"method":"notifications/message","params":{` + members + `}}`
}

func method(name string) string { return `0:{"method":"` + name + `"}` }

func deflated(s string) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression)
	_, _ = w.Write([]byte(s))
	_ = w.Flush()
	return b.String()
}

func gzipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

func zlibbed(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

const changed = `{"method":"notifications/tools/list_changed"}`

func TestBytes(t *testing.T) {
	gone := `{"code":-32603,"message":"gone"}`
	checkRows(t, []row{
		{"", decode.EmptyMessage, decode.Error, 0, "", ""},
		{changed, decode.UnknownTag, decode.Error, 0, "", "the whole message is a valid notification: its tag byte is missing"},
		{gone, decode.UnknownTag, decode.Error, 0, "", "the whole message is a valid error: its tag byte is missing"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, decode.UnknownTag, decode.Error, 0, "", "the whole message is JSON"},
		{`{"method":`, decode.UnknownTag, decode.Error, 0, "", "begins like JSON"},
		{"0" + changed, decode.UnknownTag, decode.Error, 0, "", `the character "0" rather than the byte 0; behind it stands a valid notification`},
		{"1" + gone, decode.UnknownTag, decode.Error, 0, "", `the character "1" rather than the byte 1; behind it stands a valid error`},
		{"2:" + changed, decode.UnknownTag, decode.Error, 0, "", "behind it stands a valid notification, whose tag is 0"},
		{"7:" + gone, decode.UnknownTag, decode.Error, 0, "", "behind it stands a valid error, whose tag is 1"},
		{gzipped("\x00" + changed), decode.UnknownTag, decode.Error, 0, "", "compressed with gzip"},
		{zlibbed(changed), decode.UnknownTag, decode.Error, 0, "", "compressed with zlib"},
		{"\x28\xb5\x2f\xfd\x04\x58", decode.UnknownTag, decode.Error, 0, "", "compressed with zstd"},
		{deflated("\x00" + changed), decode.UnknownTag, decode.Error, 0, "", "compressed with deflate"},
		{deflated(changed), decode.UnknownTag, decode.Error, 0, "", "compressed with deflate"},
		{"data: " + changed, decode.UnknownTag, decode.Error, 0, "", "SSE"},
		{"\xef\xbb\xbf" + changed, decode.UnknownTag, decode.Error, 0, "", "byte order mark"},
		{"\x46\x00\x00\x00" + strings.Repeat("x", 70), decode.UnknownTag, decode.Error, 0, "", "length of the rest"},
		{"\x82\x2e\x00" + changed, decode.UnknownTag, decode.Error, 0, "", "framed twice"},
		{"\x81\xa6method\xa4ping", decode.UnknownTag, decode.Error, 0, "", "MessagePack"},
		{"0:\xa1\x66method\x64ping", decode.NotUTF8, decode.Error, 1, "", "CBOR"},
		{"server started", decode.UnknownTag, decode.Error, 0, "", "a line of a log"},
		{"0:", decode.EmptyBody, decode.Error, NoOffset, "", ""},
		{"1: \n", decode.EmptyBody, decode.Error, NoOffset, "", ""},
		{"0:\xef\xbb\xbf" + changed, decode.ByteOrderMark, decode.Error, 1, "", ""},
		{"0:\xff\xfe{\x00\"\x00", decode.ByteOrderMark, decode.Error, 1, "", ""},
		{"0:{\x00\"\x00a\x00\"\x00:\x001\x00}\x00", decode.ByteOrderMark, decode.Error, 1, "", ""},
		{"0:{\"method\":\"caf\xe9\"}", decode.NotUTF8, decode.Error, 15, "/method", `looks like Latin-1 (or cp1252), "é"`},
		{"0:{\"method\":\"\xfcber\"}", decode.NotUTF8, decode.Error, 12, "/method", `in Latin-1 it is "ü"`},
		{"0:{\"method\":\"\xe9t\xe9\"}", decode.NotUTF8, decode.Error, 12, "/method", `Latin-1 (or cp1252), "é"`},
		{"0:{\"method\":\"a\x93b\"}", decode.NotUTF8, decode.Error, 13, "/method", `Windows-1252 (cp1252); there it is "“"`},
		{"0:{\"method\":\"a\xed\xa0\xbdb\"}", decode.NotUTF8, decode.Error, 13, "/method", "CESU-8"},
		{"0:{\"method\":\"a\xc0\x80b\"}", decode.NotUTF8, decode.Error, 13, "/method", "overlong"},
		{"0:{\"method\":\"a\xe0\x80\xafb\"}", decode.NotUTF8, decode.Error, 13, "/method", "overlong"},
		{"0:{\"method\":\"a\xf4\x90\x80\x80\"}", decode.NotUTF8, decode.Error, 13, "/method", "beyond U+10FFFF"},
		{"0:{\"method\":\"a\xf0\x9f\x98\"}", decode.NotUTF8, decode.Error, 13, "/method", "cut off; 3 of its 4 bytes came"},
		{"0:{\"method\":\"a\xc3\"}", decode.NotUTF8, decode.Error, 13, "/method", "cut off"},
	})
	only(t, "0:\xef\xbb\xbf"+changed, decode.ByteOrderMark)
	only(t, "", decode.EmptyMessage)
}

func TestSyntaxHints(t *testing.T) {
	for body, says := range map[string]string{
		`{"a":NaN}`:                       "Python",
		`{"a":-Infinity}`:                 "no such number",
		`{"a":None}`:                      "Python",
		`{"a":True}`:                      "Python",
		`{"a":undefined}`:                 "JavaScript",
		`{"a":nil}`:                       "Go",
		`{'a':1}`:                         "single quotes",
		`{"a":'b'}`:                       "single quotes",
		`{"a":1,}`:                        "trailing comma",
		`{"a":[1,2,]}`:                    "trailing comma",
		`{"a":1,,"b":2}`:                  "a comma with nothing before it",
		`{/*c*/"a":1}`:                    "comment",
		"{\"a\":1, // c\n\"b\":2}":        "comment",
		"#c\n{}":                          "comment",
		"{\"a\":\"x\ny\"}":                `inside a string; JSON writes it \n`,
		"{\"a\":\"x\x1b[31my\"}":          "ANSI",
		"{\"a\":\"x\x01y\"}":              `\u0001`,
		`{"a":"\v"}`:                      "behind a backslash",
		`{"a":01}`:                        "no leading zero",
		`{"a":-01}`:                       "no leading zero",
		`{"a":+1}`:                        "plus sign",
		`{"a":.5}`:                        "a digit before the point",
		`{"a":5.}`:                        "a digit behind the point",
		`{"a":0x10}`:                      "only decimal",
		`{"a":1e}`:                        "exponent",
		`{"a":10n}`:                       "BigInt",
		`{"a":1_000}`:                     "underscores",
		`{method:"x"}`:                    "a name without quotes",
		`data: {"method":"x"}`:            "SSE",
		"event: message\ndata: {}":        "SSE",
		"Content-Length: 17\r\n\r\n{}":    "LSP",
		"HTTP/1.1 502 Bad Gateway\r\n":    "HTTP",
		"<html><body>502</body></html>":   "HTML",
		"<!DOCTYPE html>":                 "HTML",
		"[server] tools reloaded":         "log",
		"[2026-01-01 12:00] INFO started": "log",
		"server started":                  "log",
		"2026-01-01 12:00:00 INFO x":      "log",
		"\x1b[33mwarn\x1b[0m":             "ANSI",
		"[object Object]":                 "JavaScript",
		"\u200b{\"method\":\"x\"}":        "invisible",
		"{\u00a0\"method\":\"x\"}":        "white space that JSON does not know",
		"{\u201cmethod\u201d:1}":          "typographic",
		"\x00{\"method\":\"x\"}":          "twice",
	} {
		checkRows(t, []row{{"0:" + body, decode.JSONSyntax, decode.Error, NoOffset, pointerOf(body), says}})
	}
	checkRows(t, []row{{"1:upstream gone", decode.JSONSyntax, decode.Error, 1, "", "plain text, where an error is an object"}})
	ask := "\x00\x00\x00\x07\x04"
	checkRows(t, []row{
		{ask, decode.JSONSyntax, decode.Error, 1, "", "an ask of kind 4 on channel 7"},
		{"\x00\x00\x00\x10" + `{"method":"abc"}`, decode.JSONSyntax, decode.Error, 1, "", "length of the rest"},
		{"\x00\x00\x00\x00\x10" + `{"method":"abc"}`, decode.JSONSyntax, decode.Error, 1, "", "gRPC"},
		{"0:" + gzipped(changed), decode.JSONSyntax, decode.Error, 1, "", "compressed with gzip"},
	})
}

// pointerOf is the pointer that the fault in a body of TestSyntaxHints has.
func pointerOf(body string) string {
	var f decode.Frame
	_ = f.Decode(append([]byte{0}, body...))
	if f.Err == nil {
		return "decoded"
	}
	return decode.PointerAt(append([]byte{0}, body...), f.Err.Offset)
}

func TestJSON(t *testing.T) {
	deep := logWith(`"level":"info","data":` + strings.Repeat("[", 126) + strings.Repeat("]", 126))
	told := logWith(`"level":"info","data":` + strings.Repeat("[", 98) + strings.Repeat("]", 98))
	cut := `0:{"method":"notifications/message","params":{"level":"info","data":"half of`
	checkRows(t, []row{
		{cut, decode.JSONTruncated, decode.Error, NoOffset, pointerOf(cut[2:]), ""},
		{"0:" + changed + " " + changed, decode.TrailingData, decode.Error, NoOffset, "", "a second message"},
		{"0:" + changed + "\x00" + changed, decode.TrailingData, decode.Error, NoOffset, "", "tag and all"},
		{"0:" + changed + "\x00", decode.TrailingData, decode.Error, NoOffset, "", "NUL"},
		{"0:" + changed + "}", decode.TrailingData, decode.Error, NoOffset, "", "bracket too many"},
		{"0:0" + changed, decode.TrailingData, decode.Error, NoOffset, "", "the tag was written again"},
		{deep, decode.TooDeep, decode.Error, NoOffset, pointerOf(deep[2:]), ""},
		{told, decode.TooDeep, decode.Info, at(told, "[") + 97, "/params/data" + strings.Repeat("/0", 97), "100 arrays and objects deep"},
		{progressWith(`"progressToken":1,"progress":1e400`), decode.NumberRange, decode.Error,
			at(progressWith(`"progressToken":1,"progress":1e400`), "1e400"), "/params/progress", ""},
		{method(`\ud83d`), decode.LoneSurrogate, decode.Error, NoOffset, "/method", ""},
		{`1:{"code":-1,"message":"m","at":1e999}`, decode.NumberRange, decode.Warning, 31, "/at", "skips over"},
		{"1:{\"code\":-1,\"message\":\"m\",\"at\":\"\xff\"}", decode.NotUTF8, decode.Warning, 32, "/at", "skips over"},
		{`1:{"code":-1,"message":"m","at":"\ud800"}`, decode.LoneSurrogate, decode.Warning, 32, "/at", "skips over"},
		{`1:{"code":-1,"message":"m","at":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, decode.TooDeep, decode.Info,
			31 + 98, "/at" + strings.Repeat("/0", 98), "201 arrays and objects deep"},
	})
	only(t, told, decode.TooDeep)
}

func TestEnvelope(t *testing.T) {
	withID := `0:{"jsonrpc":"2.0","id":7,"method":"notifications/tools/list_changed"}`
	folded := `0:{"method":"notifications/progress","params":{"progressToken":1,"progress":1},"param` + "\u017f" + `":{}}`
	doubled := `0:{"method":"notifications/tools/list_changed","x":1,"\u0078":[2]}`
	checkRows(t, []row{
		{"0:[" + changed + "," + changed + "]", decode.NotAnObject, decode.Error, NoOffset, "", "hides 2 notifications"},
		{"0:[" + changed + "]", decode.NotAnObject, decode.Error, NoOffset, "", "hides 1 notification"},
		{`0:"{\"method\":\"x\"}"`, decode.NotAnObject, decode.Error, NoOffset, "", "encoded twice"},
		{`0:42`, decode.NotAnObject, decode.Error, NoOffset, "", ""},
		{`0:["x"]`, decode.NotAnObject, decode.Error, NoOffset, "", "length 1"},
		{`0:{"jsonrpc":"2.0","id":1,"result":{}}`, decode.MethodMissing, decode.Error, NoOffset, "", "response"},
		{`0:{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`, decode.MethodMissing, decode.Error, NoOffset, "", "error response"},
		{`0:{"code":-32603,"message":"m"}`, decode.MethodMissing, decode.Error, NoOffset, "", "tag 1 meant?"},
		{`0:{"type":"heartbeat"}`, decode.MethodMissing, decode.Error, NoOffset, "", "heartbeat"},
		{`0:{"Method":"notifications/progress"}`, decode.MethodMissing, decode.Error, NoOffset, "", `"Method"`},
		{`0:{"method ":"x"}`, decode.MethodMissing, decode.Error, NoOffset, "", `"method "`},
		{`0:{"metod":"x"}`, decode.MethodMissing, decode.Error, NoOffset, "", `"metod"; did you mean`},
		{`0:{"message":` + changed + `}`, decode.MethodMissing, decode.Error, NoOffset, "", "holds an object with a method"},
		{`0:{"method":5}`, decode.MethodType, decode.Error, 11, "/method", ""},
		{`0:{"method":"a","params":[]}`, decode.ParamsType, decode.Error, 24, "/params", "empty map as []"},
		{`0:{"method":"a","params":[1]}`, decode.ParamsType, decode.Error, 24, "/params", "MCP does not"},
		{`0:{"method":"a","params":{"_meta":"x"}}`, decode.MetaType, decode.Error, 33, "/params/_meta", ""},
		{`0:{"method":"a","method":"b"}`, decode.DuplicateMember, decode.Error, 15, "/method", `"a"`},
		{doubled, decode.DuplicateMember, decode.Warning, at(doubled, `"\u0078"`), "/x", `1 and then [2]`},
		{withID, decode.IDPresent, decode.Warning, at(withID, "7"), "/id", "7"},
		{`0:{"id":null,"method":"acme/x"}`, decode.IDNull, decode.Warning, 7, "/id", ""},
		{`0:{"jsonrpc":2.0,"method":"acme/x"}`, decode.JSONRPCVersion, decode.Warning, 12, "/jsonrpc", "2.0"},
		{`0:{"method":"acme/x","params":null}`, decode.ParamsNull, decode.Info, 29, "/params", "TypeScript"},
		{`0:["acme/x",{"a":1}]`, decode.PositionalArray, decode.Warning, 1, "", "array"},
		{`1:[-32603,"m",null]`, decode.PositionalArray, decode.Warning, 1, "", "array"},
		{logWith(`"level":{"info":null},"data":1`), decode.PositionalArray, decode.Warning, NoOffset, "/params/level", `{"info":null}`},
		{`0:{"method":"notifications/subscriptions/acknowledged","params":{"notifications":[true]}}`,
			decode.PositionalArray, decode.Warning, NoOffset, "/params/notifications", "array"},
		{folded, decode.CaseVariant, decode.Warning, at(folded, "\"param\u017f"), "/param\u017f", `is not "params"`},
		{`0:{"Method":"notifications/progress"}`, decode.CaseVariant, decode.Warning, 2, "/Method", `is not "method"`},
		{`1:{"Code":1,"message":"m"}`, decode.CaseVariant, decode.Warning, 2, "/Code", `is not "code"`},
		{`0:{"Method":"b","method":"acme/x"}`, decode.CaseVariant, decode.Warning, 2, "/Method", `is not "method"`},
		{`0:{"metho\u0064":"acme/x"}`, decode.EscapedName, decode.Info, 2, "/method", `is "method" spelled with escapes`},
		{`0:{"method":"acme/x","_meta":{"a":1}}`, decode.MetaMisplaced, decode.Warning, 20, "/_meta", "beside params"},
	})
	only(t, withID, decode.IDPresent)
	only(t, doubled, decode.DuplicateMember)
	only(t, `0:{"method":"notifications/tools/list_changed","params":{}}`)
	only(t, `0:{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	only(t, `0:{"jsonrpc":"\u0032.0","method":"notifications/tools/list_changed"}`)
	only(t, `0:{"_id":1,"method":"notifications/tools/list_changed"}`)
	only(t, `0:{"id":1,"method":"tools/call","params":[1]}`, decode.ParamsType, decode.IDPresent, decode.RequestMethod)
}

func TestMethods(t *testing.T) {
	for name, want := range map[string]methodClass{
		"":                                     {decode.EmptyMethod, ""},
		"rpc.discover":                         {decode.ReservedMethod, ""},
		"ping":                                 {decode.RequestMethod, ""},
		"sampling/createMessage":               {decode.RequestMethod, ""},
		"tools/call":                           {decode.RequestMethod, ""},
		"server/discover":                      {decode.RequestMethod, ""},
		"notifications/initialized":            {decode.WrongDirection, ""},
		"notifications/roots/list_changed":     {decode.WrongDirection, ""},
		"notifications/elicitation/complete":   {decode.OldMethod, ""},
		"notifications/tasks/status":           {decode.OldMethod, ""},
		"notifications/stderr":                 {decode.ForeignMethod, "the MCP Inspector's proxy, which sends a server's standard error so"},
		"window/logMessage":                    {decode.ForeignMethod, "the Language Server Protocol"},
		"$/progress":                           {decode.ForeignMethod, "the Language Server Protocol"},
		"codex/event":                          {decode.ForeignMethod, "the Codex agent"},
		"acme/warm":                            {decode.CustomMethod, ""},
		"notifications/acme":                   {decode.CustomMethod, ""},
		"notifications/progress":               {},
		"notifications/Progress":               {decode.NearMiss, "notifications/progress"},
		"notifications/tools/listChanged":      {decode.NearMiss, "notifications/tools/list_changed"},
		"notifications/toolsListChanged":       {decode.NearMiss, "notifications/tools/list_changed"},
		"tools/list_changed":                   {decode.NearMiss, "notifications/tools/list_changed"},
		"progress":                             {decode.NearMiss, "notifications/progress"},
		"initialized":                          {decode.NearMiss, "notifications/initialized"},
		"notification/message":                 {decode.NearMiss, "notifications/message"},
		"notifications/tools/list-changed":     {decode.NearMiss, "notifications/tools/list_changed"},
		"notifications/tool/list_changed":      {decode.NearMiss, "notifications/tools/list_changed"},
		"notifications/resource/updated":       {decode.NearMiss, "notifications/resources/updated"},
		"notifications/progress ":              {decode.NearMiss, "notifications/progress"},
		" notifications/progress":              {decode.NearMiss, "notifications/progress"},
		"notifications/progress/":              {decode.NearMiss, "notifications/progress"},
		"/notifications/progress":              {decode.NearMiss, "notifications/progress"},
		"notifications/notifications/message":  {decode.NearMiss, "notifications/message"},
		"notifications/notification":           {decode.CustomMethod, ""},
		"notifications//progress":              {decode.NearMiss, "notifications/progress"},
		"notifications.progress":               {decode.NearMiss, "notifications/progress"},
		"notifications/canceled":               {decode.NearMiss, "notifications/cancelled"},
		"notifications/porgress":               {decode.NearMiss, "notifications/progress"},
		"notifications/task":                   {decode.NearMiss, "notifications/tasks"},
		"notifications/resources/updated\x00":  {decode.NearMiss, "notifications/resources/updated"},
		"notifications/\u00e9v\u00e8nement":    {decode.CustomMethod, ""},
		"notifications/elicitation/completed":  {decode.NearMiss, "notifications/elicitation/complete"},
		strings.Repeat("notifications/", 1000): {decode.CustomMethod, ""},
	} {
		if got := classify([]byte(name)); got != want {
			t.Errorf("%q: %v %q, want %v %q", name, got.code, got.name, want.code, want.name)
		}
	}
	checkRows(t, []row{
		{method("acme/x"), decode.CustomMethod, decode.Info, 11, "/method", `"acme/x"`},
		{method("ping"), decode.RequestMethod, decode.Warning, 11, "/method", "nobody answers"},
		{method("notifications/initialized"), decode.WrongDirection, decode.Warning, 11, "/method", "client's"},
		{method("notifications/Progress"), decode.NearMiss, decode.Warning, 11, "/method", `did you mean "notifications/progress"?`},
		{method(`\u0070rogress`), decode.NearMiss, decode.Warning, 11, "/method", `did you mean "notifications/progress"?`},
		{method("$/cancelRequest"), decode.ForeignMethod, decode.Info, 11, "/method", "Language Server Protocol"},
		{method("rpc.x"), decode.ReservedMethod, decode.Warning, 11, "/method", "reserves"},
		{method(""), decode.EmptyMethod, decode.Warning, 11, "/method", "empty string"},
		{method("notifications/tasks/status"), decode.OldMethod, decode.Info, 11, "/method", "2025-11-25"},
		{`0:["ping",{}]`, decode.RequestMethod, decode.Warning, 2, "/0", "nobody answers"},
	})
	only(t, method("notifications/progress "), decode.NearMiss)
	only(t, method("ping"), decode.RequestMethod)
}

func TestParams(t *testing.T) {
	half := progressWith(`"progressToken":"up","progress":"50"`)
	snake := progressWith(`"progress_token":1,"progress":1`)
	upper := `0:{"method":"notifications/cancelled","params":{"REQUESTID":3}}`
	kelvin := progressWith("\"progressTo\u212aen\":1,\"progress\":1")
	twice := progressWith(`"progressToken":1,"progress":1,"progress":2`)
	beyond := progressWith(`"progressToken":9007199254740993,"progress":1`)
	task := func(members string) string {
		return `0:{"method":"notifications/tasks","params":{"taskId":"t","createdAt":"a","lastUpdatedAt":"b",` + members + `}}`
	}
	checkRows(t, []row{
		{half, decode.ParamsMisfit, decode.Warning, at(half, `"50"`), "/params/progress", `a string, "50", where a number is needed`},
		{progressWith(`"progress":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params", "no progressToken"},
		{method("notifications/progress"), decode.ParamsMisfit, decode.Warning, 1, "", "no params"},
		{progressWith(`"progressToken":1.5,"progress":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/progressToken", "1.5"},
		{progressWith(`"progressToken":1.0,"progress":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/progressToken", "newer receivers"},
		{progressWith(`"progressToken":9223372036854775808,"progress":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/progressToken", "out of range"},
		{progressWith(`"progressToken":null,"progress":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/progressToken", "null, where"},
		{logWith(`"level":"warn","data":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/level", `did you mean "warning"?`},
		{logWith(`"level":"fatal","data":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/level", `did you mean "critical" or "emergency"?`},
		{logWith(`"level":"INFO","data":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/level", `did you mean "info"?`},
		{logWith(`"level":"trace","data":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/level", `did you mean "debug"?`},
		{logWith(`"level":"err","data":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/level", `did you mean "error"?`},
		{logWith(`"level":6,"data":1`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/level", `did you mean "info"?`},
		{logWith(`"level":"info"`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params", "no data"},
		{task(`"status":"canceled"`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/status", `did you mean "cancelled"?`},
		{task(`"status":"inputRequired"`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/status", `did you mean "input_required"?`},
		{task(`"status":"working","statusMessage":null`), decode.OptionalNull, decode.Info, NoOffset, "/params/statusMessage", "null"},
		{`0:{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":"yes"}}}`,
			decode.ParamsMisfit, decode.Warning, NoOffset, "/params/notifications/toolsListChanged", "boolean"},
		{`0:{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":null}}}`,
			decode.OptionalNull, decode.Info, NoOffset, "/params/notifications/toolsListChanged", "null"},
		{`0:{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"tools_list_changed":true}}}`,
			decode.SnakeCase, decode.Warning, NoOffset, "/params/notifications/tools_list_changed", "toolsListChanged"},
		{snake, decode.SnakeCase, decode.Warning, at(snake, `"progress_token"`), "/params/progress_token", "comes as a custom notification"},
		{upper, decode.CaseVariant, decode.Warning, at(upper, `"REQUESTID"`), "/params/REQUESTID", `is not "requestId"`},
		{kelvin, decode.CaseVariant, decode.Warning, NoOffset, "/params/progressTo\u212aen", "comes as a custom notification"},
		{twice, decode.DuplicateMember, decode.Warning, at(twice, `"progress":2`), "/params/progress", "1 and then 2; so this comes as a custom notification"},
		{progressWith(`"progressToken":1,"progress":5,"total":null`), decode.OptionalNull, decode.Info, NoOffset, "/params/total", "total is null"},
		{beyond, decode.UnsafeInteger, decode.Warning, at(beyond, "9007199254740993"), "/params/progressToken", "9007199254740993"},
		{logWith(`"level":"info","data":[-123456789012345678901234567890]`), decode.UnsafeInteger, decode.Warning, NoOffset, "/params/data/0", "-123456789012345678901234567890"},
		{`0:{"method":"notifications/resources/updated","params":{"uri":"etc/motd"}}`, decode.RelativeURI, decode.Warning, NoOffset, "/params/uri", "no scheme"},
		{`0:{"method":"notifications/resources/updated","params":{"uri":"C:\\motd"}}`, decode.RelativeURI, decode.Warning, NoOffset, "/params/uri", "Windows"},
		{`0:{"method":"notifications/cancelled","params":{"reason":"x"}}`, decode.CancelledWithoutRequest, decode.Warning, NoOffset, "/params", "2025-11-25"},
		{method("notifications/cancelled"), decode.CancelledWithoutRequest, decode.Warning, 11, "/method", "2025-11-25"},
		{`0:{"method":"notifications/cancelled","params":{"requestId":3}}`, decode.CancelsWork, decode.Info, 11, "/method", "authorisation"},
		{logWith(`"level":"info","data":"a\ufffdb"`), decode.ReplacementCharacter, decode.Info, NoOffset, "/params/data", "U+FFFD"},
		{logWith("\"level\":\"info\",\"data\":\"a\ufffdb\""), decode.ReplacementCharacter, decode.Info, NoOffset, "/params/data", "U+FFFD"},
		{logWith(`"level":"info","data":"a\u001b[2Jb"`), decode.ControlText, decode.Info, NoOffset, "/params/data", "ESC"},
		{logWith("\"level\":\"info\",\"data\":\"a\u202eb\""), decode.ControlText, decode.Info, NoOffset, "/params/data", "bidirectional"},
		{logWith("\"level\":\"info\",\"data\":{\"\u2028\":1}"), decode.ControlText, decode.Info, NoOffset, "/params/data/\u2028", "separator"},
	})
	for _, message := range []string{half, snake, upper, kelvin, twice} {
		_, findings := inSession(bytesOf(message))
		for i := range findings {
			if findings[i].Code == decode.ParamsMisfit && message != half {
				t.Errorf("%s: a cascade: %v", message, codesOf(findings))
			}
		}
	}
	only(t, half, decode.ParamsMisfit)
	only(t, snake, decode.SnakeCase)
	only(t, kelvin, decode.CaseVariant)
	only(t, twice, decode.DuplicateMember)
	only(t, progressWith(`"progressToken":9007199254740991,"progress":9007199254740993.0`))
	only(t, logWith(`"level":"info","data":"a\tb\nc\r"`))
	only(t, logWith(`"level":"info","data":null`))
	only(t, task(`"status":"working","ttlMs":null`))
	only(t, `0:{"method":"notifications/resources/updated","params":{"uri":"file:///etc/motd"}}`)
	only(t, `0:{"method":"notifications/resources/updated","params":{"uri":"urn:x:y"}}`)
}

func TestErrors(t *testing.T) {
	checkRows(t, []row{
		{"1:" + changed, decode.ErrorShape, decode.Error, NoOffset, "", "a valid notification; tag 0 meant?"},
		{`1:{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}`, decode.ErrorShape, decode.Error, NoOffset, "", "a whole response"},
		{`1:"boom"`, decode.ErrorShape, decode.Error, NoOffset, "", "plain text"},
		{`1:{"code":"-32603","message":"m"}`, decode.ErrorShape, decode.Error, 9, "/code", "a number in quotes"},
		{`1:{"code":-32000.0,"message":"m"}`, decode.ErrorShape, decode.Error, 9, "/code", "a float, if a whole number"},
		{`1:{"message":"gone","CODE":-32603}`, decode.ErrorShape, decode.Error, NoOffset, "", `"CODE"`},
		{`1:{"code":-1,"code":-2,"message":"m"}`, decode.DuplicateMember, decode.Error, 12, "/code", "-2"},
		{`1:{"code":0,"message":"m"}`, decode.ErrorCode, decode.Info, 9, "/code", "code 0"},
		{`1:{"code":-32200,"message":"m"}`, decode.ErrorCode, decode.Info, 9, "/code", "-32200"},
		{`1:{"code":-1,"message":"m","data":null}`, decode.OptionalNull, decode.Info, 33, "/data", "data is null"},
		{`1:{"code":-1,"message":"m","Data":1}`, decode.CaseVariant, decode.Warning, 26, "/Data", `is not "data"`},
	})
	only(t, `1:{"code":-32603,"message":"m"}`)
	only(t, `1:{"code":-32050,"message":"m"}`)
	only(t, `1:{"code":7,"message":"m"}`)
}
