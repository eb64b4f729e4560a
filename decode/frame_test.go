package decode

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	deep := strings.Repeat("[", 128)
	tests := []struct {
		message string
		code    Code
		offset  int
		text    string
	}{
		{"", EmptyMessage, 0, "a message of 0 bytes: not even a tag"},
		{"{}", UnknownTag, 0, `unknown tag 123 (0x7b, "{"): neither 0 nor 1`},
		{"\xff", UnknownTag, 0, "unknown tag 255 (0xff): neither 0 nor 1"},
		{"\x00", EmptyBody, 1, "nothing but the tag"},
		{"\x01 \r\n", EmptyBody, 1, "nothing but white space behind the tag"},
		{"\x00\xef\xbb\xbf{}", ByteOrderMark, 1, "a byte order mark, EF BB BF, before the JSON"},
		{"\x00\xff\xfe{\x00", ByteOrderMark, 1, "a byte order mark, FF FE: the body is UTF-16, little-endian, and not UTF-8"},
		{"\x00\xfe\xff\x00{", ByteOrderMark, 1, "a byte order mark, FE FF: the body is UTF-16, big-endian, and not UTF-8"},
		{"\x00{\x00\"\x00", ByteOrderMark, 1, "every other byte is NUL: the body is UTF-16, little-endian, and not UTF-8"},
		{"\x00\x00{\x00\"", ByteOrderMark, 1, "every other byte is NUL: the body is UTF-16, big-endian, and not UTF-8"},
		{"\x00\x00{}", JSONSyntax, 1, "the byte 0x00 where a value is needed"},
		{"\x00" + `{"method":"a` + "\xe9t\xe9" + `"}`, NotUTF8, 13, `the byte 0xe9 is not UTF-8: looks like Latin-1 (or cp1252), "é"`},
		{"\x00" + `{"method":"caf` + "\xe9" + `"}`, NotUTF8, 15, `the byte 0xe9 is not UTF-8: looks like Latin-1 (or cp1252), "é"`},
		{"\x00" + `{"method":"` + "\x93" + `x"}`, NotUTF8, 12, "the byte 0x93 is not UTF-8: looks like Windows-1252 (cp1252)"},
		{"\x00" + `{"method":"` + "\xed\xa0\xbd" + `"}`, NotUTF8, 12, "the bytes 0xed 0xa0 are not UTF-8: a surrogate, encoded (CESU-8)"},
		{"\x00" + `{"method":"` + "\xc0\xaf" + `"}`, NotUTF8, 12, "the bytes 0xc0 0xaf are not UTF-8: an overlong form"},
		{"\x00" + `{"method":"` + "\xe2\x82" + `"}`, NotUTF8, 12, "the bytes 0xe2 0x82 are not UTF-8: a character cut off"},
		{"\x00" + `{"method":"` + "\xff" + `"}`, NotUTF8, 12, "the byte 0xff is not UTF-8: no character begins with it"},
		{"\x00" + `{"method":` + "\xff" + `}`, NotUTF8, 11, "the byte 0xff is not UTF-8: no character begins with it"},
		{"\x00" + `{"a":None}`, JSONSyntax, 6, `"None" where a value is needed`},
		{"\x00" + `{"a":01}`, JSONSyntax, 6, `"01" is no number of JSON`},
		{"\x00" + `{"a":0x10}`, JSONSyntax, 6, `"0x10" is no number of JSON`},
		{"\x00" + `{"a":1.}`, JSONSyntax, 6, `"1." is no number of JSON`},
		{"\x00" + `{"a":truefalse}`, JSONSyntax, 6, `"truefalse" where a value is needed`},
		{"\x00" + `{"a":"\x41"}`, JSONSyntax, 7, `"\\x" is no escape of JSON`},
		{"\x00" + `{"a":"\u00g0"}`, JSONSyntax, 7, `"\\u00g0" is no escape of JSON`},
		{"\x00" + "{\"a\":\"x\ny\"}", JSONSyntax, 8, "a raw control character, 0x0a, inside a string"},
		{"\x00" + `{"a":1,}`, JSONSyntax, 8, "'}' behind a comma, where a member name is needed"},
		{"\x00" + `{'a':1}`, JSONSyntax, 2, "''' where a member name is needed"},
		{"\x00" + `{"a" "b"}`, JSONSyntax, 6, `a string, "b", where ':' is needed`},
		{"\x00" + `{"a":1 "b":2}`, JSONSyntax, 8, `a string, "b", where ',' or '}' is needed`},
		{"\x00" + `{"a":[1}`, JSONSyntax, 8, "'}' where ',' or ']' is needed"},
		{"\x00" + `{"method":"half`, JSONTruncated, 11, "the text ends inside a string that begins there, in /method"},
		{"\x00" + `{"params":{"level":"info","`, JSONTruncated, 27, "the text ends inside a member name that begins there, in /params"},
		{"\x00" + `{"a":tru`, JSONTruncated, 6, "the text ends inside the word true that begins there, in /a"},
		{"\x00" + `{"a":-`, JSONTruncated, 6, "the text ends inside a number that begins there, in /a"},
		{"\x00" + `{"a":"x` + "\xe2\x82", JSONTruncated, 6, "the text ends inside a string that begins there, in /a"},
		{"\x00" + `{"a":[1,{"b":2`, JSONTruncated, 9, "the text ends inside an object that begins there, where ',' or '}' is needed, in /a/1"},
		{"\x00" + `[`, JSONTruncated, 1, "the text ends inside an array that begins there, where a value is needed"},
		{"\x00" + `{"method":"x"} done`, TrailingData, 16, `"done" behind the end of the value`},
		{"\x00" + `{"method":"x"}` + "\n" + `{"id":1,"method":"y"}`, TrailingData, 16, "a second message behind the first: a frame holds one"},
		{"\x00" + deep, TooDeep, 128, "one array or object too many inside another: the receiver takes 127"},
		{"\x00" + `{"a":1e400}`, NumberRange, 6, "the number 1e400 overflows a double"},
		{"\x00" + `{"a":"\ud83d!"}`, LoneSurrogate, 7, `\ud83d, half of a surrogate pair without its other half`},
		{"\x00" + `[{}]`, NotAnObject, 1, "an array, [{}], where a notification, an object, is needed"},
		{"\x00" + `"x"`, NotAnObject, 1, `a string, "x", where a notification, an object, is needed`},
		{"\x00" + `["x",{},1]`, NotAnObject, 1, `an array, ["x",{},1], where a notification, an object, is needed`},
		{"\x00" + ` {"params":{}}`, MethodMissing, 2, "no member method"},
		{"\x00" + `{"method":5}`, MethodType, 11, "a number, 5, where a string is needed"},
		{"\x00" + `{"method":"x","params":[]}`, ParamsType, 24, "an empty array where an object is needed"},
		{"\x00" + `["x",true]`, ParamsType, 6, "true where an object is needed"},
		{"\x00" + `{"method":"x","params":{"_meta":"y"}}`, MetaType, 33, `a string, "y", where an object is needed`},
		{"\x00" + `{"params":{"_meta":[1]},"method":"notifications/tasks"}`, MetaType, 20, "an array, [1], where an object is needed"},
		{"\x00" + `{"method":"x","m\u0065thod":"y"}`, DuplicateMember, 15, `a second method, "y", behind the first, "x"`},
		{"\x00" + `{"method":"x","params":null,"params":{}}`, DuplicateMember, 29, "a second params, {}, behind the first, null"},
		{"\x00" + `{"method":"x","params":{"_meta":null,"_meta":{}}}`, DuplicateMember, 38, "a second _meta, {}, behind the first, null"},
		{"\x01" + `"gone"`, ErrorShape, 1, `a string, "gone", where an error, an object of code and message, is needed`},
		{"\x01" + `{"message":"m"}`, ErrorShape, 1, "no member code"},
		{"\x01" + `{"code":-1}`, ErrorShape, 1, "no member message"},
		{"\x01" + `{"code":"-32603","message":"m"}`, ErrorShape, 9, `a string, "-32603", where an integer is needed`},
		{"\x01" + `{"code":2147483648,"message":"m"}`, ErrorShape, 9, "the code 2147483648 is outside a signed 32-bit integer"},
		{"\x01" + `{"code":-1,"message":null}`, ErrorShape, 22, "null where a string is needed"},
		{"\x01" + `[-1,"m"]`, ErrorShape, 1, `an array, [-1,"m"], where an error, an object of code and message, is needed`},
		{"\x01" + `{"code":1,"message":"m","code":2}`, DuplicateMember, 25, "a second code, 2, behind the first, 1"},
		{"\x01" + `[-1,"m",null,4]`, ErrorShape, 1, `an array, [-1,"m",null,4], where an error, an object of code and message, is needed`},
		{"\x01" + `[-1,"m",null,`, JSONTruncated, 1, "the text ends inside an array that begins there, where a value is needed"},
		{"\x01" + `[-1,"m",null,]`, JSONSyntax, 14, "']' where a value is needed"},
		{"\x01" + `["x","m",null,4]`, ErrorShape, 1, `an array, ["x","m",null,4], where an error, an object of code and message, is needed`},
		{"\x01" + `{"x":` + deep + strings.Repeat("]", 128) + `,"code":5,"message":"m","data":` + deep[1:] + strings.Repeat("]", 127) + `}`,
			TooDeep, 419, "one array or object too many inside another: the receiver takes 127"},
		// What is no JSON is a JSON fault whatever else is wrong.
		{"\x00" + `{"method":5,"params":[],"x":tru}`, JSONSyntax, 29, `"tru" where a value is needed`},
		{"\x01" + `{"code":"x"}}`, TrailingData, 13, "'}' behind the end of the value"},
	}
	var f Frame
	for _, test := range tests {
		err := f.Decode([]byte(test.message))
		var located *DecodeError
		if !errors.As(err, &located) {
			t.Errorf("%q: %v, want a DecodeError", test.message, err)
			continue
		}
		if located.Code != test.code || located.Offset != test.offset || located.Message != test.text {
			t.Errorf("%q:\n got %s, byte %d: %s\nwant %s, byte %d: %s", test.message,
				located.Code, located.Offset, located.Message, test.code, test.offset, test.text)
		}
		if located.Layer() != test.code.Layer() || f.Err != located {
			t.Errorf("%q: layer %s, Err %v", test.message, located.Layer(), f.Err)
		}
	}
}

