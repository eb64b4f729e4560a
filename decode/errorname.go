package decode

// errorNames are the JSON-RPC error codes that have a name: JSON-RPC 2.0 section 5.1 and MCP 2026-07-28.
var errorNames = map[int32]string{
	-32700: "parse error",
	-32600: "invalid request",
	-32601: "method not found",
	-32602: "invalid params",
	-32603: "internal error",
	-32002: "resource not found",
	-32020: "header mismatch",
	-32021: "missing required client capability",
	-32022: "unsupported protocol version",
}

// ErrorName returns what an error code means, "internal error" for instance, "" where it has no name.
// -32000 to -32099 are for servers to define (JSON-RPC 2.0 section 5.1).
func ErrorName(code int32) string {
	if name := errorNames[code]; name != "" {
		return name
	}
	if code <= -32000 && code >= -32099 {
		return "implementation-defined server error"
	}
	return ""
}

// NamedErrors returns the codes that have a name of their own, in descending order.
func NamedErrors() []int32 {
	return []int32{-32002, -32020, -32021, -32022, -32600, -32601, -32602, -32603, -32700}
}
