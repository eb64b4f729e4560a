package session

import "testing"

func TestOutcome(t *testing.T) {
	const (
		good = iota
		bad
		text
	)
	tests := []struct {
		name     string
		messages []int
		end      EndKind
		want     Outcome
	}{
		{"close, no message", nil, EndClose, NotServed},
		{"close, text only", []int{text, text}, EndClose, NotServed},
		{"close after text and a message", []int{text, good, text}, EndClose, Complete},
		{"error message and text", []int{bad, text}, EndClose, Failed},
		{"end after text", []int{text}, EndEOF, Died},
		{"close after messages", []int{good, good}, EndClose, Complete},
		{"error message, close", []int{good, bad}, EndClose, Failed},
		{"error message only, close", []int{bad}, EndClose, Failed},
		{"message after the error message", []int{bad, good}, EndClose, Failed},
		{"error message, then died", []int{bad}, EndReset, Failed},
		{"error message, then ours", []int{bad}, EndOurs, Failed},
		{"end without a close", []int{good}, EndEOF, Died},
		{"end without anything", nil, EndEOF, Died},
		{"reset", []int{good}, EndReset, Died},
		{"broken", []int{good}, EndBroken, Died},
		{"ours", []int{good}, EndOurs, Ended},
		{"ours, no message", nil, EndOurs, Ended},
		{"the capture ended", []int{good}, EndCapture, Open},
		{"error message, then the capture ended", []int{bad}, EndCapture, Failed},
		{"the receiver's", []int{good}, EndReceiver, Ended},
		{"the receiver's, no message", nil, EndReceiver, Ended},
		{"error message, then the receiver's", []int{bad}, EndReceiver, Failed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var tracker Tracker
			var texts uint64
			for _, message := range test.messages {
				if message == text {
					tracker.Text()
					texts++
				} else {
					tracker.Message(message == bad)
				}
			}
			if got := tracker.Outcome(); got != Open {
				t.Errorf("before the end: %v", got)
			}
			if got := tracker.Close(&End{Kind: test.end}); got != test.want || tracker.Outcome() != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if n, text := tracker.Messages(), tracker.Texts(); n != uint64(len(test.messages)) || text != texts {
				t.Errorf("%d messages counted, %d text; want %d and %d", n, text, len(test.messages), texts)
			}
		})
	}
}
