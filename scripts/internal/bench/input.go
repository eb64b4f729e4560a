package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// messages makes notifications as providers send them: five kinds in no order, 200 bytes on average, all of them good,
// no two alike. The same seed gives the same messages.
type messages struct {
	rng      *rand.Rand
	made     int
	progress [16]int // the last value of each token
}

func newMessages() *messages { return &messages{rng: rand.New(rand.NewPCG(4, 14979))} }

// appendNext appends one message, tag byte included.
func (m *messages) appendNext(dst []byte) []byte {
	m.made++
	switch m.rng.IntN(5) {
	case 0:
		return m.appendProgress(dst)
	case 1:
		return m.appendLog(dst)
	case 2:
		return fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":`+
			`{"uri":"file:///srv/projects/%08d/report-%d.json","_meta":{"acme/etag":"%016x","acme/size":%d}}}`,
			m.made, m.rng.IntN(100), m.rng.Uint64(), m.rng.IntN(1_000_000))
	case 3:
		return fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":`+
			`{"_meta":{"acme/revision":%d,"acme/node":"eu-%d"}}}`, m.made, m.rng.IntN(9))
	}
	return m.appendTree(dst)
}

func (m *messages) appendProgress(dst []byte) []byte {
	token := m.rng.IntN(len(m.progress))
	m.progress[token] += 1 + m.rng.IntN(3)
	return fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"upload-%d",`+
		`"progress":%d,"total":1000000000,"message":"Übertrage Datei %d, größer als üblich"}}`, token, m.progress[token], m.made)
}

var levels = [...]string{"debug", "info", "notice", "warning", "error"}

func (m *messages) appendLog(dst []byte) []byte {
	return fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"%s","logger":"db.pool",`+
		`"data":{"rows":%d,"ms":%d.25,"query":"select id, name from users where name = 'zoë' and id > %d",`+
		`"tags":["slow","read \"only\"",null],"node":{"name":"eu-1","up":true}}}}`,
		levels[m.rng.IntN(len(levels))], m.rng.IntN(1000), m.rng.IntN(100), m.made)
}

func (m *messages) appendTree(dst []byte) []byte {
	return fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"acme/tree","params":{"root":{"id":%d,"title":"日本語のテキスト",`+
		`"kids":[{"id":2,"kids":[{"id":3,"kids":[],"at":[1.5,-2.25]}],"at":[0,%d]},{"id":4,"kids":[],"at":[7,8e3]}],`+
		`"at":[9,10],"note":"café – 100円"}}}`, m.made, m.rng.IntN(1000))
}

// appendLarge appends a log message of exactly size bytes, a list of records under data.
func (m *messages) appendLarge(dst []byte, size int) []byte {
	m.made++
	const record = `{"id":12345,"name":"a name of some length","ok":true,"score":0.25,"note":"näher am Wort"},`
	start := len(dst)
	dst = fmt.Appendf(dst, "\x00"+`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":[%d,`, m.made)
	const tail = `"]}}`
	for len(dst)-start+len(record)+1+len(tail) <= size {
		dst = append(dst, record...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.Repeat("x", max(0, size-(len(dst)-start)-len(tail)))...)
	return append(dst, tail...)
}

// corpus is the input of decode: the same messages for kind4, each behind its length, and for jq, a body a line.
type corpus struct {
	count      int
	lp32, json string // names of files
	bytes      int64  // of lp32
}

// corpus makes the files once.
func (b *bench) corpus() (*corpus, error) {
	if b.files != nil {
		return b.files, nil
	}
	c := &corpus{count: 250_000, lp32: b.file("messages.lp32"), json: b.file("messages.json")}
	if b.quick {
		c.count = 2_000
	}
	made := newMessages()
	var message []byte
	err := writeFile(c.lp32, func(framed *bufio.Writer) error {
		return writeFile(c.json, func(plain *bufio.Writer) error {
			for range c.count {
				message = made.appendNext(message[:0])
				writeFramed(framed, message)
				plain.Write(message[1:])
				plain.WriteByte('\n')
				c.bytes += int64(4 + len(message))
			}
			return nil
		})
	})
	b.files = c
	return c, err
}

func (b *bench) file(name string) string { return b.dir + "/" + name }

// writeFramed writes a message behind its length; a bufio.Writer keeps its error for Flush.
func writeFramed(w *bufio.Writer, message []byte) {
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(message)))
	w.Write(length[:])
	w.Write(message)
}

// writeFile makes a file of what fill writes.
func writeFile(name string, fill func(*bufio.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// writeMixed makes a file of that many bytes or a few more: every 200th message is of up to 64 KiB, which makes half of
// the bytes.
func writeMixed(name string, size int64) error {
	return writeFile(name, func(w *bufio.Writer) error {
		made := newMessages()
		var message []byte
		for i, written := 1, int64(0); written < size; i++ {
			if i%200 == 0 {
				message = made.appendLarge(message[:0], 8<<10+made.rng.IntN(56<<10+1))
			} else {
				message = made.appendNext(message[:0])
			}
			writeFramed(w, message)
			written += int64(4 + len(message))
		}
		return nil
	})
}

// countLines is how many lines a file has.
func countLines(name string) (lines int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		for _, c := range buf[:n] {
			if c == '\n' {
				lines++
			}
		}
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
	}
}
