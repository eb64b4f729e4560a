package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"kind4/decode/session"
	"kind4/decode/ws"
)

func text(i int) string { return fmt.Sprintf("\x00{\"method\":\"m\",\"params\":{\"n\":%d}}", i) }

func TestManyInOneSegment(t *testing.T) {
	p := start(t, Options{})
	openAsk(t, p, askOn1)
	c := open(t, p, "/mcp/notifications/1")
	var segment []byte
	for i := range 200 {
		segment = append(segment, message(text(i))...)
	}
	c.send(segment)
	e := &events{t: t, p: p}
	for i := range 200 {
		if got := e.until(session.Message); string(got.Data) != text(i) {
			t.Fatalf("message %d: %q", i, got.Data)
		}
	}
}

// A burst of 20,000 messages and a Close passes a queue far too small for it, to a consumer that only
// begins when the queue is full: all arrive, in order, and the queue never holds much more than its limit.
func TestBurstThroughASmallQueue(t *testing.T) {
	const count, limit = 20_000, 256 << 10
	p := start(t, Options{QueueBytes: limit})
	full := p.Full()
	openAsk(t, p, askOn1)
	c := open(t, p, "/mcp/notifications/1")
	go func() {
		var all []byte
		for i := range count {
			all = append(all, message(text(i)+strings.Repeat("x", i%300))...)
		}
		c.socket.Write(append(all, closing("\x03\xe8")...))
	}()
	e := &events{t: t, p: p}
	<-full
	if got := e.next(); got.Kind != session.Note || got.Note != session.NoteQueueFull {
		t.Fatalf("first event: %+v, want that the queue is full", got)
	}
	var most int64
	for i := range count {
		got := e.until(session.Message)
		if want := text(i) + strings.Repeat("x", i%300); string(got.Data) != want {
			t.Fatalf("message %d: %q, want %q", i, got.Data, want)
		}
		p.queue.mu.Lock()
		most = max(most, p.queue.size[messages]+p.queue.size[facts])
		p.queue.mu.Unlock()
	}
	if end := e.until(session.Closed).End; end.Kind != session.EndClose {
		t.Errorf("end: %+v", end)
	}
	if most > limit+2*(chunk+2*maxInBatch*eventSize) {
		t.Errorf("the queue held %d bytes", most)
	}
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	if left := p.queue.size; min(left[messages], left[facts]) < 0 || left[messages]+left[facts] > chunk+2*maxInBatch*eventSize {
		t.Errorf("the queue counts %d bytes at the end", left)
	}
}

func TestPingsWhileNobodyTakes(t *testing.T) {
	p := start(t, Options{})
	openAsk(t, p, askOn1)
	c := open(t, p, "/mcp/notifications/1")
	for i := range 500 {
		c.send(join(message(text(i)), masked(0x89, fmt.Sprint(i)), masked(0x8A, "unasked")))
		if opcode, got := c.frame(); opcode != ws.OpPong || string(got) != fmt.Sprint(i) {
			t.Fatalf("pong %d: %x %q", i, opcode, got)
		}
	}
	e := &events{t: t, p: p}
	for i := range 500 {
		if got := e.until(session.Message); string(got.Data) != text(i) {
			t.Fatalf("message %d: %q", i, got.Data)
		}
		if got := e.next(); got.Opcode != session.OpPing || string(got.Data) != fmt.Sprint(i) {
			t.Fatalf("ping %d: %+v", i, got)
		}
		if got := e.next(); got.Opcode != session.OpPong || string(got.Data) != "unasked" {
			t.Fatalf("pong %d: %+v", i, got)
		}
	}
}

