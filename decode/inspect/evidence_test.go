package inspect

import (
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"kind4/decode"
)

// guesses are the hints that say of bytes that they are text, an ask, or in another encoding.
var guesses = regexp.MustCompile(`log|plain text|prints an object|SSE|HTTP|HTML|Latin-1|Windows-1252|cut off|UTF-16|an ask|length of the rest|compressed|framed twice|MessagePack|CBOR|character "|without quotes|comment|leading zero|colon between|tag byte is missing`)

// hintOf is what the failure of a message says.
func hintOf(message []byte) string {
	_, findings := inSession(message)
	for i := range findings {
		if findings[i].Severity == decode.Error {
			return string(findings[i].AppendText(nil))
		}
	}
	return ""
}

// TestRandomBytesAreNothing holds random bytes to give hardly ever a guess: at most three messages of a thousand
// of 16 to 215 bytes, and at most twenty of a thousand of 4 to 15 bytes, in which more comes about by chance.
func TestRandomBytesAreNothing(t *testing.T) {
	random := rand.New(rand.NewSource(4))
	const each = 4000
	for _, r := range []struct {
		prefix      string
		least, span int
		most        int // of a thousand
	}{
		{"", 16, 200, 3}, {"\x00", 16, 200, 3}, {"\x01", 16, 200, 3}, {"x", 16, 200, 3},
		{"", 4, 12, 20}, {"\x00", 4, 12, 20}, {"\x01", 4, 12, 20}, {"x", 4, 12, 20},
	} {
		told := map[string]int{}
		n := 0
		for range each {
			message := make([]byte, r.least+random.Intn(r.span))
			random.Read(message)
			message = append([]byte(r.prefix), message...)
			if guess := guesses.FindString(hintOf(message)); guess != "" {
				n++
				told[guess]++
			}
		}
		if n*1000 > r.most*each {
			t.Errorf("prefix %q, %d bytes and more: %d of %d give a guess: %v", r.prefix, r.least, n, each, told)
		}
	}
}

// protobuf is a message of fields 1 (a string) and 2 (a number), as protobuf encodes it.
const protobuf = "\x0a\x16notifications/progress\x10\x96\x01\x1a\x04\x08\x01\x10\x02"

func TestBinaryIsNoText(t *testing.T) {
	for name, body := range map[string]string{
		"beef":        "\xde\xad\xbe\xef",
		"msgpack":     "\x82\xa1a\x01\xa1b\xa5hello",
		"protobuf":    protobuf,
		"grpc":        "\x12\x0bhello world\x18\x07",
		"doubles":     "\x40\x09\x21\xfb\x54\x44\x2d\x18\x3f\xf0\x00\x00\x00\x00\x00\x00",
		"varints":     "\xac\x02\xe5\x8e\x26\x01\x00\xff\x7f",
		"kind 0":      "\x00\x00\x00\x09\x00\x00\x00\x00\x00",
		"kind 4":      "\x00\x00\x00\x00\x04",
		"kind 9":      "\x00\x00\x00\x07\x09\x01\x02\x03",
		"kind 10":     "\x00\x00\x00\x07\x0a\x00\xff\x00",
		"two numbers": "\x00\x01\x00\x02\x00\x03\x00\x04",
		"numbers":     "e\x00d\x00\x00\x00\x00\x00",
		"escape":      "\x1b[=~\x1f7\xa7\x1c",
		"colon":       ":\t'\\\x99z\x8d&",
		"high half":   "\xb8\xc4\xd0\xdc\xe8\xf4\x80\x8c\x98\xa4",
	} {
		for _, tag := range []string{"", "\x00", "\x01"} {
			if hint := hintOf([]byte(tag + body)); guesses.MatchString(hint) {
				t.Errorf("%s behind %q: %s", name, tag, hint)
			}
		}
	}
}

