package inspect

import (
	"bytes"
	"unicode/utf8"

	"kind4/decode"
)

// hint is what a failure's text says behind its cause: what was probably meant, and what to do.
type hint struct {
	format string
	args   [2]Arg
}

// hintFor gives a failure's finding its hint, if there is one.
func hintFor(cause *Finding, f *decode.Frame) {
	var h hint
	switch f.Err.Code {
	case decode.UnknownTag:
		h = unknownTagHint(f.Message)
	case decode.NotUTF8:
		h = utf8Hint(f.Message, f.Err.Offset)
	case decode.JSONSyntax:
		h = syntaxHint(f.Message, f.Err.Offset)
	case decode.JSONTruncated:
		h = truncatedHint(f.Message)
	case decode.TrailingData:
		h = trailingHint(f.Message, f.Err.Offset)
	case decode.NotAnObject:
		h = notObjectHint(f.Message)
	case decode.MethodMissing:
		h = methodMissingHint(f.Message)
	case decode.ParamsType, decode.MetaType:
		h = paramsTypeHint(f.Message, f.Err)
	case decode.ErrorShape:
		h = errorShapeHint(f.Message, f.Err.Offset)
	case decode.LoneSurrogate:
		h = hint{format: "a text cut between the two halves of a character?"}
	}
	cause.format = h.format
	copy(cause.args[:], h.args[:])
}

// maxTried is the longest message that is decoded another way in search of a hint: its bytes are copied.
const maxTried = 4 << 20

// verdict decodes body behind tag, and says what it is: "a valid notification", "a valid error", or "".
func verdict(tag decode.Tag, body []byte) string {
	if len(body) > maxTried || len(trimSpace(body)) == 0 {
		return ""
	}
	var f decode.Frame
	if f.Decode(decode.AppendMessage(nil, tag, body)) != nil {
		return ""
	}
	if tag == decode.TagError {
		return "a valid error"
	}
	return "a valid notification"
}

// eitherVerdict is verdict for a notification, or else for an error.
func eitherVerdict(body []byte) string {
	if v := verdict(decode.TagNotification, body); v != "" {
		return v
	}
	return verdict(decode.TagError, body)
}

// isJSON reports whether body is one JSON value, whatever it means.
func isJSON(body []byte) bool {
	if len(body) > maxTried {
		return false
	}
	var f decode.Frame
	err := f.Decode(decode.AppendMessage(nil, decode.TagNotification, body))
	return err == nil || f.Err.Layer() >= decode.LayerEnvelope
}

func unknownTagHint(message []byte) hint {
	body := message[1:]
	if message[0] == '0' || message[0] == '1' {
		if h := characterTagHint(message[0], body); h.format != "" {
			return h
		}
	}
	if v := eitherVerdict(message); v != "" {
		return hint{"the whole message is %: its tag byte is missing", [2]Arg{words(v)}}
	}
	if name := compression(message); name != "" {
		return hint{"the message is compressed with %: send it as it is", [2]Arg{words(name)}}
	}
	if name := fileKind(message); name != "" {
		return hint{"the message begins like %", [2]Arg{words(name)}}
	}
	if h := lengthHint(message); h.format != "" {
		return h
	}
	if name := packedFormat(message); name != "" {
		return hint{"the message begins like %, and its tag byte is missing: the body is JSON text", [2]Arg{words(name)}}
	}
	if v := verdict(decode.TagNotification, body); v != "" {
		return hint{"behind it stands %, whose tag is 0", [2]Arg{words(v)}}
	}
	if v := verdict(decode.TagError, body); v != "" {
		return hint{"behind it stands %, whose tag is 1", [2]Arg{words(v)}}
	}
	return untaggedHint(message)
}

// characterTagHint says that the tag was written as a character, where JSON or nothing stands behind it.
func characterTagHint(c byte, body []byte) hint {
	tag, name := decode.Tag(c-'0'), words(string(rune(c)))
	first, behind := byteBehind(body, 0)
	if v := verdict(tag, body); v != "" {
		return hint{"it is the character \"%\" rather than the byte %; behind it stands " + v, [2]Arg{name, name}}
	}
	if !behind || first == '{' || (first == '[' || first == '"') && isJSON(body) {
		return hint{"it is the character \"%\" rather than the byte %", [2]Arg{name, name}}
	}
	return hint{}
}

// utf8Hint adds to what the bytes at offset look like, which the cause says, what else they may be.
func utf8Hint(message []byte, offset int) hint {
	if offset < 0 || offset >= len(message) {
		return hint{}
	}
	if h := binaryHint(message); h.format != "" {
		return h
	}
	s := message[offset:]
	b, next := s[0], byte(0)
	if len(s) > 1 {
		next = s[1]
	}
	switch {
	case b == 0xf4 && next >= 0x90 && next <= 0xbf:
		return hint{}
	case b == 0xed && next >= 0xa0 && next <= 0xbf:
		return hint{format: "CESU-8 writes a character beyond U+FFFF as two of these, UTF-8 in one sequence of four bytes"}
	case b == 0xc0 && next == 0x80:
		return hint{format: "Java's modified UTF-8 writes NUL so"}
	case isContinuation(next) && (b == 0xc0 || b == 0xc1 || b == 0xe0 && next < 0xa0 || b == 0xf0 && next < 0x90):
		return hint{format: "UTF-8 has to use the shortest form"}
	case !decode.InText(message, offset):
		return hint{}
	case b >= 0xf5:
		return hint{"in Latin-1 it is \"%\"", [2]Arg{words(string(rune(b)))}}
	}
	return brokenSequence(s)
}

