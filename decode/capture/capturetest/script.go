package capturetest

import (
	"fmt"
	"strconv"
	"strings"

	"kind4/decode/capture/packet"
	"kind4/decode/session"
	"kind4/decode/ws"
)

// Script builds a capture from lines. Those that begin with # are comments.
//
//	open CLIENT SERVER    a connection with its handshake, which what follows is about; client and server are HOST:PORT
//	join CLIENT SERVER    the same without its handshake; one that was there before is gone on with
//	wait N                N microseconds pass
//	snap N                of each packet, N bytes are kept
//	C upgrade PATH        the client asks for a WebSocket
//	S switching           the server answers with 101; lines of header may follow, quoted
//	C message "…"         a binary message in one frame, masked where it is the client's; text "…" is a text message
//	C part A B "…"        of such a frame, only the bytes from A up to B
//	C ping "…"            a ping
//	C close CODE          a Close; 0 is one without a code
//	S send "…"            a segment of any bytes
//	C lose N              N bytes are sent that are not captured
//	C finish, C reset     the side sends no more, or resets the connection
//
// Quoted texts are Go's.
func Script(text string) ([]byte, error) {
	s := script{capture: New(), conns: make(map[string]*Conn)}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := s.line(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	return s.capture.Bytes(), nil
}

type script struct {
	capture *Capture
	conns   map[string]*Conn
	conn    *Conn
}

func (s *script) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "open", "join":
		client, server, _ := strings.Cut(rest, " ")
		if s.conn = s.conns[rest]; s.conn == nil || word == "open" {
			s.conn = s.capture.Conn(client, server)
			s.conns[rest] = s.conn
		}
		if word == "open" {
			s.conn.Open()
		}
		return nil
	case "wait":
		n, err := strconv.ParseInt(rest, 10, 64)
		s.capture.Wait(n)
		return err
	case "snap":
		n, err := strconv.Atoi(rest)
		if err == nil && n < 0 {
			err = strconv.ErrRange
		}
		s.capture.Snap(n)
		return err
	case "C", "S":
		if s.conn == nil {
			return fmt.Errorf("no connection yet")
		}
		return s.side(packet.Side(strings.Index("CS", word)), rest)
	}
	return fmt.Errorf("unknown")
}

// side is a line about one side.
func (s *script) side(from packet.Side, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "upgrade":
		s.conn.Send(from, Upgrade(rest))
		return nil
	case "switching":
		header, err := unquote(rest)
		s.conn.Send(from, strings.TrimSuffix(Switching, "\r\n")+header+"\r\n")
		return err
	case "finish":
		s.conn.Finish(from)
		return nil
	case "reset":
		s.conn.Reset(from)
		return nil
	case "lose":
		n, err := strconv.Atoi(rest)
		s.conn.Lose(from, n)
		return err
	case "close":
		code, err := strconv.ParseUint(rest, 10, 16)
		s.conn.Send(from, string(ws.AppendClose(nil, uint16(code), "", maskOf(from))))
		return err
	case "send":
		data, err := unquote(rest)
		s.conn.Send(from, data)
		return err
	case "part":
		return s.part(from, rest)
	}
	opcode, ok := opcodes[word]
	if !ok {
		return fmt.Errorf("unknown")
	}
	payload, err := unquote(rest)
	s.conn.Send(from, Frame(from, opcode, payload))
	return err
}

var opcodes = map[string]uint8{"message": session.OpBinary, "text": session.OpText, "ping": session.OpPing}

func (s *script) part(from packet.Side, line string) error {
	var start, end int
	if _, err := fmt.Sscan(line, &start, &end); err != nil {
		return err
	}
	_, quoted, _ := strings.Cut(line, `"`)
	payload, err := unquote(`"` + quoted)
	if err != nil {
		return err
	}
	frame := Frame(from, session.OpBinary, payload)
	if start < 0 || end > len(frame) || start > end {
		return fmt.Errorf("the frame has %d bytes", len(frame))
	}
	s.conn.Send(from, frame[start:end])
	return nil
}

func unquote(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return strconv.Unquote(text)
}

// Upgrade is a request for the WebSocket of a path (RFC 6455 section 1.3).
func Upgrade(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: proxy:14979\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
}

// Switching is the answer that grants it.
const Switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

// Frame is a frame with one message of a side's: masked where it is the client's (RFC 6455 section 5.1).
func Frame(from packet.Side, opcode uint8, payload string) string {
	return string(ws.AppendFrame(nil, opcode, []byte(payload), maskOf(from)))
}

// maskOf is the mask of a side's frames.
func maskOf(from packet.Side) *[4]byte {
	if from == packet.Client {
		return &[4]byte{0x37, 0xfa, 0x21, 0x3d}
	}
	return nil
}
