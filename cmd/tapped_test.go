package cmd

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"

	"github.com/gorilla/websocket"
)

// tappedMain is the test program `tapped FILE [ARG...]`: it runs `kind4 tap -l 127.0.0.1:0 ARG... URL` in front of a
// proxy, and plays the provider as scenario does. The proxy's part in FILE:
//
//	ask HEX        the proxy sends this on /requests when that is opened
//	proxy-closes   on notification paths it sends Close 1001 after the first message
//	proxy-dies     it ends them without a Close
//	down           there is no proxy
//
// It takes notifications on channel 2 and refuses others, sends one on /tool/notifications and closes it, and echoes
// what comes on /postgres/3. Of what it got it prints "proxy got N messages" when a notification path ends.
func tappedMain(args []string) int {
	text, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	p := &tappedProxy{}
	var steps []string
	for step := range strings.Lines(string(text)) {
		if step = strings.TrimSpace(step); !p.configure(step) {
			steps = append(steps, step)
		}
	}
	server := httptest.NewServer(p)
	if p.down {
		server.Close()
	}
	args = append([]string{"tap", "-l", "127.0.0.1:0"}, append(args[1:], strings.Replace(server.URL, "http", "ws", 1))...)
	s := &scenario{cmd: exec.Command("kind4", args...)}
	if err := s.play(steps); err != nil {
		fmt.Fprintln(os.Stderr, "tapped:", err)
		s.cmd.Process.Kill()
		return 98
	}
	return s.cmd.ProcessState.ExitCode()
}

type tappedProxy struct {
	asks         [][]byte
	closes, dies bool
	down         bool
}

// configure takes the proxy's steps.
func (p *tappedProxy) configure(step string) bool {
	word, rest, _ := strings.Cut(step, " ")
	switch word {
	case "ask":
		ask, err := hex.DecodeString(rest)
		p.asks = append(p.asks, ask)
		return err == nil
	case "proxy-closes":
		p.closes = true
	case "proxy-dies":
		p.dies = true
	case "down":
		p.down = true
	default:
		return false
	}
	return true
}

func (p *tappedProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/requests", "/mcp/notifications/2", "/tool/notifications", "/postgres/3":
	default:
		http.Error(w, "no ask here", http.StatusNotFound)
		return
	}
	c, err := new(websocket.Upgrader).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer c.Close()
	switch r.URL.Path {
	case "/requests":
		for _, ask := range p.asks {
			c.WriteMessage(websocket.BinaryMessage, ask)
		}
	case "/tool/notifications":
		c.WriteMessage(websocket.BinaryMessage, []byte("\x00{\"method\":\"notifications/prompts/list_changed\"}"))
		c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""))
	case "/postgres/3":
		io.Copy(c.NetConn(), c.NetConn())
		return
	}
	p.read(c, r.URL.Path)
}

func (p *tappedProxy) read(c *websocket.Conn, path string) {
	for n := 0; ; n++ {
		if _, _, err := c.ReadMessage(); err != nil {
			if path == "/mcp/notifications/2" {
				fmt.Fprintf(os.Stderr, "proxy got %d messages\n", n)
			}
			return
		}
		if p.dies {
			return
		}
		if p.closes {
			c.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1001, "restart"))
		}
	}
}