// hinted checks what the failures of messages say, and what they do not: "!" comes before that.
func hinted(t *testing.T, rows map[string]string) {
	t.Helper()
	for message, says := range rows {
		got := hintOf(bytesOf(message))
		_, findings := inSession(bytesOf(message))
		for i := range findings {
			checkSafe(t, message, &findings[i])
		}
		if not, unwanted := strings.CutPrefix(says, "!"); unwanted && strings.Contains(got, not) || !unwanted && !strings.Contains(got, says) {
			t.Errorf("%q: %s, want %q", message, got, says)
		}
	}
}

func TestFilesAndEncodings(t *testing.T) {
	utf16 := func(s string, big bool) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			if big {
				b.WriteByte(0)
			}
			b.WriteByte(c)
			if !big {
				b.WriteByte(0)
			}
		}
		return b.String()
	}
	hinted(t, map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00":                 "begins like a PNG image",
		"0:\x89PNG\r\n\x1a\n\x00\x00":               "begins like a PNG image",
		"0:\xff\xd8\xff\xe0\x00\x10JFIF":            "begins like a JPEG image",
		"0:\xfd7zXZ\x00\x00":                        "compressed with xz",
		"PK\x03\x04\x14\x00":                        "a ZIP archive",
		"0:PK lower":                                "a line of a log",
		zlibbed("not a message"):                    "compressed with zlib",
		"0:" + zlibbed("not a message"):             "compressed with zlib",
		"x\x9cnot zlib at all":                      "!zlib",
		"0:" + deflated(changed):                    "compressed with deflate",
		"0:\x1f\x8b\x07\x00":                        "!gzip",
		"0:\x82\xa6method\xa4ping\xa6params":        "MessagePack",
		"0:\xbf\x66method\x64ping\xff":              "CBOR",
		utf16(changed, false):                       "UTF-16, little-endian, and not UTF-8, and its tag byte is missing",
		utf16(changed, true):                        "UTF-16, big-endian, and its first NUL was taken for the tag",
		"0:" + utf16(changed, true):                 "the body is UTF-16, big-endian",
		"0:" + utf16(changed, false):                "the body is UTF-16, little-endian",
		"\xff\xfe" + utf16(changed, false):          "byte order mark (UTF-16, little-endian)",
		"\xfe\xff" + utf16(changed, true):           "byte order mark (UTF-16, big-endian)",
		"0:\xff\xfe\x00\x00{\x00\x00\x00":           "UTF-32, little-endian",
		"\x00\x00\xfe\xff\x00\x00\x00{":             "UTF-32, big-endian",
		"0:\xdcberraschung am Morgen":               `Latin-1 (or cp1252), "Ü"`,
		"0:{\"a\":\"caf\xe9\"}":                     `Latin-1 (or cp1252), "é"`,
		"0:{\"a\":\"\xc4\xe3\xba\xc3\xc4\"}":        "!Latin-1",
		"0:{\"a\":\"\xcf\xf0\xe8\xe2\xe5\"}":        "!Latin-1",
		"0:{\"a\":\"sch\xf6n\"}":                    `in Latin-1 it is "ö"`,
		"0:{\"a\":\"Spa\xdf\"}":                     `"ß", or a character cut off`,
		"1:{\x00\"\x00a\x00\"\x00:\x001\x00}":       "!big-endian",
		"0:{\"a\":\"\xc0 la carte\"}":               `Latin-1 (or cp1252), "À"`,
		"0:{\"a\":\"\xc1\x80x\"}":                   `overlong`,
		"0:{\"a\":\"\xed\xa0\xbd\xed\xb8\x80\"}":    "CESU-8 writes",
		"0:{\"a\":\"b\x8dc\"}":                      "!Windows-1252",
		"0:{\"a\":\"日本語\xe6\x97\"}":                 "2 of its 3 bytes came",
		"0:{\"a\":\"\xe9\x00\x01\x02\"}":            "!Latin-1",
		"0:\x00\x00\x00\x00\x00\x00":                "every byte is NUL",
		"\x00\x00\x00\x07\x04":                      "it reads as an ask of kind 4 on channel 7",
		"0:\x00\x00\x00\x07\x04":                    "behind the tag stands an ask of kind 4 on channel 7",
		"\x00\x00\x00\x09\x02{\"name\":\"x\"}":      "an ask of kind 2 on channel 9",
		"\x00\x00\x00\x09\x05secret/key":            "an ask of kind 5 on channel 9",
		"\x00\x00\x00\x09\x02hello":                 "!an ask",
		"\x00\x00\x00\x07\x04\x01\x02":              "!an ask",
		"0:=\x00\x00\x00" + strings.Repeat("{", 61): "behind the first byte stands the length of the rest",
		"0:\x00\x00\x00\x10{\"method\":\"abc\"}":    "as gRPC writes it",
		"\x00\x10{\"method\":\"abc\"}":              "the first 2 bytes are the length of the rest",
		"\x00\x00\x00\x10{\"method\":\"ab\"}":       "!length of the rest",
		"0:\x82\x10{\"method\":\"abc\"}":            "framed twice",
		"\x82\x90abcd{\"method\":\"abc\"}":          "framed twice",
		"\x82\x91abcd{\"method\":\"abc\"}":          "!framed twice",
	})
}