// A peer that never reads its pongs does not hold kind4: what it sends is read on. That it reads nothing is said
// once, and at the end no Close is claimed, since none can be sent.
func TestPeerThatNeverReads(t *testing.T) {
	p := start(t, Options{writeTimeout: 50 * time.Millisecond, QueueBytes: 1 << 30})
	openAsk(t, p, askOn1)
	c := open(t, p, "/mcp/notifications/1")
	c.socket.SetReadBuffer(4 << 10)
	pings := bytes.Repeat(masked(0x89, strings.Repeat("p", 125)), 100_000)
	c.send(join(pings, message("\x00last")))
	e := &events{t: t, p: p}
	notes := 0
	got := e.next()
	for ; got.Kind != session.Message; got = e.next() {
		if got.Note == session.NoteNotReading {
			notes++
		}
	}
	if string(got.Data) != "\x00last" || notes != 1 {
		t.Errorf("got %q, and %d notes", got.Data, notes)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	p.Shutdown(ctx)
	for range 2 {
		got := e.until(session.Closed)
		want := uint16(1000)
		if got.HasChannel {
			want = 0
		}
		if got.End.Kind != session.EndOurs || got.End.Sent != want {
			t.Errorf("%s: %+v", got.Path, got.End)
		}
	}
}

// While messages wait for room, everything else goes on: connections are answered, and what happens on
// /requests and the first exchange's path is noticed.
func TestMessagesHoldNothingElse(t *testing.T) {
	p := start(t, Options{QueueBytes: 1 << 20, FirstExchange: true})
	full := p.Full()
	requests := openAsk(t, p, firstOn, askOn2)
	c := open(t, p, "/mcp/notifications/2")
	big := strings.Repeat("x", 4<<20)
	c.send(message(big))
	<-full
	requests.send(masked(0x89, "p"))
	if opcode, _ := requests.frame(); opcode != ws.OpPong {
		t.Errorf("opcode %x on /requests", opcode)
	}
	refused := connect(t, p)
	refused.send([]byte(upgradeRequest("/nope")))
	if r, _ := refused.response(); r.StatusCode != 404 {
		t.Errorf("status %d", r.StatusCode)
	}
	answer := open(t, p, "/mcp/list-tools/1")
	answer.send(join(message(noTools), closing("")))
	answer.wantClose("")
	requests.send(closing(""))
	requests.wantClose("")
	open(t, p, "/requests")
	e := &events{t: t, p: p}
	if got := e.until(session.Message); string(got.Data) != big {
		t.Errorf("got %d bytes", len(got.Data))
	}
	e.want(session.Control, "/requests")
	e.want(session.Refused, "/nope")
	e.note(session.NoteFirstAnswer)
	e.want(session.Closed, "/requests")
	e.want(session.Opened, "/requests")
}

// What is no message is bounded too, by memory of its own: connections wait while that is full.
func TestFactsAreBounded(t *testing.T) {
	const limit, count = 256 << 10, 100
	p := start(t, Options{QueueBytes: limit})
	full := p.Full()
	long := "/" + strings.Repeat("x", 30_000)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for range count {
			if c, err := net.Dial("tcp", p.Addr()); err == nil {
				c.Write([]byte(upgradeRequest(long)))
				io.ReadAll(c)
				c.Close()
			}
		}
	}()
	<-full
	e := &events{t: t, p: p}
	e.note(session.NoteQueueFull)
	for range count {
		e.want(session.Refused, long)
		p.queue.mu.Lock()
		if held := p.queue.size[facts]; held > 2*limit {
			t.Errorf("%d bytes are held", held)
		}
		p.queue.mu.Unlock()
	}
	<-sent
}

func TestLargeMessages(t *testing.T) {
	p := start(t, Options{MaxSize: 2 << 20})
	openAsk(t, p, askOn1)
	c := open(t, p, "/mcp/notifications/1")
	sizes := []int{125, 126, 65535, 65536, 65537, 1 << 20, 2 << 20, 2<<20 + 1, 5 << 20, 3}
	go func() {
		for i, size := range sizes {
			c.socket.Write(message(strings.Repeat(string(rune('a'+i)), size)))
		}
		c.socket.Write(closing(""))
	}()
	e := &events{t: t, p: p}
	for i, size := range sizes {
		got := e.until(session.Message)
		want := size
		if size > 2<<20 {
			want = 64
		}
		if got.Size != int64(size) || len(got.Data) != want || strings.Trim(string(got.Data), string(rune('a'+i))) != "" {
			t.Errorf("size %d: got size %d and %d bytes", size, got.Size, len(got.Data))
		}
	}
	if end := e.until(session.Closed).End; end.Kind != session.EndClose {
		t.Errorf("end %+v", end)
	}
}

// Pings between the fragments of a large message are yielded at once, and the message comes whole.
func TestPingsInsideALargeMessage(t *testing.T) {
	p := start(t, Options{})
	openAsk(t, p, askOn1)
	c := open(t, p, "/mcp/notifications/1")
	e := &events{t: t, p: p}
	part := strings.Repeat("0123456789abcdef", 8<<10)
	fragment := func(first byte) []byte {
		b := message(part)
		b[0] = first
		return b
	}
	c.send(fragment(0x02))
	for i := range 10 {
		c.send(join(masked(0x89, fmt.Sprint(i)), fragment(0x00)))
		if got := e.until(session.Control); string(got.Data) != fmt.Sprint(i) {
			t.Errorf("ping %d: %q", i, got.Data)
		}
	}
	c.send(join(masked(0x80, ""), message("next")))
	got := e.until(session.Message)
	if string(got.Data) != strings.Repeat(part, 11) || got.Fragments != 12 || got.MaxFrame != int64(len(part)) {
		t.Errorf("got %d bytes in %d fragments, the largest of %d", len(got.Data), got.Fragments, got.MaxFrame)
	}
	if got := e.until(session.Message); string(got.Data) != "next" {
		t.Errorf("got %q", got.Data)
	}
}

