package live

import (
	"io"
	"net/http"
	"regexp"
	"sync"
	"time"

	"kind4/decode/session"
	"kind4/decode/ws"
)

// look looks at what was read into room, and returns what of it is to be relayed now, as it was.
func (d *direction) look(b []byte) []byte {
	switch {
	case d.stream != nil:
		d.copied = append(d.copied[:0], b...)
		d.stream.filled(len(b))
		d.decode()
		return d.copied
	case d.answer != nil:
		d.answer.take(d, b)
	case d.early:
		return d.hold(b)
	}
	return b
}

// flush queues what was decoded.
func (d *direction) flush() {
	if d.stream != nil {
		d.stream.flush()
	}
}

// hold holds back what the provider sends behind its request until the proxy has answered, and returns what is to be
// relayed now: another request, which has to be looked at first, may hide in it.
func (d *direction) hold(b []byte) []byte {
	body := min(d.body, int64(len(b)))
	d.body -= body
	d.held = append(d.held, b[body:]...)
	if len(d.held) >= chunk {
		<-d.relay.answered
	}
	return append(b[:body:body], d.catchUp()...)
}

// catchUp decodes what was held once the answer is there, and returns it to be relayed: all of it where the path was
// opened, nothing else.
func (d *direction) catchUp() []byte {
	select {
	case <-d.relay.answered:
	default:
		return nil
	}
	if !d.early {
		return nil
	}
	held := d.held
	d.early, d.held = false, nil
	if !d.relay.opened {
		d.dropped = int64(len(held))
		return nil
	}
	d.begin(held)
	return held
}

// begin begins to decode a path that was opened; early is what has come of it.
func (d *direction) begin(early []byte) {
	if d.relay.sender == 0 {
		return
	}
	parser := ws.Parser{Masked: d.from == session.Provider, MaxSize: d.relay.tap.options.MaxSize}
	of := facts
	if d.from == d.relay.sender && d.relay.base.Path != requestsPath {
		of = messages
	}
	d.stream = newStream(d.relay.tap.queue, of, parser, early)
	d.decode()
}

// decode turns what was relayed into events. Behind a Close, or where RFC 6455 is broken, nothing more is decoded.
func (d *direction) decode() {
	now := d.relay.tap.now()
	for {
		item := d.stream.next()
		if item == nil {
			return
		}
		switch item.Kind {
		case ws.Message:
			d.message(now, item)
		case ws.Control:
			d.event(session.Control, now, item)
		default:
			d.stream.flush()
			d.release()
			d.ended = true
			d.relay.over(d.from, item.End())
			return
		}
	}
}

// event adds an event.
func (d *direction) event(kind session.Kind, now int64, item *ws.Item) *session.Event {
	base := &d.relay.base
	e := d.stream.event(kind, now, item)
	e.Path, e.Channel, e.HasChannel, e.From = base.Path, base.Channel, base.HasChannel, d.from
	if d.relay.again {
		e.Remote = base.Remote
	}
	return e
}

// message takes a message by the path and the side that it came from.
func (d *direction) message(now int64, item *ws.Item) {
	e := d.event(session.Message, now, item)
	e.Place(d.relay.sender)
	if e.Kind == session.Message && d.from == d.relay.sender {
		d.relay.tap.received.Add(1)
	}
}

// answer gathers what the proxy answers to the request until it is known, and follows one that opens no path to its
// end.
type answer struct {
	relay    *relay
	sender   session.Side // where the path is opened
	gathered []byte       // the head, and the beginning of the body
	refused  *http.Response
	came     int64 // bytes of its body
	settled  bool  // relay.answered is closed
}

