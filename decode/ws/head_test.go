package ws

import "testing"

func TestHeadEnd(t *testing.T) {
	tests := []struct {
		head string
		from int
		want int
	}{
		{"", 0, 0},
		{"GET / HTTP/1.1\r\nHost: h\r\n", 0, 0},
		{"GET / HTTP/1.1\r\nHost: h\r\n\r", 0, 0},
		{"GET / HTTP/1.1\r\nHost: h\r\n\r\nrest", 0, 27},
		{"GET / HTTP/1.1\nHost: h\n\nrest", 0, 24},
		{"GET / HTTP/1.1\r\n\r\n", -2, 18},
		{"a\n\nb\n\nc", 3, 6},
	}
	for _, test := range tests {
		if got := HeadEnd([]byte(test.head), test.from); got != test.want {
			t.Errorf("%q from %d: %d, want %d", test.head, test.from, got, test.want)
		}
	}
}

func TestRequestLine(t *testing.T) {
	tests := []struct {
		head, line string
		ok         bool
	}{
		{"GET / HT", "", true},
		{"GET / HTTP/1.1\r\nHost", "GET / HTTP/1.1", true},
		{"GET /a b HTTP/1.1\n", "GET /a b HTTP/1.1", false},
		{"GET  HTTP/1.1\n", "GET  HTTP/1.1", false},
		{"SSH-2.0-x\r\n", "SSH-2.0-x", false},
	}
	for _, test := range tests {
		if line, ok := RequestLine([]byte(test.head)); string(line) != test.line || ok != test.ok {
			t.Errorf("%q: %q %v, want %q %v", test.head, line, ok, test.line, test.ok)
		}
	}
}

func TestHeaderText(t *testing.T) {
	tests := map[string]string{
		"GET / HTTP/1.1\r\n\r\n": "",
		"GET / HTTP/1.1\r\nHost: h\r\nsec-WebSocket-KEY:  x\r\nB: 2\r\nA: 1\r\n\r\n": "Host: h\nsec-WebSocket-KEY:  x\nB: 2\nA: 1\n",
		"GET / HTTP/1.1\nHost: h\nA: 1\n\n":                                          "Host: h\nA: 1\n",
	}
	for head, want := range tests {
		if got := HeaderText([]byte(head)); got != want {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}
