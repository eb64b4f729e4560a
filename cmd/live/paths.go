package live

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

const requestsPath = session.RequestsPath

// toolPath is where kind4 dials as a client.
const toolPath = session.ToolPath

// paths is what may be opened at present, and what is. Proxy.mu guards it.
type paths struct {
	requests *conn           // the open /requests, or nil
	asks     map[uint32]*ask // announced, and their paths not yet over
	last     uint32          // channel; channels ascend from 1 and are never used twice
	first    bool            // the first exchange's ask is still to go out, or was lost
	firsts   []uint32        // the channels that it went out on; kind 4 had every other
}

// ask is one that went out.
type ask struct {
	channel uint32
	kind    decode.AskKind
	open    *conn // its answer path, nil while it is not open
}

func (a *ask) path() string { return a.kind.Path(a.channel) }

// find returns the ask that the path answers, nil for none.
func (s *paths) find(path string) *ask {
	channel, ok := channelOf(path)
	if !ok {
		return nil
	}
	if a := s.asks[channel]; a != nil && a.path() == path {
		return a
	}
	return nil
}

// channelOf returns the number that a path ends with.
func channelOf(path string) (uint32, bool) {
	channel, err := strconv.ParseUint(path[strings.LastIndexByte(path, '/')+1:], 10, 32)
	return uint32(channel), err == nil
}

// unknown says why there is no such path, "" where there is.
func (s *paths) unknown(path string) string {
	if path == requestsPath || s.find(path) != nil {
		return ""
	}
	channel, ok := channelOf(path)
	var kind decode.AskKind
	switch {
	case ok && path == decode.KindNotifications.Path(channel):
		kind = decode.KindNotifications
	case ok && path == decode.KindListTools.Path(channel):
		kind = decode.KindListTools
	default:
		return "no such path here: only " + requestsPath + " and the answer paths of asks that went out on it"
	}
	reason := fmt.Sprintf("no kind-%d ask on channel %d", kind, channel)
	switch had := s.kindOf(channel); {
	case channel == 0 || channel > s.last:
		return reason
	case had == kind:
		return reason + " any more"
	case s.asks[channel] == nil:
		return reason + fmt.Sprintf(": the ask on it was of kind %d", had)
	default:
		return reason + fmt.Sprintf(": the ask on it is of kind %d", had)
	}
}

// kindOf returns what was asked on a channel that was minted.
func (s *paths) kindOf(channel uint32) decode.AskKind {
	if _, first := slices.BinarySearch(s.firsts, channel); first {
		return decode.KindListTools
	}
	return decode.KindNotifications
}

// grant decides on an upgrade request, and claims the path in the same step. A granted path is opened from
// here on, and what is to be sent on it is returned; a refusal is queued as an event.
// header is the request's as sent.
func (p *Proxy) grant(c *conn, r *http.Request, header string) (send []byte, refusal *ws.Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if refusal = ws.Check(r, p.paths.unknown); refusal == nil {
		refusal = p.claim(c, ws.Path(r.RequestURI))
	}
	if refusal != nil {
		p.queue.add(facts, session.Event{Kind: session.Refused, Time: p.now(), Path: r.RequestURI, Method: r.Method,
			Status: refusal.Status, Reason: refusal.Reason, Remote: c.remote})
		return nil, refusal
	}
	p.forget(c)
	p.open[c] = struct{}{}
	if c.ask == nil || c.ask.kind == decode.KindNotifications {
		p.queue.add(facts, c.event(session.Event{Kind: session.Opened, Time: p.now(), Remote: c.remote,
			Header: header[:min(len(header), maxHeader)]}))
	}
	if c.ask == nil {
		send = p.announce()
	}
	return send, nil
}

