package inspect

import (
	"bytes"
	"encoding/hex"
	"unicode"
	"unicode/utf8"

	"kind4/decode"
)

// textStart is how a text begins that is no JSON, what else it holds, and what it then is.
type textStart struct{ prefix, holds, format string }

// textStarts are compared without regard to the case of ASCII letters, what they hold is not.
var textStarts = []textStart{
	{"content-length:", "", "a header of LSP's framing: the body alone is sent"},
	{"content-type:", "/", "a header of HTTP or LSP: the body alone is sent"},
	{"<!doctype html", "", "an HTML page: an error page of a server on the way?"},
	{"<html", "", "an HTML page: an error page of a server on the way?"},
	{"<?xml", "", "XML"},
	{"<buffer ", ">", "how Node.js prints a Buffer: its bytes themselves are sent"},
	{"[object ", "]", "how JavaScript prints an object as a string: JSON.stringify is missing"},
	{"map[", ":", "how Go prints a map: encoding/json is missing"},
	{"&map[", ":", "how Go prints a pointer to a map: encoding/json is missing"},
	{"&{", "}", "how Go prints a pointer to a struct: encoding/json is missing"},
	{"%{", "=>", "how Elixir prints a map: a JSON encoder is missing"},
	{"%7b%22", "", "percent-encoded, as in a URL: the body is sent as it is"},
	{"b'{", "}'", "how Python prints bytes: the bytes themselves are sent"},
	{"b'\\x0", "'", "how Python prints bytes: the bytes themselves are sent"},
	{"b\"{", "}\"", "how Python or Rust print bytes: the bytes themselves are sent"},
	{"bytearray(b", ")", "how Python prints bytes: the bytes themselves are sent"},
	{"dict_", "([", "how Python prints a view of a dict: json.dumps is missing"},
	{"traceback (most recent call", "", "a Python traceback"},
	{"panic: ", "goroutine ", "a Go panic"},
	{"thread '", " panicked", "a Rust panic"},
	{"exception in thread \"", "", "a Java stack trace"},
	{"#<", ">", "how Ruby, or an error of JavaScript, prints an object: a JSON encoder is missing"},
	{"system.collections.", "", "how C# prints an object that has no ToString: a JSON encoder is missing"},
	{"...", "", "a text that was shortened for showing?"},
	{"\u2026", "", "a text that was shortened for showing?"},
}

// foreignText says what a text is that is in the form of something else than JSON.
func foreignText(s []byte) hint {
	if len(s) == 0 {
		return hint{}
	}
	for i := range textStarts {
		start := &textStarts[i]
		if hasPrefixFold(s, start.prefix) && bytes.Contains(s[len(start.prefix):], []byte(start.holds)) {
			return hint{format: start.format}
		}
	}
	if isColour(s) {
		return hint{format: "terminal colours (an ANSI escape sequence): a line of a log?"}
	}
	if format := eventStream(s); format != "" {
		return hint{format: format}
	}
	if format := httpText(s); format != "" {
		return hint{format: format}
	}
	switch {
	case s[0] == '<' && len(s) > 1 && (isASCIILetter(s[1]) || s[1] == '_') && bytes.Contains(s, []byte(" object at 0x")):
		return hint{format: "how Python prints an object: json.dumps is missing"}
	case s[0] == '<' && len(s) > 3 && isASCIILetter(s[1]) && !hasPrefix(s, "<nil>") && isText(s):
		return hint{format: "HTML or XML: an error page of a server on the way?"}
	case s[0] == '[' && looksLikeLog(s[1:]), s[0] == '<' && isPriority(s[1:]):
		return hint{format: "it reads like a line of a log"}
	}
	return encodedText(s)
}

// eventStream says which part of an SSE stream a text is (WHATWG HTML section 9.2), "" for none.
func eventStream(s []byte) string {
	const event = "an event of an SSE stream: its data alone is the body"
	line, rest, more := bytes.Cut(s, []byte("\n"))
	field, value, found := bytes.Cut(line, []byte(":"))
	switch {
	case !found:
	case string(field) == "data" && isDataURL(value):
		return "a data: URL, where JSON is needed"
	case string(field) == "data":
		return event
	case string(field) == "event" || string(field) == "id" || string(field) == "retry":
		if more && (len(rest) == 0 || isFieldLine(rest)) || !more && len(bytes.Fields(value)) == 1 {
			return event
		}
	case len(field) == 0 && isAllText(line) && (isSpace(line[min(1, len(line)-1)]) || len(trimSpace(line)) == 1 || isText(value)):
		return "a comment of an SSE stream, as keeps such a stream alive"
	}
	return ""
}

