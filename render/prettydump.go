package render

import (
	"strconv"

	"kind4/decode"
)

// A dump of more than dumpWhole bytes shows its first dumpHead ones and dumpAround on either side of the byte at
// fault. All are multiples of rowBytes.
const (
	dumpWhole  = 2048
	dumpHead   = 1024
	dumpAround = 64
)

// noMark stands for a dump in which no byte is at fault.
const noMark = -1

// appendDump appends the rows of the message, and under the row that holds the byte at fault a mark under its
// column. A mark at the end stands behind the last byte. A long message is cut: the byte at fault never is.
func (p *prettyPrinter) appendDump(dst []byte, f *decode.Frame, mark int) []byte {
	b := f.Message
	if mark > len(b) {
		mark = len(b)
	}
	if len(b) <= dumpWhole {
		dst = p.appendRange(dst, b, 0, len(b), mark)
		return p.appendNotKept(dst, f)
	}
	shown := dumpHead
	if mark >= 0 {
		row := rowOf(mark, len(b))
		from, to := max(row-dumpAround, 0), min(row+dumpAround+rowBytes, len(b))
		if from <= shown {
			shown = max(shown, to)
		} else {
			dst = p.appendRange(dst, b, 0, shown, noMark)
			dst = p.appendLeftOut(dst, int64(from-shown), false)
			dst = p.appendRange(dst, b, from, to, mark)
			return p.appendRest(dst, f, to)
		}
	}
	dst = p.appendRange(dst, b, 0, shown, mark)
	return p.appendRest(dst, f, shown)
}

// appendRest says how many bytes from there on are not shown.
func (p *prettyPrinter) appendRest(dst []byte, f *decode.Frame, from int) []byte {
	if left := len(f.Message) - from; left > 0 {
		dst = p.appendLeftOut(dst, int64(left), false)
	}
	return p.appendNotKept(dst, f)
}

// appendNotKept says how many bytes of an oversize message were not kept.
func (p *prettyPrinter) appendNotKept(dst []byte, f *decode.Frame) []byte {
	if lost := f.Size - int64(len(f.Message)); lost > 0 {
		dst = p.appendLeftOut(dst, lost, true)
	}
	return dst
}

// appendLeftOut appends a line for bytes that are not shown.
func (p *prettyPrinter) appendLeftOut(dst []byte, n int64, lost bool) []byte {
	dst = append(dst, p.theme.Dim.Open...)
	dst = append(append(dst, ellipsis(p.options.ASCII)...), ' ')
	dst = strconv.AppendInt(dst, n, 10)
	dst = append(dst, " more byte"...)
	if n != 1 {
		dst = append(dst, 's')
	}
	if lost {
		dst = append(dst, ", not kept"...)
	} else {
		dst = append(dst, "; -o hex shows all"...)
	}
	dst = append(dst, p.theme.Dim.Close...)
	return append(dst, '\n')
}

// rowOf returns where the row begins that a mark stands under: the row of that byte, or the last row for a mark
// behind the last byte.
func rowOf(mark, size int) int {
	if mark == size && mark > 0 {
		mark--
	}
	return mark - mark%rowBytes
}

// appendRange appends the rows of b[from:to], and the mark where it falls among them. From begins a row.
func (p *prettyPrinter) appendRange(dst, b []byte, from, to, mark int) []byte {
	for at := from; at < to; at += rowBytes {
		row := b[at:min(at+rowBytes, to)]
		if at == 0 {
			dst = appendTagRow(dst, row, 0, p.theme.Tag)
		} else {
			dst = appendRow(dst, row, at)
		}
		dst = append(dst, '\n')
		if mark >= 0 && rowOf(mark, len(b)) == at {
			dst = p.appendMark(dst, mark, at)
		}
	}
	return dst
}

// appendMark appends the line that points at a byte of the row that begins at row.
func (p *prettyPrinter) appendMark(dst []byte, mark, row int) []byte {
	dst = appendSpaces(dst, digitColumn(mark-row))
	dst = append(dst, p.theme.Failed.Open...)
	dst = append(dst, "^^ byte "...)
	dst = strconv.AppendInt(dst, int64(mark), 10)
	dst = append(dst, p.theme.Failed.Close...)
	return append(dst, '\n')
}
