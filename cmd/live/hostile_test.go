package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kind4/cmd/live/hostile"
	"kind4/decode"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// cutUpTo is how many of a case's first bytes it is cut at, one connection each.
const cutUpTo = 200

// way is how the bytes of a case are sent, and ended.
type way uint8

const (
	withFIN     way = iota // behind the answer to the upgrade, then an end in order
	withRST                // likewise, then a reset
	withUpgrade            // in one write with the upgrade request, then an end in order
	byteByByte             // each of the first in a write of its own, then an end in order
	ways
)

// attack is one connection of a hostile peer.
type attack struct {
	name  string
	bytes []byte
	early int // of bytes, sent together with the request
	way   way
	want  hostile.Facts

	path   string
	peer   *peer
	events []session.Event
}

// siege is a case and what it is played as: whole, and cut at each of its first bytes where no case before began
// likewise.
type siege struct {
	hostile.Case
	attacks []*attack
}

// sieges returns the table; client says that the hostile peer is one.
func sieges(client bool) (list []siege) {
	begun := make(map[string]bool)
	for _, c := range hostile.Cases() {
		all := c.Bytes(client)
		s := siege{c, attacks(&c, len(all), client)}
		for n := range min(len(all), cutUpTo+1) {
			if cut := string(all[:n]); !begun[cut] {
				begun[cut] = true
				s.attacks = append(s.attacks, attacks(&c, n, client)...)
			}
		}
		list = append(list, s)
	}
	return list
}

// attacks are the first n bytes of a case, in every way.
func attacks(c *hostile.Case, n int, client bool) (list []*attack) {
	all := c.Bytes(client)
	for way := range ways {
		switch {
		case way == byteByByte && n < len(all):
			continue
		case way == withUpgrade && n < len(all) && n > 16:
			continue
		case way == withRST && n > cutUpTo: // a reset throws away what is not sent yet
			continue
		}
		a := &attack{name: fmt.Sprintf("%d bytes, way %d", n, way), bytes: all[:n], way: way, want: c.At(n, client)}
		if way == withUpgrade {
			a.early = n
		}
		list = append(list, a)
	}
	return list
}

// strike sends what the attack sends once the path is open. What kind4 closed may not be written to any more.
func (a *attack) strike() {
	rest := a.bytes[a.early:]
	if a.way == byteByByte {
		for i := range min(len(rest), 2*cutUpTo) {
			a.peer.socket.Write(rest[i : i+1])
		}
		rest = rest[min(len(rest), 2*cutUpTo):]
	}
	a.peer.socket.Write(rest)
	if a.way == withRST {
		a.peer.reset()
		return
	}
	a.peer.socket.CloseWrite()
}

// answered checks what kind4 sent: a pong for each ping, and the Close that is due, nothing else.
func (a *attack) answered(client bool) error {
	if a.way == withRST {
		return nil
	}
	var got []string
	for {
		opcode, payload, err := a.peer.readFrame(!client)
		if err == io.EOF || errors.Is(err, syscall.ECONNRESET) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading what kind4 sent: %w", err)
		}
		if opcode == ws.OpClose {
			payload = payload[:min(2, len(payload))]
		}
		got = append(got, fmt.Sprintf("%x %q", opcode, payload))
	}
	var want []string
	for _, ping := range a.want.Pings {
		want = append(want, fmt.Sprintf("a %q", ping))
	}
	switch end := a.want.End; {
	case end.Kind == session.EndEOF:
	case end.Sent == 0:
		want = append(want, `8 ""`)
	default:
		want = append(want, fmt.Sprintf("8 %q", binary.BigEndian.AppendUint16(nil, end.Sent)))
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		return fmt.Errorf("kind4 sent %.300q, want %.300q", got, want)
	}
	return nil
}

// readFrame reads a frame of at most 125 bytes; masked says that kind4 is the client.
func (c *peer) readFrame(masked bool) (opcode uint8, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return 0, nil, err
	}
	if head[0]&0xF0 != 0x80 || masked != (head[1] > 0x7F) {
		return 0, nil, fmt.Errorf("a frame begins % x", head)
	}
	payload = make([]byte, int(head[1]&0x7F))
	var key [4]byte
	if masked {
		_, err = io.ReadFull(c.in, key[:])
	}
	if err == nil {
		_, err = io.ReadFull(c.in, payload)
	}
	for i := range payload {
		payload[i] ^= key[i&3]
	}
	return head[0] & 0x0F, payload, err
}

// seen is what the events say of the path, in the form of what is to be expected.
func (a *attack) seen() (facts hostile.Facts) {
	for _, e := range a.events {
		switch {
		case e.Kind == session.Message:
			facts.Messages = append(facts.Messages, hostile.Message{Opcode: e.Opcode, Data: string(e.Data), Size: e.Size,
				Fragments: e.Fragments, MaxFrame: e.MaxFrame})
		case e.Kind == session.Control && e.Opcode == session.OpPing:
			facts.Pings = append(facts.Pings, string(e.Data))
		case e.Kind == session.Control:
			facts.Pongs = append(facts.Pongs, string(e.Data))
		case e.Kind == session.Closed:
			facts.End = *e.End
			if v := e.End.Violation; v != nil {
				facts.End.Violation = &session.Violation{Section: v.Section, Offset: v.Offset}
			}
		}
	}
	return facts
}

