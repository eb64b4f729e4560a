package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kind4/decode"
)

// file is one that provide sends, of so many messages.
type file struct {
	name  string
	count uint64
}

// files are what is sent: a few messages, many, and large ones.
type files struct {
	few, some, many, large file
}

// largeRuns is how often the large file is sent, so that it fills the queue of 16 MiB and what the system holds (buffers of
// a socket and a pipe, 10 MiB and more), too.
const largeRuns = 5

func writeFiles(dir string) (f files, err error) {
	for _, each := range []struct {
		file  *file
		count uint64
		size  int
	}{{&f.few, 3, 90}, {&f.some, 100, 200}, {&f.many, 2000, 200}, {&f.large, 2000, 4096}} {
		*each.file = file{filepath.Join(dir, fmt.Sprintf("messages-%d-%d", each.count, each.size)), each.count}
		if err := os.WriteFile(each.file.name, counters(each.count, each.size), 0o600); err != nil {
			return f, err
		}
	}
	return f, nil
}

// counters are messages, as lp32, each of which says which of how many it is.
func counters(count uint64, size int) (out []byte) {
	for n := range count {
		body := fmt.Appendf(nil, `{"method":"notifications/message","params":{"level":"info","data":{"n":%d,"of":%d,"pad":"`, n, count)
		body = append(body, strings.Repeat("x", max(0, size-len(body)-4))+`"}}}`...)
		message := decode.AppendMessage(nil, decode.TagNotification, body)
		out = append(binary.BigEndian.AppendUint32(out, uint32(len(message))), message...)
	}
	return out
}