// isFieldLine reports whether s begins with a field of an SSE event or with the empty line that ends one.
func isFieldLine(s []byte) bool {
	for _, field := range [...]string{"data:", "event:", "id:", "retry:", ":", "\n", "\r\n"} {
		if hasPrefix(s, field) {
			return true
		}
	}
	return false
}

// isDataURL reports whether s goes on behind "data:" as a URL does (RFC 2397): a media type and a comma, without
// white space.
func isDataURL(s []byte) bool {
	kind, _, found := bytes.Cut(s, []byte(","))
	return found && bytes.IndexByte(kind, '/') > 0 && len(kind) < maxSlipped && !bytes.ContainsAny(kind, " {\"\t")
}

// httpText says which part of HTTP a text is, "" for none.
func httpText(s []byte) string {
	line, _, _ := bytes.Cut(s[:min(len(s), 8<<10)], []byte("\n"))
	if hasPrefix(line, "HTTP/") {
		version, status, _ := bytes.Cut(line, []byte(" "))
		if len(version) <= len("HTTP/1.1") && len(status) >= 3 && allDigits(status[:3]) {
			return "an HTTP response: the body alone is sent"
		}
	}
	for _, verb := range [...]string{"GET ", "POST ", "PUT ", "DELETE ", "HEAD ", "OPTIONS ", "PATCH ", "CONNECT "} {
		if hasPrefix(line, verb) && bytes.Contains(line, []byte(" HTTP/")) {
			return "an HTTP request"
		}
	}
	return ""
}

// isColour reports whether s begins with a control sequence of a terminal (ECMA-48 section 5.4) and text.
func isColour(s []byte) bool {
	if !hasPrefix(s, "\x1b[") || !isAllText(s) {
		return false
	}
	rest := bytes.TrimLeft(s[2:], "0123456789;?")
	return len(rest) > 0 && isASCIILetter(rest[0])
}

// isPriority reports whether s begins with a syslog priority's digits, '>' and text (RFC 5424 section 6.2.1).
func isPriority(s []byte) bool {
	digits, rest, found := bytes.Cut(s[:min(len(s), maxSlipped)], []byte(">"))
	return found && len(digits) > 0 && len(digits) <= 3 && allDigits(digits) && isText(rest)
}

// encodedText says whether a text is a message or its body written as hexadecimal digits or base64.
func encodedText(s []byte) hint {
	s = bytes.TrimPrefix(trimSpace(s), []byte("0x"))
	if len(s) < 16 || len(s) > maxTried {
		return hint{}
	}
	if decoded, err := hex.DecodeString(string(s)); err == nil {
		if holdsMessage(decoded) {
			return hint{format: "it is hexadecimal digits of a message: the bytes themselves are sent"}
		}
		return hint{}
	}
	if decoded, ok := decodeBase64(s); ok && holdsMessage(decoded) {
		return hint{format: "it is a message in base64: the bytes themselves are sent"}
	}
	return hint{}
}

// holdsMessage reports whether bytes are a message or its body, one that decodes or a request or response.
func holdsMessage(s []byte) bool {
	body := s
	if len(body) > 0 && body[0] <= 1 {
		body = body[1:]
	}
	body = trimSpace(body)
	return len(body) > 1 && body[0] == '{' && isJSON(body)
}

// looksLikeLog reports whether s, behind a '[', is a word or a time, a ']' and more text.
func looksLikeLog(s []byte) bool {
	end := bytes.IndexByte(s[:min(len(s), maxSlipped)], ']')
	if end < 1 || bytes.ContainsAny(s[:end], `"{}[,`) || !isAllText(s[:end]) {
		return false
	}
	rest := bytes.TrimLeft(s[end+1:], " \t:-")
	return len(rest) > 0 && (rest[0] == '[' && looksLikeLog(rest[1:]) || rest[0] != '[' && isText(rest))
}

