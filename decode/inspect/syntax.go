package inspect

import (
	"bytes"
	"math/bits"

	"kind4/decode"
)

// syntaxHint says what the text may have been meant to be that is no JSON at offset.
func syntaxHint(message []byte, offset int) hint {
	if h := binaryHint(message); h.format != "" {
		return h
	}
	here := placeOf(message, offset)
	if h := wholeTextHint(message, here); h.format != "" {
		return h
	}
	if insideString(message, offset) {
		return stringHint(message, offset)
	}
	if h := invisibleHint(view(message, offset, len(message))); h.format != "" {
		return h
	}
	if h := punctuationHint(message, offset, here); h.format != "" {
		return h
	}
	word, at := wordAround(message, offset)
	return wordHint(message, word, at, here)
}

// wholeTextHint says what the body is as a whole where it is no JSON from its beginning on: a text of one kind or
// another, but not a single word that has a hint of its own.
func wholeTextHint(message []byte, here place) hint {
	body := trimSpace(view(message, 1, len(message)))
	if len(body) == 0 || here.depth > 1 || here.depth == 1 && body[0] != '[' {
		return hint{}
	}
	if h := foreignText(body); h.format != "" {
		return h
	}
	if body[0] == '[' || body[0] == '"' || printedWords[string(body)] != "" || isNumeric(body) {
		return hint{}
	}
	return plainTextHint(body, message[0] == byte(decode.TagError))
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

// want is what a JSON text wants at a place.
type want uint8

const (
	wantValue want = iota
	wantName
	wantColon
	wantMore // a comma, or the end
)

// place is where in a JSON text something stands.
type place struct {
	depth  int  // of arrays and objects
	object bool // the innermost is an object
	want   want
}

// placeOf returns where offset is, as far as the text before it is JSON.
func placeOf(message []byte, offset int) place {
	walker := decode.NewWalker(message, 1)
	var here place
	var objects []bool
	last := decode.Token{End: 1}
	for {
		token, ok := walker.Next()
		if !ok || token.Start >= offset {
			break
		}
		switch last = token; token.Kind {
		case decode.BeginObject, decode.BeginArray:
			objects = append(objects, token.Kind == decode.BeginObject)
		case decode.EndObject, decode.EndArray:
			objects = objects[:len(objects)-1]
		}
	}
	if here.depth = len(objects); here.depth > 0 {
		here.object = objects[here.depth-1]
	}
	here.want = wantBehind(last.Kind, here.object, view(message, last.End, offset))
	return here
}

// wantBehind is what is wanted behind a token, and what stands between it and the place.
func wantBehind(token decode.TokenKind, object bool, between []byte) want {
	switch token {
	case 0, decode.BeginArray:
		return wantValue
	case decode.BeginObject:
		return wantName
	case decode.TokenName:
		if bytes.IndexByte(between, ':') < 0 {
			return wantColon
		}
		return wantValue
	}
	switch {
	case bytes.IndexByte(between, ',') < 0:
		return wantMore
	case object:
		return wantName
	}
	return wantValue
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
	next, _ := byteBehind(message, offset)
	switch b := message[offset]; {
	case (b == '\n' || b == '\r') && (next == '"' || next == '}' || next == ']'):
		return hint{format: "a closing quote is missing before it, or JSON writes it as an escape"}
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
func punctuationHint(message []byte, offset int, here place) hint {
	s := view(message, offset, len(message))
	if len(s) == 0 {
		return hint{}
	}
	next, _ := byteBehind(s, 1)
	previous := lastByte(trimSpace(message[1:min(offset, len(message))]))
	switch c := s[0]; {
	case c == '\'' && here.want <= wantName:
		return hint{format: "single quotes, as Python's repr or JavaScript write them: JSON has double quotes"}
	case c == '`' && here.want <= wantName:
		return hint{format: "a backquote: JSON has double quotes"}
	case isComment(s, here):
		return hint{format: "a comment: JSON has none"}
	case (c == '}' || c == ']') && previous == ',', c == ',' && here.depth > 0 && (next == '}' || next == ']'):
		return hint{format: "a trailing comma: JSON allows none"}
	case c == ',' && (previous == ',' || previous == '[' || previous == '{'):
		return hint{format: "a comma with nothing before it"}
	case c == ',' && previous == ':':
		return hint{format: "a name without a value"}
	case hasPrefix(s, "..."):
		return hint{format: "a text that was shortened for showing?"}
	}
	return operatorHint(s, here)
}

// isComment reports whether s begins with a comment where one may have been meant.
func isComment(s []byte, here place) bool {
	switch {
	case !isAllText(s):
		return false
	case hasPrefix(s, "//"):
		return here.want != wantColon
	case hasPrefix(s, "/*"):
		return true
	case s[0] != '#' || len(s) < 2:
		return false
	case here.depth == 0 || here.want == wantMore || here.want == wantName && s[1] != '{':
		return s[1] != '<'
	}
	return s[1] == ' ' || s[1] == '#'
}

// operatorHint says which language writes a sign that JSON does not know there.
func operatorHint(s []byte, here place) hint {
	switch {
	case here.want == wantColon && hasPrefix(s, "=>"):
		return hint{format: "=> is Ruby's or PHP's: JSON has a colon between name and value"}
	case here.want == wantColon && s[0] == '=':
		return hint{format: "JSON has a colon between name and value"}
	case here.want == wantName && s[0] == '{':
		return hint{format: "a place in a template that was not filled, or braces doubled for one?"}
	case here.want != wantMore && hasPrefix(s, "\\\""):
		return hint{format: "a quote behind a backslash, outside a string: the text of a JSON string, without its quotes?"}
	case hasPrefix(s, "&quot;") || hasPrefix(s, "&#34;") || hasPrefix(s, "&#x22;"):
		return hint{format: "quotes escaped as HTML escapes them"}
	case here.want == wantName && s[0] == ':' && len(s) > 1 && isASCIILetter(s[1]):
		return hint{format: "a symbol, as Ruby and Elixir print a name: JSON has double quotes around names"}
	case here.want == wantMore && here.object && s[0] == ';':
		return hint{format: "JSON has a comma between members"}
	case here.want == wantMore && here.depth > 0 && s[0] == ';':
		return hint{format: "JSON has a comma between elements"}
	case here.want == wantMore && s[0] == '%':
		return hint{format: "JSON knows no percent sign behind a number"}
	case here.want != wantValue:
	case hasPrefix(s, "<nil>"):
		return hint{format: "<nil> is how Go prints nil: JSON has null"}
	case hasPrefix(s, "#<"):
		return hint{format: "#< is how Ruby, or an error of JavaScript, prints an object: JSON has no such value"}
	case s[0] == '<' && bytes.Contains(s[:min(len(s), 4*maxQuoted)], []byte(" at 0x")):
		return hint{format: "how Python prints an object: JSON has no such value"}
	case hasPrefix(s, "${"):
		return hint{format: "a place in a template that was not filled?"}
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
func wordHint(message, word []byte, start int, here place) hint {
	if len(word) == 0 || here.depth == 0 && len(word) < len(trimSpace(message[1:])) {
		return hint{}
	}
	next, _ := byteBehind(message, start+len(word))
	switch {
	case isDigit(word[0]) && start > 2 && message[start-1] == ',' && isDigit(message[start-2]) && (here.want == wantName || word[0] == '0'):
		return hint{format: "a comma inside a number? JSON has a point before fractions, and nothing between thousands"}
	case here.want == wantName && isDigit(word[0]):
		return hint{format: "names are strings: JSON has double quotes around them"}
	case here.want == wantName && next == ':':
		return hint{format: "a name without quotes, as JavaScript and YAML write it: JSON has double quotes around names"}
	case here.want == wantName && next == '=':
		return hint{format: "name=value, as Java and Kotlin print a map: JSON has a colon, and double quotes around names"}
	case (here.want == wantMore || here.want == wantColon) && message[start-1] == '"':
		return hint{format: "a quote inside the string before it lacks its backslash?"}
	case here.want != wantValue:
		return hint{}
	case string(word) == "map" && next == '[':
		return hint{format: "how Go prints a map: JSON has no such value"}
	case message[start-1] == '[' && (string(word) == "Object" || string(word) == "Array" || string(word) == "Circular"):
		return hint{format: "how Node.js prints what is nested too deep: JSON.stringify is missing"}
	case next == '(' && isASCIILetter(word[0]):
		return hint{format: "how a program prints an object for debugging: JSON has no such value"}
	}
	if format := printedWords[string(word)]; format != "" {
		return hint{format: format}
	}
	return numberHint(word)
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// numberHint says what is wrong with a number that JSON does not know.
func numberHint(word []byte) hint {
	digits := bytes.TrimLeft(word, "+-")
	switch {
	case len(word) >= 10 && isDate(word):
		return hint{format: "a date without quotes: JSON has dates only as strings"}
	case len(digits) == 0 || !isDigit(digits[0]) && (digits[0] != '.' || len(digits) < 2 || !isDigit(digits[1])):
		return hint{}
	case word[0] == '+':
		return hint{format: "JSON has no plus sign before a number"}
	case digits[0] == '.':
		return hint{format: "JSON needs a digit before the point"}
	case len(digits) > 1 && digits[0] == '0' && (digits[1]|0x20 == 'x' || digits[1]|0x20 == 'o' || digits[1]|0x20 == 'b'):
		return hint{format: "JSON has only decimal numbers"}
	case len(digits) > 1 && digits[0] == '0' && isDigit(digits[1]) && isNumber(digits):
		return hint{format: "JSON allows no leading zero"}
	case digits[len(digits)-1] == 'n' && allDigits(digits[:len(digits)-1]):
		return hint{format: "a BigInt of JavaScript: JSON has no suffix"}
	case bytes.IndexByte(digits, '_') > 0:
		return hint{format: "JSON has no underscores between digits"}
	}
	return numberEndHint(digits)
}

// numberEndHint says how a number breaks off, or what stands behind it.
func numberEndHint(digits []byte) hint {
	if i := bytes.IndexByte(digits, '.'); i >= 0 && (i+1 == len(digits) || !isDigit(digits[i+1])) {
		return hint{format: "JSON needs a digit behind the point"}
	}
	if bare := bytes.TrimRight(digits, "+-"); lastByte(bare)|0x20 == 'e' && isNumber(bare[:len(bare)-1]) {
		return hint{format: "JSON needs a digit in the exponent"}
	}
	bare := bytes.TrimRightFunc(digits, func(r rune) bool { return r > '9' })
	if n := len(digits) - len(bare); n > 0 && n <= 3 && len(bare) > 0 && bytes.Count(bare, []byte(".")) < 2 && allDigits(bytes.Replace(bare, []byte("."), nil, 1)) {
		return hint{format: "JSON knows no suffix or unit behind a number"}
	}
	if bytes.Count(digits, []byte(".")) > 1 {
		return hint{format: "a text without quotes: JSON has double quotes around strings"}
	}
	return hint{}
}