// judged checks what came of the attack against what was to come of it.
func (a *attack) judged() error {
	got, want := a.seen(), a.want
	if a.way == withRST { // a pong or the Close may have met the reset
		if want.End.Kind == session.EndEOF {
			want.End.Kind, want.End.Error = session.EndReset, "connection reset"
		}
		if got.End.Sent == 0 {
			want.End.Sent = 0
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("(-want +got) %s", diff)
	}
	return nil
}

// besieged is a stand-in proxy that many peers attack, and a path beside them on which all is well.
type besieged struct {
	*events
	good  *peer
	sent  []string // on the good path
	first uint32   // channel that is attacked
}

// besiege starts a proxy of which so many channels can be attacked. Asks go out one a /requests, so they are announced
// here.
func besiege(t *testing.T, channels int) *besieged {
	p := start(t, Options{MaxSize: hostile.MaxSize})
	openAsk(t, p, askOn1)
	b := &besieged{events: &events{t: t, p: p}, good: open(t, p, "/mcp/notifications/1"), first: 2}
	b.until(session.Opened) // /requests
	b.until(session.Opened) // the good path
	p.mu.Lock()
	defer p.mu.Unlock()
	for range channels {
		p.paths.last++
		p.paths.asks[p.paths.last] = &ask{channel: p.paths.last, kind: decode.KindNotifications}
	}
	return b
}

// deliver sends a message on the good path.
func (b *besieged) deliver() {
	b.sent = append(b.sent, fmt.Sprintf("\x00{} %d", len(b.sent)))
	b.good.send(message(b.sent[len(b.sent)-1]))
}

// collect hands every attack the events of its path, to the end of all of them, and checks that the good path had all
// its messages.
func (b *besieged) collect(list []*attack) {
	b.t.Helper()
	attacked := make(map[string]*attack)
	for _, a := range list {
		attacked[a.path] = a
	}
	open, delivered := len(list), 0
	for open > 0 || delivered < len(b.sent) {
		e := b.next()
		a := attacked[e.Path]
		switch {
		case a != nil:
			a.events = append(a.events, e)
			if e.Kind == session.Closed {
				open--
			}
		case e.Kind == session.Message && (delivered >= len(b.sent) || string(e.Data) != b.sent[delivered]):
			b.t.Fatalf("the path beside: message %d is %.100q", delivered, e.Data)
		case e.Kind == session.Message:
			delivered++
		case e.Kind == session.Refused, e.Kind == session.Closed:
			b.t.Fatalf("beside the attacks: %+v", e)
		}
	}
}

// at is how many attacks are under way at once.
const at = 32

// Whatever a provider sends, wherever it breaks off, and however its bytes are split: its path ends as RFC 6455 has it,
// it is answered as that says, and a path beside it goes on.
func TestHostileProvider(t *testing.T) {
	for _, s := range sieges(true) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			list := s.attacks
			b := besiege(t, len(list))
			for i, a := range list {
				a.path = decode.KindNotifications.Path(b.first + uint32(i))
			}
			for some := range slices.Chunk(list, at) {
				for _, a := range some {
					a.peer = connect(t, b.p)
					a.peer.send(join([]byte(upgradeRequest(a.path)), a.bytes[:a.early]))
				}
				for _, a := range some {
					a.peer.upgraded()
					a.strike()
				}
				b.deliver()
				for _, a := range some {
					if err := a.answered(true); err != nil {
						t.Errorf("%s: %v", a.name, err)
					}
					a.peer.socket.Close()
				}
			}
			b.collect(list)
			for _, a := range list {
				if err := a.judged(); err != nil {
					t.Errorf("%s: %v", a.name, err)
				}
			}
		})
	}
}

// The same from a proxy whose path is dialled: its frames are not masked, and one that is breaks section 5.1.
func TestHostileProxy(t *testing.T) {
	for _, s := range sieges(false) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			early, peers := make(chan []byte, 1), make(chan *peer)
			url := serveEach(t, func(c *peer, head string) {
				c.send(join([]byte(answerTo(head)), <-early))
				peers <- c
			})
			for _, a := range s.attacks {
				early <- a.bytes[:a.early]
				d, err := Dial(t.Context(), DialOptions{URL: url, MaxSize: hostile.MaxSize})
				if err != nil {
					t.Fatalf("%s: %v", a.name, err)
				}
				a.peer = <-peers
				a.strike()
				if err := a.answered(false); err != nil {
					t.Errorf("%s: %v", a.name, err)
				}
				a.peer.socket.Close()
				e := &events{t: t, p: &Proxy{queue: d.queue}}
				for a.events = nil; len(a.events) == 0 || a.events[len(a.events)-1].Kind != session.Closed; {
					a.events = append(a.events, e.next())
				}
				d.Shutdown(canceled())
				if err := a.judged(); err != nil {
					t.Errorf("%s: %v", a.name, err)
				}
			}
		})
	}
}

// A tap passes all of it on as it came and says the same of it, but answers nothing.
func TestHostileThroughTap(t *testing.T) {
	for _, c := range hostile.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			tt := startTap(t, TapOptions{MaxSize: hostile.MaxSize})
			all := c.Bytes(true)
			for _, n := range []int{len(all), len(all) / 2, min(len(all), 8), min(len(all), 1)} {
				provider, proxy := tt.opened(notifications)
				provider.send(all[:n])
				provider.socket.CloseWrite()
				proxy.expect(string(all[:n]))
				proxy.eof()
				proxy.socket.Close()
				provider.eof()
				a := &attack{want: c.At(n, true)}
				a.want.End.Sent = 0
				for len(a.events) == 0 || a.events[len(a.events)-1].Kind != session.Closed {
					a.events = append(a.events, tt.next())
				}
				if err := a.judged(); err != nil {
					t.Errorf("%d bytes: %v", n, err)
				}
			}
		})
	}
}
