package render

import (
	"bytes"

	"kind4/decode"
	"kind4/decode/inspect"
)

// lineText is one line under construction: plain text that is safe for a terminal, and where each stretch of one
// style ends.
type lineText struct {
	text    []byte
	fields  []field
	codes   []byte // the findings behind it, which no width cuts
	marks   []field
	long    []longText
	scratch []byte
	bound   int // characters of a text that are worth having, 0 for all
	width   int // columns of the terminal, 0 for no limit
	ascii   bool
	plain   bool // nothing beyond ASCII is written, of the message neither
	cut     bool // a text was left out for its length
}

type field struct {
	end   int
	style Style
}

// longText is what is too long to hold, and stands in the text in the middle of a field: what a string literal has
// between its quotes, or a value. It is written part by part.
type longText struct {
	at     int // where it stands in the text
	raw    []byte
	string bool
}

func (l *lineText) reset(o Options) {
	l.text, l.fields = l.text[:0], l.fields[:0]
	l.codes, l.marks = l.codes[:0], l.marks[:0]
	clear(l.long)
	l.long = l.long[:0]
	l.width, l.ascii, l.cut = o.Width, o.ASCII, false
	l.plain = o.ASCII && o.Terminal
	l.bound = 0
	if l.width > 0 {
		l.bound = 4*l.width + 256
	}
}

// end gives all text since the last end that style.
func (l *lineText) end(s Style) {
	l.fields = append(l.fields, field{len(l.text), s})
}

// pad adds n spaces.
func (l *lineText) pad(n int) { l.text = appendSpaces(l.text, n) }

// alignRight puts spaces before what was added since at, to that many bytes.
func (l *lineText) alignRight(at, width int) {
	n := width - (len(l.text) - at)
	if n <= 0 {
		return
	}
	l.text = appendSpaces(l.text, n)
	copy(l.text[at+n:], l.text[at:])
	for i := at; i < at+n; i++ {
		l.text[i] = ' '
	}
}

// limited returns as much of s as the width can show, and notes it when that is not all.
func (l *lineText) limited(s []byte) []byte {
	if l.bound == 0 {
		return s
	}
	n := prefixRunes(s, l.bound)
	l.cut = l.cut || n < len(s)
	return s[:n]
}

// tooLong reports whether a value is not to be held. To a terminal of ASCII alone it is, since all of the text is
// rewritten.
func (l *lineText) tooLong(v decode.Value) bool {
	return l.bound == 0 && !l.plain && v.End-v.Start > spillAt
}

// addMember adds a member behind sep: a string as a word, anything else as sent. An absent one adds nothing.
func (l *lineText) addMember(f *decode.Frame, m decode.Member, sep string) {
	v := f.Members[m]
	if !v.Present() {
		return
	}
	l.text = append(l.text, sep...)
	switch v.Kind {
	case decode.String:
		l.addWord(f, v)
	case decode.Integer, decode.Float:
		l.addNumber(f, v)
	default:
		l.addJSON(f, v, "")
	}
}

// addWord adds a string's text, in quotes where without them it could be taken for something else: 4 and "4"
// are different tokens. A long one is judged by its start.
func (l *lineText) addWord(f *decode.Frame, v decode.Value) {
	l.scratch, _ = decode.UnquotePart(l.scratch[:0], f.Raw(v)[1:], spillAt)
	s := l.scratch
	if !plainWord(s) || literalStart(s) {
		l.text = decode.AppendQuoted(l.text, s, maxWord)
		return
	}
	l.text = appendSafeCut(l.text, s, maxWord, ellipsis(l.ascii))
}

// literalStart reports whether s begins like a JSON value that is no string, or is one of its words.
func literalStart(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	switch c := s[0]; {
	case c == '{' || c == '[' || c == '"' || c == '-' || c >= '0' && c <= '9':
		return true
	}
	switch string(s) {
	case "null", "true", "false":
		return true
	}
	return false
}

// looksLikeJSON reports whether a string's text could be taken for another JSON value.
func (l *lineText) looksLikeJSON(f *decode.Frame, v decode.Value) bool {
	raw := f.Raw(v)
	l.scratch = decode.Unquote(l.scratch[:0], raw[:min(len(raw), 6*len("false")+10)]) // longer is no word
	return literalStart(l.scratch)
}

// addNumber adds a number as sent, cut when it is longer than any that means something.
func (l *lineText) addNumber(f *decode.Frame, v decode.Value) {
	l.text = appendSafeCut(l.text, f.Raw(v), maxWord, ellipsis(l.ascii))
}

// addText adds the text of a string member behind a gap; an absent or null one adds nothing.
func (l *lineText) addText(f *decode.Frame, m decode.Member) {
	if v := f.Members[m]; v.Kind == decode.String {
		l.text = append(l.text, gap...)
		l.addString(f, v)
	}
}

// addString adds a string's text.
func (l *lineText) addString(f *decode.Frame, v decode.Value) {
	if v.Kind != decode.String {
		return
	}
	if l.tooLong(v) {
		l.long = append(l.long, longText{at: len(l.text), raw: f.Raw(v)[1 : v.End-v.Start-1], string: true})
		return
	}
	if raw := f.Raw(v); f.Clues&decode.ClueText == 0 && bytes.IndexByte(raw, '\\') < 0 { // nothing to unquote or escape
		l.text = append(l.text, l.limited(raw[1:len(raw)-1])...)
		return
	}
	l.scratch = decode.Unquote(l.scratch[:0], f.Raw(v))
	l.text = decode.AppendSafe(l.text, l.limited(l.scratch))
}