func TestMethodOfUndecodable(t *testing.T) {
	tests := map[string]string{
		`{"method":"a/b","params":[]}`:       "a/b",
		`{"method":"a\/b","params":{"x":`:    "a/b",
		`{"params":{},"method":"m"} x`:       "m",
		`{"params":{"x":`:                    "",
		`{"method":5}`:                       "",
		`{"method":"first","method":"next"}`: "first",
		`["m",{},1]`:                         "",
	}
	var f Frame
	for body, want := range tests {
		if f.Decode([]byte("\x00"+body)) == nil {
			t.Errorf("%s decodes", body)
		}
		if got := string(f.AppendMethod(nil)); got != want || want != "" && !f.MethodIs(want) {
			t.Errorf("%s: method %q, want %q", body, got, want)
		}
	}
}

func TestMisfits(t *testing.T) {
	progress := func(members string) string {
		return `{"method":"notifications/progress","params":{` + members + `}}`
	}
	task := func(members string) string {
		return `{"params":{"taskId":"t","createdAt":"a","lastUpdatedAt":"b",` + members + `},"method":"notifications/tasks"}`
	}
	ack := func(value string) string {
		return `{"method":"notifications/subscriptions/acknowledged","params":{"notifications":` + value + `}}`
	}
	tests := []struct {
		body  string
		kind  MisfitKind
		name  string
		need  string
		value string
	}{
		{progress(`"progressToken":1,"progress":"50"`), MisfitType, "progress", "a number", `"50"`},
		{progress(`"progressToken":1.0,"progress":5`), MisfitRange, "progressToken", "a string or an integer", "1.0"},
		{progress(`"progressToken":9223372036854775808,"progress":5`), MisfitRange, "progressToken", "a string or an integer", "9223372036854775808"},
		{progress(`"progressToken":null,"progress":5`), MisfitType, "progressToken", "a string or an integer", "null"},
		{progress(`"progress":5`), MisfitMissing, "progressToken", "a string or an integer", `{"progress":5}`},
		{progress(`"progress":5,"progressToken":1,"progr\u0065ss":6`), MisfitDuplicate, "progress", "a number", "6"},
		{progress(`"progressToken":1,"progress":5,"total":"9"`), MisfitType, "total", "a number", `"9"`},
		{`{"method":"notifications/resources/updated"}`, MisfitMissing, "uri", "a string", `{"method":"notifications/resources/updated"}`},
		{`{"method":"notifications/message","params":{"level":"warn","data":1}}`, MisfitWord, "level",
			"one of debug, info, notice, warning, error, critical, alert, emergency", `"warn"`},
		{`{"method":"notifications/message","params":{"level":{"info":1},"data":1}}`, MisfitWord, "level",
			"one of debug, info, notice, warning, error, critical, alert, emergency", `{"info":1}`},
		{`{"method":"notifications/message","params":{"level":"info"}}`, MisfitMissing, "data", "any value", `{"level":"info"}`},
		{ack(`"all"`), MisfitType, "notifications", "an object", `"all"`},
		{ack(`{"toolsListChanged":"yes"}`), MisfitType, "notifications/toolsListChanged", "a boolean", `"yes"`},
		{ack(`{"resourceSubscriptions":["a",1]}`), MisfitType, "notifications/resourceSubscriptions", "a string", "1"},
		{ack(`{"toolsListChanged":true,"toolsListChanged":true}`), MisfitDuplicate, "notifications/toolsListChanged", "a boolean", "true"},
		{ack(`[true,null,false,[],1]`), MisfitType, "notifications", "an array of at most four", "1"},
		{task(`"status":"failed"`), MisfitMissing, "error", "an object when status is failed",
			`{"taskId":"t","createdAt":"a","lastUpdatedAt":"b","status":"failed"}`},
		{task(`"status":"completed","result":null`), MisfitType, "result", "an object when status is completed", "null"},
		{task(`"status":"working","ttlMs":-1`), MisfitRange, "ttlMs", "an unsigned integer", "-1"},
		{task(`"status":"working","result":[]`), MisfitType, "result", "an object", "[]"},
		{task(`"status":"working","inputRequests":{"a/b":{"method":"x"}}`), MisfitWord, "inputRequests/a~1b/method",
			"one of sampling/createMessage, elicitation/create, roots/list", `"x"`},
		{task(`"status":"working","inputRequests":{"q":{"method":"sampling/createMessage","params":{"messages":[]}}}`), MisfitMissing,
			"inputRequests/q/params/maxTokens", "an unsigned integer of 32 bits", `{"messages":[]}`},
	}
	var f Frame
	for _, test := range tests {
		if err := f.Decode([]byte("\x00" + test.body)); err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		m := f.Misfit
		if f.Variant != Custom || f.Known == Custom || m.Kind != test.kind || m.Name != test.name || m.Need != test.need ||
			string(f.Raw(m.Value)) != test.value {
			t.Errorf("%s:\n%s known as %s: %+v %s", test.body, f.Variant, f.Known, m, f.Raw(m.Value))
		}
		if m.Kind == MisfitDuplicate && !m.First.Present() {
			t.Errorf("%s: no first", test.body)
		}
	}
}