// plainTextHint says that a text is words of some kind, which JSON is not.
func plainTextHint(s []byte, isError bool) hint {
	switch {
	case !isText(s):
		return hint{}
	case isError:
		return hint{format: "plain text, where an error is an object of code and message"}
	case isPrinted(s):
		return hint{format: "how a program prints an object for debugging: a JSON encoder is missing"}
	case s[0] != '#' && s[0] != ';' && s[0] != '/' && (hasWords(s) || len(s) >= 10 && isDate(s)):
		return hint{format: "it reads like a line of a log"}
	}
	return hint{format: "plain text, where JSON is needed"}
}

// isPrinted reports whether s is a name and its members in brackets, as Kotlin, Java, Rust and Python print an
// object: Name(a=1), Name[a=1], Name { a: 1 }.
func isPrinted(s []byte) bool {
	i := 0
	for i < len(s) && (isASCIILetter(s[i]) || s[i] >= '0' && s[i] <= '9' || s[i] == '_' || s[i] == '.' || s[i] == ':') {
		i++
	}
	closed := map[byte]byte{'(': ')', '[': ']', '{': '}'}
	rest := bytes.TrimLeft(s[i:], " ")
	if i < 2 || len(rest) < 3 || closed[rest[0]] == 0 || lastByte(s) != closed[rest[0]] {
		return false
	}
	name, _ := byteBehind(rest, 1)
	return isASCIILetter(name) && bytes.ContainsAny(rest, "=:")
}

// hasWords reports whether the beginning of a text holds two words or more.
func hasWords(s []byte) bool {
	s = s[:min(len(s), maxSlipped)]
	n := 0
	for _, word := range bytes.Fields(s) {
		if len(word) > 1 && bytes.ContainsFunc(word, unicode.IsLetter) {
			n++
		}
	}
	return n > 1 || n == 1 && len(bytes.Fields(s)) > 1
}

// isText reports whether s begins with ordinary text: letters for the most part, and nothing that text has not.
func isText(s []byte) bool {
	letters, others := 0, 0
	for _, r := range string(textHead(s)) {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r) || r == ' ' || r == '\n':
		default:
			others++
		}
	}
	return letters >= 4 && letters >= others && isAllText(s)
}

// isAllText reports whether the beginning of s is UTF-8 without control characters but white space and ESC.
func isAllText(s []byte) bool {
	for head := textHead(s); len(head) > 0; {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != 0x1b || r >= 0x7f && r < 0xa0 {
			return false
		}
		head = head[n:]
	}
	return true
}

// textHead is the beginning of s, cut behind a whole character.
func textHead(s []byte) []byte {
	const most = 256
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && isContinuation(s[end]) {
		end--
	}
	return s[:end]
}

func isASCIILetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// isDate reports whether s begins with a date like 2026-01-31 or 2026/01/31.
func isDate(s []byte) bool {
	separator := s[4]
	return allDigits(s[:4]) && (separator == '-' || separator == '/') && allDigits(s[5:7]) && s[7] == separator && allDigits(s[8:10])
}

// isNumeric reports whether s is one run of what numbers are made of.
func isNumeric(s []byte) bool {
	for _, b := range s {
		if !isWordByte(b) {
			return false
		}
	}
	return s[0] >= '0' && s[0] <= '9' || s[0] == '-' || s[0] == '+' || s[0] == '.'
}

// untaggedHint says what a message is whose first byte is no tag, and that is no JSON either.
func untaggedHint(message []byte) hint {
	if name, mark := decode.EncodingOf(message); mark > 0 {
		return hint{"the message begins with a byte order mark (%), and its tag byte is missing", [2]Arg{words(name)}}
	} else if name != "" {
		return hint{"the message is %, and not UTF-8, and its tag byte is missing", [2]Arg{words(name)}}
	}
	if h := foreignText(message); h.format != "" {
		return h
	}
	first, _ := byteBehind(message, 0)
	if first == '{' || first == '[' || first == '"' || isASCIILetter(first) {
		if isJSON(message) {
			return hint{format: "the whole message is JSON, so its tag byte is missing; behind one it would still be no notification"}
		}
	}
	second, _ := byteBehind(message, 1)
	if first == '{' && (second == '"' || second == '}') || first == '[' && (second == '{' || second == '"') {
		return hint{format: "the message begins like JSON: its tag byte is missing"}
	}
	if first == '{' && isText(message) {
		return hint{format: "the message begins like an object, if not one of JSON, and its tag byte is missing"}
	}
	return plainTextHint(trimSpace(message), false)
}
