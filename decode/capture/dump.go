package capture

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"kind4/decode/session"
)

// dumpLine is one line of a dump: an offset and the bytes behind it.
type dumpLine struct {
	offset []byte // its digits
	octets []byte
}

// dumpDecoder reads dumps whose lines begin with an offset; parse knows their layout. Offset 0 begins the
// next message, so a line of offset 0 without bytes is an empty one. A dump may begin elsewhere (xxd -s);
// from there on every offset must be the one that follows, so that a lost line is noticed. A line of one
// "*" stands for repetitions of the line before, up to the next offset. Empty lines and lines that begin
// with # or "kind4: " are skipped.
//
// A faulty line ends the reading. The message before it is yielded where that line has offset 0 or no offset
// at all; a message that it stands in the middle of is not.
type dumpDecoder struct {
	parse func(line []byte, octets []byte) (dumpLine, error)

	line     int // of the input, from 1
	open     bool
	base     uint64 // offset of the first byte
	radixes  []int  // in which the offsets of this message can be read
	last     []byte // the bytes of the line before
	squeezed bool   // "*" came after it
	octets   []byte
}

func (d *dumpDecoder) read(r *Reader, b *session.Batch) error {
	r.resume(b)
	for {
		at := r.in.offset()
		line, ok := r.in.line()
		if ok {
			d.line++
			if err := d.take(r, b, line, at); err != nil {
				b.Buf = b.Buf[:r.start]
				return err
			}
			r.trim(b)
		}
		if r.enough(b) || !ok && r.some(b) {
			r.stash(b)
			return nil
		}
		if ok {
			continue
		}
		if err := r.in.fill(); err == errFull {
			b.Buf = b.Buf[:r.start]
			return r.fail(d.line+1, r.in.offset(), "a line of more than 64 KiB, which no dump has")
		} else if err != nil {
			return d.end(r, b, err)
		}
	}
}

// end finishes the last message where the input ends with err.
func (d *dumpDecoder) end(r *Reader, b *session.Batch, err error) error {
	if err == io.EOF && d.squeezed {
		b.Buf = b.Buf[:r.start]
		return r.torn(d.line, r.in.read, `the dump ends after "*": the offset up to which the line is repeated is missing`)
	}
	if err == io.EOF && d.open {
		r.emit(b)
	}
	b.Buf = b.Buf[:r.start]
	return r.readError(err)
}

// take adds one line, which begins at a byte of the input, to the message under way.
func (d *dumpDecoder) take(r *Reader, b *session.Batch, line []byte, at int64) error {
	line = bytes.TrimSpace(line)
	switch {
	case skipped(line):
		return nil
	case len(line) == 1 && line[0] == '*':
		if len(d.last) == 0 {
			return r.fail(d.line, at, `"*" with no line before it to repeat`)
		}
		d.squeezed = true
		return nil
	}
	l, err := d.parse(line, d.octets[:0])
	d.octets = l.octets
	if err == nil {
		err = d.place(r, b, l)
	} else if d.open && !d.squeezed && zero(l.offset) {
		r.emit(b)
	}
	if err != nil {
		return r.fail(d.line, at, err.Error())
	}
	b.Buf = append(b.Buf, l.octets...)
	d.last = append(d.last[:0], l.octets...)
	return nil
}

// skipped reports whether a trimmed line holds no bytes: an empty one, a comment, and what kind4 says beside
// its messages, which a terminal's text has among them.
func skipped(line []byte) bool {
	return len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("kind4: "))
}

// place goes to the offset of a line: to the next message, or to where the line before ended.
func (d *dumpDecoder) place(r *Reader, b *session.Batch, l dumpLine) error {
	if zero(l.offset) || !d.open {
		if d.squeezed {
			return fmt.Errorf(`offset %s behind "*"`, l.offset)
		}
		if d.open {
			r.emit(b)
		}
		d.open, d.radixes = true, radixes(l.offset)
		var err error
		for d.base, err = d.value(l.offset); err != nil; d.base, err = d.value(l.offset) {
			d.radixes = d.radixes[1:]
		}
		return nil
	}
	want := d.base + uint64(r.size(b))
	for i, radix := range d.radixes {
		offset, err := strconv.ParseUint(string(l.offset), radix, 64)
		if err != nil {
			continue
		}
		if d.squeezed && offset > want && offset-want < 1<<62 {
			d.repeat(r, b, int64(offset-want))
			return nil
		}
		if offset == want {
			d.radixes = d.radixes[i:]
			return nil
		}
	}
	return fmt.Errorf("offset %s where %s follows: lines are missing, or this is another dump",
		l.offset, strconv.FormatUint(want, d.radixes[0]))
}

// value reads an offset in the first radix that is left. Hex, the last, takes any 16 digits.
func (d *dumpDecoder) value(offset []byte) (uint64, error) {
	return strconv.ParseUint(string(offset), d.radixes[0], 64)
}

