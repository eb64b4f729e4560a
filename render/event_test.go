package render

import (
	"testing"
	"time"

	"kind4/decode"
	"kind4/decode/session"
)

func TestAppendEvent(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 3, 4, 0, time.UTC).UnixMicro()
	tests := []struct {
		event session.Event
		want  string
	}{
		{
			session.Event{Kind: session.Opened, Time: at, Path: "/mcp/notifications/2", Channel: 2, HasChannel: true, Remote: "127.0.0.1:51012"},
			`{"event":"opened","time":"2026-11-30T12:03:04.000000Z","path":"/mcp/notifications/2","channel":2,"remote":"127.0.0.1:51012"}`,
		},
		{
			session.Event{Kind: session.Asked, Path: "/requests", FromKind4: true, Data: []byte{0, 0, 0, 2, 4}, Size: 5},
			`{"event":"asked","path":"/requests","channel":2,"kind":4,"ask":"` + decode.AskKind(4).String() + `","size":5}`,
		},
		{
			session.Event{Kind: session.Asked, Path: "/requests", Data: []byte("\xff\xff\xff\xff\x05secret"), Size: 11},
			`{"event":"asked","path":"/requests","channel":4294967295,"kind":5,"ask":"` + decode.AskKind(5).String() + `","size":11}`,
		},
		{
			session.Event{Kind: session.Asked, Path: "/requests", Data: []byte{1, 2}, Size: 2},
			`{"event":"asked","path":"/requests","size":2}`,
		},
		{
			session.Event{Kind: session.Refused, Path: "/\x1b[2J\xff", Method: "GET", Status: 404, Reason: `no "path"`, Remote: "[::1]:9"},
			`{"event":"refused","path":"/\u001b[2J\\xff","remote":"[::1]:9","method":"GET","status":404,"reason":"no \"path\""}`,
		},
		{
			session.Event{Kind: session.Closed, Path: "/mcp/notifications/0", HasChannel: true, End: &session.End{Kind: session.EndClose, Code: 1000, Reason: "bye\u202e", Sent: 1000}},
			`{"event":"closed","path":"/mcp/notifications/0","channel":0,"ending":"close","code":1000,"reason":"bye\u202e","sent":1000}`,
		},
		{
			session.Event{Kind: session.Closed, End: &session.End{Kind: session.EndReset, Error: "connection reset", Where: session.InPayload, Partial: 17}},
			`{"event":"closed","ending":"reset","error":"connection reset","inside":"payload","partial":17}`,
		},
		{
			session.Event{Kind: session.Closed, End: &session.End{Kind: session.EndBroken, Violation: &session.Violation{Section: "5.2", Offset: 0, Message: "reserved bit"}}},
			`{"event":"closed","ending":"broken","violation":{"section":"5.2","offset":0,"message":"reserved bit"}}`,
		},
		{
			session.Event{Kind: session.Note, Note: session.NoteFirstAnswer, Path: "/mcp/list-tools/1", Channel: 1, HasChannel: true, Size: 40},
			`{"event":"note","path":"/mcp/list-tools/1","channel":1,"note":"first-answer","size":40}`,
		},
		{
			session.Event{Kind: session.Control, Opcode: session.OpPing, Data: []byte("hi")},
			`{"event":"ping","size":2,"data_base64":"aGk="}`,
		},
		{
			session.Event{Kind: session.Message, Path: "/requests", Opcode: session.OpBinary, Data: []byte("hi"), Size: 2},
			`{"event":"message","path":"/requests","opcode":"binary","size":2}`,
		},
		{
			session.Event{Kind: session.Closed, End: &session.End{Kind: session.EndClose, Outcome: session.NotServed}},
			`{"event":"closed","outcome":"not-served","messages":0,"ending":"close"}`,
		},
		{session.Event{}, `{"event":""}`},
	}
	for _, test := range tests {
		got := string(AppendEvent([]byte("x"), &test.event, nil))
		if got != "x"+test.want+"\n" {
			t.Errorf("got  %swant x%s", got, test.want)
		}
	}
}

// Every kind of event and of note has a name, and so has every ending.
func TestEventNames(t *testing.T) {
	for k := session.Opened; k <= session.Note; k++ {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
	for n := session.NoteTLS; n <= session.NoteWrongWay; n++ {
		if n.String() == "" {
			t.Errorf("note %d has no name", n)
		}
	}
	for o := session.Complete; o <= session.Ended; o++ {
		if outcomeNames[o] == "" {
			t.Errorf("outcome %d has no name", o)
		}
	}
	for e := session.EndClose; e <= session.EndReceiver; e++ {
		if e.String() == "" {
			t.Errorf("ending %d has no name", e)
		}
	}
}