func TestMembers(t *testing.T) {
	for _, body := range []string{
		`{"method":"notifications/progress","params":{"progressToken":"up","progress":3,"_meta":{},"x":1}}`,
		`{"params":{"progressToken":"up","progress":3,"_meta":{},"x":1},"method":"notifications\/progress"}`,
	} {
		var f Frame
		if err := f.Decode([]byte("\x00" + body)); err != nil || f.Variant != Progress {
			t.Fatalf("%s: %s, %v", body, f.Variant, err)
		}
		want := map[Member]string{MemberProgressToken: `"up"`, MemberProgress: "3", MemberMeta: "{}", MemberTotal: ""}
		for m, text := range want {
			if got := string(f.Raw(f.Members[m])); got != text {
				t.Errorf("%s: %s is %s, want %s", body, m, got, text)
			}
		}
	}
}

func TestClues(t *testing.T) {
	tests := []struct {
		message string
		want    Clue
	}{
		{"\x00" + `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"é漢🎉","progress":3,"message":"a\n\tb"}}`, 0},
		{"\x00" + `{"jsonrpc":"1.0","method":"x"}`, ClueUnknownName},
		{"\x00" + `{"id":1,"method":"x"}`, ClueUnknownName},
		{"\x00" + `{"method":"x","params":{"any":1}}`, 0},
		{"\x00" + `{"method":"x","params":{"_Meta":1}}`, ClueUnknownName},
		{"\x00" + `{"method":"notifications/tools/list_changed","params":{"any":1}}`, ClueUnknownName},
		{"\x00" + `{"method":"x","params":{"a":[{"b":1,"b":2}]}}`, ClueDuplicate},
		{"\x00" + `{"method":"x","params":{"a":{"longer than eight":1,"longer than eight":2}}}`, ClueDuplicate},
		{"\x00" + `{"method":"x","params":{"a":{"b":1},"c":{"b":2}}}`, 0},
		{"\x00" + `{"method":"x","params":{"n":9007199254740993}}`, ClueBigInteger},
		{"\x00" + `{"method":"x","params":{"n":999999999999999}}`, 0},
		{"\x00" + `{"method":"x","params":{"s":"\u001b[2J"}}`, ClueText},
		{"\x00" + `{"method":"x","params":{"s":"` + "\u202e" + `"}}`, ClueText},
		{"\x00" + `{"method":"x","params":{"s":"\ufffd"}}`, ClueText},
		{"\x00" + `{"method":"x","params":{"s":"` + "\x7f" + `"}}`, ClueText},
		{"\x00" + `{"m\u0065thod":"x"}`, ClueEscapedName | ClueDuplicate},
		{"\x00" + `{"method": "x"}`, ClueSpace},
		{"\x00" + `{"method":"x","params":{"n":[1` + "\t]}}", ClueSpace},
		{"\x00" + `{"method":"x","params":{"n":"a b"}}`, 0},
		{"\x00" + `{"method":"x","params":null}`, ClueNull},
		{"\x00" + `{"method":"notifications/cancelled","params":{"reason":null}}`, ClueNull},
		{"\x00" + `{"method":"notifications/message","params":{"level":{"info":null},"data":1}}`, ClueOddEnum},
		{"\x00" + `{"method":"notifications/subscriptions/acknowledged","params":{"notifications":[]}}`, ClueOddEnum},
		{"\x00" + `{"method":"x","params":{"a":` + strings.Repeat("[", 98) + strings.Repeat("]", 98) + `}}`, ClueDeep},
		{"\x00" + `{"method":"x","params":{"a":` + strings.Repeat("[", 97) + strings.Repeat("]", 97) + `}}`, 0},
		{"\x01" + `{"code":1,"message":"m","data":null}`, ClueNull},
		{"\x01" + `{"code":1,"message":"m","x":"` + "\xff" + `"}`, ClueUnknownName | ClueSkippedFault},
		{"\x01" + `{"code":1,"message":"m","x":"\ud800"}`, ClueUnknownName | ClueSkippedFault},
		{"\x01" + `{"code":1,"message":"m","x":1e999}`, ClueUnknownName | ClueSkippedFault},
		{"\x01" + `{"code":1,"message":"m","x":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`,
			ClueUnknownName | ClueSkippedFault | ClueDeep | ClueDuplicate},
	}
	var f Frame
	for _, test := range tests {
		if err := f.Decode([]byte(test.message)); err != nil {
			t.Errorf("%q: %v", test.message, err)
		}
		if f.Clues != test.want {
			t.Errorf("%q: clues %b, want %b", test.message, f.Clues, test.want)
		}
	}
}