// repeat appends the line before again and again, n bytes in all, as far as the cap allows.
func (d *dumpDecoder) repeat(r *Reader, b *session.Batch, n int64) {
	d.squeezed = false
	lines := d.last
	if n > chunkSize {
		lines = bytes.Repeat(lines, chunkSize/len(lines)+1)
	}
	for n > 0 && r.dropped == 0 {
		step := min(n, int64(len(lines)))
		b.Buf = append(b.Buf, lines[:step]...)
		n -= step
		r.trim(b)
	}
	r.dropped += n
}

// zero reports whether an offset is 0.
func zero(offset []byte) bool { return len(bytes.TrimLeft(offset, "0")) == 0 }

// radixes returns what the digits of a first offset can be: seven of them are octal or decimal, as od
// prints them without -A x (POSIX od, -A); everybody else prints hex.
func radixes(offset []byte) []int {
	if len(offset) == 7 {
		return odRadixes
	}
	return odRadixes[2:]
}

var odRadixes = []int{8, 10, 16}

// takeOffset splits a line behind the hex digits that it begins with.
func takeOffset(line []byte) (offset, rest []byte) {
	n := 0
	for n < len(line) && n < 16 && hexClass[line[n]] < 16 {
		n++
	}
	return line[:n], line[n:]
}

// parseXXD reads a line as xxd prints it, whatever its -g, -c and -u, and as kind4 prints it in its hex
// form: offset, colon, one space, and groups of hex digits with one space between them. Two spaces end
// them, whatever stands behind: the text column, which may look like hex, or a note. A "0x" may stand
// before the offset (tcpdump -X), then more than one space behind the colon.
func parseXXD(line []byte, octets []byte) (dumpLine, error) {
	digits, named := bytes.CutPrefix(line, []byte("0x"))
	l := dumpLine{octets: octets}
	var rest []byte
	l.offset, rest = takeOffset(digits)
	if len(l.offset) == 0 || len(rest) == 0 || rest[0] != ':' {
		return l, fmt.Errorf(`%s is no line of a dump: an offset and ":" are missing`, quote(line))
	}
	rest = rest[1:]
	if named {
		rest = bytes.TrimLeft(rest, " \t")
	} else if len(rest) > 0 && blank(rest[0]) {
		rest = rest[1:]
	}
	for len(rest) > 0 && !blank(rest[0]) {
		if rest[0] == '#' && len(l.octets) == len(octets) {
			break
		}
		var group []byte
		group, rest = cutBlank(rest)
		var err error
		if l.octets, err = appendHex(l.octets, group); err != nil {
			return l, err
		}
	}
	return l, nil
}

// parseHexdump reads a line as hexdump -C, od -A x -t x1 (with z, and with octal offsets, too) and
// Wireshark print it: offset, spaces, and bytes of two hex digits with one space between them; after the
// eighth there may be two. More spaces, or the | or > of a text column, end them.
func parseHexdump(line []byte, octets []byte) (dumpLine, error) {
	l := dumpLine{octets: octets}
	var rest []byte
	l.offset, rest = takeOffset(line)
	if len(l.offset) < 4 || len(rest) > 0 && !blank(rest[0]) {
		return l, fmt.Errorf("%s is no line of a dump: it begins with no offset", quote(line))
	}
	for n := 0; len(rest) > 0; n++ {
		text := bytes.TrimLeft(rest, " \t")
		gap := len(rest) - len(text)
		if len(text) == 0 || text[0] == '|' || text[0] == '>' || n > 0 && gap > 1 && !(n == 8 && gap == 2) {
			break
		}
		group, _ := cutBlank(text)
		if len(group) == 4 && n == 0 {
			return l, fmt.Errorf("%s is a word in the byte order of some machine; print bytes, with hexdump -C", quote(group))
		}
		if len(group) != 2 {
			return l, fmt.Errorf("%s where a byte of two hex digits is expected", quote(group))
		}
		var err error
		if l.octets, err = appendHex(l.octets, group); err != nil {
			return l, err
		}
		rest = text[2:]
	}
	return l, nil
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// cutBlank splits s at its first blank, and takes that away.
func cutBlank(s []byte) (group, rest []byte) {
	for i, c := range s {
		if blank(c) {
			return s[:i], s[i+1:]
		}
	}
	return s, nil
}

// appendHex appends the bytes that a group of hex digits stands for.
func appendHex(dst, group []byte) ([]byte, error) {
	for i, c := range group {
		if hexClass[c] >= 16 {
			in := input{buf: group, pos: i, end: len(group), err: io.EOF}
			return dst, fmt.Errorf("%s is not a hex digit, in %s", quote(in.character()), quote(group))
		}
	}
	if len(group)%2 == 1 {
		return dst, fmt.Errorf("odd number of hex digits in %s", quote(group))
	}
	for i := 0; i < len(group); i += 2 {
		dst = append(dst, hexClass[group[i]]<<4|hexClass[group[i+1]])
	}
	return dst, nil
}
