package inspect

import (
	"bytes"
	"math"

	"kind4/decode"
)

// progress is what is remembered of one progress token.
type progress struct {
	last  amount
	total amount // the last that was told
	seq   uint64 // of the message that told last
}

// maxLiteral is how long a number's literal may be that is kept for exact comparison.
const maxLiteral = 128

// amount is a JSON number: its double, and its literal where that is short enough to keep.
type amount struct {
	literal []byte
	value   float64
	known   bool
}

func amountOf(literal []byte) amount {
	return amount{literal, float(literal), true}
}

// set keeps a copy of b.
func (a *amount) set(b amount) {
	a.value, a.known = b.value, b.known
	a.literal = a.literal[:0]
	if len(b.literal) <= maxLiteral {
		a.literal = append(a.literal, b.literal...)
	}
}

// compare compares exactly; false where that takes a literal that was too long to keep.
func (a *amount) compare(b *amount) (int, bool) {
	if a.value == b.value && (len(a.literal) == 0 || len(b.literal) == 0 || len(a.literal) > maxLiteral || len(b.literal) > maxLiteral) {
		return 0, false
	}
	return compareNumbers(a.literal, a.value, b.literal, b.value), true
}

// endedTask is a task that came to an end.
type endedTask struct {
	status string
	seq    uint64
}

// progress appends what the messages before say of a progress notification.
func (s *Session) progress(dst []Finding, p *path, f *decode.Frame) []Finding {
	var buf [MaxKey]byte
	token := f.Members[decode.MemberProgressToken]
	key, fits := keyOf(buf[:0], f.Raw(token))
	now := amountOf(f.Raw(f.Members[decode.MemberProgress]))
	total := amount{}
	if v := f.Members[decode.MemberTotal]; v.Kind == decode.Integer || v.Kind == decode.Float {
		total = amountOf(f.Raw(v))
	}
	if at, cancelled := p.cancelled[string(key)]; fits && cancelled {
		dst = append(dst, newFinding(decode.ProgressAfterCancel, token.Start,
			"the token is the requestId that #% cancelled", number(int64(at))).at(f.Message))
	}
	if !fits {
		dst = overTotal(dst, f, &now, &total)
		return s.capped(dst, "a token longer than % bytes: it is not compared", MaxKey)
	}
	t := p.tokens[string(key)]
	if t == nil {
		return s.newToken(dst, p, f, key, &now, &total)
	}
	if order, known := now.compare(&t.last); known && order <= 0 {
		dst = append(dst, newFinding(decode.ProgressNotIncreasing, f.Members[decode.MemberProgress].Start,
			"% does not come after %, which #% told for the same token",
			literal(now.literal), literal(bytes.Clone(t.last.literal)), number(int64(t.seq))).at(f.Message))
	}
	if total.known {
		t.total.set(total)
	}
	dst = overTotal(dst, f, &now, &t.total)
	t.last.set(now)
	t.seq = s.seq
	return dst
}

func (s *Session) newToken(dst []Finding, p *path, f *decode.Frame, key []byte, now, total *amount) []Finding {
	dst = overTotal(dst, f, now, total)
	if !s.twinsTold && len(p.tokens) > 0 {
		dst = s.twins(dst, p, f, key)
	}
	if len(p.tokens) >= MaxTokens {
		return s.capped(dst, "more than % progress tokens on one path: later ones are not compared", MaxTokens)
	}
	if p.tokens == nil {
		p.tokens = make(map[string]*progress)
	}
	t := &progress{seq: s.seq}
	t.last.set(*now)
	t.total.set(*total)
	p.tokens[string(key)] = t
	return dst
}