func TestTextHints(t *testing.T) {
	hinted(t, map[string]string{
		"INFO: started":                              "a line of a log",
		"0:INFO: started":                            "a line of a log",
		"0:level=info msg=\"started\"":               "a line of a log",
		"0:502 Bad Gateway":                          "a line of a log",
		"0:03:04:05.123 INFO x":                      "a line of a log",
		"0:<34>Oct 11 22:14:15 host su: failed":      "a line of a log",
		"0:[1] started":                              "a line of a log",
		"0:[12:00:01] started":                       "a line of a log",
		"0:✓ connected to server":                    "a line of a log",
		"09:15:02 INFO x":                            "a line of a log",
		"1: 2 problems found":                        "plain text",
		"1:Error: boom":                              "plain text, where an error",
		"1:502 Bad Gateway":                          "plain text, where an error",
		"1:null pointer":                             "plain text, where an error",
		"1:[object Object]":                          "JavaScript",
		"0:hello":                                    "plain text, where JSON",
		"null":                                       "the whole message is JSON",
		"true":                                       "the whole message is JSON",
		"42":                                         "!JSON",
		"0x007b":                                     "!character",
		"0":                                          `the character "0"`,
		`0{"method":"x"`:                             `the character "0"`,
		"0x007b226d6574686f64223a2278227d":           "hexadecimal digits",
		"0:7b226d6574686f64223a2278227d":             "hexadecimal digits",
		"0:deadbeefdeadbeefdeadbeef":                 "!hexadecimal",
		"0:eyJtZXRob2QiOiJ4In0=":                     "base64",
		"0:aGVsbG8gd29ybGQsIGhlbGxv":                 "!base64",
		`0:b'{"method":"x"}'`:                        "Python prints bytes",
		"0:b'day of the server":                      "!bytes",
		`0:b'\x00{"method":"x"}'`:                    "Python prints bytes",
		"0:panic: disk full, going on":               "a line of a log",
		"0:panic: x\n\ngoroutine 1 [running]:":       "a Go panic",
		"0:thread 'io' started":                      "a line of a log",
		"0:thread 'main' panicked at src/main.rs:1":  "a Rust panic",
		"0:Exception in thread Thread-1 (run):":      "!Java",
		"0:Exception in thread \"main\" java.lang.X": "a Java stack trace",
		"0:Traceback (most recent call last):":       "a Python traceback",
		"0:map[method:x params:map[a:1]]":            "how Go prints a map",
		"0:map[string] is no type":                   "!how Go",
		"0:dict_cache loaded":                        "!Python",
		"0:<Buffer 00 7b 22>":                        "Node.js",
		"0:<__main__.Notification object at 0x7f1>":  "Python prints an object",
		"0:<nil>":                                    "how Go prints nil",
		"0:Notification(method='x', params=None)":    "prints an object",
		"0:Notification[method=x, params={}]":        "prints an object",
		"0:Notification { method: \"x\" }":           "prints an object",
		"0:failed (twice)":                           "a line of a log",
		"0:{method=x, params={}}":                    "Java and Kotlin",
		`0:{"method"=>"x"}`:                          "Ruby's or PHP's",
		"0:data:image/png;base64,iVBORw0KGgo=":       "a data: URL",
		"0:data:" + changed:                          "SSE",
		"0:: ping":                                   "SSE",
		"0:event: message\ndata: {}":                 "SSE",
		"0:event: ping":                              "SSE",
		"0:event: something happened here":           "!SSE",
		"0:id: 5 not found":                          "!SSE",
		"0:Data: nothing":                            "!SSE",
		"0:POST /mcp HTTP/1.1\r\nHost: x":            "an HTTP request",
		"0:POST /mcp 200 in 12 ms":                   "a line of a log",
		"0:HTTP/1.1 502 Bad Gateway":                 "an HTTP response",
		"0:HTTP/2 stream reset":                      "!HTTP response",
		"0:[" + changed + "] trailing words":         "!log",
		"0:" + changed + `{"code":1,"message":"m"}`:  "a second message",
		"0:" + changed + `{"jsonrpc":"2.0","id":1}`:  "a second message",
		"0:" + changed + `{"unrelated":1}`:           "!second message",
		"0:{\"code\":1,\"message\":\"m\"} {\"a\":1}": "!second message",
	})
}

