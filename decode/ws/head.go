package ws

import (
	"bufio"
	"bytes"
	"net/http"
	"strings"
)

// HeadEnd returns where a request's head at the front of b ends, behind its empty line; 0 where it does not.
// It looks for the line feed before the empty line from b[from] on, so that a growing b is not searched again.
func HeadEnd(b []byte, from int) int {
	for i := max(from, 0); i < len(b); i++ {
		switch {
		case b[i] != '\n':
		case bytes.HasPrefix(b[i+1:], []byte("\n")):
			return i + 2
		case bytes.HasPrefix(b[i+1:], []byte("\r\n")):
			return i + 3
		}
	}
	return 0
}

// RequestLine returns the first line in b, nil until it is whole, and whether it may be a request's: three
// parts, the last an HTTP version (RFC 9112 section 3).
func RequestLine(b []byte) (line []byte, ok bool) {
	line, _, whole := bytes.Cut(b, []byte("\n"))
	if !whole {
		return nil, true
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	parts := strings.Split(string(line), " ")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" {
		return line, false
	}
	_, _, ok = http.ParseHTTPVersion(parts[2])
	return line, ok
}

// ParseHead reads a whole head, its empty line included, as net/http does. It does not ask for a Host: Check
// does.
func ParseHead(head []byte) (*http.Request, error) {
	return http.ReadRequest(bufio.NewReader(bytes.NewReader(head)))
}

// HeaderText returns the header in a head as it was sent: names spelled and lines ordered as the peer did, a
// line feed behind each.
func HeaderText(head []byte) string {
	_, fields, _ := bytes.Cut(head, []byte("\n"))
	text := strings.ReplaceAll(string(fields), "\r\n", "\n")
	return strings.TrimSuffix(text, "\n")
}
