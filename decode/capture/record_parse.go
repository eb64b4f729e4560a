package capture

import (
	"bytes"
	"math"
	"strconv"

	"kind4/decode"
	"kind4/decode/session"
)

// recordParser makes an event of one line.
type recordParser struct {
	decoder *recordDecoder
	reader  *Reader
	batch   *session.Batch
	line    []byte
	cut     bool // the line is only the beginning of one over the cap
	walker  decode.Walker
	ev      session.Event
	unknown bool   // the event's kind, note or ending is none that is known
	fault   string // the first thing at fault, "" for nothing
	offset  int    // of it in the line
}

// parse returns the event; ok is false where its kind is not known, and p.fault says what is wrong with a
// line that is no event.
func (p *recordParser) parse() (ev session.Event, ok bool) {
	p.walker = decode.NewWalker(p.line, 0)
	t, ok := p.walker.Next()
	if !ok || t.Kind != decode.BeginObject {
		p.failAt(0, "no object: "+quote(p.line))
		return ev, false
	}
	p.object(p.member)
	if rest := p.line[p.walker.Offset():]; p.fault == "" && len(bytes.TrimSpace(rest)) > 0 {
		p.failAt(p.walker.Offset(), "something behind the event: "+quote(rest))
	}
	if p.unknown && p.walks() {
		p.fault = ""
		return ev, false
	}
	if p.fault == "" {
		p.check()
	}
	return p.ev, p.fault == ""
}

// walks reports whether the line is one JSON value.
func (p *recordParser) walks() bool {
	w := decode.NewWalker(p.line, 0)
	w.Next()
	w.Skip()
	return w.Offset() == len(p.line) && p.line[w.Offset()-1] == '}'
}

// check looks at what the members say together.
func (p *recordParser) check() {
	ev := &p.ev
	switch {
	case ev.Kind == 0:
		p.failAt(0, "an object without the member \""+memberEvent+"\"")
	case ev.Kind == session.Note && ev.Note == 0:
		p.failAt(0, "a note without the member \""+memberNote+"\"")
	case ev.Kind == session.Closed && ev.End == nil:
		p.failAt(0, "a path is closed, and the member \""+memberEnd+"\" is missing")
	case ev.End != nil && ev.End.Kind == 0:
		p.failAt(0, "an end without the member \""+memberEnding+"\"")
	case ev.End != nil && ev.End.Kind == session.EndBroken && ev.End.Violation == nil:
		p.failAt(0, "a broken end without the member \""+memberViolation+"\"")
	case p.cut && ev.Size <= int64(len(ev.Data)):
		p.failAt(0, "a line that is too long for a message")
	}
	if ev.Kind == session.Message || ev.Kind == session.Asked {
		ev.Size = max(ev.Size, int64(len(ev.Data)))
		if ev.Data == nil {
			ev.Data = []byte{}
		}
	}
}

func (p *recordParser) failAt(offset int, fault string) {
	if p.fault == "" {
		p.fault, p.offset = fault, offset
	}
}

// object calls member for each member of the object that was begun, behind its end.
func (p *recordParser) object(member func(name []byte, t decode.Token)) {
	for {
		t, ok := p.walker.Next()
		switch {
		case ok && t.Kind == decode.EndObject:
			return
		case ok && t.Kind == decode.TokenName:
			name := p.unquoted(t)
			if t, ok = p.walker.Next(); ok {
				member(name, t)
				continue
			}
		}
		at := p.walker.Offset()
		p.failAt(at, "no JSON here: "+quote(p.line[min(at, len(p.line)):]))
		return
	}
}

// member takes a member of the event. What it does not know it passes over.
func (p *recordParser) member(name []byte, t decode.Token) {
	ev := &p.ev
	switch string(bytes.TrimSuffix(name, []byte(base64Suffix))) {
	case memberTime:
		ev.Time = p.integer(name, t, math.MinInt64, math.MaxInt64)
	case memberEvent:
		ev.Kind = known(p, name, t, session.ParseKind)
	case memberPath:
		p.decoder.path = p.again(name, t, p.decoder.path)
		ev.Path = p.decoder.path
	case memberChannel:
		ev.Channel, ev.HasChannel = uint32(p.integer(name, t, 0, math.MaxUint32)), true
	case memberFromKind4:
		ev.FromKind4 = p.truth(name, t)
	case memberFrom:
		ev.From, _ = session.ParseSide(p.word(name, t))
	case memberOpcode:
		ev.Opcode = uint8(p.integer(name, t, 0, 15))
	case memberFragments:
		ev.Fragments = int(p.integer(name, t, 0, math.MaxInt))
	case memberMaxFrame:
		ev.MaxFrame = p.integer(name, t, 0, math.MaxInt64)
	case memberSize:
		ev.Size = p.integer(name, t, 0, math.MaxInt64)
	case memberWithheld:
		ev.Withheld = p.truth(name, t)
	case memberRemote:
		p.decoder.remote = p.again(name, t, p.decoder.remote)
		ev.Remote = p.decoder.remote
	case memberProxy:
		p.decoder.proxy = p.again(name, t, p.decoder.proxy)
		ev.Proxy = p.decoder.proxy
	case memberHeader:
		ev.Header = p.text(name, t)
	case memberMethod:
		ev.Method = p.text(name, t)
	case memberStatus:
		ev.Status = int(p.integer(name, t, 0, 999))
	case memberReason:
		ev.Reason = p.text(name, t)
	case memberNote:
		ev.Note = known(p, name, t, session.ParseNote)
	case memberEnd:
		p.end(name, t)
	case memberVerdict:
		p.verdict(name, t)
	case memberData:
		p.data(name, t)
	default:
		p.pass(t)
	}
}