// claim gives the path, which is known, to c.
func (p *Proxy) claim(c *conn, path string) *ws.Refusal {
	if p.closing {
		return &ws.Refusal{Status: http.StatusServiceUnavailable, Reason: "kind4 is ending"}
	}
	c.path = path
	if path == requestsPath {
		if p.paths.requests != nil {
			return &ws.Refusal{Status: http.StatusConflict, Reason: requestsPath + " is open already"}
		}
		p.paths.requests = c
		return nil
	}
	a := p.paths.find(path)
	if a.open != nil {
		return &ws.Refusal{Status: http.StatusConflict, Reason: path + " is open already"}
	}
	a.open, c.ask = c, a
	return nil
}

// announce mints the asks that go out on a /requests just opened, and returns their frames.
func (p *Proxy) announce() (frames []byte) {
	var events []session.Event
	mint := func(kind decode.AskKind, payload string) {
		p.paths.last++
		a := &ask{channel: p.paths.last, kind: kind}
		if p.paths.asks == nil {
			p.paths.asks = make(map[uint32]*ask)
		}
		p.paths.asks[a.channel] = a
		message := decode.AppendAsk(nil, a.channel, kind, []byte(payload))
		frames = ws.AppendFrame(frames, ws.OpBinary, message, nil)
		events = append(events, session.Event{Kind: session.Asked, Time: p.now(), Path: requestsPath, Channel: a.channel,
			HasChannel: true, FromKind4: true, Opcode: ws.OpBinary, Fragments: 1, Data: message, Size: int64(len(message))})
	}
	if p.paths.first {
		p.paths.first = false
		mint(decode.KindListTools, "null")
		p.paths.firsts = append(p.paths.firsts, p.paths.last)
	}
	if p.paths.notifying() {
		events = append(events, session.Event{Kind: session.Note, Note: session.NoteNoAsk, Time: p.now(), Path: requestsPath})
	} else {
		mint(decode.KindNotifications, "")
	}
	p.queue.add(facts, events...)
	return frames
}

// notifying reports whether a notification path is open.
func (s *paths) notifying() bool {
	for _, a := range s.asks {
		if a.kind == decode.KindNotifications && a.open != nil {
			return true
		}
	}
	return false
}

// ended frees what c held, and queues how its path ended and what follows from that. It comes before
// kind4's own answer, so that a peer that has read the answer finds slot and channel free. The first exchange's
// answer is a Note of its size (answer); where no Close ended it, Closed says how it did.
func (p *Proxy) ended(c *conn, end *session.End, answer int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	closed := c.event(session.Event{Kind: session.Closed, Time: p.now(), Remote: c.remote, End: end})
	switch {
	case c.ask == nil:
		p.paths.requests = nil
		p.queue.add(facts, closed)
		p.lose()
	case c.ask.kind == decode.KindNotifications:
		delete(p.paths.asks, c.ask.channel)
		p.queue.add(facts, closed)
		if !p.closing && p.paths.requests != nil && !p.paths.notifying() {
			p.queue.add(facts, session.Event{Kind: session.Note, Note: session.NoteNoPath, Time: p.now(), Path: requestsPath})
		}
	default:
		delete(p.paths.asks, c.ask.channel)
		note := closed
		note.Kind, note.Note, note.Size = session.Note, session.NoteFirstAnswer, answer
		p.queue.add(facts, note)
		if end.Kind != session.EndClose {
			p.queue.add(facts, closed)
		}
	}
}

// lose drops the asks whose paths were not opened before their /requests ended.
func (p *Proxy) lose() {
	for _, channel := range slices.Sorted(maps.Keys(p.paths.asks)) {
		a := p.paths.asks[channel]
		if a.open != nil {
			continue
		}
		delete(p.paths.asks, channel)
		if a.kind != decode.KindNotifications {
			p.paths.first = true
		}
		if !p.closing {
			p.queue.add(facts, session.Event{Kind: session.Note, Note: session.NoteAskLost, Time: p.now(), Path: a.path(),
				Channel: channel, HasChannel: true})
		}
	}
}
