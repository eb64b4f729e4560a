package capture

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"
)

// columnShows reports whether a text column, from its first character that is not blank, shows these bytes:
// a printable ASCII character as itself, a blank as that or as ".", any other byte as "." or as one character
// beyond ASCII. Blanks at its ends may be missing, and one may stand behind the eighth byte. A blank must
// follow it, or the end.
func columnShows(text, octets []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	for lead := 0; ; lead++ {
		for _, split := range [2]int{-1, 8 - lead} {
			if rest, ok := shows(text, octets[lead:], split); ok && (len(rest) == 0 || blank(rest[0])) {
				return true
			}
		}
		if lead == len(octets) || octets[lead] != ' ' {
			return false
		}
	}
}

// delimitedShows is columnShows for a column between two |, or > and <.
func delimitedShows(text, octets []byte) bool {
	closing := text[0]
	if closing == '>' {
		closing = '<'
	} else if closing != '|' {
		return false
	}
	rest, ok := shows(text[1:], octets, -1)
	return ok && len(rest) > 0 && rest[0] == closing
}

// shows reports whether text begins with what shows octets, and returns what stands behind it. Before octet
// number split there may be a blank.
func shows(text, octets []byte, split int) (rest []byte, ok bool) {
	for i, o := range octets {
		if i == split && len(text) > 0 && text[0] == ' ' {
			text = text[1:]
		}
		if len(text) == 0 {
			return nil, len(bytes.TrimLeft(octets[i:], " ")) == 0
		}
		c, size := utf8.DecodeRune(text)
		if o > ' ' && o < 0x7f {
			ok = c == rune(o)
		} else {
			ok = c == '.' || c == ' ' && o == ' ' || c >= utf8.RuneSelf
		}
		if !ok {
			return nil, false
		}
		text = text[size:]
	}
	return text, true
}

// misread is the error for a line that looks like bytes, and must not be read as those that it looks like.
type misread struct{ message string }

func (e misread) Error() string { return e.message }

var (
	errBits  = misread{"these groups are bits, as xxd -b prints them: print hex digits, without -b"}
	errWords = misread{"these groups are words in the byte order of some machine, as xxd -e prints them: print bytes, without -e"}
)

// disagreement returns the error for a text column that shows other bytes.
func disagreement(text, octets []byte) error {
	return misread{fmt.Sprintf("the text column %s does not show the bytes %s: the line was changed, or dumped in another way; "+
		"print it anew, with xxd or hexdump -C", quote(bytes.TrimRight(text, " \t")), quote(octets))}
}

// orMisread returns what is wrong with the groups of hex digits that body begins with, by its text column:
// bits, or words back to front. Where it is neither, that is err.
func orMisread(err error, body []byte) error {
	switch {
	case showsAs(body, appendBits):
		return errBits
	case showsAs(body, appendWord):
		return errWords
	}
	return err
}

// showsAs reports whether body is groups that stand for bytes in some notation, and at once behind them the
// text column that shows these bytes.
func showsAs(body []byte, notation func(dst, group []byte) []byte) bool {
	const most = 256 // groups that xxd prints in a line
	var octets []byte
	for range most {
		body = bytes.TrimLeft(body, " \t")
		group := body[:hexRun(body)]
		had := len(octets)
		octets, body = notation(octets, group), body[len(group):]
		if len(octets) == had {
			return false
		}
		if len(bytes.TrimLeft(body, " \t")) > 0 && columnShows(body, octets) {
			return true
		}
	}
	return false
}

// appendBits appends the byte that eight bits stand for; other groups stand for none.
func appendBits(dst, group []byte) []byte {
	if len(group) != 8 || !bitGroups(group) {
		return dst
	}
	var n byte
	for _, c := range group {
		n = n<<1 | c&1
	}
	return append(dst, n)
}

// appendWord appends the bytes of a group of hex digits, the last byte first.
func appendWord(dst, group []byte) []byte {
	octets, err := appendHex(nil, group)
	if err != nil {
		return dst
	}
	slices.Reverse(octets)
	return append(dst, octets...)
}

// bitGroups reports whether s is groups of eight digits 0 and 1 with blanks between them.
func bitGroups(s []byte) bool {
	run, groups := 0, 0
	for _, c := range s {
		switch {
		case blank(c) && run != 0 && run != 8:
			return false
		case blank(c):
			run = 0
			continue
		case c != '0' && c != '1', run == 8:
			return false
		case run == 0:
			groups++
		}
		run++
	}
	return groups > 0 && (run == 0 || run == 8)
}

// plainText takes the colours out of a line, in its own memory: control sequences that end in m (ECMA-48, SGR).
func plainText(line []byte) []byte {
	i := bytes.IndexByte(line, '\x1b')
	if i < 0 {
		return line
	}
	plain := line[:i]
	for rest := line[i:]; len(rest) > 0; {
		if n := sgr(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		plain = append(plain, rest[0])
		rest = rest[1:]
	}
	return plain
}

// sgr returns how long the sequence for a colour is that s begins with, 0 for none.
func sgr(s []byte) int {
	if !bytes.HasPrefix(s, []byte("\x1b[")) {
		return 0
	}
	for i, c := range s[2:] {
		switch {
		case c == 'm':
			return i + 3
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}
