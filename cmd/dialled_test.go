package cmd

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// dialledMain is the test program `dialled FILE [ARG...]`: it is a proxy that serves /tool/notifications, and runs
// `kind4 ARG...`, in whose arguments URL stands for ws://HOST:PORT of the proxy. FILE says what the proxy does, one
// step a line; the first lines may say how it serves:
//
//	tls               wss:// in place of ws://
//	refuse N TEXT     answer the request with that status and text
//	redirect PATH     answer with 302
//	silent            never answer
//	header NAME       print that header of the request
//
//	send HEX          one binary message
//	text TEXT         one text message
//	ping TEXT         a ping, and wait for its pong
//	raw HEX           bytes as they are, below WebSocket
//	close [CODE]      the closing handshake, to its end
//	expect-close CODE the peer's Close comes
//	eof               end TCP in order, without a Close
//	reset             reset TCP
//	signal NAME       INT or TERM
//
// It prints what kind4 printed and exits with kind4's code.
func dialledMain(args []string) int {
	steps, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	d := &dialled{steps: strings.Split(strings.TrimSpace(string(steps)), "\n"), failed: make(chan error, 1)}
	server := httptest.NewUnstartedServer(d)
	if d.has("tls") {
		server.StartTLS()
	} else {
		server.Start()
	}
	url := strings.Replace(server.URL, "http", "ws", 1)
	for i, arg := range args {
		args[i] = strings.ReplaceAll(arg, "URL", url)
	}
	d.cmd = exec.Command("kind4", args[1:]...)
	d.cmd.Stdout, d.cmd.Stderr = os.Stdout, os.Stderr
	timer := time.AfterFunc(scenarioPatience, func() { d.cmd.Process.Kill() })
	defer timer.Stop()
	d.cmd.Run()
	select {
	case err := <-d.failed:
		fmt.Fprintln(os.Stderr, "dialled:", err)
		return 98
	default:
		return d.cmd.ProcessState.ExitCode()
	}
}

type dialled struct {
	cmd    *exec.Cmd
	steps  []string
	failed chan error

	pongs chan string
	ended chan error // receives when nothing more is read
}

func (d *dialled) has(word string) bool {
	for _, step := range d.steps {
		if step == word {
			return true
		}
	}
	return false
}

func (d *dialled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Origin") != "" && !d.has("header Origin") {
		d.failed <- errors.New("an Origin came")
	}
	var conn *websocket.Conn
	for i, step := range d.steps {
		word, rest, _ := strings.Cut(strings.TrimSpace(step), " ")
		switch word {
		case "tls":
			continue
		case "header":
			fmt.Fprintf(os.Stderr, "header %s: %s\n", rest, r.Header.Get(rest))
			continue
		case "refuse":
			status, text, _ := strings.Cut(rest, " ")
			n, _ := strconv.Atoi(status)
			http.Error(w, text, n)
			return
		case "silent":
			<-r.Context().Done()
			return
		case "redirect":
			http.Redirect(w, r, rest, http.StatusFound)
			return
		}
		if conn == nil {
			var err error
			if conn, err = new(websocket.Upgrader).Upgrade(w, r, nil); err != nil {
				d.failed <- err
				return
			}
			defer conn.Close()
			d.read(conn)
		}
		if err := d.step(conn, word, rest); err != nil {
			d.failed <- fmt.Errorf("step %d, %s: %w", i+1, step, err)
			return
		}
	}
}

func (d *dialled) step(conn *websocket.Conn, word, rest string) error {
	switch word {
	case "send":
		message, err := hex.DecodeString(rest)
		if err != nil {
			return err
		}
		return conn.WriteMessage(websocket.BinaryMessage, message)
	case "text":
		return conn.WriteMessage(websocket.TextMessage, []byte(rest))
	case "ping":
		return d.ping(conn, rest)
	case "close":
		return d.close(conn, rest)
	case "expect-close":
		return d.expectClose(rest)
	case "eof", "reset", "raw":
		s := &scenario{conn: conn}
		return s.step(strings.TrimSpace(word + " " + rest))
	case "signal":
		return d.cmd.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}[rest])
	}
	return errors.New("unknown step")
}

// read reads the connection to its end: what comes are pongs and the peer's Close.
func (d *dialled) read(conn *websocket.Conn) {
	d.pongs, d.ended = make(chan string, 16), make(chan error, 1)
	conn.SetPongHandler(func(data string) error { d.pongs <- data; return nil })
	go func() {
		_, _, err := conn.ReadMessage()
		if err == nil {
			err = errors.New("a message came")
		}
		d.ended <- err
	}()
}

func (d *dialled) ping(conn *websocket.Conn, text string) error {
	if err := conn.WriteControl(websocket.PingMessage, []byte(text), time.Now().Add(scenarioPatience)); err != nil {
		return err
	}
	select {
	case pong := <-d.pongs:
		if pong != text {
			return fmt.Errorf("pong with %q", pong)
		}
		return nil
	case err := <-d.ended:
		return fmt.Errorf("no pong: %w", err)
	}
}

// expectClose waits for the peer's Close with that code; any, where there is none.
func (d *dialled) expectClose(code string) error {
	err := <-d.ended
	var closed *websocket.CloseError
	if !errors.As(err, &closed) {
		return fmt.Errorf("no Close came: %w", err)
	}
	if code != "" && strconv.Itoa(closed.Code) != code {
		return fmt.Errorf("close %d came", closed.Code)
	}
	return nil
}

func (d *dialled) close(conn *websocket.Conn, code string) error {
	var payload []byte
	if n, err := strconv.Atoi(code); err == nil {
		payload = websocket.FormatCloseMessage(n, "")
	}
	if err := conn.WriteControl(websocket.CloseMessage, payload, time.Now().Add(scenarioPatience)); err != nil {
		return err
	}
	return d.expectClose(code)
}
