package render

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"kind4/decode"
)

// linePrinter writes one line a message. The line is put together as plain text in fields, each with its style,
// and cut to the terminal's width before the colours are put in.
type linePrinter struct {
	lineText
	theme   *Theme
	options Options
	clock   localClock
}

func newLinePrinter(o Options) Printer {
	return &linePrinter{theme: NewTheme(o.Color), options: o, clock: localClock{zone: o.Zone}}
}

const (
	verdictWidth = 9  // columns of the verdict: "cancelled", "emergency"
	barWidth     = 20 // cells of a progress bar
	maxWord      = 64 // characters of a method, token, number or identifier
	maxExcerpt   = 32 // characters of a message that did not decode
)

func (p *linePrinter) AppendMessage(dst []byte, m *Message) []byte {
	p.reset(p.options)
	p.addTime(m)
	p.addProxy(m)
	f := m.Frame
	switch f.Type {
	case decode.TypeNotification:
		p.addNotification(f)
	case decode.TypeError:
		p.addError(f)
	default:
		p.addFailed(f)
	}
	p.addCodes(m.Findings, p.theme)
	return p.appendTo(dst, m)
}

// addTime adds the time column; none without a clock.
func (p *linePrinter) addTime(m *Message) {
	if m.Event == nil || m.Event.Time == 0 || p.options.Timestamp == None {
		return
	}
	at := len(p.text)
	width := 0
	switch p.options.Timestamp {
	case Clock:
		p.text = p.clock.append(p.text, m.Event.Time, 3)
	case Delta:
		width = len("+100.000s")
		if m.HasDelta {
			p.text = appendDelta(p.text, m.Delta)
		}
	case Start:
		width = len("10000.000s")
		p.text = append(appendSeconds(p.text, m.Event.Time-p.options.Start, 3), 's')
	}
	p.alignRight(at, width)
	p.text = append(p.text, gap...)
	p.end(p.theme.Dim)
}

// addProxy adds whose message it is; nothing where the source has one proxy.
func (p *linePrinter) addProxy(m *Message) {
	if proxy := m.proxy(); proxy != "" {
		p.text = append(decode.AppendSafe(p.text, []byte(proxy)), gap...)
		p.end(p.theme.Dim)
	}
}

// addVerdict adds the first word, padded to its column.
func (p *linePrinter) addVerdict(word string, style Style) {
	p.text = append(p.text, word...)
	p.end(style)
	p.pad(verdictWidth - len(word))
}

// addNotification adds what a notification says, by its variant.
func (p *linePrinter) addNotification(f *decode.Frame) {
	style := p.theme.Verdict(f)
	switch f.Variant {
	case decode.Progress:
		p.addVerdict("progress", style)
		p.addProgress(f)
	case decode.LogMessage:
		p.addLog(f, style)
	case decode.Cancelled:
		p.addVerdict("cancelled", style)
		p.addMember(f, decode.MemberRequestID, " ")
		p.addText(f, decode.MemberReason)
	case decode.ResourceUpdated:
		p.addVerdict("updated", style)
		p.text = append(p.text, ' ')
		p.addString(f, f.Members[decode.MemberURI])
	case decode.ResourceListChanged, decode.ToolListChanged, decode.PromptListChanged:
		p.addVerdict("changed", style)
		p.text = append(append(p.text, ' '), changedNames[f.Variant]...)
	case decode.SubscriptionsAcknowledged:
		p.addVerdict("ack", style)
		p.addJSON(f, f.Members[decode.MemberNotifications], " ")
	case decode.Tasks:
		p.addVerdict("task", style)
		p.addMember(f, decode.MemberTaskID, " ")
		p.addMember(f, decode.MemberStatus, gap)
		p.addText(f, decode.MemberStatusMessage)
	default:
		p.addCustom(f, style)
	}
}

var changedNames = map[decode.Variant]string{
	decode.ResourceListChanged: "resources",
	decode.ToolListChanged:     "tools",
	decode.PromptListChanged:   "prompts",
}

