package inspect

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"math/bits"

	"kind4/decode"
)

// syntaxHint says what the text may have been meant to be that is no JSON at offset.
func syntaxHint(message []byte, offset int) hint {
	body := message[1:]
	if h := binaryHint(message, body); h.format != "" {
		return h
	}
	start := bodyStart(message)
	if start < len(message) && message[start] != '{' && message[start] != '"' {
		if h := foreignText(message[start:]); h.format != "" {
			return h
		}
	}
	if insideString(message, offset) {
		return stringHint(message, offset)
	}
	if h := invisibleHint(view(message, offset, len(message))); h.format != "" {
		return h
	}
	if h := punctuationHint(message, offset); h.format != "" {
		return h
	}
	word, at := wordAround(message, offset)
	if h := wordHint(message, word, at); h.format != "" {
		return h
	}
	if offset <= start+4 && start < len(message) && looksLikeText(message[start:]) {
		if message[0] == byte(decode.TagError) {
			return hint{format: "plain text, where an error is an object of code and message"}
		}
		return hint{format: "it reads like a line of a log"}
	}
	return hint{}
}

// truncatedHint says where a text may have been cut.
func truncatedHint(message []byte) hint {
	for _, n := range [...]int{len(message), len(message) - 1} {
		if n >= 512 && bits.OnesCount(uint(n)) == 1 {
			return hint{"% bytes is the size of a buffer: was the rest left out?", [2]Arg{number(int64(n))}}
		}
	}
	return hint{}
}

// binaryHint says what a body may be that is no text.
func binaryHint(message, body []byte) hint {
	if len(body) == 0 {
		return hint{}
	}
	if name := compression(body); name != "" {
		return hint{"the body is compressed with %: send it as it is", [2]Arg{words(name)}}
	}
	if body[0] >= ' ' {
		return hint{}
	}
	if body[0] <= 1 && len(body) > 1 {
		if v := verdict(decode.Tag(body[0]), body[1:]); v != "" {
			return hint{"behind one more tag byte stands %: the tag is there twice", [2]Arg{words(v)}}
		}
	}
	if h := lengthHint(message); h.format != "" {
		return h
	}
	if len(message) < 5 {
		return hint{}
	}
	channel := binary.BigEndian.Uint32(message)
	if kind := decode.AskKind(message[4]); channel < 1<<20 && kind <= decode.KindFuseStat {
		return hint{"it reads as an ask of kind % on channel %: asks travel on /requests, from the proxy",
			[2]Arg{number(int64(kind)), number(int64(channel))}}
	}
	return hint{}
}

// lengthHint says whether a message begins with its own length, as framings write it that a WebSocket needs none of.
func lengthHint(message []byte) hint {
	size := len(message)
	switch {
	case size < 6:
		return hint{}
	case int64(binary.BigEndian.Uint32(message)) == int64(size-4), int64(binary.LittleEndian.Uint32(message)) == int64(size-4):
		return hint{format: "the first four bytes are the length of the rest: a WebSocket message needs none"}
	case message[0] <= 1 && int64(binary.BigEndian.Uint32(message[1:])) == int64(size-5):
		return hint{format: "behind the first byte stands the length of the rest, as gRPC writes it: a WebSocket message needs none"}
	case message[0] == 0x81 || message[0] == 0x82:
		first := int(message[1] & 0x7f)
		if first == size-2 || first == 126 && int(binary.BigEndian.Uint16(message[2:])) == size-4 {
			return hint{format: "a whole WebSocket frame inside the message: it was framed twice"}
		}
	}
	return hint{}
}

// packedFormat names the binary form of JSON that an object with a method begins like, "" for none.
func packedFormat(s []byte) string {
	switch {
	case len(s) < 8:
		return ""
	case s[0]&0xf0 == 0x80 && (hasPrefix(s[1:], "\xa6method") || hasPrefix(s[1:], "\xa7jsonrpc") || hasPrefix(s[1:], "\xa6params")):
		return "MessagePack"
	case s[0]&0xe0 == 0xa0 && (hasPrefix(s[1:], "\x66method") || hasPrefix(s[1:], "\x67jsonrpc") || hasPrefix(s[1:], "\x66params")):
		return "CBOR"
	}
	return ""
}

