package ws

import (
	"bytes"
	"net/http"
	"strconv"
)

// Body follows the body of a request or an answer of HTTP/1.1 to its end (RFC 9112 section 6), whatever it holds. The
// zero Body is over.
type Body struct {
	left    int64 // bytes of it, or of the chunk under way; less than 0: it ends with the connection
	chunked chunkState
	line    []byte // of a chunk's size, or of a trailer, as far as it is needed
}

// chunkState says what of a chunked body is under way (RFC 9112 section 7.1).
type chunkState uint8

const (
	notChunked chunkState = iota
	inSize
	inChunk
	behindChunk
	inTrailer
)

// toTheEnd is the length of a body that ends with the connection.
const toTheEnd = -1

// RequestBody returns the body of a request.
func RequestBody(r *http.Request) Body { return newBody(max(r.ContentLength, 0), r.TransferEncoding) }

// AnswerBody returns the body of an answer.
func AnswerBody(r *http.Response) Body {
	if r.Body == http.NoBody {
		return Body{}
	}
	return newBody(r.ContentLength, r.TransferEncoding)
}

func newBody(length int64, encoding []string) Body {
	if len(encoding) > 0 {
		return Body{chunked: inSize}
	}
	return Body{left: max(length, toTheEnd)}
}

// Over reports whether the body has come to its end.
func (b *Body) Over() bool { return b.left == 0 && b.chunked == notChunked }

// Take returns how many bytes at the front of p belong to the body.
func (b *Body) Take(p []byte) int {
	n := 0
	for n < len(p) && !b.Over() {
		switch {
		case b.left < 0:
			return len(p)
		case b.left > 0:
			step := int(min(b.left, int64(len(p)-n)))
			n += step
			b.left -= int64(step)
			if b.left == 0 && b.chunked == inChunk {
				b.chunked = behindChunk
			}
		default:
			n += b.takeLine(p[n:])
		}
	}
	return n
}

// takeLine takes what there is of a line between chunks, and reads it once it is whole. What breaks the rules makes
// the body one that ends with the connection.
func (b *Body) takeLine(p []byte) int {
	const most = 64 // digits of a size, and what of a line behind them has to be seen
	part, _, whole := bytes.Cut(p, []byte("\n"))
	b.line = append(b.line, part[:min(len(part), most-min(most, len(b.line)))]...)
	if !whole {
		return len(p)
	}
	line := bytes.TrimSuffix(b.line, []byte("\r"))
	switch b.chunked {
	case inSize:
		b.size(line)
	case behindChunk:
		b.chunked = inSize
	case inTrailer:
		if len(line) == 0 {
			b.chunked = notChunked
		}
	}
	b.line = b.line[:0]
	return len(part) + 1
}

// size begins the chunk of which the line says how long it is.
func (b *Body) size(line []byte) {
	digits, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 62)
	switch {
	case err != nil:
		b.left, b.chunked = toTheEnd, notChunked
	case n == 0:
		b.chunked = inTrailer
	default:
		b.left, b.chunked = int64(n), inChunk
	}
}
