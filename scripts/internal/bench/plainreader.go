package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	gobwas "github.com/gobwas/ws"

	"kind4/decode/ws"
)

// block is how much the plain reader asks the system for at once. Frames of twice as much are too large for it.
const block = 64 << 10

// plainReader is the least that a receiver can do, and so the limit: it grants one upgrade on a free port, reads blocks,
// takes frames apart and their masks off, and writes each payload and a newline; nothing is looked into. What one block
// held is written at once.
func plainReader(out, told io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(told, "listening on ws://%v\n", l.Addr())
	conn, err := l.Accept()
	l.Close()
	if err != nil {
		return err
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	request, err := http.ReadRequest(in)
	if err != nil {
		return err
	}
	if _, err := conn.Write(ws.AppendAccept(nil, request)); err != nil {
		return err
	}
	if in.Buffered() > 0 {
		return errors.New("frames before the upgrade was granted")
	}
	return copyPayloads(out, conn)
}

// copyPayloads goes on until a Close, which it answers.
func copyPayloads(out io.Writer, conn io.ReadWriter) error {
	buf := make([]byte, 0, 2*block)
	lines := make([]byte, 0, 2*block)
	for {
		n, err := conn.Read(buf[len(buf):min(cap(buf), len(buf)+block)])
		if err != nil {
			return err
		}
		buf = buf[:len(buf)+n]
		used, closed := 0, false
		lines, used, closed = takeFrames(lines[:0], buf)
		if _, err := out.Write(lines); err != nil {
			return err
		}
		if closed {
			_, err := conn.Write(ws.AppendClose(nil, 1000, "", nil))
			return err
		}
		if used == 0 && len(buf) == cap(buf) {
			return errors.New("a frame of 128 KiB or more")
		}
		buf = buf[:copy(buf, buf[used:])]
	}
}

// takeFrames appends the payloads of the whole frames in buf to lines, and says how much of buf these were and whether
// a Close came.
func takeFrames(lines, buf []byte) (out []byte, used int, closed bool) {
	for {
		head, payload := frameSize(buf[used:])
		if head == 0 || len(buf)-used < head+payload {
			return lines, used, false
		}
		frame := buf[used : used+head+payload]
		used += len(frame)
		if frame[0]&0xF == ws.OpClose {
			return lines, used, true
		}
		body := frame[head:]
		gobwas.Cipher(body, [4]byte(frame[head-4:head]), 0)
		lines = append(append(lines, body...), '\n')
	}
}

// frameSize reads the header of a masked frame (RFC 6455 section 5.2); head is 0 where it is not whole.
func frameSize(b []byte) (head, payload int) {
	switch {
	case len(b) < 8:
		if len(b) < 6 || b[1]&0x7F >= 126 {
			return 0, 0
		}
	case b[1]&0x7F == 126:
		return 8, int(binary.BigEndian.Uint16(b[2:]))
	case b[1]&0x7F == 127:
		if len(b) < 14 {
			return 0, 0
		}
		return 14, int(binary.BigEndian.Uint64(b[2:]))
	}
	return 6, int(b[1] & 0x7F)
}
