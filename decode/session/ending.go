package session

// Ending settles how a path ended of which both sides are seen. The zero Ending is that of a path that goes on.
type Ending struct {
	receiver *End // how the receiver's direction ended, nil while it has not
	over     bool
	closes   int
}

// Over reports whether it is settled how the path ended.
func (x *Ending) Over() bool { return x.over }

// Closes returns how many Close frames came, one a side at most.
func (x *Ending) Closes() int { return x.closes }

// Recall forgets how the receiver's direction ended, since it was not before the sender's, which is only known now.
func (x *Ending) Recall() { x.receiver = nil }

// Take takes in how the direction of one side ended, sender being the one that sends the messages; a reset without an
// Error is one that only follows the other side's. It returns how the path ended, and by which side, once that is
// settled, and nil else. The path ends with the sender's direction, and by what ended first: a Close of the receiver
// before it, or the receiver's death. That a capture ended first ends nothing, and is nobody's doing.
func (x *Ending) Take(sender, from Side, end *End) (*End, Side) {
	if end.Kind == EndClose {
		x.closes++
	}
	if x.over || sender == 0 {
		return nil, 0
	}
	if from != sender {
		if x.receiver == nil && end.Kind != EndCapture && !(end.Kind == EndReset && end.Error == "") {
			x.receiver = end
		}
		return nil, 0
	}
	x.over = true
	switch {
	case x.receiver != nil:
		end, from = x.receiver, from.Other()
		if end.Kind == EndClose {
			end.Kind = EndReceiver
		}
	case end.Kind == EndCapture:
		from = 0
	}
	return end, from
}