// twins appends, once, that a number and the same digits in quotes are both used as tokens.
func (s *Session) twins(dst []Finding, p *path, f *decode.Frame, key []byte) []Finding {
	var buf [MaxKey + 2]byte
	twin := append(append(append(buf[:0], '"'), key...), '"')
	if key[0] == '"' {
		twin = key[1 : len(key)-1]
	}
	t := p.tokens[string(twin)]
	if t == nil {
		return dst
	}
	s.twinsTold = true
	token := f.Members[decode.MemberProgressToken]
	return append(dst, newFinding(decode.TokenTwins, token.Start, "% and % (#%) are different tokens",
		literal(f.Raw(token)), literal(bytes.Clone(twin)), number(int64(t.seq))).at(f.Message))
}

// overTotal appends that progress is above a total that is known.
func overTotal(dst []Finding, f *decode.Frame, now, total *amount) []Finding {
	if !total.known || math.IsNaN(total.value) {
		return dst
	}
	if order, known := now.compare(total); !known || order <= 0 {
		return dst
	}
	return append(dst, newFinding(decode.ProgressOverTotal, f.Members[decode.MemberProgress].Start, "% is above the total, %",
		literal(now.literal), literal(bytes.Clone(total.literal))).at(f.Message))
}

// keyOf is what a token or id is remembered by: its JSON, with strings spelled without needless escapes, so that
// equal keys mean the same JSON type and value. False where it is too long.
func keyOf(dst, literal []byte) (key []byte, fits bool) {
	if len(literal) == 0 || len(literal) > MaxKey {
		return nil, false
	}
	if literal[0] == '"' && hasEscape(literal) {
		dst = append(dst, '"')
		dst = append(dst, decode.Unquote(nil, literal)...)
		return append(dst, '"'), true
	}
	return literal, true
}

// cancel remembers which request a notification cancels.
func (s *Session) cancel(dst []Finding, p *path, f *decode.Frame) []Finding {
	v := f.Members[decode.MemberRequestID]
	if !v.Present() || v.Kind == decode.Null {
		return dst
	}
	var buf [MaxKey]byte
	key, fits := keyOf(buf[:0], f.Raw(v))
	if !fits {
		return dst
	}
	if _, ok := p.cancelled[string(key)]; ok {
		return dst
	}
	if len(p.cancelled) >= MaxCancelled {
		return s.capped(dst, "more than % cancelled requests on one path: later ones are not compared", MaxCancelled)
	}
	if p.cancelled == nil {
		p.cancelled = make(map[string]uint64)
	}
	p.cancelled[string(key)] = s.seq
	return dst
}

// task appends that a task goes on behind its end, and remembers ends.
func (s *Session) task(dst []Finding, p *path, f *decode.Frame) []Finding {
	var buf [MaxKey]byte
	key, fits := keyOf(buf[:0], f.Raw(f.Members[decode.MemberTaskID]))
	if !fits {
		return dst
	}
	status := statusOf(f)
	if end, ok := p.ended[string(key)]; ok {
		return append(dst, newFinding(decode.TaskAfterEnd, f.Members[decode.MemberStatus].Start,
			"% behind %: #% told the end of task %", words(status), words(end.status), number(int64(end.seq)),
			literal(f.Raw(f.Members[decode.MemberTaskID]))).at(f.Message))
	}
	if status != "completed" && status != "failed" && status != "cancelled" {
		return dst
	}
	if len(p.ended) >= MaxEndedTasks {
		return s.capped(dst, "more than % ended tasks on one path: later ones are not compared", MaxEndedTasks)
	}
	if p.ended == nil {
		p.ended = make(map[string]endedTask)
	}
	p.ended[string(key)] = endedTask{status, s.seq}
	return dst
}

// statusOf is the status of a task that the receiver took, in its own words.
func statusOf(f *decode.Frame) string {
	v := f.Members[decode.MemberStatus]
	raw := f.Raw(v)
	if v.Kind == decode.Object { // {"working":null}
		it := membersOf(f.Message, v.Start)
		m, _ := it.next()
		raw = f.Raw(m.name)
	}
	var buf [32]byte
	text := unquoted(buf[:0], raw)
	for _, status := range statuses {
		if string(text) == status {
			return status
		}
	}
	return ""
}
