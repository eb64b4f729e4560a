package inspect

import (
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// What came on one opening of a path says nothing of another that is open at the same time, and neither does its end.
func TestOpenAgain(t *testing.T) {
	s := NewSession()
	send := func(remote, message string) []Finding {
		var f decode.Frame
		_ = f.Decode(bytesOf(message))
		return s.Message(nil, &session.Event{Kind: session.Message, Path: testPath, Remote: remote, Data: f.Message}, &f)
	}
	end := func(remote string) []Finding {
		return s.Event(nil, &session.Event{Kind: session.Closed, Path: testPath, Remote: remote,
			End: &session.End{Kind: session.EndClose, Code: 1000}})
	}
	const failure, good = "\x01{\"code\":-32603,\"message\":\"gone\"}", "\x00{\"method\":\"notifications/tools/list_changed\"}"
	send("", failure)
	for _, remote := range []string{"h:2", "h:3"} {
		s.OpenAgain(&session.Event{Kind: session.Opened, Path: testPath, Remote: remote})
	}
	unsaid(t, send("h:2", good), decode.AfterError)
	unsaid(t, end("h:2"), decode.NotServed)
	said(t, end("h:3"), decode.NotServed, decode.Warning, "not served")
	said(t, send("", good), decode.AfterError, decode.Error, "#1")
	unsaid(t, end("h:1"), decode.NotServed)
}

// What came on a path of one proxy says nothing of the same path of another, and neither does its end.
func TestTwoProxies(t *testing.T) {
	s := NewSession()
	send := func(proxy, message string) []Finding {
		var f decode.Frame
		_ = f.Decode(bytesOf(message))
		return s.Message(nil, &session.Event{Kind: session.Message, Path: testPath, Proxy: proxy, Data: f.Message}, &f)
	}
	end := func(proxy string) []Finding {
		return s.Event(nil, &session.Event{Kind: session.Closed, Path: testPath, Proxy: proxy, Remote: "h:1",
			End: &session.End{Kind: session.EndClose, Code: 1000}})
	}
	const broken = "\x02"
	one := "\x00{\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1,\"progress\":1}}"
	send("a:1", one)
	unsaid(t, send("b:1", one), decode.ProgressNotIncreasing)
	send("a:1", broken)
	unsaid(t, send("b:1", one), decode.ReceiverStopped)
	said(t, send("a:1", one), decode.ReceiverStopped, decode.Warning, "#3")
	unsaid(t, end("a:1"), decode.NotServed)
	said(t, end("c:1"), decode.NotServed, decode.Warning, "not served")
	said(t, send("b:1", one), decode.ProgressNotIncreasing, decode.Warning, "#4")
}