// maxInflated is how much is inflated to see whether bytes are compressed text.
const maxInflated = 64

// compression names the compression that s begins like, "" for none.
func compression(s []byte) string {
	switch {
	case hasPrefix(s, "\x1f\x8b"):
		return "gzip"
	case hasPrefix(s, "\x28\xb5\x2f\xfd"):
		return "zstd"
	case len(s) > 2 && s[0] == 0x78 && (int(s[0])<<8|int(s[1]))%31 == 0 && inflatesTo(s[2:]):
		return "zlib"
	case len(s) > 2 && s[0] >= 0x20 && s[0] < 0x7f && s[0] != 'b' && s[0] != 'r':
		return "" // text; deflated JSON begins with bytes like 0x62, 0x72, 0xaa, 0xab
	case inflatesTo(s):
		return "deflate"
	}
	return ""
}

// inflatesTo reports whether s inflates to something that begins like a message or its body.
func inflatesTo(s []byte) bool {
	var out [maxInflated]byte
	n, err := io.ReadFull(flate.NewReader(bytes.NewReader(s)), out[:])
	if err != nil && err != io.ErrUnexpectedEOF || n < 2 {
		return false
	}
	text := out[:n]
	if text[0] <= 1 {
		text = text[1:]
	}
	text = trimSpace(text)
	return len(text) > 1 && text[0] == '{' && (text[1] == '"' || isSpace(text[1]) || text[1] == '}')
}

// textStart is how a text begins that is no JSON, and what it then is.
type textStart struct{ prefix, format string }

// textStarts are compared without regard to the case of ASCII letters.
var textStarts = []textStart{
	{"data:", "an event of an SSE stream: its data alone is the body"},
	{"event:", "an event of an SSE stream: its data alone is the body"},
	{"retry:", "an event of an SSE stream: its data alone is the body"},
	{"id:", "an event of an SSE stream: its data alone is the body"},
	{": ", "a comment of an SSE stream, as keeps such a stream alive"},
	{"content-length:", "a header of LSP's framing: the body alone is sent"},
	{"content-type:", "a header of HTTP or LSP: the body alone is sent"},
	{"http/1.", "an HTTP response: the body alone is sent"},
	{"http/2", "an HTTP response: the body alone is sent"},
	{"get /", "an HTTP request"},
	{"post /", "an HTTP request"},
	{"<!doctype", "an HTML page: an error page of a server on the way?"},
	{"<html", "an HTML page: an error page of a server on the way?"},
	{"<?xml", "XML"},
	{"<", "HTML or XML: an error page of a server on the way?"},
	{"\x1b[", "terminal colours (an ANSI escape sequence): a line of a log?"},
	{"[object ", "how JavaScript prints an object as a string: JSON.stringify is missing"},
	{"map[", "how Go prints a map: encoding/json is missing"},
	{"traceback (", "a Python traceback"},
	{"panic:", "a Go panic"},
	{"#<", "how Ruby prints an object: to_json is missing"},
	{"...", "a text that was shortened for showing?"},
}

// foreignText says what a text is that begins like something else than JSON.
func foreignText(s []byte) hint {
	for i := range textStarts {
		if hasPrefixFold(s, textStarts[i].prefix) {
			return hint{format: textStarts[i].format}
		}
	}
	if s[0] == '[' && looksLikeLog(s[1:]) {
		return hint{format: "it reads like a line of a log"}
	}
	return hint{}
}

// looksLikeLog reports whether s, behind a '[', is a word or a time, a ']' and more text.
func looksLikeLog(s []byte) bool {
	end := bytes.IndexByte(s[:min(len(s), maxSlipped)], ']')
	if end < 2 || bytes.ContainsAny(s[:end], `"{}[,`) {
		return false
	}
	rest := bytes.TrimLeft(s[end+1:], " \t:")
	return len(rest) > 0 && rest[0] != ']' && rest[0] != ',' && rest[0] != '}'
}

// looksLikeText reports whether s begins with a word or two of ordinary text, or with a date.
func looksLikeText(s []byte) bool {
	s = s[:min(len(s), 16)]
	if len(s) > 10 && isDate(s) {
		return true
	}
	letters := 0
	for _, b := range s {
		if isLetter(b) || b == ' ' {
			letters++
		}
	}
	return letters >= 4 && isLetter(s[0])
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80 }

