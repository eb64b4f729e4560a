package session

// The names are an interface: captures hold them.

var kindNames = [...]string{
	Opened: "opened", Asked: "asked", Message: "message", Control: "control", Refused: "refused", Closed: "closed", Note: "note",
	Begun: "begun",
}

var noteNames = [...]string{
	NoteTLS:         "tls",
	NoteNoRequest:   "no-request",
	NoteBadRequest:  "bad-request",
	NoteQueueFull:   "queue-full",
	NoteNoAsk:       "no-ask",
	NoteNoPath:      "no-path",
	NoteFirstAnswer: "first-answer",
	NoteTooMany:     "too-many",
	NoteAskLost:     "ask-lost",
	NoteTorn:        "torn",
	NoteNotReading:  "not-reading",
	NoteRelayed:     "relayed",
	NoteNoAnswer:    "no-answer",
	NoteUndecoded:   "undecoded",
	NoteWrongWay:    "wrong-way",
	NoteUnrelayed:   "unrelayed",
	NoteOpenAgain:   "open-again",
	NoteGap:         "gap",
	NoteMidStream:   "mid-stream",
	NoteCarried:     "carried",
	NoteUnanswered:  "unanswered",
}

var endNames = [...]string{EndClose: "close", EndEOF: "eof", EndReset: "reset", EndBroken: "broken", EndOurs: "ours",
	EndReceiver: "receiver", EndCapture: "capture"}

var sideNames = [...]string{Provider: "provider", Proxy: "proxy"}

var whereNames = [...]string{InHeader: "header", InPayload: "payload", BetweenFragments: "fragments", InControl: "control"}

// String returns the kind's name, "opened" for instance; "" for none.
func (k Kind) String() string { return nameOf(kindNames[:], k) }

// String returns the note's name, "no-path" for instance; "" for none.
func (n NoteKind) String() string { return nameOf(noteNames[:], n) }

// String returns the ending's name, "close" for instance; "" for none.
func (e EndKind) String() string { return nameOf(endNames[:], e) }

// String returns the place's name, "payload" for instance; "" between two messages.
func (w Where) String() string { return nameOf(whereNames[:], w) }

// String returns the side's name, "proxy" for instance; "" for none.
func (s Side) String() string { return nameOf(sideNames[:], s) }

// ParseSide finds the side of that name.
func ParseSide(name []byte) (Side, bool) { return parseName[Side](sideNames[:], name) }

// ParseKind finds the kind of that name.
func ParseKind(name []byte) (Kind, bool) { return parseName[Kind](kindNames[:], name) }

// ParseNote finds the note of that name.
func ParseNote(name []byte) (NoteKind, bool) { return parseName[NoteKind](noteNames[:], name) }

// ParseEnd finds the ending of that name.
func ParseEnd(name []byte) (EndKind, bool) { return parseName[EndKind](endNames[:], name) }

// ParseWhere finds the place of that name.
func ParseWhere(name []byte) (Where, bool) { return parseName[Where](whereNames[:], name) }

// ParseOutcome finds the outcome that is worded so.
func ParseOutcome(name []byte) (Outcome, bool) { return parseName[Outcome](outcomeNames[:], name) }

func nameOf[T ~uint8](names []string, n T) string {
	if int(n) < len(names) {
		return names[n]
	}
	return ""
}

func parseName[T ~uint8](names []string, name []byte) (T, bool) {
	for i, candidate := range names {
		if candidate != "" && candidate == string(name) {
			return T(i), true
		}
	}
	return 0, false
}
