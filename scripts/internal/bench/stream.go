package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"kind4/decode/ws"
)

// stream is a program that waits for messages on an open path, and this side of that path.
type stream struct {
	conn   net.Conn
	masked bool // this side is the client
	cmd    *exec.Cmd
	said   *tail    // nil where nothing was kept
	close  []func() // what has to end with it
	cancel context.CancelFunc
}

// frames are messages behind one another as they go over the wire: from a client with a mask of its own each.
func frames(dst []byte, message []byte, masked bool, rng *rand.Rand) []byte {
	if !masked {
		return ws.AppendFrame(dst, ws.OpBinary, message, nil)
	}
	n := rng.Uint32()
	return ws.AppendFrame(dst, ws.OpBinary, message, &[4]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)})
}

// dialPath opens a path, and returns what comes on it.
func dialPath(addr, path string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", path, addr)
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, nil)
	if err == nil && answer.StatusCode != http.StatusSwitchingProtocols {
		err = fmt.Errorf("%s: %s", path, answer.Status)
	}
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, in, nil
}

// startKind4 starts `kind4 tail` in the proxy's place, and opens the path that it asks for.
func (b *bench) startKind4(out *os.File) (*stream, error) {
	s, addr, err := b.startListener(out, b.kind4, "tail", "-l", "127.0.0.1:0", "--once", "--first-exchange", "none", "-o", "json")
	if err != nil {
		return nil, err
	}
	requests, asks, err := dialPath(addr, "/requests")
	if err != nil {
		return nil, s.fail(err)
	}
	var ask [7]byte // a frame of five bytes: channel and kind
	if _, err := io.ReadFull(asks, ask[:]); err != nil {
		requests.Close()
		return nil, s.fail(err)
	}
	if s.conn, _, err = dialPath(addr, fmt.Sprintf("/mcp/notifications/%d", ask[5])); err != nil {
		return nil, s.fail(err)
	}
	go answerClose(requests, asks)
	return s, nil
}

// answerClose answers the Close that is all that still comes on /requests; kind4 would wait a second for it.
func answerClose(conn net.Conn, in *bufio.Reader) {
	defer conn.Close()
	if _, err := in.ReadByte(); err == nil {
		conn.Write(ws.AppendClose(nil, 1000, "", new([4]byte)))
	}
}

// startPlain starts the plain TCP reader.
func (b *bench) startPlain(out *os.File) (*stream, error) {
	s, addr, err := b.startListener(out, b.self, asReader)
	if err != nil {
		return nil, err
	}
	if s.conn, _, err = dialPath(addr, "/mcp/notifications/1"); err != nil {
		return nil, s.fail(err)
	}
	return s, nil
}

func (b *bench) startListener(out *os.File, argv ...string) (*stream, string, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	s := &stream{masked: true, cmd: b.command(ctx, argv...), cancel: cancel}
	s.cmd.Stdout = out
	addr, said, err := listening(s.cmd)
	if err != nil {
		cancel()
		return nil, "", err
	}
	s.said = said
	return s, addr, nil
}

// startWscat lets wscat dial, since as a listener it would listen on every interface. Its frames come without masks,
// which is less work than the others have.
func (b *bench) startWscat(out *os.File) (*stream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	s := &stream{cmd: b.command(ctx, "wscat", "-c", "ws://"+l.Addr().String()), cancel: cancel}
	s.cmd.Stdout = out
	stdin, err := s.cmd.StdinPipe() // at whose end it would end
	if err != nil {
		cancel()
		return nil, err
	}
	s.close = append(s.close, func() { stdin.Close() })
	if err := s.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Minute))
	if s.conn, err = l.Accept(); err != nil {
		return nil, s.fail(err)
	}
	request, err := http.ReadRequest(bufio.NewReader(s.conn))
	if err == nil {
		_, err = s.conn.Write(ws.AppendAccept(nil, request))
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return s, nil
}

// finish closes the path in order and waits for the program's end.
func (s *stream) finish() error {
	defer s.release()
	var mask *[4]byte
	if s.masked {
		mask = new([4]byte)
	}
	if _, err := s.conn.Write(ws.AppendClose(nil, 1000, "", mask)); err != nil {
		return s.fail(err)
	}
	s.conn.Read(make([]byte, 1)) // the answer: all before it has been read
	s.conn.Close()
	return s.wait()
}

func (s *stream) wait() error {
	if s.said != nil {
		<-s.said.over
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w: %s", s.cmd.Args[0], err, s.heard())
	}
	return nil
}

func (s *stream) heard() string {
	if s.said == nil {
		return ""
	}
	return strings.TrimSpace(string(s.said.text))
}

// fail ends the program and returns the error with what it said.
func (s *stream) fail(err error) error {
	s.cancel()
	return errors.Join(err, s.wait(), s.release())
}

func (s *stream) release() error {
	if s.conn != nil {
		s.conn.Close()
	}
	for _, end := range s.close {
		end()
	}
	s.cancel()
	return nil
}
