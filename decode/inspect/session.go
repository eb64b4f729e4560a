package inspect

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"kind4/decode"
	"kind4/decode/session"
)

// What a [Session] remembers at most. What comes later is not compared; state-capped says so, once.
const (
	MaxTokens     = 1024 // progress tokens of one path
	MaxCancelled  = 1024 // cancelled requests of one path
	MaxEndedTasks = 1024 // tasks of one path that came to an end
	MaxMethods    = 256  // custom methods of a session
	MaxPaths      = 64   // paths open at a time; the one that was silent longest gives way
	MaxKey        = 256  // bytes of the JSON of a token, request id or task id; of a method, what is kept
)

// RepeatWindow is how close two identical messages stand that are told to be repeated, in microseconds.
const RepeatWindow = 50_000

// Session is what has to be remembered between the messages of one source, all its paths together. Its memory
// is bounded whatever comes. It is for one goroutine. What it appends are views of the message at hand, or
// copies; never of a message before it.
//
// What one message says by itself can be found elsewhere, by an [Inspector], while the session is at another:
// then Judge takes it in. Message does both.
type Session struct {
	// Untagged says that the messages came without a tag byte, as JSON-RPC, where jsonrpc is required.
	Untagged bool

	seq     uint64
	paths   map[session.Opening]*path
	current *path // the one of the message before
	methods map[string]*methodCount
	cancels uint64
	seed    maphash.Seed

	inspector Inspector // of Message
	own       []Finding // likewise

	twinsTold  bool
	cappedTold bool
	stopped    bool
	stoppedAt  uint64
	missed     uint64
	evicted    bool // a path gave way to another
}

// path is what is remembered of one path while it is open.
type path struct {
	opening  session.Opening
	messages uint64
	texts    uint64 // how many of them were text
	latest   uint64 // the number of the last message

	errorAt     uint64 // the number of the tag-1 message, 0 for none
	failedAt    uint64 // of the first message that a real proxy takes for the end of the stream, 0 for none
	failedText  bool   // it was a text message
	stopTold    bool
	cancelsTold bool

	before    fingerprint
	tokens    map[string]*progress
	cancelled map[string]uint64
	ended     map[string]endedTask
}

// fingerprint stands for a message when it is compared with the next.
type fingerprint struct {
	hash uint64
	size int64
	time int64
	seq  uint64
	kind decode.Type
}

// NewSession returns the state of a source of which nothing has come yet.
func NewSession() *Session {
	return &Session{paths: make(map[session.Opening]*path), methods: make(map[string]*methodCount), seed: maphash.MakeSeed()}
}

// StartAt sets how many messages came before the first one, where their numbers go on from another source's.
func (s *Session) StartAt(seq uint64) { s.seq = seq }

// Message appends what is to be said of a message of a notification path: what [Message] says of it, what the
// wire and the messages before add, and less what is said once only. Errors come first. Messages are numbered
// from 1, one a call. A good message of a token seen before, with no clues, costs no allocation.
func (s *Session) Message(dst []Finding, ev *session.Event, f *decode.Frame) []Finding {
	s.inspector.Untagged = s.Untagged
	s.own = s.inspector.Message(s.own[:0], ev, f)
	return s.Judge(dst, ev, f, s.own)
}

// Judge is Message where an [Inspector] has said already what the message says by itself, own.
func (s *Session) Judge(dst []Finding, ev *session.Event, f *decode.Frame, own []Finding) []Finding {
	s.seq++
	p := s.path(ev.Opening())
	p.messages++
	if cameAsText(ev, f) {
		p.texts++
	}
	p.latest = s.seq
	before := len(dst)
	dst = wire(dst, ev, f)
	dst = s.once(dst, own, p, f)
	dst = s.ending(dst, p, f, cameAsText(ev, f))
	switch f.Variant {
	case decode.Progress:
		dst = s.progress(dst, p, f)
	case decode.Cancelled:
		dst = s.cancel(dst, p, f)
	case decode.Tasks:
		dst = s.task(dst, p, f)
	}
	dst = s.repeated(dst, p, ev, f)
	if len(dst)-before > 1 {
		sortBySeverity(dst[before:])
	}
	return dst
}

// OpenAgain takes in that a path was opened which is open already: its messages are not those of the first opening.
func (s *Session) OpenAgain(ev *session.Event) { s.path(ev.Opening()) }

// path returns what is remembered of an opening.
func (s *Session) path(o session.Opening) *path {
	if s.current != nil && s.current.opening == o {
		return s.current
	}
	p := s.paths[o]
	if p == nil {
		if len(s.paths) >= MaxPaths {
			s.forgetOne()
		}
		p = &path{opening: o}
		s.paths[o] = p
	}
	s.current = p
	return p
}

// forgetOne drops the path of which nothing came for longest.
func (s *Session) forgetOne() {
	var oldest *path
	for _, p := range s.paths {
		if oldest == nil || p.latest < oldest.latest {
			oldest = p
		}
	}
	s.forget(oldest.opening)
	s.evicted = true
}

func (s *Session) forget(o session.Opening) {
	if s.current != nil && s.current.opening == o {
		s.current = nil
	}
	delete(s.paths, o)
}

