package cmd

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/websocket"
)

// scenarioMain is the test program `scenario FILE [ARG...]`: it runs `kind4 tail -l 127.0.0.1:0 ARG...` and plays the
// provider against it as FILE says, one step a line:
//
//	requests          dial /requests
//	asks N            read N asks there and print them
//	open PATH         dial a path; later steps go to the connection dialled last
//	other             later steps go to the connection dialled before
//	refused PATH N    dial a path and be refused with that status
//	send HEX          one binary message
//	text TEXT         one text message
//	requests-send TEXT  one binary message on /requests
//	hangup-requests   the closing handshake there, to its end
//	repeat N HEX      N equal binary messages
//	close [CODE]      the closing handshake, to its end
//	eof               end TCP in order, without a Close
//	reset             reset TCP
//	raw HEX           bytes as they are, below WebSocket
//	died              the connection ends without a Close, and so does this end
//	echo N            N bytes, which come back, below WebSocket; then the end
//	expect-close CODE the peer's Close comes
//	line TEXT         wait until standard error has a line that holds TEXT
//	signal NAME       INT, TERM or KILL
//
// It prints what kind4 printed and exits with kind4's code.
func scenarioMain(args []string) int {
	steps, err := os.ReadFile(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	s := &scenario{cmd: exec.Command("kind4", append([]string{"tail", "-l", "127.0.0.1:0"}, args[1:]...)...)}
	if err := s.play(strings.Split(string(steps), "\n")); err != nil {
		fmt.Fprintln(os.Stderr, "scenario:", err)
		s.cmd.Process.Kill()
		return 98
	}
	return s.cmd.ProcessState.ExitCode()
}

type scenario struct {
	cmd      *exec.Cmd
	address  string
	requests *websocket.Conn
	asked    chan []byte // what comes on /requests; closed when it ended
	conn     *websocket.Conn
	before   *websocket.Conn // dialled before conn

	mu    sync.Mutex
	lines []string
	news  chan struct{}
}

const scenarioPatience = 20 * time.Second

func (s *scenario) play(steps []string) error {
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return err
	}
	s.cmd.Stdout = os.Stdout
	s.news = make(chan struct{}, 1)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	read := make(chan struct{})
	go s.readLines(stderr, read)
	line, err := s.waitLine("listening on ws://")
	if err != nil {
		return err
	}
	_, s.address, _ = strings.Cut(line, "ws://")
	for i, step := range steps {
		if step = strings.TrimSpace(step); step == "" || step[0] == '#' {
			continue
		}
		if err := s.step(step); err != nil {
			return fmt.Errorf("step %d, %s: %w", i+1, step, err)
		}
	}
	timer := time.AfterFunc(scenarioPatience, func() { s.cmd.Process.Kill() })
	defer timer.Stop()
	<-read
	s.cmd.Wait()
	return nil
}

func (s *scenario) readLines(stderr io.Reader, done chan<- struct{}) {
	defer close(done)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		fmt.Fprintln(os.Stderr, lines.Text())
		s.mu.Lock()
		s.lines = append(s.lines, lines.Text())
		s.mu.Unlock()
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
}

// waitLine waits for a line that holds text, and takes it and those before it away.
func (s *scenario) waitLine(text string) (string, error) {
	timeout := time.After(scenarioPatience)
	for {
		s.mu.Lock()
		for i, line := range s.lines {
			if strings.Contains(line, text) {
				s.lines = s.lines[i+1:]
				s.mu.Unlock()
				return line, nil
			}
		}
		s.mu.Unlock()
		select {
		case <-s.news:
		case <-timeout:
			return "", fmt.Errorf("no line with %q came", text)
		}
	}
}

func (s *scenario) step(step string) error {
	word, rest, _ := strings.Cut(step, " ")
	switch word {
	case "requests":
		return s.dialRequests()
	case "open":
		s.before = s.conn
		return s.dial(rest, &s.conn)
	case "other":
		s.conn, s.before = s.before, s.conn
		return nil
	case "asks":
		return s.asks(rest)
	case "refused":
		return s.refused(rest)
	case "send", "repeat":
		return s.send(word, rest)
	case "hangup-requests":
		if err := s.requests.WriteControl(websocket.CloseMessage, nil, time.Now().Add(scenarioPatience)); err != nil {
			return err
		}
		for range s.asked {
		}
		return nil
	case "requests-send":
		return s.requests.WriteMessage(websocket.BinaryMessage, []byte(rest))
	case "text":
		return s.conn.WriteMessage(websocket.TextMessage, []byte(rest))
	case "close":
		return s.close(rest)
	case "expect-close":
		return s.expectClose(s.conn, rest)
	case "eof", "reset", "raw":
		return s.tcp(word, rest)
	case "died":
		return s.died()
	case "echo":
		return s.echo(rest)
	case "line":
		_, err := s.waitLine(rest)
		return err
	case "signal":
		return s.cmd.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[rest])
	}
	return errors.New("unknown step")
}