func TestWhatStandsInAMessagesPlace(t *testing.T) {
	hinted(t, map[string]string{
		`0:{"progressToken":1,"progress":2}`:                         "what params of notifications/progress do",
		`0:{"level":"info","data":"x"}`:                              "what params of notifications/message do",
		`0:{"requestId":3,"reason":"x"}`:                             "what params of notifications/cancelled do",
		`0:{"level":"info","msg":"x"}`:                               "!params of",
		`0:{"code":-1,"message":"m"}`:                                "it is an error body under tag 0",
		`0:{"code":"E1","message":"m"}`:                              "it has a code and a message",
		`0:{"data":` + changed + `}`:                                 `the member "data" holds an object with a method`,
		`0:{"params":{"method":"GET"}}`:                              "!holds an object with a method",
		`0:[{"id":1,"method":"tools/call"},` + changed + `]`:         "hides 1 notification:",
		`0:[{"id":1,"method":"tools/call"},{"id":1,"result":{}},{}]`: "a batch without any notification",
		"0:" + changed + "\x00":                                      "terminating NUL",
		"0:" + changed + "\x00\x00\x00":                              "the rest of a buffer",
		"0:" + changed + "]":                                         "a closing bracket too many",
		"0:" + changed + ",":                                         "a trailing comma",
		"0:" + changed + `,{"a":1}`:                                  "the first of several values",
		"0:" + changed + `, done`:                                    "!several",
	})
}

