package capture

import (
	"bytes"
	"fmt"
	"io"
	"math"
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
// with # or "kind4: " are skipped, and so are the colours of a terminal.
//
// A faulty line ends the reading. The message before it is yielded where that line has offset 0 or no offset
// at all; a message that it stands in the middle of is not.
type dumpDecoder struct {
	parse   func(line []byte, octets []byte) (dumpLine, error)
	radixes func(offset []byte) []int // that a message with this first offset can have

	line     int // of the input, from 1
	open     bool
	readings []reading // that the offsets of this message allow so far
	settled  int       // the radix of the last message whose offsets allowed one alone, 0 for none
	last     []byte    // the bytes of the line before
	squeezed bool      // "*" came after it
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
	line = bytes.TrimSpace(plainText(line))
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
	size := uint64(r.size(b))
	switch {
	case d.open && !zero(l.offset) && d.squeezed:
		return d.unsqueeze(r, b, l.offset, size)
	case d.open && !zero(l.offset):
		return d.follow(l.offset, size)
	case d.squeezed:
		return fmt.Errorf(`offset %s behind "*"`, l.offset)
	case d.open:
		r.emit(b)
	}
	if len(d.readings) == 1 {
		d.settled = d.readings[0].radix
	}
	d.open, d.readings = true, d.readings[:0]
	for _, radix := range d.radixes(l.offset) {
		if base, ok := parseOffset(l.offset, radix); ok {
			d.readings = append(d.readings, reading{radix, base})
		}
	}
	return nil
}

// follow holds an offset to the size of what came before it, and drops the readings that it refutes.
func (d *dumpDecoder) follow(offset []byte, size uint64) error {
	left := 0
	for _, as := range d.readings {
		if n, ok := parseOffset(offset, as.radix); ok && n == as.base+size {
			d.readings[left] = as
			left++
		}
	}
	if left == 0 {
		as := d.readings[0]
		return fmt.Errorf("offset %s where %s follows: lines are missing, or this is another dump",
			offset, strconv.FormatUint(as.base+size, as.radix))
	}
	d.readings = d.readings[:left]
	return nil
}

// unsqueeze writes out what "*" stood for, up to an offset: the line before it, whole, again and again. Where
// two readings of the offset differ in how often, the messages before tell, or else nobody can know.
func (d *dumpDecoder) unsqueeze(r *Reader, b *session.Batch, offset []byte, size uint64) error {
	var found reading
	var length uint64
	left := 0
	for i, as := range d.readings {
		n, ok := parseOffset(offset, as.radix)
		n -= as.base + size
		if !ok || n == 0 || n >= 1<<62 || n%uint64(len(d.last)) != 0 || i == 2 && left > 0 {
			continue
		}
		if left > 0 && n != length {
			switch d.settled {
			case found.radix:
				continue
			case as.radix:
				left = 0
			default:
				return fmt.Errorf(`offset %s behind "*" can be %s or %s: dump every line, with od -v, or xxd without -a`,
					offset, radixNames[found.radix], radixNames[as.radix])
			}
		}
		found, length = as, n
		d.readings[left] = as
		left++
	}
	if left == 0 {
		return fmt.Errorf(`offset %s behind "*" is not whole lines of %d bytes further: lines are missing, or this is another dump`,
			offset, len(d.last))
	}
	d.readings = d.readings[:left]
	d.repeat(r, b, int64(length))
	return nil
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

// reading is one way to read a message's offsets: in a radix, from a first one on.
type reading struct {
	radix int
	base  uint64
}

var radixNames = map[int]string{8: "octal", 10: "decimal", 16: "hex"}

// xxdRadixes returns what the digits of xxd's offsets can be: decimal is xxd -d.
func xxdRadixes([]byte) []int { return dumpRadixes[2:] }

// hexdumpRadixes returns what the digits of a first offset can be. Seven of them are octal or decimal, as od
// prints them without -A x (POSIX od, -A), or else hex, as od has it on some systems; everybody else prints hex.
func hexdumpRadixes(offset []byte) []int {
	if len(offset) == 7 {
		return dumpRadixes[:3]
	}
	return dumpRadixes[2:3]
}

var dumpRadixes = []int{8, 10, 16, 10}

// parseOffset reads an offset's digits in a radix, and reports whether they are a number there.
func parseOffset(digits []byte, radix int) (uint64, bool) {
	var n uint64
	for _, c := range digits {
		v := uint64(hexClass[c])
		if v >= uint64(radix) || n > (math.MaxUint64-v)/uint64(radix) {
			return 0, false
		}
		n = n*uint64(radix) + v
	}
	return n, true
}