func (s *scenario) dial(path string, conn **websocket.Conn) error {
	c, _, err := websocket.DefaultDialer.Dial("ws://"+s.address+path, nil)
	*conn = c
	return err
}

// dialRequests reads what comes there to its end, so that kind4's Close is answered.
func (s *scenario) dialRequests() error {
	if err := s.dial("/requests", &s.requests); err != nil {
		return err
	}
	asked, conn := make(chan []byte, 16), s.requests
	s.asked = asked
	go func() {
		defer close(asked)
		for {
			_, ask, err := conn.ReadMessage()
			if err != nil {
				return
			}
			asked <- ask
		}
	}()
	return nil
}

func (s *scenario) asks(count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	timeout := time.After(scenarioPatience)
	for range n {
		select {
		case ask, open := <-s.asked:
			if !open {
				return errors.New("/requests ended")
			}
			fmt.Fprintf(os.Stderr, "ask %x\n", ask)
		case <-timeout:
			return errors.New("no ask came")
		}
	}
	return nil
}

func (s *scenario) refused(rest string) error {
	path, status, _ := strings.Cut(rest, " ")
	_, response, err := websocket.DefaultDialer.Dial("ws://"+s.address+path, nil)
	if !errors.Is(err, websocket.ErrBadHandshake) {
		return fmt.Errorf("not refused: %v", err)
	}
	body, _ := io.ReadAll(response.Body)
	fmt.Fprintf(os.Stderr, "answer %d %s\n", response.StatusCode, bytes.TrimSpace(body))
	if strconv.Itoa(response.StatusCode) != status {
		return fmt.Errorf("refused with %d", response.StatusCode)
	}
	return nil
}

func (s *scenario) send(word, rest string) error {
	times := 1
	if word == "repeat" {
		count, message, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		times, rest = n, message
	}
	message, err := hex.DecodeString(rest)
	if err != nil {
		return err
	}
	for range times {
		if err := s.conn.WriteMessage(websocket.BinaryMessage, message); err != nil {
			return err
		}
	}
	return nil
}

func (s *scenario) close(code string) error {
	var payload []byte
	if code != "" {
		n, err := strconv.Atoi(code)
		if err != nil {
			return err
		}
		payload = websocket.FormatCloseMessage(n, "")
	}
	if err := s.conn.WriteControl(websocket.CloseMessage, payload, time.Now().Add(scenarioPatience)); err != nil {
		return err
	}
	return s.expectClose(s.conn, code)
}

func (s *scenario) expectClose(conn *websocket.Conn, code string) error {
	conn.SetReadDeadline(time.Now().Add(scenarioPatience))
	for {
		_, _, err := conn.ReadMessage()
		var closed *websocket.CloseError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &closed):
			return fmt.Errorf("no Close came: %w", err)
		case code != "" && strconv.Itoa(closed.Code) != code:
			return fmt.Errorf("close %d came", closed.Code)
		}
		return nil
	}
}

func (s *scenario) tcp(word, rest string) error {
	conn := s.conn.NetConn().(*net.TCPConn)
	switch word {
	case "eof":
		return conn.CloseWrite()
	case "reset":
		if err := conn.SetLinger(0); err != nil {
			return err
		}
		return conn.Close()
	}
	bytes, err := hex.DecodeString(strings.ReplaceAll(rest, " ", ""))
	if err != nil {
		return err
	}
	_, err = conn.Write(bytes)
	return err
}

func (s *scenario) died() error {
	s.conn.SetReadDeadline(time.Now().Add(scenarioPatience))
	var closed *websocket.CloseError
	if _, _, err := s.conn.ReadMessage(); errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure {
		return fmt.Errorf("close %d came", closed.Code)
	}
	return s.conn.Close()
}

func (s *scenario) echo(size string) error {
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	conn := s.conn.NetConn().(*net.TCPConn)
	sent := bytes.Repeat([]byte("0123456789"), n/10)
	go func() {
		conn.Write(sent)
		conn.CloseWrite()
	}()
	conn.SetReadDeadline(time.Now().Add(scenarioPatience))
	if got, err := io.ReadAll(conn); err != nil || !bytes.Equal(got, sent) {
		return fmt.Errorf("%d bytes came back, and %v", len(got), err)
	}
	return nil
}