func TestJSONBody(t *testing.T) {
	tests := []struct {
		message string
		want    string // "" where it is none
	}{
		{"\x00" + ` {"method":"x"} `, `{"method":"x"}`},
		{"\x00" + `5`, "5"},
		{"\x01" + `{"code":1,"message":"m","x":1}`, `{"code":1,"message":"m","x":1}`},
		{"\x01" + `{"code":1,"message":"m","x":"\ud800"}`, ""},
		{"\x01" + `{"code":1,"message":"m","x":"` + "\xff" + `"}`, ""},
		{"\x01" + `{"code":1,"message":"m","x":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`, ""},
		{"\x00" + `{"method":`, ""},
		{`{"method":"x"}`, ""},
	}
	for _, test := range tests {
		var f Frame
		_ = f.Decode([]byte(test.message))
		if v, ok := f.JSONBody(); ok != (test.want != "") || ok && string(f.Raw(v)) != test.want {
			t.Errorf("%q: %+v, %t", test.message, v, ok)
		}
	}
}

func TestSet(t *testing.T) {
	var f Frame
	_ = f.Decode([]byte("\x00{"))
	f.SetText([]byte("hello"))
	if f.Type != TypeText || f.Size != 5 || f.Err != nil || f.Type.Failed() {
		t.Errorf("text: %+v", f)
	}
	f.SetOversize([]byte("\x01{"), 1<<40)
	if f.Type != TypeOversize || f.Size != 1<<40 || f.Tag != TagError || string(f.Body()) != "{" {
		t.Errorf("oversize: %+v", f)
	}
	if new(Frame).Body() != nil {
		t.Error("a body where there is no message")
	}
}