func (p *recordParser) end(name []byte, t decode.Token) {
	if t.Kind != decode.BeginObject {
		p.misfit(name, t, "an object")
		return
	}
	p.ev.End = new(session.End)
	p.object(p.endMember)
}

func (p *recordParser) endMember(name []byte, t decode.Token) {
	e := p.ev.End
	switch string(bytes.TrimSuffix(name, []byte(base64Suffix))) {
	case memberEnding:
		e.Kind = known(p, name, t, session.ParseEnd)
	case memberCode:
		e.Code = uint16(p.integer(name, t, 0, math.MaxUint16))
	case memberReason:
		e.Reason = p.text(name, t)
	case memberError:
		e.Error = p.text(name, t)
	case memberInside:
		e.Where, _ = session.ParseWhere(p.word(name, t))
	case memberPartial:
		e.Partial = p.integer(name, t, 0, math.MaxInt64)
	case memberViolation:
		if t.Kind != decode.BeginObject {
			p.misfit(name, t, "an object")
			return
		}
		e.Violation = new(session.Violation)
		p.object(p.violationMember)
	case memberSent:
		e.Sent = uint16(p.integer(name, t, 0, math.MaxUint16))
	case memberOutcome:
		e.Outcome, _ = session.ParseOutcome(p.word(name, t))
	case memberMessages:
		e.Messages = uint64(p.integer(name, t, 0, math.MaxInt64))
	default:
		p.pass(t)
	}
}

func (p *recordParser) violationMember(name []byte, t decode.Token) {
	v := p.ev.End.Violation
	switch string(bytes.TrimSuffix(name, []byte(base64Suffix))) {
	case memberSection:
		v.Section = p.text(name, t)
	case memberOffset:
		v.Offset = p.integer(name, t, 0, math.MaxInt64)
	case memberMessage:
		v.Message = p.text(name, t)
	default:
		p.pass(t)
	}
}

// verdict takes the verdict on what is withheld. One of a type or code that is not known is none.
func (p *recordParser) verdict(name []byte, t decode.Token) {
	if t.Kind != decode.BeginObject {
		p.misfit(name, t, "an object")
		return
	}
	p.ev.Verdict = new(session.Verdict)
	p.object(p.verdictMember)
	if v := p.ev.Verdict; v.Type == 0 && v.Code == 0 {
		p.ev.Verdict = nil
	}
}

func (p *recordParser) verdictMember(name []byte, t decode.Token) {
	v := p.ev.Verdict
	switch string(bytes.TrimSuffix(name, []byte(base64Suffix))) {
	case memberType:
		v.Type, _ = decode.ParseType(p.word(name, t))
	case memberTag:
		v.Tag = decode.Tag(p.integer(name, t, 0, math.MaxUint8))
	case memberCode:
		v.Code, _ = decode.ParseCode(string(p.word(name, t)))
	case memberOffset:
		v.Offset = int(p.integer(name, t, 0, math.MaxInt32))
	case memberText:
		v.Text = p.text(name, t)
	case memberRepeats:
		v.Repeats = p.truth(name, t)
	case memberErrorCode:
		v.ErrorCode = int32(p.integer(name, t, math.MinInt32, math.MaxInt32))
	case memberFindings:
		p.findings(name, t)
	default:
		p.pass(t)
	}
}

// findings takes those of a verdict; those of a code that is not known are passed over.
func (p *recordParser) findings(name []byte, t decode.Token) {
	if t.Kind != decode.BeginArray {
		p.misfit(name, t, "an array")
		return
	}
	v := p.ev.Verdict
	for {
		switch t, ok := p.walker.Next(); {
		case ok && t.Kind == decode.EndArray:
			return
		case !ok:
			p.failAt(p.walker.Offset(), "an array that does not end")
			return
		case t.Kind != decode.BeginObject:
			p.pass(t)
		default:
			said := session.Said{Offset: -1}
			p.object(func(name []byte, t decode.Token) { p.finding(&said, name, t) })
			if said.Code != 0 && said.Severity != 0 {
				v.Said = append(v.Said, said)
			}
		}
		if p.fault != "" {
			return
		}
	}
}