// take looks at what came of the answer.
func (a *answer) take(d *direction, b []byte) {
	if a.refused != nil {
		a.body(d, b)
		return
	}
	a.gathered = append(a.gathered, b...)
	for a.refused == nil {
		end := ws.HeadEnd(a.gathered, 0)
		if end == 0 {
			if len(a.gathered) >= maxHead || !ws.MayBeAnswer(a.gathered) {
				a.unread("an answer that is not HTTP")
				d.answer = nil
			}
			return
		}
		response, err := ws.ParseAnswer(a.gathered, a.relay.request)
		switch {
		case err != nil:
			a.unread("an answer that is not HTTP: " + err.Error())
			d.answer = nil
			return
		case response.StatusCode == http.StatusSwitchingProtocols:
			d.bytes.Add(-int64(end))
			d.answer = nil
			a.opened(d, response, a.gathered[end:])
			return
		case response.StatusCode < 200: // RFC 9110 section 15.2: an interim answer
			d.bytes.Add(-int64(end))
			a.gathered = a.gathered[end:]
		default:
			d.bytes.Add(-int64(end))
			a.refused, a.came = response, int64(len(a.gathered)-end)
			a.settle(0, false)
		}
	}
	a.body(d, nil)
}

// settle says what became of the path, once.
func (a *answer) settle(sender session.Side, opened bool) {
	if !a.settled {
		a.settled = true
		a.relay.mu.Lock()
		a.relay.sender, a.relay.opened = sender, opened
		a.relay.mu.Unlock()
		close(a.relay.answered)
		a.relay.directions[0].source.SetReadDeadline(time.Unix(1, 0)) // what the provider has sent already is due now
	}
}

// opened takes an answer that opens the path; early is what came behind it.
func (a *answer) opened(d *direction, response *http.Response, early []byte) {
	sender := a.sender
	extensions := response.Header.Get("Sec-Websocket-Extensions")
	if sender != 0 && extensions != "" {
		sender = 0
		e := a.relay.event(session.Note, 0)
		e.Note, e.Reason = session.NoteUndecoded, ws.Agreed(extensions)
		a.relay.tap.queue.add(facts, e)
	}
	if sender != 0 {
		a.relay.tap.open(a.relay)
	}
	a.settle(sender, true)
	d.begin(early)
}

// What is gathered of an answer that opens no path, in bytes.
const (
	maxAnswerBody = ws.MaxReason // of its body, before it is told
	maxChunked    = 64 << 10     // in all, while the end of its body has to be looked for
)

// body follows the body of an answer that opens no path: with its end the connection ends.
func (a *answer) body(d *direction, b []byte) {
	a.came += int64(len(b))
	if len(a.gathered) < maxChunked {
		a.gathered = append(a.gathered, b...)
	}
	d.over = a.over()
	if d.over || a.came >= maxAnswerBody {
		a.end()
	}
	if d.over {
		d.answer = nil
	}
}

// over reports whether the answer's body is known to be over. One without a length ends with the connection, and so
// does one in chunks that is too long to be followed.
func (a *answer) over() bool {
	switch {
	case a.refused.Body == http.NoBody:
		return true
	case len(a.refused.TransferEncoding) == 0:
		return a.refused.ContentLength >= 0 && a.came >= a.refused.ContentLength
	}
	response, err := ws.ParseAnswer(a.gathered, a.relay.request)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return err == nil
}

// end says what became of the request when nothing more is gathered.
func (a *answer) end() {
	switch {
	case a.refused == nil && len(a.gathered) == 0:
		a.unread("no answer")
	case a.refused == nil:
		a.unread("an answer that was cut off")
	case a.refused.StatusCode >= 300 && !a.relay.told:
		a.refusal()
	}
}

// unread says that no answer came that can be read. Where its first line opens the path all the same, the relay goes
// on.
func (a *answer) unread(reason string) {
	if !a.settled && !a.relay.isCut.Load() {
		e := a.relay.event(session.Note, session.Proxy)
		e.Note, e.Reason = session.NoteNoAnswer, reason
		a.tell(e)
	}
	a.settle(0, switching().Match(a.gathered))
}

// switching is the first line of an answer that opens a path (RFC 9112 section 4).
var switching = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^HTTP/1\.\d 101[ \r\n]`) })

// refusal says what the proxy refused, with the first line of the body.
func (a *answer) refusal() {
	e := a.relay.event(session.Refused, session.Proxy)
	e.Path, e.Method, e.Status = a.relay.request.RequestURI, a.relay.request.Method, a.refused.StatusCode
	e.Reason = ws.AnswerReason(a.gathered, a.relay.request)
	a.tell(e)
}

// tell queues the one thing that is said of a request that opened no path.
func (a *answer) tell(e session.Event) {
	a.relay.told = true
	a.relay.tell(e)
}
