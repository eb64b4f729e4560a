package conversation

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// request is one that waits for its answer.
type request struct {
	*http.Request
	header  string
	upgrade bool // asks for a WebSocket
	told    bool // what became of it is said
}

// refusal is an answer that opens nothing.
type refusal struct {
	status   int
	head     int    // bytes
	gathered []byte // the head, and ws.MaxReason bytes of the body at most
}

// path is what every event says that is about the request.
func (r *request) path() session.Event { return session.BehindGateway(ws.Path(r.RequestURI)) }

// matters reports whether something is to be said of the request where it opens nothing.
func (r *request) matters() bool {
	base := r.path()
	return r.upgrade || base.Sender() != 0
}

// converse reads what has come of requests and answers. What is no request may end that.
func (c *conn) converse() {
	for c.stage == heads && (c.request() || c.stage == heads && c.answer()) {
	}
}

// request reads the client's next request where it is whole, and reports whether it did. Behind one that asks for a
// WebSocket everything waits for the answer.
func (c *conn) request() bool {
	s := &c.sides[c.client]
	s.drop(s.body.Take(s.buf))
	if n := len(c.pending); n > 0 && c.pending[n-1].upgrade {
		if len(s.buf) > maxEarly {
			c.strange()
		}
		return false
	}
	for len(s.buf) > 0 && (s.buf[0] == '\r' || s.buf[0] == '\n') { // RFC 9112 section 2.2
		s.drop(1)
	}
	if len(s.buf) == 0 || !s.body.Over() {
		return false
	}
	switch {
	case isTLS(s.buf):
		c.count(&c.set.counts.TLS)
		c.forget()
		return false
	case !mayBeRequest(s.buf), len(c.pending) == maxPending:
		c.strange()
		return false
	}
	head, tooLong := s.head()
	switch {
	case tooLong:
		c.strange()
		return false
	case head == nil:
		return false
	}
	r, err := ws.ParseHead(head)
	if err != nil {
		c.strange()
		return false
	}
	header := ws.HeaderText(head)
	c.pending = append(c.pending, &request{
		Request: r, header: header[:min(len(header), maxHeader)], upgrade: ws.HasToken(r.Header["Upgrade"], "websocket"),
	})
	s.body = ws.RequestBody(r)
	s.drop(len(head))
	if c.class == &c.set.counts.Other {
		c.count(&c.set.counts.HTTP)
	}
	return true
}

// cutRequest keeps what a request asks for whose head is cut off behind its first line, as by a short snap length, and
// reports whether it may open a path whose messages are decoded.
func (c *conn) cutRequest(head []byte) bool {
	method, rest, _ := bytes.Cut(head, []byte(" "))
	target, version, _ := bytes.Cut(rest, []byte(" "))
	if string(method) != http.MethodGet || !bytes.HasPrefix(version, []byte("HTTP/1.1")) || c.asked().Path != "" {
		return true
	}
	r := &request{Request: &http.Request{Method: http.MethodGet, RequestURI: string(target)}, upgrade: true}
	base := r.path()
	if base.Sender() == 0 {
		return !answersAsk(base.Path)
	}
	c.pending = append(c.pending, r)
	return true
}

// answersAsk reports whether an ask of some kind is answered on the path.
func answersAsk(path string) bool {
	channel, err := strconv.ParseUint(path[strings.LastIndexByte(path, '/')+1:], 10, 32)
	for kind := decode.AskKind(0); err == nil && kind.Known(); kind++ {
		if kind.Path(uint32(channel)) == path {
			return true
		}
	}
	return false
}

// head returns the head at the front of what has come, nil where it is not whole or too long.
func (s *side) head() (head []byte, tooLong bool) {
	end := ws.HeadEnd(s.buf, s.scanned-2)
	s.scanned = len(s.buf)
	if end == 0 || end > maxHead {
		return nil, max(end, len(s.buf)) > maxHead
	}
	s.scanned = 0
	return s.buf[:end], false
}

// drop drops the first n bytes of what has come.
func (s *side) drop(n int) {
	if n > 0 {
		s.buf, s.scanned = s.buf[n:], 0
	}
	if len(s.buf) == 0 {
		s.buf = nil
	}
}

