package ws

import (
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"strings"
)

// Refusal says why an upgrade request is not granted.
type Refusal struct {
	Status int      // of HTTP
	Reason string   // one line, lower case, no full stop
	Header []string // what the answer carries besides, a line "Name: value" each, without its end
}

// Path returns the path of a request target as it was sent: up to the query, nothing decoded or resolved.
// The proxy's paths hold no character that needs encoding, so one that spells them otherwise
// ("/%72equests", "/x/../requests") is another path. Of a target in absolute form ("http://host/requests",
// which RFC 9112 section 3.2.2 has every server accept and RFC 6455 section 4.1 allows) scheme and authority do
// not count.
func Path(target string) string {
	path, _, _ := strings.Cut(target, "?")
	scheme, rest, absolute := strings.Cut(path, "://")
	if !absolute || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return path
	}
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return "/"
}

// Check judges an upgrade request by RFC 6455 section 4.2.1 and by what a container proxy serves. The first
// that applies refuses it: 403 for an Origin, 505 for another major version of HTTP than 1 (RFC 9110 section
// 15.6.6), the preface of HTTP/2 for instance, 400 for HTTP/1.1 without a Host (RFC 9112 section 3.2), 404 for a
// path of which unknown gives a reason, 405, 426, 400. The query does not count. A nil Refusal grants the
// upgrade, for which AppendAccept has the answer.
func Check(r *http.Request, unknown func(path string) string) *Refusal {
	if _, browser := r.Header["Origin"]; browser {
		return &Refusal{Status: http.StatusForbidden,
			Reason: "the request has an Origin, so it comes from a browser page; clients that are no browsers send none"}
	}
	if r.ProtoMajor != 1 {
		return &Refusal{Status: http.StatusHTTPVersionNotSupported,
			Reason: "a WebSocket is opened with HTTP/1.1, and " + r.Proto + " is not spoken here"}
	}
	if r.Host == "" && r.ProtoAtLeast(1, 1) {
		return &Refusal{Status: http.StatusBadRequest, Reason: "no Host header"}
	}
	if reason := unknown(Path(r.RequestURI)); reason != "" {
		return &Refusal{Status: http.StatusNotFound, Reason: reason}
	}
	if r.Method != http.MethodGet {
		return &Refusal{Status: http.StatusMethodNotAllowed, Reason: "only GET opens a path",
			Header: []string{"Allow: GET"}}
	}
	if reason := plain(r); reason != "" {
		return &Refusal{Status: http.StatusUpgradeRequired, Reason: reason, Header: upgradeHeader()}
	}
	if reason := malformed(r); reason != "" {
		return &Refusal{Status: http.StatusBadRequest, Reason: reason}
	}
	return nil
}

// upgradeHeader is what an answer with 426 carries (RFC 9110 section 15.5.22, RFC 6455 section 4.4).
func upgradeHeader() []string { return []string{"Upgrade: websocket", "Sec-WebSocket-Version: 13"} }

// plain says why the request asks for no WebSocket of version 13, "" where it does.
func plain(r *http.Request) string {
	version := r.Header.Values("Sec-Websocket-Version")
	switch {
	case !r.ProtoAtLeast(1, 1):
		return "a WebSocket is opened with HTTP/1.1, not " + r.Proto
	case !HasToken(r.Header["Upgrade"], "websocket"):
		return "no Upgrade: websocket; this path is a WebSocket"
	case !HasToken(r.Header["Connection"], "upgrade"):
		return "no Connection: Upgrade; this path is a WebSocket"
	case len(version) == 0:
		return "no Sec-WebSocket-Version; 13 is spoken here"
	case len(version) > 1 || version[0] != "13":
		return "another Sec-WebSocket-Version than 13"
	}
	return ""
}

// malformed says what is broken in a request that does ask for a WebSocket, "" for nothing.
func malformed(r *http.Request) string {
	keys := r.Header["Sec-Websocket-Key"]
	switch {
	case len(keys) == 0:
		return "no Sec-WebSocket-Key"
	case len(keys) > 1:
		return "more than one Sec-WebSocket-Key"
	case !validKey(keys[0]):
		return "a Sec-WebSocket-Key that is not 16 bytes in base64"
	case r.ContentLength != 0 || len(r.TransferEncoding) > 0:
		return "an upgrade request with a body"
	}
	return ""
}

// validKey reports whether the key is 16 bytes in base64 (RFC 6455 section 4.2.1).
func validKey(key string) bool {
	if len(key) != 24 {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(key)
	return err == nil && len(raw) == 16
}

// HasToken reports whether one of a header's lists holds the token, in any case (RFC 9110 section 5.6.1).
func HasToken(lines []string, token string) bool {
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(item), token) {
				return true
			}
		}
	}
	return false
}

// AppendAccept appends the answer that grants the upgrade (RFC 6455 section 4.2.2): no subprotocol, no
// extension.
func AppendAccept(dst []byte, r *http.Request) []byte {
	const guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	sum := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + guid))
	dst = append(dst, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "...)
	dst = base64.StdEncoding.AppendEncode(dst, sum[:])
	return append(dst, "\r\n\r\n"...)
}
