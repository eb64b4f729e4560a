package live

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"kind4/decode/ws"
)

// maxRefusal is how much of a refusal's body is read, in bytes.
const maxRefusal = 4 << 10

// openTimeout bounds the opening: connection, TLS and the answer to the upgrade. The path itself has no limit.
const openTimeout = 30 * time.Second

// ErrTLSExpected says that the other side speaks TLS, and ws:// was dialled.
var ErrTLSExpected = errors.New("it answers with TLS, and ws:// is dialled")

// RefusedError is an answer other than 101 to an upgrade request.
type RefusedError struct {
	Status   int    // of HTTP
	Body     string // at most 4 KiB of it, as it came
	Location string // where a redirect points, which is not followed
	Remote   string // HOST:PORT of who answered
}

// Reason is the body's first line, or the status's text where there is none.
func (e *RefusedError) Reason() string {
	line, _, _ := strings.Cut(strings.TrimSpace(e.Body), "\n")
	if line = strings.TrimSpace(line); line == "" {
		line = http.StatusText(e.Status)
	}
	return line
}

// Error says status and body.
func (e *RefusedError) Error() string {
	text := fmt.Sprintf("refused: %d %s", e.Status, http.StatusText(e.Status))
	if body := strings.TrimSpace(e.Body); body != "" {
		text = fmt.Sprintf("refused: %d %s", e.Status, body)
	}
	if e.Location != "" {
		text += fmt.Sprintf(" (to %s; redirects are not followed)", e.Location)
	}
	return text
}

// DialOptions are what Dial needs to know.
type DialOptions struct {
	URL        *url.URL         // ws:// or wss://, with a host; a missing port is 80 or 443 (RFC 6455 section 3)
	Header     []string         // lines "Name: value" that the request carries besides; a Host replaces the URL's
	Insecure   bool             // the server's certificate is not checked
	MaxSize    int64            // bytes of a message beyond which it is skipped; 0: 64 MiB
	QueueBytes int64            // memory that may wait for Take; 0: 16 MiB
	Now        func() time.Time // nil: time.Now
}

// hostPort is what is dialled.
func hostPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "wss":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// connectTo opens the connection under a WebSocket.
func connectTo(ctx context.Context, o *DialOptions) (net.Conn, error) {
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", hostPort(o.URL))
	if err != nil {
		return nil, cause(err)
	}
	if o.URL.Scheme != "wss" {
		return socket, nil
	}
	secure := tls.Client(socket, &tls.Config{ServerName: o.URL.Hostname(), InsecureSkipVerify: o.Insecure,
		NextProtos: []string{"http/1.1"}})
	if err := secure.HandshakeContext(ctx); err != nil {
		socket.Close()
		return nil, cause(err)
	}
	return secure, nil
}

// upgradeText is the request that asks for the upgrade (RFC 6455 section 4.1). It has no Origin, since kind4 is no
// browser, and offers no extension and no subprotocol.
func upgradeText(o *DialOptions, key string) []byte {
	var b bytes.Buffer
	host := o.URL.Host
	for _, line := range o.Header {
		if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Host") {
			host = strings.TrimSpace(value)
		}
	}
	fmt.Fprintf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n", o.URL.RequestURI(), host, key)
	for _, line := range o.Header {
		if name, _, _ := strings.Cut(line, ":"); !strings.EqualFold(name, "Host") {
			fmt.Fprintf(&b, "%s\r\n", line)
		}
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// upgrade asks for the upgrade and reads the answer; what came behind its head is left in the reader.
func upgrade(socket net.Conn, o *DialOptions) (*bufio.Reader, error) {
	var nonce [16]byte
	rand.Read(nonce[:])
	key := base64.StdEncoding.EncodeToString(nonce[:])
	if _, err := socket.Write(upgradeText(o, key)); err != nil {
		return nil, cause(err)
	}
	limited := &io.LimitedReader{R: socket, N: maxHead}
	in := bufio.NewReader(limited)
	if first, err := in.Peek(1); err != nil {
		return nil, noAnswer(err)
	} else if first[0] == tlsHandshake || first[0] == tlsAlert {
		return nil, ErrTLSExpected
	}
	r, err := finalAnswer(in)
	if err != nil && limited.N == 0 {
		return nil, fmt.Errorf("its answer's head is longer than %d KiB", maxHead>>10)
	}
	if err != nil {
		return nil, fmt.Errorf("its answer is not HTTP: %w", noAnswer(err))
	}
	if r.StatusCode != http.StatusSwitchingProtocols {
		socket.SetReadDeadline(time.Now().Add(lingerTimeout))
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxRefusal))
		return nil, &RefusedError{Status: r.StatusCode, Body: string(body), Location: r.Header.Get("Location"),
			Remote: socket.RemoteAddr().String()}
	}
	limited.N = 1<<63 - 1
	return in, notAccepted(r, key)
}

// finalAnswer passes over interim answers (RFC 9110 section 15.2), of which 101 is the one that ends HTTP.
func finalAnswer(in *bufio.Reader) (*http.Response, error) {
	for {
		r, err := http.ReadResponse(in, nil)
		if err != nil || r.StatusCode >= 200 || r.StatusCode == http.StatusSwitchingProtocols {
			return r, err
		}
	}
}

// tlsAlert is the first byte of a TLS alert (RFC 8446 section 5.1).
const tlsAlert = 0x15

// noAnswer words an end where an answer was due.
func noAnswer(err error) error {
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return errors.New("the connection ended before the answer to the upgrade")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("no answer in time")
	}
	return cause(err)
}

// notAccepted says what is wrong with an answer of status 101 (RFC 6455 section 4.1), nil for nothing.
func notAccepted(r *http.Response, key string) error {
	switch {
	case !strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		return errors.New("its answer, 101, lacks Upgrade: websocket")
	case !ws.HasToken(r.Header["Connection"], "upgrade"):
		return errors.New("its answer, 101, lacks Connection: Upgrade")
	case r.Header.Get("Sec-Websocket-Accept") != acceptOf(key):
		return errors.New("its answer, 101, has a Sec-WebSocket-Accept that does not answer the key")
	case r.Header.Get("Sec-Websocket-Extensions") != "":
		return errors.New("its answer, 101, takes up an extension that was not offered")
	case r.Header.Get("Sec-Websocket-Protocol") != "":
		return errors.New("its answer, 101, takes up a subprotocol that was not offered")
	}
	return nil
}

// acceptOf is what answers a key (RFC 6455 section 4.2.2).
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