func TestHintsKnowTheirPlace(t *testing.T) {
	hinted(t, map[string]string{
		`0:{"a":...}`:                           "shortened for showing",
		`0:{"a":.5}`:                            "a digit before the point",
		`0:{"a":1,000}`:                         "a comma inside a number?",
		`0:{"a":[1,000]}`:                       "a comma inside a number?",
		`0:{"a":0,5}`:                           "a comma inside a number?",
		`0:{"a":1, 2:3}`:                        "names are strings",
		`0:{"a":007}`:                           "no leading zero",
		`0:["a"=1]`:                             "!colon",
		`0:{"a"=1}`:                             "a colon between name and value",
		"0:= \x00\x00\x00{":                     "!colon",
		"0:;":                                   "!comma",
		`0:{"a":1;"b":2}`:                       "a comma between members",
		`0:["a";"b"]`:                           "a comma between elements",
		`0:#<Object>`:                           "!comment",
		`0:{"a":#<Object>}`:                     "!comment",
		`0:{"a":#ff0000}`:                       "!comment",
		"0:{\"a\":1 # note\n}":                  "a comment",
		"0:{\"a\": // note\n1}":                 "a comment",
		`0:{"a"//x`:                             "!comment",
		`0:{"a":12ms}`:                          "no suffix or unit",
		`0:{"a":3f2b1c4d-0000}`:                 "!suffix",
		`0:{"a":2026-01-31}`:                    "a date without quotes",
		`0:{"a":10.0.0.1}`:                      "a text without quotes",
		`0:{"a":50%}`:                           "percent",
		`0:{"a":{{name}}}`:                      "template",
		"0:{\"a\":\"x,\n\"b\":1}":               "a closing quote is missing",
		"0:{\"a\":\"x\ny\"}":                    `JSON writes it \n`,
		`0:{"a":"say "hi" twice"}`:              "lacks its backslash",
		`0:{"a":"x" y}`:                         "!backslash",
		`0:{"a":datetime.datetime(2026, 1, 1)}`: "prints an object",
		`0:{"a":true(1)}`:                       "!prints",
		`0:{\"method\":\"x\"}`:                  "without its quotes",
		`0:{&quot;method&quot;:1}`:              "as HTML escapes them",
		`0:{&method:1}`:                         "!HTML",
		`0:{"a":[Object]}`:                      "how Node.js prints",
		`0:{"a":[Objects]}`:                     "!Node.js",
		`0:{"a":map[b:1]}`:                      "how Go prints a map",
		"0:" + changed + `\n`:                   "a line's end spelled",
		"0:" + changed + ` // done`:             "a comment",
		"0:" + changed + ` /done`:               "!a comment",
		"0:# Heading of a page":                 "plain text, where JSON",
		`0:%7B%22method%22%3A%22x%22%7D`:        "percent-encoded",
		`0:{"a":None}`:                          "Python's",
		`0:{None:1}`:                            "a name without quotes",
		`0:NaN`:                                 "Python's json module",
		`0:None of these`:                       "a line of a log",
		`1:{"error":"x"}`:                       "belongs into message",
		`1:{"code":1,"error":"x"}`:              "belongs into message",
		`1:{"error":{"code":1}}`:                "a whole response",
		`1:{"code":1,"error":null}`:             "!whole response",
		`0:{"id":1,"error":"x"}`:                "its error is no object",
		`0:{"error":"x"}`:                       "!error response",
		`0:{"id":1,"error":{"code":-1}}`:        "the error object alone",
	})
}

// TestOneFaultOneFinding holds one fault to be told once.
func TestOneFaultOneFinding(t *testing.T) {
	cancel := func(members string) string {
		return `0:{"method":"notifications/cancelled",` + members + `}`
	}
	only(t, `0:{"method":"notifications/progress","Params":{"progressToken":1,"progress":1}}`, decode.CaseVariant)
	only(t, `0:{"Params":{"progressToken":1,"progress":1},"method":"notifications/progress","params":{}}`, decode.CaseVariant, decode.ParamsMisfit)
	only(t, `0:{"method":"notifications/tools/list_changed","Params":{}}`, decode.CaseVariant)
	only(t, cancel(`"Params":{"requestId":1}`), decode.CaseVariant, decode.CancelsWork)
	only(t, cancel(`"params":{"request_id":1}`), decode.SnakeCase, decode.CancelsWork)
	only(t, cancel(`"params":{"requestID":1}`), decode.CaseVariant, decode.CancelsWork)
	only(t, cancel(`"params":{"requestId":1,"requestID":1}`), decode.CaseVariant, decode.CancelsWork)
	only(t, cancel(`"params":{"Reason":"x"}`), decode.CaseVariant, decode.CancelledWithoutRequest, decode.CancelsWork)
	only(t, cancel(`"params":{"requestId":null}`), decode.CancelledWithoutRequest, decode.OptionalNull, decode.CancelsWork)
	only(t, cancel(`"params":{"requestId":1,"reason":null}`), decode.OptionalNull, decode.CancelsWork)
	only(t, cancel(`"params":null`), decode.CancelledWithoutRequest, decode.ParamsNull, decode.CancelsWork)
	only(t, progressWith(`"progressToken":1,"progress":"x","progress":2`), decode.DuplicateMember)
	only(t, progressWith(`"progressToken":null,"progress":1,"progress":2`), decode.ParamsMisfit, decode.DuplicateMember)
	only(t, progressWith(`"progressToken":1,"progress":1,"total":"9","total":9`), decode.DuplicateMember)
	only(t, `0:{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":1,"toolsListChanged":true}}}`, decode.DuplicateMember)
	// By the catalogue both: null params have nothing that a progress needs, and others refuse them wherever they are.
	only(t, `0:{"method":"notifications/progress","params":null}`, decode.ParamsMisfit, decode.ParamsNull)
	// By the catalogue both: "anywhere" is where such integers are told.
	only(t, progressWith(`"progressToken":9223372036854775808,"progress":2`), decode.ParamsMisfit, decode.UnsafeInteger)
}

