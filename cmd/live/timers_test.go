package live

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kind4/cmd/live/pipes"
	"kind4/decode/session"
)

// clocked is a proxy under a clock that moves only while everybody waits.
type clocked struct {
	*events
	network *pipes.Listener
	began   time.Time
}

// underClock runs a test of which no second is waited for.
func underClock(t *testing.T, test func(c *clocked)) {
	synctest.Test(t, func(t *testing.T) {
		network := pipes.Listen()
		p := Serve(network, Options{})
		test(&clocked{&events{t: t, p: p}, network, time.Now()})
		shutdown(p)
	})
}

func (c *clocked) dial() (net.Conn, *bufio.Reader) {
	c.t.Helper()
	socket, err := c.network.Dial()
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { socket.Close() })
	return socket, bufio.NewReader(socket)
}

// opened is a path that was upgraded.
func (c *clocked) opened(path string) (net.Conn, *bufio.Reader) {
	c.t.Helper()
	socket, in := c.dial()
	go socket.Write([]byte(upgradeRequest(path)))
	if r, err := http.ReadResponse(in, nil); err != nil || r.StatusCode != http.StatusSwitchingProtocols {
		c.t.Fatalf("%+v, %v", r, err)
	}
	return socket, in
}

// notifications opens /requests and the path that is asked for there, of which what comes is returned.
func (c *clocked) notifications() (net.Conn, *bufio.Reader) {
	c.t.Helper()
	_, requests := c.opened("/requests")
	io.ReadFull(requests, make([]byte, 2+len(askOn1)))
	go io.Copy(io.Discard, requests)
	return c.opened("/mcp/notifications/1")
}

// after expects that so much time has passed.
func (c *clocked) after(want time.Duration) {
	c.t.Helper()
	if took := time.Since(c.began); took != want {
		c.t.Errorf("after %v, want %v", took, want)
	}
}

// A connection has five seconds for its request's head, whether nothing comes or a little all the while.
func TestHeadLimit(t *testing.T) {
	for _, slow := range []bool{false, true} {
		underClock(t, func(c *clocked) {
			socket, in := c.dial()
			sent := 0
			var dripping sync.WaitGroup
			dripping.Go(func() {
				for slow {
					if _, err := socket.Write([]byte("GET /requests HTTP/1.1\r\n")[sent : sent+1]); err != nil {
						return
					}
					sent++
					time.Sleep(700 * time.Millisecond)
				}
			})
			if r, err := http.ReadResponse(in, nil); err != nil || r.StatusCode != http.StatusRequestTimeout {
				c.t.Errorf("%+v, %v", r, err)
			}
			c.after(5 * time.Second)
			go io.Copy(io.Discard, in)
			want := "no whole request within 5s"
			if slow {
				want += ", after 8 bytes of one" // 0 to 4.9 s
			}
			if note := c.note(session.NoteNoRequest); note.Reason != want {
				c.t.Errorf("%q, want %q", note.Reason, want)
			}
			socket.Close()
			dripping.Wait()
		})
	}
}

// A path on which nothing comes for a month is open, and so is /requests.
func TestSilentForDays(t *testing.T) {
	underClock(t, func(c *clocked) {
		socket, in := c.notifications()
		time.Sleep(30 * 24 * time.Hour)
		go socket.Write(join(masked(0x89, "still there"), message("\x00{}")))
		pong := make([]byte, 2+len("still there"))
		if _, err := io.ReadFull(in, pong); err != nil || string(pong[2:]) != "still there" {
			c.t.Errorf("%q, %v", pong, err)
		}
		if got := c.until(session.Message); string(got.Data) != "\x00{}" {
			c.t.Errorf("%+v", got)
		}
		c.after(30 * 24 * time.Hour)
		go io.Copy(io.Discard, in)
	})
}

// A peer that takes nothing holds kind4 for five seconds, which is said.
func TestWriteLimit(t *testing.T) {
	underClock(t, func(c *clocked) {
		socket, in := c.notifications()
		socket.Write(masked(0x89, "p"))
		note := session.Event{}
		for note.Note != session.NoteNotReading {
			note = c.until(session.Note)
		}
		c.after(5 * time.Second)
		socket.Write(closing("\x03\xe8"))
		if end := c.until(session.Closed).End; end.Kind != session.EndClose || end.Sent != 0 {
			c.t.Errorf("end %+v", end)
		}
		go io.Copy(io.Discard, in)
	})
}

// Once a path's Close is answered, its peer has a second to go.
func TestLinger(t *testing.T) {
	underClock(t, func(c *clocked) {
		socket, in := c.notifications()
		go socket.Write(closing("\x03\xe8"))
		closed := make([]byte, 2+2)
		if _, err := io.ReadFull(in, closed); err != nil || string(closed) != "\x88\x02\x03\xe8" {
			c.t.Errorf("%q, %v", closed, err)
		}
		c.after(0)
		if _, err := in.ReadByte(); err != io.EOF {
			c.t.Error(err)
		}
		c.after(time.Second)
	})
}

// Shutdown waits for its peers as long as its context does and no longer, whether they read and say nothing, or do not
// read at all; those that answer let it go at once.
func TestShutdownLimit(t *testing.T) {
	peers := map[string]struct {
		took time.Duration
		play func(socket net.Conn, in *bufio.Reader)
	}{
		"answering": {0, func(socket net.Conn, in *bufio.Reader) {
			io.ReadFull(in, make([]byte, 2+2))
			socket.Write(closing("\x03\xe8"))
			socket.Close()
		}},
		"silent": {time.Second, func(_ net.Conn, in *bufio.Reader) { io.Copy(io.Discard, in) }},
		"deaf":   {time.Second, func(net.Conn, *bufio.Reader) {}},
		"talking": {time.Second, func(socket net.Conn, in *bufio.Reader) {
			go io.Copy(io.Discard, in)
			for {
				if _, err := socket.Write(message("\x00{}")); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}},
	}
	for name, peer := range peers {
		t.Run(name, func(t *testing.T) {
			underClock(t, func(c *clocked) {
				requests, asks := c.opened("/requests")
				io.ReadFull(asks, make([]byte, 2+len(askOn1)))
				go func() { io.ReadFull(asks, make([]byte, 2+2)); requests.Close() }()
				socket, in := c.opened("/mcp/notifications/1")
				var playing sync.WaitGroup
				playing.Go(func() { peer.play(socket, in) })
				defer playing.Wait()
				ctx, cancel := context.WithTimeout(c.t.Context(), time.Second)
				defer cancel()
				c.p.Shutdown(ctx)
				c.after(peer.took)
				if end := c.until(session.Closed).End; end.Kind != session.EndOurs {
					c.t.Errorf("end %+v", end)
				}
			})
		})
	}
}
