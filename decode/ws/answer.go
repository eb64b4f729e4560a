package ws

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// MaxReason is how many bytes of an answer's body AnswerReason looks at.
const MaxReason = 4 << 10

// MayBeAnswer reports whether b may begin an answer of HTTP/1 (RFC 9112 section 4).
func MayBeAnswer(b []byte) bool {
	const begin = "HTTP/1."
	n := min(len(b), len(begin))
	return string(b[:n]) == begin[:n]
}

// ParseAnswer reads an answer to r as net/http does: b is its head, and may hold more.
func ParseAnswer(b []byte, r *http.Request) (*http.Response, error) {
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(b)), r)
}

// AnswerReason returns why an answer to r refuses: the first line of its body, as far as b holds it behind the head, or
// what its status is called.
func AnswerReason(b []byte, r *http.Request) string {
	response, err := ParseAnswer(b, r)
	if err != nil {
		return ""
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, MaxReason))
	if line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n"); line != "" {
		return strings.TrimSpace(line)
	}
	return http.StatusText(response.StatusCode)
}

// Agreed says why a path is not decoded of which the answer names extensions.
func Agreed(extensions string) string {
	return fmt.Sprintf("provider and proxy agreed on the extension %.100q", extensions)
}