// lineWords are the verdicts of this form: a custom method that is spelled like one is quoted behind "custom".
var lineWords = map[string]bool{
	"progress": true, "cancelled": true, "updated": true, "changed": true, "ack": true, "task": true, "custom": true,
	"message": true, "debug": true, "info": true, "notice": true, "warning": true, "error": true, "critical": true,
	"alert": true, "emergency": true, "unknown": true, "empty": true, "broken": true, "text": true, "oversize": true,
}

// addCustom adds a method that the receiver has no type for, in the verdict's place; or "custom" and the method
// where it has one but params did not fit it, or where the method could be taken for something else.
func (p *linePrinter) addCustom(f *decode.Frame, style Style) {
	p.scratch = f.AppendMethodHead(p.scratch[:0])
	method := p.scratch
	plain := plainWord(method) && !lineWords[string(method)]
	if plain && f.Known == decode.Custom {
		at := len(p.text)
		p.text = appendSafeCut(p.text, method, maxWord, ellipsis(p.options.ASCII))
		width := displayWidth(p.text[at:])
		p.end(style)
		p.pad(verdictWidth - width)
	} else {
		p.addVerdict("custom", style)
		p.text = append(p.text, ' ')
		if plain {
			p.text = appendSafeCut(p.text, method, maxWord, ellipsis(p.options.ASCII))
		} else {
			p.text = decode.AppendQuoted(p.text, method, maxWord)
		}
		p.end(p.theme.Method)
	}
	p.addJSON(f, f.Params, " ")
}

// addLog adds a log message: its level as the verdict, its logger, its data.
func (p *linePrinter) addLog(f *decode.Frame, style Style) {
	level := f.Members[decode.MemberLevel]
	if level.Kind == decode.String {
		p.scratch = decode.Unquote(p.scratch[:0], f.Raw(level))
		p.text = append(p.text, p.scratch...)
		p.end(style)
		p.pad(verdictWidth - len(p.scratch))
		p.text = append(p.text, ' ')
	} else {
		p.addVerdict("message", style)
		p.addJSON(f, level, " ")
		p.text = append(p.text, gap...)
	}
	if logger := f.Members[decode.MemberLogger]; logger.Kind == decode.String {
		p.addWord(f, logger)
		p.text = append(p.text, gap...)
	}
	data := f.Members[decode.MemberData]
	if data.Kind == decode.String && !p.looksLikeJSON(f, data) {
		p.addString(f, data)
		return
	}
	p.addJSON(f, data, "")
}

// addError adds the code of an error message with its name, its message and its data.
func (p *linePrinter) addError(f *decode.Frame) {
	p.addVerdict("error", p.theme.Error)
	p.text = append(p.text, ' ')
	p.text = appendErrorCode(p.text, f.Code)
	p.text = append(p.text, ": "...)
	p.addString(f, f.Members[decode.MemberMessage])
	p.addJSON(f, f.Members[decode.MemberData], gap)
}

// addFailed adds what did not decode, and a text message.
func (p *linePrinter) addFailed(f *decode.Frame) {
	word := "broken"
	if f.Type != decode.TypeUndecodable {
		word = f.Type.String()
	}
	p.addVerdict(word, p.theme.Verdict(f))
	p.text = append(p.text, ' ')
	if f.Type == decode.TypeUnknown {
		p.text = strconv.AppendUint(append(p.text, "tag "...), uint64(f.Tag), 10)
		p.text = appendTagHex(append(p.text, " ("...), f.Tag)
		p.text = append(p.text, ")"+gap...)
	}
	p.end(Style{})
	p.text = append(strconv.AppendInt(p.text, f.Size, 10), " B"...)
	p.end(p.theme.Dim)
	switch {
	case f.Type == decode.TypeUndecodable && f.Err != nil:
		p.text = append(p.text, gap...)
		p.text = append(p.text, f.Err.Layer().String()...)
		p.text = append(p.text, ", byte "...)
		p.text = strconv.AppendInt(p.text, int64(f.Err.Offset), 10)
		p.text = append(append(p.text, ": "...), f.Err.Message...)
	case len(f.Message) > 0:
		p.addExcerpt(f)
	}
}