// TestDecodeAllocates holds Decode to no allocation for a message that the receiver takes.
func TestDecodeAllocates(t *testing.T) {
	messages := []string{
		"\x00" + `{"method":"notifications/tools/list_changed"}`,
		"\x00" + `{"params":{"progressToken":"up","progress":3},"method":"notifications/progress"}`,
		"\x00" + `{"method":"notifications/progress","params":{"progressToken":"up","progr\u0065ss":3}}`,
		"\x00" + `{"method":"notifications/tasks","params":{"taskId":"t","status":"input_required","createdAt":"a","lastUpdatedAt":"b",` +
			`"ttlMs":18446744073709551615,"inputRequests":{"q":{"method":"roots/list"}}}}`,
		"\x00" + `{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":["a"]}}}`,
		"\x01" + `{"code":-32603,"message":"gone","trace":{"a":[1,{"b":2}]}}`,
	}
	for _, bench := range benchFrames {
		if bench.name != "undecodable" {
			messages = append(messages, bench.message)
		}
	}
	var f Frame
	for _, m := range messages {
		message := []byte(m)
		if err := f.Decode(message); err != nil {
			t.Fatalf("%.80q: %v", m, err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = f.Decode(message) }); n != 0 {
			t.Errorf("%.80q: %v allocations", m, n)
		}
	}
}