// isDate reports whether s begins with a date like 2026-01-31 or 2026/01/31.
func isDate(s []byte) bool {
	separator := s[4]
	return allDigits(s[:4]) && (separator == '-' || separator == '/') && allDigits(s[5:7]) && s[7] == separator && allDigits(s[8:10])
}

// insideString reports whether offset lies inside a string of the body.
func insideString(message []byte, offset int) bool {
	inside := false
	for i := 1; i < offset && i < len(message); i++ {
		switch {
		case message[i] == '"':
			inside = !inside
		case message[i] == '\\' && inside:
			if i+1 == offset {
				return true
			}
			i++
		}
	}
	return inside
}

func stringHint(message []byte, offset int) hint {
	if offset >= len(message) {
		return hint{}
	}
	switch b := message[offset]; {
	case b == '\n' || b == '\r' || b == '\t':
		return hint{"JSON writes it \\%", [2]Arg{words(map[byte]string{'\n': "n", '\r': "r", '\t': "t"}[b])}}
	case b == 0x1b:
		return hint{format: "it begins a terminal's colours (ANSI); JSON writes it \\u001b"}
	case b < 0x20:
		return hint{"JSON writes it \\u00%", [2]Arg{words(hexByte(b))}}
	}
	return hint{format: `behind a backslash JSON knows only " \ / b f n r t and u with four hex digits`}
}

func hexByte(b byte) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[b>>4], digits[b&15]})
}

// invisibleHint tells characters that look like white space, or like a quote, and are not.
func invisibleHint(s []byte) hint {
	switch {
	case hasPrefix(s, "\u200b"), hasPrefix(s, "\u2060"), hasPrefix(s, "\ufeff"), hasPrefix(s, "\u200e"), hasPrefix(s, "\u200f"):
		return hint{format: "an invisible character, as comes with copied text"}
	case hasPrefix(s, "\u00a0"), hasPrefix(s, "\u3000"), hasPrefix(s, "\u2028"), hasPrefix(s, "\u2029"), hasPrefix(s, "\u202f"):
		return hint{format: "white space that JSON does not know: it takes space, tab, LF and CR"}
	case hasPrefix(s, "\u201c"), hasPrefix(s, "\u201d"), hasPrefix(s, "\u201e"), hasPrefix(s, "\u2018"), hasPrefix(s, "\u2019"):
		return hint{format: "a typographic quote, as a word processor makes it"}
	case hasPrefix(s, "\x1b"):
		return hint{format: "terminal colours (an ANSI escape sequence)"}
	}
	return hint{}
}

// punctuationHint says what a character that JSON does not know there may have been meant for.
func punctuationHint(message []byte, offset int) hint {
	s := view(message, offset, len(message))
	if len(s) == 0 {
		return hint{}
	}
	next, _ := byteBehind(s, 1)
	previous := lastByte(trimSpace(message[1:min(offset, len(message))]))
	switch c := s[0]; {
	case c == '\'':
		return hint{format: "single quotes, as Python's repr or JavaScript write them: JSON has double quotes"}
	case c == '`':
		return hint{format: "a backquote: JSON has double quotes"}
	case c == '/' && len(s) > 1 && (s[1] == '/' || s[1] == '*'), c == '#':
		return hint{format: "a comment: JSON has none"}
	case (c == '}' || c == ']') && previous == ',', c == ',' && (next == '}' || next == ']'):
		return hint{format: "a trailing comma: JSON allows none"}
	case c == ',' && (previous == ',' || previous == '[' || previous == '{'):
		return hint{format: "a comma with nothing before it"}
	case c == '=':
		return hint{format: "JSON has a colon between name and value"}
	case c == ';':
		return hint{format: "JSON has a comma between members"}
	case c == '<' && hasPrefix(s, "<nil>"):
		return hint{format: "<nil> is how Go prints nil: JSON has null"}
	}
	return hint{}
}

func lastByte(s []byte) byte {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1]
}

// byteBehind is the first byte of s from i on that is no white space.
func byteBehind(s []byte, i int) (byte, bool) {
	for ; i < len(s); i++ {
		if !isSpace(s[i]) {
			return s[i], true
		}
	}
	return 0, false
}