// TestTextsAreTrue holds texts to say what is so, word by word.
func TestTextsAreTrue(t *testing.T) {
	task := func(members string) string {
		return `0:{"method":"notifications/tasks","params":{"taskId":"t","createdAt":"a","lastUpdatedAt":"b",` + members + `}}`
	}
	checkRows(t, []row{
		{task(`"status":"completed","result":null`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params/result", "null, which has to be an object when status is completed"},
		{task(`"status":"failed"`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params", "no error, which has to be an object when status is failed"},
		{`0:{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{"resourceSubscriptions":[1]}}}`,
			decode.ParamsMisfit, decode.Warning, NoOffset, "/params/notifications/resourceSubscriptions/0", "a number, 1, where a string is needed"},
		{`0:{"method":"notifications/progress","params":null}`, decode.ParamsMisfit, decode.Warning, 45, "/params", "params is null"},
		{`0:{"method":"acme/x","params":{"n":9007199254740992}}`, decode.UnsafeInteger, decode.Warning, NoOffset, "/params/n", "do not tell it from its neighbours"},
		{`0:{"method":"acme/x","params":{"n":9007199254740993}}`, decode.UnsafeInteger, decode.Warning, NoOffset, "/params/n", "make 9007199254740992 of it"},
		{`0:{"method":"acme/x","params":{"n":-9223372036854775809}}`, decode.UnsafeInteger, decode.Warning, NoOffset, "/params/n", "make -9223372036854776000 of it"},
		{`0:{"id":3,"method":"tools/call"}`, decode.RequestMethod, decode.Warning, NoOffset, "/method", "where only notifications travel"},
	})
	checkRows(t, []row{
		{`0:{"method":"notifications/progress","progressToken":1,"progress":2}`, decode.ParamsMisfit, decode.Warning, NoOffset, "", "no params, and so no progressToken, where a string or an integer is needed; it stands beside method"},
		{progressWith(`"_meta":{"progressToken":1},"progress":2`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params", "no progressToken, where a string or an integer is needed; it stands inside _meta"},
		{progressWith(`"params":{"progressToken":1,"progress":2}`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params", "it stands inside params"},
		{progressWith(`"_meta":{"token":1},"progress":2`), decode.ParamsMisfit, decode.Warning, NoOffset, "/params", "no progressToken"},
	})
	for name, says := range map[string]string{
		"notifications/elicitation/completed": "",
		"notifications/Initialized":           "",
		"notifications/Progress":              "The receiver takes this for a custom notification, and whoever waits for the real one never sees it.",
	} {
		_, findings := inSession(bytesOf(method(name)))
		if len(findings) != 1 || findings[0].Code != decode.NearMiss || findings[0].Consequence() != says {
			t.Errorf("%s: %v, %q", name, codesOf(findings), findings[0].Consequence())
		}
	}
}