// finding takes a member of a finding.
func (p *recordParser) finding(said *session.Said, name []byte, t decode.Token) {
	switch string(bytes.TrimSuffix(name, []byte(base64Suffix))) {
	case memberCode:
		said.Code, _ = decode.ParseCode(string(p.word(name, t)))
	case memberSeverity:
		said.Severity, _ = decode.ParseSeverity(p.word(name, t))
	case memberOffset:
		said.Offset = int(p.integer(name, t, 0, math.MaxInt32))
	case memberText:
		said.Text = p.text(name, t)
	default:
		p.pass(t)
	}
}

// pass goes past a value that is not looked at.
func (p *recordParser) pass(t decode.Token) {
	if t.Kind == decode.BeginObject || t.Kind == decode.BeginArray {
		p.walker.Skip()
	}
}

// misfit notes that a member does not hold what it needs, and goes past it.
func (p *recordParser) misfit(name []byte, t decode.Token, need string) {
	p.failAt(t.Start, quote(name)+" is "+quote(p.line[t.Start:t.End])+", where "+need+" is needed")
	p.pass(t)
}

func (p *recordParser) integer(name []byte, t decode.Token, least, most int64) int64 {
	if t.Kind != decode.TokenInteger {
		p.misfit(name, t, "an integer")
		return 0
	}
	n, err := strconv.ParseInt(string(p.line[t.Start:t.End]), 10, 64)
	if err != nil || n < least || n > most {
		p.misfit(name, t, "an integer from "+strconv.FormatInt(least, 10)+" to "+strconv.FormatInt(most, 10))
		return 0
	}
	return n
}

func (p *recordParser) truth(name []byte, t decode.Token) bool {
	if t.Kind != decode.TokenTrue && t.Kind != decode.TokenFalse {
		p.misfit(name, t, "true or false")
	}
	return t.Kind == decode.TokenTrue
}

// word returns the text of a string, in place where it is plain.
func (p *recordParser) word(name []byte, t decode.Token) []byte {
	if t.Kind != decode.TokenString {
		p.misfit(name, t, "a string")
		return nil
	}
	return p.unquoted(t)
}

// known returns what a name stands for, without which an event cannot be understood.
func known[T any](p *recordParser, name []byte, t decode.Token, parse func([]byte) (T, bool)) T {
	value, ok := parse(p.word(name, t))
	p.unknown = p.unknown || !ok && t.Kind == decode.TokenString
	return value
}

// unquoted returns the text of a name or a string.
func (p *recordParser) unquoted(t decode.Token) []byte {
	literal := p.line[t.Start:t.End]
	if bytes.IndexByte(literal, '\\') < 0 {
		return literal[1 : len(literal)-1]
	}
	return decode.Unquote(nil, literal)
}

// text returns a text, which may stand in base64.
func (p *recordParser) text(name []byte, t decode.Token) string { return p.again(name, t, "") }

// again is text for one that is likely the same as last time.
func (p *recordParser) again(name []byte, t decode.Token, last string) string {
	word := p.word(name, t)
	if !bytes.HasSuffix(name, []byte(base64Suffix)) {
		if string(word) == last {
			return last
		}
		return string(word)
	}
	text, err := recordBase64.AppendDecode(nil, word)
	if err != nil {
		p.misfit(name, t, "base64")
	}
	return string(text)
}

// data decodes the bytes of a message into the batch's memory; of one over the cap only its beginning.
func (p *recordParser) data(name []byte, t decode.Token) {
	word := p.word(name, t)
	size := int64(len(bytes.TrimRight(word, "="))) * 3 / 4
	over := p.cut || size > p.reader.max
	if over {
		p.ev.Size = max(p.ev.Size, size)
		word = word[:min(len(word), headBase64)]
	}
	b := p.batch
	start := len(b.Buf)
	buf, err := b.Buf, error(nil)
	if len(word) >= inPlace && start == 0 {
		buf, err = p.decodeInPlace(word)
	} else {
		buf, err = recordBase64.AppendDecode(buf, word)
	}
	if err != nil {
		p.misfit(name, t, "base64")
		return
	}
	if over {
		buf = buf[:start+min(len(buf)-start, p.reader.head())]
	}
	b.Buf = buf
	p.ev.Data = buf[start:len(buf):len(buf)]
}

// inPlace is how long the base64 of a message is, in bytes, to be decoded where it stands, which its batch has from then on:
// a large message would stand in memory two and a half times. Memory that holds as much is of that message alone. That
// [base64.Encoding.Decode] never writes what it has not read is held by a test.
const inPlace = 1 << 20

// decodeInPlace decodes base64 into the memory that it stands in. Where it is none, its beginning stays, to be quoted.
func (p *recordParser) decodeInPlace(word []byte) ([]byte, error) {
	var beginning [64]byte
	copy(beginning[:], word)
	buf, err := recordBase64.AppendDecode(word[:0], word)
	if err != nil {
		copy(word, beginning[:])
	}
	return buf[:len(buf):len(buf)], err
}
