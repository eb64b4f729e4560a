package capture

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
)

// AppendEncoded appends one message in a format: as it is (Raw), as lower-case hex digits and a newline
// (Hex, HexLines), as padded base64 and a newline (Base64, Base64Lines), or behind its length (LP32, a
// big-endian u32: at most 4 GiB). Any other format is Raw. HexLines, Base64Lines and LP32 read any number
// of messages back as they were.
func AppendEncoded(dst []byte, f Format, message []byte) []byte {
	switch f {
	case Hex, HexLines:
		return append(hex.AppendEncode(dst, message), '\n')
	case Base64, Base64Lines:
		return append(base64.StdEncoding.AppendEncode(dst, message), '\n')
	case LP32:
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(message)))
	}
	return append(dst, message...)
}
