package inspect

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"io"

	"kind4/decode"
)

// binaryHint says what a message may be whose body is no text.
func binaryHint(message []byte) hint {
	body := view(message, 1, len(message))
	if len(body) == 0 {
		return hint{}
	}
	if name := compression(body); name != "" {
		return hint{"the body is compressed with %: send it as it is", [2]Arg{words(name)}}
	}
	if name := fileKind(body); name != "" {
		return hint{"the body begins like %", [2]Arg{words(name)}}
	}
	if name := packedFormat(body); name != "" {
		return hint{"the body begins like %, where JSON text is needed", [2]Arg{words(name)}}
	}
	if h := lengthHint(message); h.format != "" {
		return h
	}
	return headerHint(message, body)
}

// headerHint says what stands before the body that a message needs none of, or what stands in its place.
func headerHint(message, body []byte) hint {
	if framedTwice(body) {
		return hint{format: "behind the tag stands a whole WebSocket frame: it was framed twice"}
	}
	if body[0] <= 1 && len(body) > 1 {
		if v := verdict(decode.Tag(body[0]), body[1:]); v != "" {
			return hint{"behind one more tag byte stands %: the tag is there twice", [2]Arg{words(v)}}
		}
	}
	if len(message) > 4 && len(bytes.Trim(message, "\x00")) == 0 {
		return hint{format: "every byte is NUL: a buffer that was never filled?"}
	}
	if name, mark := decode.EncodingOf(message); mark == 4 {
		return hint{"the message is %, and its first byte was taken for the tag", [2]Arg{words(name)}}
	}
	format := "it reads as an ask of kind % on channel %: asks travel on /requests, from the proxy"
	ask, ok := asAsk(message)
	if !ok {
		format = "behind the tag stands an ask of kind % on channel %: asks travel on /requests, from the proxy"
		ask, ok = asAsk(body)
	}
	if !ok {
		return hint{}
	}
	return hint{format, [2]Arg{number(int64(ask.Kind)), number(int64(ask.Channel))}}
}

// maxLikelyChannel bounds the channels of what is taken for an ask: they are minted in order, from 1 on.
const maxLikelyChannel = 1 << 20

// asAsk reads a message as an ask; false where it is unlikely to be one.
func asAsk(message []byte) (ask decode.Ask, ok bool) {
	if ask.Decode(message) != nil || !ask.Kind.Known() || ask.Channel == 0 || ask.Channel >= maxLikelyChannel {
		return ask, false
	}
	payload := ask.Payload
	switch ask.Kind {
	case decode.KindNotifications, decode.KindPostgres:
		return ask, len(payload) == 0
	case decode.KindListTools, decode.KindListResources, decode.KindCallTool, decode.KindReadResource:
		return ask, len(payload) > 1 && (payload[0] == '{' || payload[0] == 'n') && isJSON(payload)
	}
	text := 0
	for _, part := range ask.Parts {
		raw := ask.Raw(part)
		switch {
		case part.Name == "ttl" || part.Name == "value" || part.Name == "bytes":
		case isText(raw):
			text++
		case len(raw) > 0:
			return ask, false
		}
	}
	return ask, text > 0
}

// lengthHint says whether a message, or what is behind its tag, begins with its own length, as framings write
// it that a WebSocket needs none of.
func lengthHint(message []byte) hint {
	if n := lengthPrefix(message); n > 0 {
		return hint{"the first % bytes are the length of the rest: a WebSocket message needs none", [2]Arg{number(int64(n))}}
	}
	switch n := lengthPrefix(message[1:]); {
	case n == 4 && binary.BigEndian.Uint32(message[1:]) < 1<<24 && message[0] <= 1:
		return hint{format: "behind the first byte stands the length of the rest, as gRPC writes it: a WebSocket message needs none"}
	case n > 0 && message[0] <= 1:
		return hint{format: "behind the first byte stands the length of the rest: a WebSocket message needs none"}
	case framedTwice(message):
		return hint{format: "a whole WebSocket frame inside the message: it was framed twice"}
	}
	return hint{}
}

// lengthPrefix is how many bytes at the start of s are a number, of either byte order, that is the length of the
// rest; 0 where there is no such. Two bytes count only before what begins like a message or its body.
func lengthPrefix(s []byte) int {
	size := int64(len(s))
	switch {
	case size < 6:
		return 0
	case int64(binary.BigEndian.Uint32(s)) == size-4, int64(binary.LittleEndian.Uint32(s)) == size-4:
		return 4
	case size >= 10 && (binary.BigEndian.Uint64(s) == uint64(size-8) || binary.LittleEndian.Uint64(s) == uint64(size-8)):
		return 8
	case s[2] != '{' && (s[2] > 1 || s[3] != '{'):
		return 0
	case int64(binary.BigEndian.Uint16(s)) == size-2, int64(binary.LittleEndian.Uint16(s)) == size-2:
		return 2
	}
	return 0
}

