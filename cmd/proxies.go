package cmd

import (
	"kind4/decode"
	"kind4/decode/session"
)

// meetProxy takes in whose event it is. Behind the first event of a second proxy, all that is said names the proxy.
func (v *view) meetProxy(ev *session.Event) {
	if first, second := v.proxies.Take(ev.Proxy); second {
		v.say("another proxy: %s; what came before is of %s, and from here on each line names its own", ev.Proxy, first)
	}
}

// name is what the event's path is called: by its proxy too, where there are several.
func (v *view) name(ev *session.Event) string {
	if v.proxies.Several() && ev.Proxy != "" {
		return cut(ev.Path, 200) + " of " + ev.Proxy
	}
	return ev.Path
}

// openingName is what an opening is called. One of a path that was open already names its peer.
func (v *view) openingName(o session.Opening) string {
	name := v.name(&session.Event{Path: o.Path, Proxy: o.Proxy})
	switch {
	case o.Remote == "":
		return name
	case v.proxies.Several():
		return name + ", opened by " + o.Remote
	}
	return name + " of " + o.Remote
}

// worded is the event as a line is made of it, with the path's name in place of the path.
func (v *view) worded(ev *session.Event) *session.Event {
	if !v.proxies.Several() || ev.Path == "" {
		return ev
	}
	named := *ev
	named.Path = v.name(ev)
	if ev.Note == session.NoteMidStream {
		named.Remote += " to " + ev.Proxy
	}
	return &named
}

// ask takes in an ask; those of one proxy that go out together are said together.
func (v *view) ask(ev *session.Event, ask decode.Ask) {
	v.asks, v.askedBy = append(v.asks, ask), ev.Proxy
}
