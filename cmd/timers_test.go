package cmd

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kind4/cmd/live"
	"kind4/cmd/live/pipes"
	"kind4/decode/ws"
	"kind4/render"
)

// clocked is tail under a clock that moves only while everybody waits, and the provider that it meets.
type clocked struct {
	t       *testing.T
	path    net.Conn // a notification path
	signals chan os.Signal
	began   time.Time
	shown   bytes.Buffer
	over    chan struct{} // closed when tail has ended
	code    int
	took    time.Duration
}

// tailUnderClock runs tail with these options while play plays the provider, to its end. The provider answers no Close.
func tailUnderClock(t *testing.T, o tailOptions, play func(c *clocked)) (c *clocked) {
	synctest.Test(t, func(t *testing.T) {
		o.showOptions = &showOptions{form: render.JSON, color: "never"}
		network := pipes.Listen()
		proxy := live.Serve(network, live.Options{})
		c = &clocked{t: t, signals: make(chan os.Signal, 1), began: time.Now(), over: make(chan struct{})}
		env := &environment{in: strings.NewReader(""), out: &c.shown, err: io.Discard}
		v := newView(o.showOptions, env, newStatus(io.Discard, false))
		v.live, v.once = true, o.once
		go func() {
			defer close(c.over)
			c.code = newTail(&o, v, proxy).session(env, c.signals)
			c.took = time.Since(c.began)
		}()
		c.dial(network, "/requests")
		c.path = c.dial(network, "/mcp/notifications/1")
		play(c)
		<-c.over
	})
	return c
}

// dial opens a path, and reads what comes there to its end.
func (c *clocked) dial(network *pipes.Listener, path string) net.Conn {
	c.t.Helper()
	socket, err := network.Dial()
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { socket.Close() })
	go io.Copy(io.Discard, socket)
	if _, err := io.WriteString(socket, upgradeRequest(path)); err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
	return socket
}

// at sends a message once so much time has passed.
func (c *clocked) at(d time.Duration) {
	c.t.Helper()
	time.Sleep(d - time.Since(c.began))
	if _, err := c.path.Write(ws.AppendFrame(nil, ws.OpBinary, []byte(note), &[4]byte{1, 2, 3, 4})); err != nil {
		c.t.Errorf("after %v: %v", d, err)
	}
}

// note is a notification of which nothing is to be said.
const note = "\x00" + `{"method":"notifications/tools/list_changed"}`

// ended expects that tail began to end after so much time, exactly, showed so many messages and exited so. Its peer
// answers no Close, for which it waits nine tenths of a second.
func (c *clocked) ended(after time.Duration, messages, code int) {
	c.t.Helper()
	if after += farewell - drain; c.took != after {
		c.t.Errorf("ended after %v, want %v", c.took, after)
	}
	if n := strings.Count(c.shown.String(), "\n"); n != messages {
		c.t.Errorf("%d messages, want %d", n, messages)
	}
	if c.code != code {
		c.t.Errorf("exit code %d, want %d", c.code, code)
	}
}

// --wait counts from the last message on, hours as seconds.
func TestWaitUnderClock(t *testing.T) {
	const hour = time.Hour
	nothing := func(*clocked) {}
	tests := []struct {
		name     string
		options  tailOptions
		play     func(c *clocked)
		after    time.Duration
		messages int
		code     int
	}{
		{"--wait and nothing", tailOptions{wait: 3 * hour}, nothing, 3 * hour, 0, 4},
		{"--wait and nothing, --once", tailOptions{wait: 3 * hour, once: true}, nothing, 3 * hour, 0, 124},
		{"--wait begins anew with each message", tailOptions{wait: 3 * hour}, func(c *clocked) {
			for _, d := range []time.Duration{hour, 4*hour - time.Second, 4*hour - time.Second/2, 7*hour - time.Second} {
				c.at(d)
			}
		}, 10*hour - time.Second, 4, 0},
		{"--wait and a message each hour for a year", tailOptions{wait: hour + time.Second}, func(c *clocked) {
			for d := hour; d <= 365*24*hour; d += hour {
				c.at(d)
			}
		}, 365*24*hour + hour + time.Second, 365 * 24, 0},
		{"--timeout and nothing", tailOptions{timeout: 24 * hour}, nothing, 24 * hour, 0, 4},
		{"--timeout while messages come", tailOptions{timeout: 24 * hour}, func(c *clocked) {
			for d := time.Minute; d < 24*hour; d += time.Minute {
				c.at(d)
			}
		}, 24 * hour, 24*60 - 1, 0},
		{"--timeout, --once", tailOptions{timeout: 24 * hour, once: true}, func(c *clocked) { c.at(hour) }, 24 * hour, 1, 124},
		{"--timeout ahead of --wait", tailOptions{timeout: 5 * hour, wait: 3 * hour}, func(c *clocked) { c.at(2*hour + time.Minute) }, 5 * hour, 1, 0},
		{"--wait ahead of --timeout", tailOptions{timeout: 6 * hour, wait: 3 * hour}, func(c *clocked) { c.at(2 * hour) }, 5 * hour, 1, 0},
		{"neither, and a signal after a week", tailOptions{}, func(c *clocked) {
			c.at(24 * hour)
			c.at(7 * 24 * hour)
			synctest.Wait()
			c.signals <- os.Interrupt
		}, 7 * 24 * hour, 2, 130},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tailUnderClock(t, test.options, test.play).ended(test.after, test.messages, test.code)
		})
	}
}