func isContinuation(b byte) bool { return b >= 0x80 && b <= 0xbf }

// brokenSequence says how much of a character came that was cut off, or what Windows-1252 makes of a byte.
func brokenSequence(s []byte) hint {
	b := s[0]
	want := 0
	switch {
	case b >= 0xc2 && b <= 0xdf:
		want = 1
	case b >= 0xe0 && b <= 0xef:
		want = 2
	case b >= 0xf0 && b <= 0xf4:
		want = 3
	}
	got := 0
	for got < want && got+1 < len(s) && isContinuation(s[got+1]) {
		got++
	}
	switch {
	case want > 0 && (got > 0 || len(s) == 1):
		return hint{"% of its % bytes came", [2]Arg{number(int64(got + 1)), number(int64(want + 1))}}
	case b >= 0x80 && b < 0xa0 && cp1252[b-0x80] != 0:
		return hint{"there it is \"%\"; or it is the rest of a character that was cut", [2]Arg{words(string(cp1252[b-0x80]))}}
	}
	return hint{}
}

// cp1252 holds what Windows-1252 makes of the bytes 0x80 to 0x9f; 0 where it knows nothing.
var cp1252 = [32]rune{'€', 0, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0, 'Ž', 0,
	0, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0, 'ž', 'Ÿ'}

// trailingHint says what stands behind the value.
func trailingHint(message []byte, offset int) hint {
	rest := trimSpace(view(message, offset, len(message)))
	if len(rest) == 0 {
		return hint{}
	}
	before := trimSpace(view(message, 1, offset))
	switch {
	case len(before) == 1 && (before[0] == '0' || before[0] == '1') && startsMessage(rest):
		return hint{format: "the tag was written again, as a character"}
	case eitherVerdict(rest) != "" || startsMessage(rest):
		return hint{format: "each needs a WebSocket message of its own"}
	case rest[0] <= 1 && len(rest) > 1 && (eitherVerdict(rest[1:]) != "" || startsMessage(rest[1:])):
		return hint{format: "a second message, tag and all: each needs a WebSocket message of its own"}
	}
	if h := binaryHint(message); h.format != "" {
		return h
	}
	if len(before) > 0 && before[0] != '{' && before[0] != '"' {
		if h := wholeTextHint(message, place{}); h.format != "" {
			return h
		}
	}
	return restHint(rest)
}

// restHint says what the rest of a message is that begins like no other message.
func restHint(rest []byte) hint {
	next, more := byteBehind(rest, 1)
	switch {
	case rest[0] == 0 && len(rest) == 1:
		return hint{format: "a string's terminating NUL was sent along"}
	case rest[0] == 0:
		return hint{format: "the rest of a buffer was sent along?"}
	case rest[0] == '}' || rest[0] == ']':
		return hint{format: "a closing bracket too many"}
	case hasPrefix(rest, `\n`) || hasPrefix(rest, `\r`):
		return hint{format: "a line's end spelled with a backslash, outside a string"}
	case isComment(rest, place{want: wantMore}):
		return hint{format: "a comment: JSON has none"}
	case rest[0] == ',' && (next == '{' || next == '['):
		return hint{format: "the first of several values: each needs a message of its own"}
	case rest[0] == ',' && !more:
		return hint{format: "a trailing comma: JSON allows none"}
	}
	return hint{}
}

// startsMessage reports whether s begins with an object that has a method, or is JSON-RPC by its jsonrpc.
func startsMessage(s []byte) bool {
	return s[0] == '{' && (hasMember(s, 0, "method") || hasMember(s, 0, "jsonrpc"))
}

// paramsTypeHint says what params, or _meta, may have been meant to be.
func paramsTypeHint(message []byte, err *decode.DecodeError) hint {
	s := view(message, err.Offset, len(message))
	switch {
	case len(s) == 0:
		return hint{}
	case s[0] == '"':
		return encodedHint(message, err.Offset)
	case s[0] != '[':
		return hint{}
	}
	if next, _ := byteBehind(s, 1); next == ']' {
		return hint{format: "an encoder that writes an empty map as []?"}
	}
	if err.Code == decode.MetaType {
		return hint{}
	}
	return hint{format: "JSON-RPC knows arrays of params, MCP does not"}
}

// encodedHint says whether the string at offset holds JSON text.
func encodedHint(message []byte, offset int) hint {
	walker := decode.NewWalker(message, offset)
	token, ok := walker.Next()
	if !ok || token.Kind != decode.TokenString || token.End-token.Start > maxTried {
		return hint{}
	}
	text := decode.Unquote(nil, view(message, token.Start, token.End))
	switch v := eitherVerdict(text); {
	case v != "":
		return hint{"its text is %: encoded twice", [2]Arg{words(v)}}
	case len(text) > 1 && (text[0] == 0 || text[0] == 1) && verdict(decode.Tag(text[0]), text[1:]) != "":
		return hint{format: "its text is a whole message, tag and all: encoded twice"}
	case len(trimSpace(text)) > 0 && bytes.IndexByte([]byte("{["), trimSpace(text)[0]) >= 0 && isJSON(text):
		return hint{format: "its text is JSON: encoded twice"}
	case len(text) >= 8 && isBase64(text):
		return hint{format: "it looks like base64"}
	}
	return hint{}
}

// isBase64 reports whether text decodes, as base64, to a message or its body.
func isBase64(text []byte) bool {
	decoded, ok := decodeBase64(text)
	return ok && len(decoded) > 1 && utf8.Valid(decoded) && (eitherVerdict(decoded) != "" || eitherVerdict(decoded[1:]) != "")
}