// wordAround is the run of word characters that offset lies in or stands behind, and where it begins.
func wordAround(message []byte, offset int) (word []byte, start int) {
	start = min(offset, len(message))
	end := start
	for start > 1 && isWordByte(message[start-1]) && end-start < maxSlipped {
		start--
	}
	for end < len(message) && isWordByte(message[end]) && end-start < maxSlipped {
		end++
	}
	return message[start:end], start
}

func isWordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '.' || b == '+' || b == '-' || b == '$'
}

// printedWords says who prints words that JSON does not know.
var printedWords = map[string]string{
	"NaN":       "Python's json module prints it; JSON has no such number, only null",
	"-NaN":      "JSON has no such number, only null",
	"Infinity":  "Python's json module prints it; JSON has no such number",
	"-Infinity": "Python's json module prints it; JSON has no such number",
	"nan":       "C, Rust and Python's str print it; JSON has no such number, only null",
	"-nan":      "C prints it; JSON has no such number, only null",
	"inf":       "C, Rust and Python's str print infinity so; JSON has no such number",
	"-inf":      "C, Rust and Python's str print infinity so; JSON has no such number",
	"Inf":       "Go prints infinity so; JSON has no such number",
	"+Inf":      "Go prints infinity so; JSON has no such number",
	"-Inf":      "Go prints infinity so; JSON has no such number",
	"None":      "None is Python's (str or repr instead of json.dumps): JSON has null",
	"True":      "True is Python's (str or repr instead of json.dumps): JSON has true",
	"False":     "False is Python's (str or repr instead of json.dumps): JSON has false",
	"undefined": "undefined is JavaScript's: JSON has null, or leaves the member out",
	"nil":       "nil is Go's, Ruby's or Lua's: JSON has null",
	"NULL":      "NULL is C's, PHP's or SQL's: JSON has null",
	"Null":      "JSON has null, in lower case",
	"nullptr":   "nullptr is C++'s: JSON has null",
	"TRUE":      "JSON has true, in lower case",
	"FALSE":     "JSON has false, in lower case",
	"yes":       "yes is YAML's: JSON has true",
	"no":        "no is YAML's: JSON has false",
	"on":        "on is YAML's: JSON has true",
	"off":       "off is YAML's: JSON has false",
}

// wordHint says what a word at the fault may have been meant for.
func wordHint(message, word []byte, start int) hint {
	if len(word) == 0 {
		return hint{}
	}
	if format := printedWords[string(word)]; format != "" {
		return hint{format: format}
	}
	if c, _ := byteBehind(message, start+len(word)); c == ':' && word[0] > '9' {
		return hint{format: "a name without quotes, as JavaScript and YAML write it: JSON has double quotes around names"}
	}
	return numberHint(word)
}

// numberHint says what is wrong with a number that JSON does not know.
func numberHint(word []byte) hint {
	digits := bytes.TrimLeft(word, "+-")
	switch {
	case len(digits) == 0 || digits[0] != '.' && (digits[0] < '0' || digits[0] > '9'):
		return hint{}
	case word[0] == '+':
		return hint{format: "JSON has no plus sign before a number"}
	case digits[0] == '.':
		return hint{format: "JSON needs a digit before the point"}
	case len(digits) > 1 && digits[0] == '0' && (digits[1]|0x20 == 'x' || digits[1]|0x20 == 'o' || digits[1]|0x20 == 'b'):
		return hint{format: "JSON has only decimal numbers"}
	case len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9':
		return hint{format: "JSON allows no leading zero"}
	case digits[len(digits)-1] == 'n' && allDigits(digits[:len(digits)-1]):
		return hint{format: "a BigInt of JavaScript: JSON has no suffix"}
	case bytes.IndexByte(digits, '_') > 0:
		return hint{format: "JSON has no underscores between digits"}
	}
	if i := bytes.IndexByte(digits, '.'); i >= 0 && (i+1 == len(digits) || digits[i+1] < '0' || digits[i+1] > '9') {
		return hint{format: "JSON needs a digit behind the point"}
	}
	if bare := bytes.TrimRight(digits, "+-"); lastByte(bare)|0x20 == 'e' && isNumber(bare[:len(bare)-1]) {
		return hint{format: "JSON needs a digit in the exponent"}
	}
	return hint{}
}