// addJSON adds a value as sent, without white space, behind sep; an absent one adds nothing.
func (l *lineText) addJSON(f *decode.Frame, v decode.Value, sep string) {
	if !v.Present() {
		return
	}
	l.text = append(l.text, sep...)
	if l.tooLong(v) {
		l.long = append(l.long, longText{at: len(l.text), raw: f.Raw(v)})
		return
	}
	raw := l.limited(f.Raw(v))
	if f.Clues&(decode.ClueSpace|decode.ClueText|decode.ClueSkippedFault) == 0 {
		l.text = append(l.text, raw...)
		return
	}
	if f.Type != decode.TypeError {
		l.text = appendCompact(l.text, raw)
		return
	}
	l.scratch = appendCompact(l.scratch[:0], raw)
	l.text = decode.AppendSafe(l.text, l.scratch)
}

// addCodes adds the codes of the findings, each once: "!code" for a warning, "!!code" for an error. What is
// only worth knowing is left to the other forms.
func (l *lineText) addCodes(findings []inspect.Finding, t *Theme) {
	var seen [256]bool
	for i := range findings {
		f := &findings[i]
		if f.Severity < decode.Warning || seen[f.Code] {
			continue
		}
		seen[f.Code] = true
		if len(l.marks) == 0 {
			l.codes = append(l.codes, ' ')
		}
		l.codes = append(l.codes, ' ')
		l.marks = append(l.marks, field{len(l.codes), Style{}})
		if f.Severity == decode.Error {
			l.codes = append(l.codes, '!')
		}
		l.codes = append(append(l.codes, '!'), f.Code.String()...)
		l.marks = append(l.marks, field{len(l.codes), t.Severity(f.Severity)})
	}
}

// toASCII writes the text in ASCII, each stretch of a style by itself.
func (l *lineText) toASCII() {
	if firstBeyondASCII(l.text) == len(l.text) {
		return
	}
	l.scratch = append(l.scratch[:0], l.text...)
	l.text = l.text[:0]
	start := 0
	for i, f := range l.fields {
		l.text = AppendASCII(l.text, l.scratch[start:f.end])
		start, l.fields[i].end = f.end, len(l.text)
	}
}

// minLine is the least columns of a line that are kept before its findings.
const minLine = 24

// appendTo appends the line of a message, cut to its width, its findings and a newline.
func (l *lineText) appendTo(dst []byte, m *Message) []byte {
	l.end(Style{})
	if l.plain {
		l.toASCII()
	}
	l.trim()
	text, mark := l.text, ""
	if l.width > 0 {
		limit := max(l.width-len(l.codes), minLine)
		length, _ := fit(text, limit)
		if length < len(text) || l.cut {
			mark = ellipsis(l.ascii)
			length, _ = fit(text, limit-displayWidth([]byte(mark)))
			text = text[:length]
		}
	}
	dst = l.appendFields(dst, text, l.fields, l.long, m)
	dst = append(dst, mark...)
	return append(l.appendFields(dst, l.codes, l.marks, nil, m), '\n')
}

// trim takes off the spaces at the end.
func (l *lineText) trim() {
	n := len(l.text)
	if last := len(l.long) - 1; last >= 0 {
		if long := &l.long[last]; long.at == n {
			long.raw = bytes.TrimRight(long.raw, " ")
			return
		}
	}
	for n > 0 && l.text[n-1] == ' ' {
		n--
	}
	l.text = l.text[:n]
}

// appendFields appends text, and the long texts that stand in it, with the style of each field around its part of it.
func (l *lineText) appendFields(dst, text []byte, fields []field, long []longText, m *Message) []byte {
	start := 0
	for _, f := range fields {
		end := min(f.end, len(text))
		if end == start && (len(long) == 0 || long[0].at > end) {
			continue
		}
		dst = append(dst, f.style.Open...)
		for ; len(long) > 0 && long[0].at <= end; long = long[1:] {
			dst = append(dst, text[start:long[0].at]...)
			dst = l.appendLong(dst, long[0], m)
			start = long[0].at
		}
		dst = append(dst, text[start:end]...)
		dst = append(dst, f.style.Close...)
		start = end
	}
	return append(dst, text[start:]...)
}

// appendLong appends a long text part by part, as addString and addJSON add a short one.
func (l *lineText) appendLong(dst []byte, long longText, m *Message) []byte {
	if !long.string {
		var k compactor
		return m.appendParts(dst, long.raw, func(dst, b []byte) []byte {
			l.scratch = k.append(l.scratch[:0], b)
			return decode.AppendSafe(dst, l.scratch)
		})
	}
	for raw := long.raw; len(raw) > 0; {
		n := 0
		l.scratch, n = decode.UnquotePart(l.scratch[:0], raw, spillAt)
		dst = m.spill(decode.AppendSafe(dst, l.scratch))
		raw = raw[n:]
	}
	return dst
}
