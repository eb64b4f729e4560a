package session

import "testing"

func TestBehindGateway(t *testing.T) {
	for path, want := range map[string]Side{
		"/requests": Proxy, "/mcp/notifications/2": Provider, "/a/b/mcp/notifications/2": Provider,
		"/tool/notifications": Proxy, "/a/tool/notifications": Proxy,
		"/a/requests": 0, "/mcp/notifications/02": 0, "/mcp/notifications/2/x": 0, "/notifications/2": 0, "": 0,
	} {
		if e := BehindGateway(path); e.Sender() != want {
			t.Errorf("%q: %v, want %v", path, e.Sender(), want)
		}
	}
}
