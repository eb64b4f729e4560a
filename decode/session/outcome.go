package session

// Outcome is what became of one notification path.
type Outcome uint8

// The outcomes. The zero Outcome is a path that has not ended.
const (
	Open      Outcome = iota
	Complete          // one message or more, then a Close
	NotServed         // a Close and no message
	Failed            // an error message came, however the connection ended afterwards
	Died              // no closing handshake, or one that broke RFC 6455
	Ended             // kind4 closed it
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
	failed   bool
	outcome  Outcome
}

// Message counts a message of the path; failed says that it is an error message (tag 1) that decoded.
func (t *Tracker) Message(failed bool) {
	t.messages++
	t.failed = t.failed || failed
}

// Messages returns how many messages came.
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
	case e.Kind == EndOurs:
		t.outcome = Ended
	case e.Kind != EndClose:
		t.outcome = Died
	case t.messages == 0:
		t.outcome = NotServed
	default:
		t.outcome = Complete
	}
	return t.outcome
}