// once appends what a message says by itself, and remembers what is said once a method or once a path: that is left
// out where it was said or is too much to remember.
func (s *Session) once(dst, own []Finding, p *path, f *decode.Frame) []Finding {
	met := s.met(f)
	capped := false
	for i := range own {
		keep := true
		switch own[i].Code {
		case decode.CustomMethod:
			keep = !met && s.remember(f)
			capped = !met && !keep
		case decode.CancelsWork:
			s.cancels++
			keep, p.cancelsTold = !p.cancelsTold, true
		}
		if keep {
			dst = append(dst, own[i])
		}
	}
	if capped {
		dst = s.capped(dst, "more than % custom methods: later ones are not told or counted", MaxMethods)
	}
	return dst
}

// met reports whether the method is custom and was told before, and counts it.
func (s *Session) met(f *decode.Frame) bool {
	if f.Type != decode.TypeNotification || f.Known != decode.Custom {
		return false
	}
	var buf [MaxKey]byte
	m := s.methods[string(s.methodKey(buf[:0], f))]
	if m == nil {
		return false
	}
	m.count++
	return true
}

// methodCount is a custom method and how often it came.
type methodCount struct {
	name  string
	count uint64
}

// methodKey is what a custom method is remembered by: its text, of one longer than MaxKey a beginning and a hash
// of the whole, as it was sent where that is too long to hold twice.
func (s *Session) methodKey(buf []byte, f *decode.Frame) []byte {
	literal := f.Raw(f.Method)
	text, whole := beginning(buf, literal)
	switch {
	case !whole:
	case len(text) <= MaxKey:
		return text
	default:
		literal = text
	}
	hash := maphash.Bytes(s.seed, literal)
	return binary.BigEndian.AppendUint64(append(buf[:0], text[:MaxKey-8]...), hash)
}

// remember remembers a custom method; false where there are too many.
func (s *Session) remember(f *decode.Frame) bool {
	if len(s.methods) >= MaxMethods {
		return false
	}
	var buf [MaxKey]byte
	key := string(s.methodKey(buf[:0], f))
	name, _ := beginning(nil, f.Raw(f.Method))
	if len(name) > MaxKey {
		name = append(bytes.Clone(name[:MaxKey-8]), "…"...)
	}
	s.methods[key] = &methodCount{string(name), 1}
	return true
}

// capped appends, once a session, that something is too much to remember.
func (s *Session) capped(dst []Finding, format string, most int64) []Finding {
	if s.cappedTold {
		return dst
	}
	s.cappedTold = true
	return append(dst, newFinding(decode.StateCapped, NoOffset, format, number(most)))
}

// ending appends what a message means that comes behind one that ends the stream for a real proxy.
func (s *Session) ending(dst []Finding, p *path, f *decode.Frame, text bool) []Finding {
	switch {
	case p.errorAt != 0:
		if p.failedAt != 0 {
			s.missed++
		}
		dst = append(dst, newFinding(decode.AfterError, NoOffset,
			"a message behind the error message, #%, which has to be the last on its path", number(int64(p.errorAt))))
	case p.failedAt != 0:
		s.missed++
		if !p.stopTold {
			p.stopTold = true
			format := "a real proxy took #%, which does not decode, for the end of the stream: it never saw this message or any later one"
			if p.failedText {
				format = "a real proxy took #%, a text message, for the end of the stream: it never saw this message or any later one"
			}
			dst = append(dst, newFinding(decode.ReceiverStopped, NoOffset, format, number(int64(p.failedAt))))
		}
	}
	ended := f.Type == decode.TypeUnknown || f.Type == decode.TypeEmpty || f.Type == decode.TypeUndecodable || text
	switch {
	case p.errorAt != 0:
	case f.Type == decode.TypeError:
		p.errorAt = s.seq
	case ended && p.failedAt == 0:
		p.failedAt, p.failedText = s.seq, text
		if !s.stopped {
			s.stopped, s.stoppedAt = true, s.seq
		}
	}
	return dst
}

// repeated appends that a message is the one before once more.
func (s *Session) repeated(dst []Finding, p *path, ev *session.Event, f *decode.Frame) []Finding {
	if ev.Time == 0 {
		return dst
	}
	now := fingerprint{maphash.Bytes(s.seed, f.Message), f.Size, ev.Time, s.seq, f.Type}
	last := p.before
	p.before = now
	apart := now.time - last.time
	if last.seq == 0 || last.hash != now.hash || last.size != now.size || last.kind != now.kind || apart < 0 || apart > RepeatWindow ||
		f.Type == decode.TypeOversize || ev.Withheld && (ev.Verdict == nil || !ev.Verdict.Repeats) {
		return dst
	}
	return append(dst, newFinding(decode.RepeatedMessage, NoOffset, "the same bytes as #%, % µs before",
		number(int64(last.seq)), number(apart)))
}

// Stopped says which message a real proxy took for the end of its stream, on the first path where it did, and
// how many messages it missed behind such ones, over all paths. ok is false where it never did.
func (s *Session) Stopped() (seq uint64, missed uint64, ok bool) {
	return s.stoppedAt, s.missed, s.stopped
}

// Repeat is something that findings say once, and how often it came.
type Repeat struct {
	Code  decode.Code
	Name  string // the method, for custom-method: text from outside, cut where it is longer than MaxKey; else ""
	Count uint64
}

// Repeats returns what was said once a session or once a path, the most frequent first.
func (s *Session) Repeats() []Repeat {
	var repeats []Repeat
	for _, m := range s.methods {
		repeats = append(repeats, Repeat{decode.CustomMethod, m.name, m.count})
	}
	if s.cancels > 0 {
		repeats = append(repeats, Repeat{Code: decode.CancelsWork, Count: s.cancels})
	}
	slices.SortFunc(repeats, func(a, b Repeat) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Name, b.Name))
	})
	return repeats
}