// TestDecodeIsLinear reads large bodies of the shapes that tempt to quadratic work.
func TestDecodeIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("large bodies")
	}
	var names strings.Builder
	for i := 0; names.Len() < 60<<20; i++ {
		names.WriteString(`"name` + strings.Repeat("x", i%7) + strconv.Itoa(i) + `":0,`)
	}
	const n = 8 << 20
	bodies := map[string]string{
		"names":        "\x00" + `{"method":"x","params":{` + names.String() + `"z":0}}`,
		"open arrays":  "\x01" + `{"x":` + strings.Repeat("[", n),
		"open objects": "\x01" + `{"x":` + strings.Repeat(`{"":`, n/4),
		"spaces":       "\x00" + strings.Repeat(" ", n),
		"open string":  "\x00" + `{"method":"` + strings.Repeat("é", n/2),
		"digits":       "\x00" + `{"a":` + strings.Repeat("9", n) + "}",
		"skipped":      "\x01" + `{"code":1,"message":"m","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}",
	}
	for name, m := range bodies {
		message := []byte(m)
		var f Frame
		start := time.Now()
		err := f.Decode(message)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: %v for %d bytes", name, took, len(message))
		}
		if good := name == "names" || name == "skipped"; good != (err == nil) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

// Frames that are filled one after the other and kept take over each other's memory, and stay what they are.
func TestTakeMemory(t *testing.T) {
	messages := []string{
		"\x00" + `{"m\u0065thod":"notifications\/progress","params":{"progressToken":1,"progress":2}}`,
		"\x00" + `{"method":"acme\u002fwarm","params":{"a":[[[[1]]]]}}`,
		"\x01" + `{"code":-32603,"message":"gone"}`,
	}
	var spare Frame
	kept := make([]Frame, len(messages))
	fill := func() {
		for i := range kept {
			kept[i].TakeMemory(&spare)
			_ = kept[i].Decode([]byte(messages[i]))
			spare.TakeMemory(&kept[i])
		}
	}
	fill()
	for i, method := range []string{"notifications/progress", "acme/warm", ""} {
		if got := string(kept[i].AppendMethod(nil)); got != method {
			t.Errorf("%d: method %q, want %q", i, got, method)
		}
	}
	if kept[0].Variant != Progress || kept[1].Variant != Custom || kept[2].Type != TypeError || kept[2].Code != -32603 {
		t.Errorf("%v %v %v", kept[0].Variant, kept[1].Variant, kept[2].Type)
	}
}
