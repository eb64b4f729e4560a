package ws

import (
	"net/http"
	"testing"
)

// What follows a body is found wherever it is split.
func TestBody(t *testing.T) {
	tests := []struct {
		name, head, body string
		over             bool
	}{
		{"none", "HTTP/1.1 204 No Content\r\n\r\n", "", true},
		{"none, with a length", "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "", true},
		{"a length", "HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n", "not here\n", true},
		{"cut off", "HTTP/1.1 404 Not Found\r\nContent-Length: 10\r\n\r\n", "not here\n", false},
		{"chunks", "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n", "4\r\nnot \r\n00a;x=y\r\nhere\r\n\r\n0\n\r\n0\r\n\r\n", true},
		{"chunks with a trailer", "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n0\r\nA: b\r\n\r\n", true},
		{"a broken chunk", "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n", "x\r\n0\r\n\r\n", false},
		{"up to the end of the connection", "HTTP/1.1 404 Not Found\r\n\r\n", "not here\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			response, err := ParseAnswer([]byte(test.head), &http.Request{Method: "GET"})
			if err != nil {
				t.Fatal(err)
			}
			stream := test.body
			if test.over {
				stream += "HTTP/1.1 "
			}
			for split := 1; split <= len(stream); split++ {
				body := AnswerBody(response)
				n := 0
				for at := 0; at < len(stream); at += split {
					n += body.Take([]byte(stream[at:min(at+split, len(stream))]))
				}
				if n != len(test.body) || body.Over() != test.over {
					t.Errorf("in pieces of %d: %d bytes, over %v; want %d, %v", split, n, body.Over(), len(test.body), test.over)
				}
			}
		})
	}
}

func TestAnswerReason(t *testing.T) {
	tests := []struct{ answer, want string }{
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 20\r\n\r\n\r\nno such channel\r\nmore", "no such channel"},
		{"HTTP/1.1 404 Not Found\r\nContent-Length: 200\r\n\r\nno such", "no such"},
		{"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno \r\n4\r\nsuch", "no such"},
		{"HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n", "Conflict"},
	}
	for _, test := range tests {
		if got := AnswerReason([]byte(test.answer), &http.Request{Method: "GET"}); got != test.want {
			t.Errorf("%q: %q, want %q", test.answer, got, test.want)
		}
	}
}
