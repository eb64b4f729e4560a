package inspect

import (
	"unicode/utf8"

	"kind4/decode"
)

// maxAlike is how many findings of one code a message's values and names give; the last counts the others.
const maxAlike = 8

// tellDepth is how many arrays and objects deep a message is told to be deep.
const tellDepth = 100

// refusedDepth is how deep the receiver refuses.
const refusedDepth = 128

// deepWalk looks at every token of a body that decoded.
type deepWalk struct {
	dst     []Finding
	message []byte
	clues   decode.Clue
	skip    int // where a duplicate name stands that was already told
	skipped bool
	told    [numAlike]alike
	names   nameSets
	depth   int // the deepest seen
	deepAt  int
}

// The findings of which a message may give many.
const (
	alikeDuplicate = iota
	alikeInteger
	alikeControl
	alikeReplacement
	alikeUTF8
	alikeSurrogate
	alikeRange

	numAlike
)

type alike struct{ count, last int }

// deepClues are the clues that call for a look at every token.
const deepClues = decode.ClueDuplicate | decode.ClueBigInteger | decode.ClueText | decode.ClueDeep | decode.ClueSkippedFault

// deep appends what is to be said of values and names at any depth.
func deep(dst []Finding, f *decode.Frame) []Finding {
	if f.Clues&deepClues == 0 {
		return dst
	}
	d := deepWalk{dst: dst, message: f.Message, clues: f.Clues, skip: -1}
	d.skipped = f.Type == decode.TypeError && f.Clues&decode.ClueSkippedFault != 0
	if f.Misfit.Kind == decode.MisfitDuplicate {
		d.skip = f.Misfit.Offset
	}
	walker := decode.NewWalker(f.Message, 1)
	for {
		token, ok := walker.Next()
		if !ok {
			break
		}
		d.token(token)
	}
	d.tellDepth()
	return d.dst
}

func (d *deepWalk) token(t decode.Token) {
	switch t.Kind {
	case decode.TokenName:
		if d.clues&decode.ClueDuplicate != 0 {
			d.name(t)
		}
		d.text(t)
	case decode.TokenString:
		d.text(t)
	case decode.TokenInteger:
		d.integer(t)
		d.skippedNumber(t)
	case decode.TokenFloat:
		d.skippedNumber(t)
	case decode.BeginObject, decode.BeginArray:
		if t.Depth == tellDepth && d.depth < tellDepth {
			d.deepAt = t.Start
		}
		d.depth = max(d.depth, t.Depth)
		if t.Kind == decode.BeginObject && d.clues&decode.ClueDuplicate != 0 {
			d.names.begin(t.Start)
		}
	case decode.EndObject:
		if d.clues&decode.ClueDuplicate != 0 {
			d.names.end()
		}
	}
}

// add appends a finding unless there are many alike; then the last of them counts it.
func (d *deepWalk) add(which int, f Finding) {
	told := &d.told[which]
	if told.count == maxAlike {
		d.dst[told.last].more++
		return
	}
	told.count, told.last = told.count+1, len(d.dst)
	d.dst = append(d.dst, f.at(d.message))
}

func (d *deepWalk) raw(start, end int) []byte { return view(d.message, start, end) }

func (d *deepWalk) name(t decode.Token) {
	first, found := d.names.add(d.message, t.Start, t.End)
	if !found || t.Start == d.skip {
		return
	}
	d.add(alikeDuplicate, newFinding(decode.DuplicateMember, t.Start, "% stands twice in one object, % and then %",
		literal(d.raw(t.Start, t.End)), literal(valueBehind(d.message, first)), literal(valueBehind(d.message, t.Start))))
}

// valueBehind is the value of the member whose name begins at start.
func valueBehind(message []byte, start int) []byte {
	walker := decode.NewWalker(message, start)
	name, _ := walker.Next()
	at := name.End
	for at < len(message) && (isSpace(message[at]) || message[at] == ':') {
		at++
	}
	walker = decode.NewWalker(message, at)
	token, _ := walker.Next()
	end := token.End
	if token.Kind == decode.BeginArray || token.Kind == decode.BeginObject {
		for end-at <= utf8.UTFMax*maxQuoted { // as much as is shown
			if token, ok := walker.Next(); !ok {
				break
			} else {
				end = token.End
			}
		}
	}
	return view(message, at, end)
}

const maxSafeInteger = "9007199254740991" // 2^53-1: ECMA-262, Number.MAX_SAFE_INTEGER

func (d *deepWalk) integer(t decode.Token) {
	digits := d.raw(t.Start, t.End)
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) < len(maxSafeInteger) || len(digits) == len(maxSafeInteger) && string(digits) <= maxSafeInteger {
		return
	}
	d.add(alikeInteger, newFinding(decode.UnsafeInteger, t.Start,
		"% is beyond ±(2^53-1): JavaScript readers %", literal(d.raw(t.Start, t.End)), rounded(d.raw(t.Start, t.End))))
}

func (d *deepWalk) skippedNumber(t decode.Token) {
	if d.skipped {
		d.literalFault(t)
	}
}

// literalFault looks for what an error's skipped members may hold: bytes that are no UTF-8, half of a surrogate
// pair, a number beyond any double.
func (d *deepWalk) literalFault(t decode.Token) {
	fault := decode.LiteralFault(d.message, t.Start, t.End)
	if fault == nil {
		return
	}
	which := alikeUTF8
	switch fault.Code {
	case decode.LoneSurrogate:
		which = alikeSurrogate
	case decode.NumberRange:
		which = alikeRange
	}
	f := newFinding(fault.Code, fault.Offset, "the receiver skips over this member, others refuse the message")
	f.lead, f.Severity = fault.Message, decode.Warning
	d.add(which, f)
}

// tellDepth appends how deep the body is, where that is worth telling.
func (d *deepWalk) tellDepth() {
	if d.depth < tellDepth {
		return
	}
	finding := newFinding(decode.TooDeep, d.deepAt, "% arrays and objects deep; the receiver refuses more than 127", number(int64(d.depth)))
	if d.depth >= refusedDepth {
		finding.format = "% arrays and objects deep, in a member that the receiver skips; elsewhere it refuses more than 127"
	}
	finding.Severity = decode.Info
	d.dst = append(d.dst, finding.at(d.message))
}
