package conversation

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kind4/decode/capture/packet"
	"kind4/decode/session"
)

// script reads steps from what the fuzzer made: each begins with a byte that says who sends and whether bytes are
// missing or the direction ends, and the length of what is sent.
func script(s []byte) (steps []step) {
	for len(s) >= 3 && len(steps) < 64 {
		head, n := s[0], int(binary.BigEndian.Uint16(s[1:]))
		s = s[3:]
		n = min(n, len(s))
		st := step{from: packet.Side(head & 1), data: string(s[:n]), end: packet.End(head >> 1 & 7)}
		if st.end > packet.GivenUp {
			st.end = packet.None
		}
		switch head >> 4 {
		case 0xF:
			st.missing = packet.Unknown
		default:
			st.missing = int64(head>>4) * int64(head>>4)
		}
		steps = append(steps, st)
		s = s[n:]
	}
	return steps
}

// written is the script of steps.
func written(steps []step) (s []byte) {
	for _, st := range steps {
		head := byte(st.from) | byte(st.end)<<1
		switch {
		case st.missing == packet.Unknown:
			head |= 0xF0
		case st.missing > 0:
			head |= 0x20
		}
		s = append(s, head)
		s = binary.BigEndian.AppendUint16(s, uint16(len(st.data)))
		s = append(s, st.data...)
	}
	return s
}

// FuzzConversation holds what comes of any conversation to what must always be so, and without gaps to be the same
// whatever the segments.
func FuzzConversation(f *testing.F) {
	a, b := fromProvider(2, note("a")), fromProvider(2, note("b"))
	f.Add(true, written(append(opening(path7), client(a+b+closing(1000, &mask)), ended(server(closing(1000, nil)), packet.FIN))))
	f.Add(true, written(append(opening(path7), client(a[:9]), lost(client(a[13:]+b), 4))))
	f.Add(true, written(append(opening(path7), client(a[:9]), lost(client(a[3:]+b), packet.Unknown))))
	f.Add(true, written(append(opening("/requests"), server(fromProxy(2, "\x00\x00\x00\x02\x04")), ended(server(""), packet.RST))))
	f.Add(false, written([]step{lost(client(a[5:]), packet.Unknown), client(b), ended(client(""), packet.EndCapture)}))
	f.Add(false, written([]step{server(upgrade(path7)), client(switching), server(a)}))
	f.Add(true, written([]step{client(upgrade(path7)), server("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno\n\r\n0\r\n\r\n"), client(upgrade(path7)), server(switching)}))
	f.Fuzz(func(t *testing.T, certain bool, s []byte) {
		conn := func() *packet.Conn { return &packet.Conn{Client: dialer, Server: listen, Certain: certain} }
		steps := once(script(s))
		o := Options{MaxSize: 64, Channel: 3, HasChannel: true}
		whole, _ := run(o, conn(), steps, 1<<20)
		settled(t, conn(), steps)
		for _, st := range steps {
			if st.missing != 0 {
				return
			}
		}
		if !certain {
			return // where no upgrade was seen, the first frame that can be told depends on what has come
		}
		for _, size := range []int{1, 5} {
			if got, _ := run(o, conn(), steps, size); !cmp.Equal(whole, got) {
				t.Errorf("in pieces of %d: %s", size, cmp.Diff(whole, got))
			}
		}
	})
}

// once keeps what a packet.Reader yields: each direction ends once.
func once(steps []step) (kept []step) {
	var over [2]bool
	for _, st := range steps {
		if over[st.from] {
			continue
		}
		over[st.from] = st.end != packet.None
		kept = append(kept, st)
	}
	return kept
}

// settled ends a connection, and checks that it closed what it opened, once, and that nothing is held of it.
func settled(t *testing.T, conn *packet.Conn, steps []step) {
	set := New(Options{MaxSize: 64})
	b := session.NewBatch()
	var over [2]bool
	for i, st := range steps {
		over[st.from] = over[st.from] || st.end != packet.None
		set.Take(b, &packet.Piece{Conn: conn, From: st.from, Time: int64(i), Missing: st.missing, Data: []byte(st.data), End: st.end})
	}
	for from, ended := range over {
		if !ended {
			set.Take(b, &packet.Piece{Conn: conn, From: packet.Side(from), End: packet.EndCapture})
		}
	}
	open := 0
	for i := range b.Events {
		switch e := &b.Events[i]; {
		case e.Kind == session.Opened, e.Note == session.NoteMidStream:
			open++
		case e.Kind == session.Closed:
			open--
		case e.Kind == session.Message && e.Path != session.RequestsPath && open != 1:
			t.Errorf("%s, and %d paths open", line(e), open)
		}
	}
	if open != 0 || set.held != 0 || len(set.opened) != 0 {
		t.Errorf("%d paths left open, %d bytes held, %v", open, set.held, set.opened)
	}
}