// addExcerpt adds how a message begins; its tag byte too, where that is a character or there is no tag.
func (p *linePrinter) addExcerpt(f *decode.Frame) {
	b := f.Message
	if f.Type != decode.TypeText && (b[0] < 0x20 || b[0] >= 0x7f) {
		b = b[1:]
	}
	if len(b) == 0 {
		return
	}
	p.text = append(p.text, gap...)
	p.text = appendSafeCut(p.text, b, maxExcerpt, ellipsis(p.options.ASCII))
}

// addProgress adds the token, the bar and percentage where total is a positive number, the values as sent and
// the message.
func (p *linePrinter) addProgress(f *decode.Frame) {
	p.addMember(f, decode.MemberProgressToken, " ")
	p.text = append(p.text, gap...)
	progress, total := f.Members[decode.MemberProgress], f.Members[decode.MemberTotal]
	all, _ := number(f.Raw(total))
	if done, ok := number(f.Raw(progress)); ok && all > 0 {
		p.end(Style{})
		p.addBar(done, all)
		p.end(p.theme.Notification)
		p.text = append(AppendPercent(append(p.text, ' '), done, all), gap...)
	}
	at := len(p.text)
	p.addNumber(f, progress)
	if total.Present() && total.Kind != decode.Null {
		slash := len(p.text)
		p.text = append(p.text, '/')
		p.addNumber(f, total)
		p.alignRight(at, 2*(len(p.text)-slash)-1)
	}
	p.addText(f, decode.MemberMessage)
}

// number reads a JSON number; a missing one is no number.
func number(literal []byte) (float64, bool) {
	if len(literal) == 0 || literal[0] != '-' && (literal[0] < '0' || literal[0] > '9') {
		return 0, false
	}
	if len(literal) <= 15 { // most are whole numbers, which need no parser and no string
		x := 0.0
		for i, c := range literal {
			if c-'0' >= 10 {
				break
			}
			if x = 10*x + float64(c-'0'); i == len(literal)-1 {
				return x, true
			}
		}
	}
	x, err := strconv.ParseFloat(string(literal), 64)
	return x, err == nil
}

// addBar adds a bar of barWidth cells.
func (p *linePrinter) addBar(done, all float64) {
	p.text = AppendBar(p.text, done, all, barWidth, p.options.ASCII)
}

// AppendBar appends a bar of so many cells, as much of it filled as done is of all, which is positive. Only what is
// done fills it whole.
func AppendBar(dst []byte, done, all float64, cells int, ascii bool) []byte {
	full, rest := "█", "░"
	if ascii {
		full, rest = "#", "-"
	}
	filled := int(math.Round(share(done, all) * float64(cells)))
	if done < all {
		filled = min(filled, cells-1)
	}
	for i := range cells {
		if i < filled {
			dst = append(dst, full...)
		} else {
			dst = append(dst, rest...)
		}
	}
	return dst
}

// share returns done/all between 0 and 1; all is positive.
func share(done, all float64) float64 { return min(max(done/all, 0), 1) }

// AppendPercent appends the percentage, three digits wide, cut and not rounded, so that 100 means all; 999 and more is 999.
func AppendPercent(dst []byte, done, all float64) []byte {
	percent := int64(min(max(math.Floor(done/all*100), 0), 999))
	dst = appendSpaces(dst, 3-len(strconv.FormatInt(percent, 10)))
	return append(strconv.AppendInt(dst, percent, 10), " %"...)
}

// plainWord reports whether s can stand by itself without quotes: something, no spaces, no quotes, nothing that
// has to be escaped.
func plainWord(s []byte) bool {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 || r == '"' || unicode.IsSpace(r) || decode.Unsafe(r) {
			return false
		}
		i += n
	}
	return len(s) > 0
}