// answer reads what has come of the server's next answer, and reports whether the next may begin.
func (c *conn) answer() bool {
	s := &c.sides[c.client.Other()]
	if !s.body.Over() {
		return c.answerBody(s)
	}
	switch {
	case len(s.buf) == 0:
		return false
	case !ws.MayBeAnswer(s.buf) || len(s.buf) > maxEarly:
		c.strange()
		return false
	}
	head, tooLong := s.head()
	switch {
	case tooLong:
		c.strange()
		return false
	case head == nil || len(c.pending) == 0:
		return false
	}
	r := c.pending[0]
	response, err := ws.ParseAnswer(head, r.Request)
	switch {
	case err != nil:
		c.unread("an answer that is not HTTP")
		c.strange()
		return false
	case response.StatusCode == http.StatusSwitchingProtocols:
		s.drop(len(head))
		c.upgrade(r, response)
		return false
	case response.StatusCode < 200: // RFC 9110 section 15.2: an interim answer
		s.drop(len(head))
		return true
	}
	c.refusal = &refusal{response.StatusCode, len(head), append([]byte(nil), head...)}
	s.body = ws.AnswerBody(response)
	s.drop(len(head))
	return c.answerBody(s)
}

// answerBody follows the body of an answer, and reports whether that has come to its end.
func (c *conn) answerBody(s *side) bool {
	n := s.body.Take(s.buf)
	if f := c.refusal; f != nil {
		room := f.head + ws.MaxReason - len(f.gathered)
		f.gathered = append(f.gathered, s.buf[:min(n, room)]...)
		if n >= room || s.body.Over() {
			c.refused()
		}
	}
	s.drop(n)
	if !s.body.Over() {
		return false
	}
	c.pending = c.pending[1:]
	return true
}

// refused says what the answer at hand refused, once.
func (c *conn) refused() {
	answer, r := c.refusal, c.pending[0]
	if c.refusal = nil; answer == nil || r.told || !r.matters() {
		return
	}
	if answer.status < 300 {
		c.unread(fmt.Sprintf("an answer of %d, which opens nothing", answer.status))
		return
	}
	r.told = true
	c.set.counts.Unopened++
	c.base = c.on(r.path())
	e := c.event(session.Refused, session.Proxy)
	e.Path, e.Method, e.Status = r.RequestURI, r.Method, answer.status
	e.Reason = ws.AnswerReason(answer.gathered, r.Request)
	c.set.add(e)
}

// unread says of the request at hand that it has no answer that opens or refuses a path.
func (c *conn) unread(reason string) {
	if r := c.pending[0]; r.upgrade && !r.told {
		r.told = true
		c.set.counts.Unopened++
		c.base = c.on(r.path())
		c.set.add(c.note(session.NoteUnanswered, session.Proxy, reason))
	}
}

// unanswered says what is to be said of requests where nothing more comes of their answers.
func (c *conn) unanswered() {
	if len(c.pending) == 0 {
		return
	}
	c.refused()
	reason := "no answer"
	if len(c.sides[c.client.Other()].buf) > 0 {
		reason = "an answer that is cut off"
	}
	c.unread(reason)
}

// strange goes on with a connection that does not speak HTTP: one whose beginning was not seen, or of which the capture
// may lack the answer to a request for a path, may be a path all the same.
func (c *conn) strange() {
	answered := len(c.sides[c.client.Other()].buf) > 0
	if c.started && !c.unsure && (answered || !c.asksPath()) {
		c.forget()
		return
	}
	c.seek()
}

// upgrade goes on with a path that was opened. What came early of it is there.
func (c *conn) upgrade(r *request, response *http.Response) {
	if !ws.HasToken(response.Header["Upgrade"], "websocket") {
		c.forget()
		return
	}
	c.base = c.on(r.path())
	c.sender, c.stage = c.base.Sender(), carried
	c.pending, c.refusal = nil, nil
	c.count(&c.set.counts.Upgraded)
	c.set.counts.name(&c.base)
	c.set.asks.answer(&c.base)
	if extensions := response.Header.Get("Sec-Websocket-Extensions"); extensions != "" && c.sender != 0 {
		c.sender = 0
		c.set.add(c.note(session.NoteUndecoded, 0, ws.Agreed(extensions)))
	}
	if c.sender == 0 {
		c.carry()
		return
	}
	wasOpen := c.set.isOpen(c.base.Opening().First())
	c.begin()
	e := c.event(session.Opened, 0)
	e.Header = r.header
	c.set.add(e)
	if wasOpen {
		c.set.add(c.note(session.NoteOpenAgain, 0, ""))
	}
	c.frames(c.client)
	c.frames(c.client.Other())
}
