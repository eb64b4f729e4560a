package render

import (
	"slices"
	"strconv"
)

// A dump is laid out as xxd's default: eight digits of offset, a colon, sixteen bytes in groups of two, two
// spaces, the bytes as characters.
const (
	rowBytes   = 16
	digitsAt   = 10 // column of the first byte's digits
	charsAt    = 51 // column of the first byte's character
	rowWidth   = charsAt + rowBytes
	longOffset = 1 << 32 // from here on an offset needs more than eight digits
)

var (
	hexPairs [256][2]byte // the digits of a byte
	hexChars [256]byte    // the character of a byte: printable ASCII or a dot
)

func init() {
	for c := range 256 {
		hexPairs[c] = [2]byte{hexDigits[c>>4], hexDigits[c&15]}
		hexChars[c] = '.'
		if c >= 0x20 && c < 0x7f {
			hexChars[c] = byte(c)
		}
	}
}

// digitColumn returns the column of the digits of byte i of a row.
func digitColumn(i int) int { return digitsAt + 2*i + i/2 }

// appendOffset appends an offset and its colon.
func appendOffset(dst []byte, offset int) []byte {
	if offset >= longOffset {
		dst = strconv.AppendInt(dst, int64(offset), 16)
		return append(dst, ':')
	}
	o := uint32(offset)
	a, b, c, d := hexPairs[o>>24], hexPairs[o>>16&255], hexPairs[o>>8&255], hexPairs[o&255]
	return append(dst, a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1], ':')
}

// appendRows appends the rows of b, whose first byte stands at offset, each with its newline.
func appendRows(dst, b []byte, offset int) []byte {
	dst = slices.Grow(dst, (len(b)+rowBytes-1)/rowBytes*(rowWidth+1))
	for ; len(b) >= rowBytes && offset < longOffset; b, offset = b[rowBytes:], offset+rowBytes {
		dst = appendFullRow(dst, (*[rowBytes]byte)(b), offset)
	}
	for len(b) > 0 {
		n := min(len(b), rowBytes)
		dst = append(appendRow(dst, b[:n], offset), '\n')
		b, offset = b[n:], offset+n
	}
	return dst
}

// appendFullRow appends a row of sixteen bytes and its newline. There is room for it in dst.
func appendFullRow(dst []byte, b *[rowBytes]byte, offset int) []byte {
	at := len(dst)
	dst = appendOffset(dst, offset)[:at+rowWidth+1]
	row := (*[rowWidth + 1]byte)(dst[at:])
	row[digitsAt-1] = ' '
	for i := 0; i < rowBytes; i += 2 {
		high, low, col := hexPairs[b[i]], hexPairs[b[i+1]], digitsAt+i/2*5
		row[col], row[col+1], row[col+2], row[col+3], row[col+4] = high[0], high[1], low[0], low[1], ' '
		row[charsAt+i], row[charsAt+i+1] = hexChars[b[i]], hexChars[b[i+1]]
	}
	row[charsAt-1], row[rowWidth] = ' ', '\n'
	return dst
}

// appendRow appends a row of at most sixteen bytes without a newline. The characters stand in their column
// however few bytes there are: xxd -r stops reading digits at the spaces before them.
func appendRow(dst, b []byte, offset int) []byte {
	dst = append(appendOffset(dst, offset), ' ')
	for i, c := range b {
		dst = append(dst, hexPairs[c][0], hexPairs[c][1])
		if i%2 == 1 {
			dst = append(dst, ' ')
		}
	}
	dst = appendSpaces(dst, charsAt-digitColumn(len(b)))
	for _, c := range b {
		dst = append(dst, hexChars[c])
	}
	return dst
}

// appendTagRow is appendRow with the first byte in a style of its own.
func appendTagRow(dst, b []byte, offset int, tag Style) []byte {
	at := len(dst)
	dst = appendRow(dst, b, offset)
	if tag.Open == "" || len(b) == 0 {
		return dst
	}
	extra := len(dst) - at - rowWidth // of an offset of more than eight digits
	extra = max(extra, 0)
	dst = styleAt(dst, at+extra+charsAt, 1, tag)
	return styleAt(dst, at+extra+digitsAt, 2, tag)
}

// styleAt puts a style around n bytes that stand in dst.
func styleAt(dst []byte, at, n int, s Style) []byte {
	dst = slices.Insert(dst, at+n, []byte(s.Close)...)
	return slices.Insert(dst, at, []byte(s.Open)...)
}

const spaces = "                                                                "

// appendSpaces appends n spaces; none when n is not positive.
func appendSpaces(dst []byte, n int) []byte {
	for n > len(spaces) {
		dst = append(dst, spaces...)
		n -= len(spaces)
	}
	if n <= 0 {
		return dst
	}
	return append(dst, spaces[:n]...)
}
