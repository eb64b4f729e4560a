// Package capture reads messages back from the containers that people keep them in: dumps, hex, base64,
// literals, length-prefixed files. It yields session events, and knows nothing of what a frame means.
package capture

import (
	"io"

	"kind4/decode/session"
)

// Options say what is read and how.
type Options struct {
	Format  Format
	Name    string // of the file, for errors; "" for "standard input"
	MaxSize int64  // bytes; longer messages are cut to their first 64; 0 for 64 MiB
}

// Reader reads the messages of one input.
type Reader struct{}

// NewReader returns a reader of the messages in src.
func NewReader(src io.Reader, o Options) *Reader { return &Reader{} }

// Next appends some Message events to b.
func (r *Reader) Next(b *session.Batch) error { return io.EOF }

// Format returns what was recognised, once Next was called.
func (r *Reader) Format() Format { return Raw }

// Hint returns one line for the user, or "".
func (r *Reader) Hint() string { return "" }

// Offset returns how many bytes were read so far.
func (r *Reader) Offset() int64 { return 0 }

// AppendEncoded appends one message in the format: Raw, Hex, Base64 or LP32.
func AppendEncoded(dst []byte, f Format, message []byte) []byte { return append(dst, message...) }
