package capture

import (
	"bytes"
	"fmt"
	"io"
)

// takeOffset splits a line behind the hex digits that it begins with.
func takeOffset(line []byte) (offset, rest []byte) {
	n := min(hexRun(line), 16)
	return line[:n], line[n:]
}

// parseXXD reads a line as xxd prints it, whatever its -g, -c, -d and -u, and as kind4 prints it in its hex
// form: offset, colon, one space, and groups of hex digits with one space between them. Two spaces end
// them. The text column behind, if there is one, must show the same bytes (see columnShows), and a note may
// follow it; what begins with # in its place is a note too. A "0x" may stand before the offset (tcpdump -X),
// then more than one space behind the colon.
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
	body := rest
	for len(rest) > 0 && !blank(rest[0]) {
		if rest[0] == '#' && len(l.octets) == len(octets) {
			break
		}
		var group []byte
		group, rest = cutBlank(rest)
		var err error
		if l.octets, err = appendHex(l.octets, group); err != nil {
			return l, orMisread(err, body)
		}
	}
	return l, checkXXD(body, bytes.TrimLeft(rest, " \t"), l.octets[len(octets):])
}

// checkXXD holds the bytes of a line to its text column. body is all that stands behind the colon.
func checkXXD(body, text, octets []byte) error {
	switch {
	case len(text) == 0 && bitGroups(body):
		return errBits
	case len(text) == 0, columnShows(text, octets):
		return nil
	case text[0] == '#':
		return orMisread(nil, body)
	case len(octets) == 0:
		return orMisread(fmt.Errorf("%s where the hex digits of bytes are expected", quote(text)), body)
	}
	return orMisread(disagreement(text, octets), body)
}

// parseHexdump reads a line as hexdump -C, od -A x -t x1 (with z, and with octal or decimal offsets, too) and
// Wireshark print it: offset, spaces, and bytes of two hex digits with one space between them; after the
// eighth there may be two. More spaces, or the | or > of a text column, end them. That column must show the
// same bytes (see columnShows), or be a note behind #.
func parseHexdump(line []byte, octets []byte) (dumpLine, error) {
	l := dumpLine{octets: octets}
	var rest []byte
	l.offset, rest = takeOffset(line)
	if len(l.offset) < 4 || len(rest) > 0 && !blank(rest[0]) {
		return l, fmt.Errorf("%s is no line of a dump: it begins with no offset", quote(line))
	}
	var text []byte
	for n := 0; len(rest) > 0; n++ {
		text = bytes.TrimLeft(rest, " \t")
		gap := len(rest) - len(text)
		if len(text) == 0 || text[0] == '|' || text[0] == '>' || n > 0 && gap > 1 && !(n == 8 && gap == 2) {
			break
		}
		group, _ := cutBlank(text)
		if len(group) != 2 || n == 0 && gap > 1 && len(l.offset) == 7 {
			return l, otherUnit(group, n == 0)
		}
		var err error
		if l.octets, err = appendHex(l.octets, group); err != nil {
			return l, err
		}
		rest, text = text[2:], nil
	}
	octets = l.octets[len(octets):]
	if len(text) > 0 && text[0] != '#' && !delimitedShows(text, octets) && !columnShows(text, octets) {
		return l, disagreement(text, octets)
	}
	return l, nil
}

// otherUnit returns the error for what stands in the place of a byte, first in its line or not: hexdump and od
// print other units unless they are told.
func otherUnit(group []byte, first bool) error {
	unit := ""
	if first {
		unit = unitOf(group)
	}
	if unit == "" {
		return fmt.Errorf("%s where a byte of two hex digits is expected; print bytes, with hexdump -C", quote(group))
	}
	return fmt.Errorf("%s is %s; print bytes, with hexdump -C", quote(group), unit)
}

// unitOf says what hexdump or od prints as such a group, "" where it cannot be told.
func unitOf(group []byte) string {
	highest := byte(0)
	for _, c := range group {
		highest = max(highest, hexClass[c])
	}
	switch n := len(group); {
	case highest >= 16:
		return ""
	case n == 3 && highest < 8:
		return "a byte in octal"
	case n == 6 && highest < 8, n == 5 && highest < 10, n == 4, n == 8, n == 16:
		return "a word in the byte order of some machine"
	case n == 2:
		return "further from its offset than od puts a byte in hex"
	}
	return ""
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
