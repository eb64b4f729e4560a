package conversation

import (
	"slices"

	"kind4/decode"
	"kind4/decode/session"
)

// What is kept of asks at most.
const (
	maxAskers  = 1024 // proxies
	maxWaiting = 1024 // asks of a proxy that have no answer yet
)

// asks are the asks of kinds 0 to 4 that were captured, by their proxies, and whose answer paths were not. The zero asks
// are none.
type asks struct {
	waiting map[string][]waiting
}

// waiting is an ask without an answer.
type waiting struct {
	channel uint32
	kind    decode.AskKind
}

// take takes in an ask. Those beyond what is kept are passed over.
func (a *asks) take(proxy string, data []byte) {
	var ask decode.Ask
	if ask.Decode(data) != nil || ask.Kind > decode.KindNotifications {
		return
	}
	list, known := a.waiting[proxy]
	if !known && len(a.waiting) >= maxAskers || len(list) >= maxWaiting {
		return
	}
	if a.waiting == nil {
		a.waiting = make(map[string][]waiting)
	}
	a.waiting[proxy] = append(list, waiting{ask.Channel, ask.Kind})
}

// answer takes in that a path was opened. Where it is another /requests, asks that were not answered are lost (Diverge
// Provider 2.3.0, /requests); not where that ends, since what was sent before may stand behind a gap and come later.
func (a *asks) answer(path *session.Event) {
	if path.Path == session.RequestsPath {
		delete(a.waiting, path.Proxy)
		return
	}
	if list, known := a.waiting[path.Proxy]; known {
		a.waiting[path.Proxy] = slices.DeleteFunc(list, func(w waiting) bool { return w.kind.Path(w.channel) == path.Path })
	}
}

// only returns the answer path of the only ask of a proxy that waits and is of one of the kinds, "" where there is none
// or more than one.
func (a *asks) only(proxy string, of func(decode.AskKind) bool) (path string) {
	for _, w := range a.waiting[proxy] {
		switch {
		case !of(w.kind):
		case path != "":
			return ""
		default:
			path = w.kind.Path(w.channel)
		}
	}
	return path
}

func everyKind(decode.AskKind) bool { return true }
