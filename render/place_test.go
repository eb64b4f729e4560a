package render

import (
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// What one object keeps from the one before is what both have.
func TestJSONPlace(t *testing.T) {
	f := new(decode.Frame)
	_ = f.Decode([]byte("\x00" + `{"method":"notifications/tools/list_changed"}`))
	printer := New(JSON, Options{})
	for _, step := range []struct {
		event session.Event
		want  string
	}{
		{session.Event{}, `{"seq":0,"size"`},
		{session.Event{Path: "/a", Channel: 1, HasChannel: true}, `{"seq":0,"channel":1,"path":"/a","size"`},
		{session.Event{Path: "/a", Channel: 2, HasChannel: true}, `{"seq":0,"channel":2,"path":"/a","size"`},
		{session.Event{Path: "/a", Channel: 2}, `{"seq":0,"path":"/a","size"`},
		{session.Event{Path: "/b", Channel: 2}, `{"seq":0,"path":"/b","size"`},
		{session.Event{}, `{"seq":0,"size"`},
	} {
		if got := string(printer.AppendMessage(nil, &Message{Event: &step.event, Frame: f})); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s, want %s", got, step.want)
		}
	}
}

// Of a notification whose bytes are withheld the type stands all the same, and no tag that nobody sees.
func TestJSONWithheld(t *testing.T) {
	f := new(decode.Frame)
	f.SetVerdict(10, decode.TagNotification, decode.TypeNotification, 0, 0)
	got := string(New(JSON, Options{}).AppendMessage(nil, &Message{Frame: f}))
	if !strings.Contains(got, `"size":10,"type":"notification"`) {
		t.Error(got)
	}
}