// framedTwice reports whether s is one whole data frame of RFC 6455 section 5.2.
func framedTwice(s []byte) bool {
	if len(s) < 6 || s[0] != 0x81 && s[0] != 0x82 {
		return false
	}
	header := 2
	size := int(s[1] & 0x7f)
	if size == 126 {
		header, size = 4, int(binary.BigEndian.Uint16(s[2:]))
	}
	if s[1]&0x80 != 0 {
		header += 4
	}
	return size < 127<<9 && header+size == len(s)
}

// packedKeys are the names that a message's object begins with.
var packedKeys = []string{"method", "jsonrpc", "params", "code", "message"}

// packedFormat names the binary form of JSON that an object of a message begins like, "" for none.
func packedFormat(s []byte) string {
	if len(s) < 8 {
		return ""
	}
	for _, key := range packedKeys {
		switch {
		case !hasPrefix(s[2:], key):
		case s[0]&0xf0 == 0x80 && int(s[1]) == 0xa0+len(key):
			return "MessagePack"
		case (s[0]&0xe0 == 0xa0 || s[0] == 0xbf) && int(s[1]) == 0x60+len(key):
			return "CBOR"
		}
	}
	return ""
}

// fileKinds are how files begin that were sent in place of a message.
var fileKinds = []struct{ magic, name string }{
	{"\x89PNG\r\n\x1a\n", "a PNG image"},
	{"\xff\xd8\xff", "a JPEG image"},
	{"GIF87a", "a GIF image"},
	{"GIF89a", "a GIF image"},
	{"%PDF-", "a PDF document"},
	{"PK\x03\x04", "a ZIP archive"},
	{"\x7fELF", "an ELF executable"},
	{"\x00asm", "a WebAssembly module"},
	{"SQLite format 3\x00", "an SQLite database"},
}

// fileKind names the kind of file that s begins like, "" for none.
func fileKind(s []byte) string {
	for i := range fileKinds {
		if hasPrefix(s, fileKinds[i].magic) {
			return fileKinds[i].name
		}
	}
	return ""
}

// compressions are how compressed data begins that tells itself.
var compressions = []struct{ magic, name string }{
	{"\x1f\x8b\x08", "gzip"},
	{"\x28\xb5\x2f\xfd", "zstd"},
	{"\xfd7zXZ\x00", "xz"},
	{"\x04\x22\x4d\x18", "LZ4"},
	{"\xff\x06\x00\x00sNaPpY", "Snappy"},
	{"BZh91AY&SY", "bzip2"},
}

// compression names the compression that s begins like, "" for none.
func compression(s []byte) string {
	for i := range compressions {
		if hasPrefix(s, compressions[i].magic) {
			return compressions[i].name
		}
	}
	switch {
	case len(s) > 2 && s[0]&0x0f == 8 && s[0]>>4 <= 7 && binary.BigEndian.Uint16(s)%31 == 0 && (inflatesTo(s[2:]) || isZlib(s)):
		return "zlib"
	case len(s) > 2 && s[0] >= 0x20 && s[0] < 0x7f && s[0] != 'b' && s[0] != 'r':
		return "" // text; deflated JSON begins with bytes like 0x62, 0x72, 0xaa, 0xab
	case inflatesTo(s):
		return "deflate"
	}
	return ""
}

// maxInflated is how much is inflated to see whether bytes are compressed text.
const maxInflated = 64

// inflatesTo reports whether s inflates to something that begins like a message or its body.
func inflatesTo(s []byte) bool {
	var out [maxInflated]byte
	n, err := io.ReadFull(flate.NewReader(bytes.NewReader(s)), out[:])
	if err != nil && err != io.ErrUnexpectedEOF || n < 2 {
		return false
	}
	text := out[:n]
	if text[0] <= 1 {
		text = text[1:]
	}
	text = trimSpace(text)
	return len(text) > 1 && text[0] == '{' && (text[1] == '"' || isSpace(text[1]) || text[1] == '}')
}

// isZlib reports whether s is a whole stream of RFC 1950 whose checksum holds. It gives up on long ones.
func isZlib(s []byte) bool {
	reader, err := zlib.NewReader(bytes.NewReader(s))
	if err != nil {
		return false
	}
	n, err := io.Copy(io.Discard, io.LimitReader(reader, maxTried))
	return err == nil && n > 0 && n < maxTried
}
