package session

import "testing"

func TestOutcome(t *testing.T) {
	const good, bad = false, true
	tests := []struct {
		name     string
		messages []bool
		end      EndKind
		want     Outcome
	}{
		{"close, no message", nil, EndClose, NotServed},
		{"close after messages", []bool{good, good}, EndClose, Complete},
		{"error message, close", []bool{good, bad}, EndClose, Failed},
		{"error message only, close", []bool{bad}, EndClose, Failed},
		{"message after the error message", []bool{bad, good}, EndClose, Failed},
		{"error message, then died", []bool{bad}, EndReset, Failed},
		{"error message, then ours", []bool{bad}, EndOurs, Failed},
		{"end without a close", []bool{good}, EndEOF, Died},
		{"end without anything", nil, EndEOF, Died},
		{"reset", []bool{good}, EndReset, Died},
		{"broken", []bool{good}, EndBroken, Died},
		{"ours", []bool{good}, EndOurs, Ended},
		{"ours, no message", nil, EndOurs, Ended},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var tracker Tracker
			for _, failed := range test.messages {
				tracker.Message(failed)
			}
			if got := tracker.Outcome(); got != Open {
				t.Errorf("before the end: %v", got)
			}
			if got := tracker.Close(&End{Kind: test.end}); got != test.want || tracker.Outcome() != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if got := tracker.Messages(); got != uint64(len(test.messages)) {
				t.Errorf("%d messages counted, want %d", got, len(test.messages))
			}
		})
	}
}
