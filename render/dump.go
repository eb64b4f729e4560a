package render

import (
	"encoding/binary"
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

// hexPairs holds the two digits of each byte, the first in the low half: in the order in which they stand when they
// are stored by [binary.LittleEndian].
var hexPairs = func() (t [256]uint16) {
	for c := range t {
		t[c] = uint16(hexDigits[c>>4]) | uint16(hexDigits[c&15])<<8
	}
	return t
}()

// digitColumn returns the column of the digits of byte i of a row.
func digitColumn(i int) int { return digitsAt + 2*i + i/2 }

// offsetDigits returns the eight digits of an offset, as they are stored by [binary.LittleEndian].
func offsetDigits(o uint32) uint64 {
	return uint64(hexPairs[o>>24]) | uint64(hexPairs[o>>16&255])<<16 | uint64(hexPairs[o>>8&255])<<32 | uint64(hexPairs[o&255])<<48
}

// appendRows appends the rows of b, whose first byte stands at offset, each with its newline.
func appendRows(dst, b []byte, offset int) []byte {
	dst = slices.Grow(dst, (len(b)+rowBytes-1)/rowBytes*(rowWidth+1))
	digits := offsetDigits(uint32(offset))
	for ; len(b) >= rowBytes && offset < longOffset; b, offset = b[rowBytes:], offset+rowBytes {
		if offset&255 < rowBytes {
			digits = offsetDigits(uint32(offset))
		}
		digits = digits<<16>>16 | uint64(hexPairs[offset&255])<<48 // of most rows only the last two differ
		at := len(dst)
		dst = dst[:at+rowWidth+1]
		fillRow((*[rowWidth + 1]byte)(dst[at:]), (*[rowBytes]byte)(b), digits)
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
	dst = dst[:at+rowWidth+1]
	fillRow((*[rowWidth + 1]byte)(dst[at:]), b, offsetDigits(uint32(offset)))
	return dst
}

// fillRow writes a row, in stores of eight bytes of which each but the last of its kind reaches into the next: the
// whole form takes half as long as byte by byte.
func fillRow(row *[rowWidth + 1]byte, b *[rowBytes]byte, digits uint64) {
	binary.LittleEndian.PutUint64(row[:], digits)
	row[digitsAt-2], row[digitsAt-1] = ':', ' '
	binary.LittleEndian.PutUint64(row[digitsAt:], group(b[0], b[1])) // a loop over the groups takes a fifth more time
	binary.LittleEndian.PutUint64(row[digitsAt+5:], group(b[2], b[3]))
	binary.LittleEndian.PutUint64(row[digitsAt+10:], group(b[4], b[5]))
	binary.LittleEndian.PutUint64(row[digitsAt+15:], group(b[6], b[7]))
	binary.LittleEndian.PutUint64(row[digitsAt+20:], group(b[8], b[9]))
	binary.LittleEndian.PutUint64(row[digitsAt+25:], group(b[10], b[11]))
	binary.LittleEndian.PutUint64(row[digitsAt+30:], group(b[12], b[13]))
	binary.LittleEndian.PutUint64(row[digitsAt+35:], group(b[14], b[15]))
	binary.LittleEndian.PutUint64(row[charsAt:], characters(binary.LittleEndian.Uint64(b[:])))
	binary.LittleEndian.PutUint64(row[charsAt+8:], characters(binary.LittleEndian.Uint64(b[8:])))
	row[rowWidth] = '\n'
}

// group returns the digits of two bytes and the spaces behind them, as they are stored by [binary.LittleEndian].
func group(a, b byte) uint64 {
	const twoSpaces = ' ' | ' '<<8
	return uint64(hexPairs[a]) | uint64(hexPairs[b])<<16 | twoSpaces<<32
}

// characters replaces what is no printable ASCII among eight bytes by dots.
func characters(word uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	low := word &^ tops // so that nothing below carries into the next byte
	printable := (low + ones*(0x80-0x20)) &^ (low + ones*(0x80-0x7f)) &^ word & tops
	mask := printable >> 7 * 0xff
	return word&mask | ones*'.'&^mask
}

// appendRow appends a row of at most sixteen bytes without a newline. The characters stand in their column
// however few bytes there are: xxd -r stops reading digits at the spaces before them.
func appendRow(dst, b []byte, offset int) []byte {
	var bytes [rowBytes]byte
	n := copy(bytes[:], b)
	at := len(dst)
	dst = appendFullRow(slices.Grow(dst, rowWidth+1), &bytes, offset)
	copy(dst[at+digitColumn(n):at+charsAt], spaces)
	dst = dst[:at+charsAt+n]
	if offset >= longOffset {
		dst = slices.Replace(dst, at, at+digitsAt-2, strconv.AppendInt(nil, int64(offset), 16)...)
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