// A length that a frame only announces costs no memory.
func TestAnnouncedLength(t *testing.T) {
	for _, length := range []uint64{1 << 62, defaultMaxSize} {
		p := start(t, Options{})
		openAsk(t, p, askOn1)
		c := open(t, p, "/mcp/notifications/1")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.send(append(binary.BigEndian.AppendUint64([]byte{0x82, 0xFF}, length), 0, 0, 0, 0, 'a', 'b', 'c'))
		c.socket.CloseWrite()
		e := &events{t: t, p: p}
		if end := e.until(session.Closed).End; end.Where != session.InPayload || end.Partial != 17 {
			t.Errorf("end %+v", end)
		}
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
			t.Errorf("%d bytes announced: %d allocated", length, grown)
		}
	}
}

// gorilla/websocket is an implementation that shares nothing with this one.
func TestIndependentClient(t *testing.T) {
	p := start(t, Options{FirstExchange: true})
	dialer := websocket.Dialer{EnableCompression: true, Subprotocols: []string{"mcp"}, HandshakeTimeout: patience}
	dial := func(path string) *websocket.Conn {
		t.Helper()
		c, r, err := dialer.Dial("ws://"+p.Addr()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Header.Get("Sec-Websocket-Extensions") != "" || c.Subprotocol() != "" {
			t.Errorf("taken: %v", r.Header)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	requests := dial("/requests")
	for _, want := range []string{firstOn, askOn2} {
		kind, ask, err := requests.ReadMessage()
		if err != nil || kind != websocket.BinaryMessage || string(ask) != want {
			t.Fatalf("ask: %d %q %v", kind, ask, err)
		}
	}
	c := dial("/mcp/notifications/2")
	pong := make(chan string, 1)
	c.SetPongHandler(func(data string) error { pong <- data; return nil })
	sizes := []int{0, 1, 125, 126, 65535, 65536, 1 << 20}
	for i, size := range sizes {
		kind := websocket.BinaryMessage
		if i == 1 {
			kind = websocket.TextMessage
		}
		if err := c.WriteMessage(kind, bytes.Repeat([]byte{'x'}, size)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.WriteControl(websocket.PingMessage, []byte("hi"), time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1001, "going"), time.Now().Add(patience))
	_, _, err := c.ReadMessage()
	if closed, ok := err.(*websocket.CloseError); !ok || closed.Code != 1001 {
		t.Errorf("answer to the close: %v", err)
	}
	if got := <-pong; got != "hi" {
		t.Errorf("pong %q", got)
	}
	e := &events{t: t, p: p}
	for i, size := range sizes {
		got := e.until(session.Message)
		opcode := uint8(session.OpBinary)
		if i == 1 {
			opcode = session.OpText
		}
		if got.Size != int64(size) || len(got.Data) != size || got.Opcode != opcode {
			t.Errorf("message %d: %d bytes, opcode %x", i, got.Size, got.Opcode)
		}
	}
	if end := e.until(session.Closed).End; end.Kind != session.EndClose || end.Code != 1001 || end.Reason != "going" {
		t.Errorf("end %+v", end)
	}
	if _, r, err := dialer.Dial("ws://"+p.Addr()+"/requests", nil); err == nil || r.StatusCode != http.StatusConflict {
		t.Errorf("second /requests: %v", err)
	}
}

func BenchmarkReceive(b *testing.B) {
	for _, size := range []int{90, 1000, 60_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p, err := Listen(Options{Listen: "127.0.0.1:0"})
			if err != nil {
				b.Fatal(err)
			}
			defer shutdown(p)
			ask, err := dial(b.Context(), p.Addr(), requestsPath)
			if err != nil {
				b.Fatal(err)
			}
			defer ask.end()
			c, err := dial(b.Context(), p.Addr(), "/mcp/notifications/1")
			if err != nil {
				b.Fatal(err)
			}
			defer c.end()
			one := message(strings.Repeat("x", size))
			burst := bytes.Repeat(one, max(1, 1<<20/len(one)))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			go func() {
				for sent := 0; sent < b.N; sent += len(burst) / len(one) {
					c.socket.Write(burst)
				}
			}()
			for got := 0; got < b.N; {
				batch, _ := p.Take()
				if batch == nil {
					<-p.Ready()
					continue
				}
				for i := range batch.Events {
					if batch.Events[i].Kind == session.Message {
						got++
					}
				}
				batch.Release()
			}
		})
	}
}
