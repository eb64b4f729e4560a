package session

// Outcome is what became of one notification path.
type Outcome uint8

// The outcomes. The zero Outcome is a path that has not ended.
const (
	Open      Outcome = iota // also of a path whose end a capture does not hold
	Complete                 // one binary message or more, then a Close
	NotServed                // a Close and no message, text messages aside
	Failed                   // an error message came, however the connection ended afterwards
	Died                     // no closing handshake, or one that broke RFC 6455
	Ended                    // kind4 closed it, or the side that receives the messages did
)

var outcomeNames = [...]string{"open", "complete", "not served", "failed", "died", "ended"}

// String returns the outcome as the session's lines word it, "not served" for instance.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// Tracker follows one notification path. It knows nothing of what messages hold: it is told. The zero
// Tracker is a path just opened.
type Tracker struct {
	messages uint64
	texts    uint64 // of them
	failed   bool
	outcome  Outcome
}

// Message counts a message of the path; failed says that it is an error message (tag 1) that decoded.
func (t *Tracker) Message(failed bool) {
	t.messages++
	t.failed = t.failed || failed
}

// Text counts a text message. It carries no meaning (Diverge Provider 2.3.0: every message is binary), so a
// path that had no other was not served.
func (t *Tracker) Text() {
	t.messages++
	t.texts++
}

// Texts returns how many of the messages were text.
func (t *Tracker) Texts() uint64 { return t.texts }

// Messages returns how many messages came, text messages included.
func (t *Tracker) Messages() uint64 { return t.messages }

// Outcome returns what became of the path, Open before Close was called.
func (t *Tracker) Outcome() Outcome { return t.outcome }

// Close says how the path's connection ended, and returns what the ending states (Diverge Provider
// 2.3.0, MCP notifications, "How a path ends"). An error message outweighs every ending: why the stream
// failed was said, and whoever wants to know whether the connection then died looks at e.
func (t *Tracker) Close(e *End) Outcome {
	switch {
	case t.failed:
		t.outcome = Failed
	case e.Kind == EndOurs, e.Kind == EndReceiver:
		t.outcome = Ended
	case e.Kind == EndCapture:
		t.outcome = Open
	case e.Kind != EndClose:
		t.outcome = Died
	case t.messages == t.texts:
		t.outcome = NotServed
	default:
		t.outcome = Complete
	}
	return t.outcome
}
