package capture

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"kind4/decode"
)

// noBytes is the hint where there is nothing to read.
const noBytes = "no bytes at all came; an empty message is written as an empty line of hex-lines, or as no bytes with --input raw"

// noBytesUntagged is noBytes where messages have no tags.
const noBytesUntagged = "no bytes at all came"

// recognise says what the beginning of an input is, whole where all of it is there, and gives a hint where
// it looks like something that is not read. What is none of the formats for sure is Raw: a fault inside a
// message must stay a fault of that message. The order is that of the formats' certainty:
//
//	pcap     the first four bytes are its magic number, in either byte order, for micro- or nanoseconds
//	pcapng   the first four bytes are the type of a section header
//	record   the first line is a record's header, or one of its events
//	har      begins with the member log, and in it one of those that an HTTP Archive has
//	xxd      the first line is an offset, a colon and hex as xxd sets them
//	hexdump  the first line is an offset and bytes, and the offset is 0 or the next line's follows it; or words
//	         or characters stand in place of the bytes, behind an offset 0 and before a second one
//	hex      begins as a message does in hex, whatever is wrong later; or is nothing but hex digits and what
//	         may stand between them, the first run whole bytes, a decimal digit among them, or one byte
//	base64   the first line decodes to what begins as a message, or to 12 bytes or more that are text from
//	         the second on (with tag 0 or 1, seven eighths of them); or all of the input is one byte and
//	         its padding
//	literal  begins with a type's name, b" or b', a quote and an escaped first byte, or is a list of bytes
//	lp32     the lengths lead from one record to the next; see recogniseLP32
func (k kind) recognise(seen []byte, whole bool) (Format, string) {
	if k == untagged {
		return recogniseUntagged(seen)
	}
	if f := recogniseFirst(seen); f != Auto {
		return f, ""
	}
	if hint := foreign(seen); hint != "" {
		return Raw, hint
	}
	lines := firstLines(seen, whole)
	switch {
	case recogniseXXD(lines):
		return XXD, ""
	case recogniseHexdump(lines):
		return Hexdump, ""
	case k.recogniseHex(seen, lines):
		return Hex, ""
	case k.recogniseBase64(lines):
		return Base64, ""
	case recogniseLiteral(seen, whole):
		return Literal, ""
	case k.recogniseLP32(seen, whole):
		return LP32, ""
	}
	hint := quotedDump(lines)
	if hint == "" && k == frames {
		hint = untaggedHint(seen)
	}
	return Raw, hint
}

// recogniseFirst returns the format that the first bytes alone are enough for, Auto for none.
func recogniseFirst(seen []byte) Format {
	switch {
	case beginsWith(seen, pcapMagics[:]):
		return PCAP
	case bytes.HasPrefix(seen, []byte(pcapngMagic)):
		return PCAPNG
	case recogniseRecord(seen):
		return Record
	case recogniseHAR(seen):
		return HAR
	}
	return Auto
}

// pcapMagics are what a pcap file begins with: big- and little-endian, for microseconds and for nanoseconds
// (draft-ietf-opsawg-pcap section 4).
var pcapMagics = [...]string{"\xa1\xb2\xc3\xd4", "\xd4\xc3\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x4d\x3c\xb2\xa1"}

// pcapngMagic is the type of a section header block, with which a pcapng file begins (draft-ietf-opsawg-pcapng
// section 4.1).
const pcapngMagic = "\x0a\x0d\x0d\x0a"

// beginsWith reports whether s begins with one of those.
func beginsWith(s []byte, beginnings []string) bool {
	for _, b := range beginnings {
		if bytes.HasPrefix(s, []byte(b)) {
			return true
		}
	}
	return false
}

// recogniseHAR reports whether an input begins as an HTTP Archive does (HAR 1.2, "log"). A message without its tag may
// have a member log too: what stands in it tells them apart.
func recogniseHAR(seen []byte) bool {
	rest, ok := bytes.CutPrefix(compact(seen, 32), []byte(`{"log":{"`))
	return ok && beginsWith(rest, harMembers[:])
}

// harMembers are the members of an HTTP Archive's log, and how those begin that somebody added.
var harMembers = [...]string{`version"`, `creator"`, `browser"`, `pages"`, `entries"`, `comment"`, "_"}

// magics are the beginnings of formats that are not read.
var magics = []struct{ magic, name, advice string }{
	{"\x1f\x8b", "gzip", "unpack it first, with gzip -dc"},
	{"\x28\xb5\x2f\xfd", "zstd", "unpack it first, with zstd -dc"},
	{"\xfd7zXZ\x00", "xz", "unpack it first, with xz -dc"},
	{"BZh91AY&SY", "bzip2", "unpack it first, with bzip2 -dc"},
	{"\xa1\xb2\xcd\x34", "a pcap capture of the modified kind", modifiedPcap},
	{"\x34\xcd\xb2\xa1", "a pcap capture of the modified kind", modifiedPcap},
	{`{"seq":`, "kind4's own -o json lines", "record a session with -w to read it back"},
	{`{"event":`, "kind4's own -o json lines", "record a session with -w to read it back"},
	{"┌────", "a dump of hexyl", "dumps of xxd, hexdump -C and od are read"},
}

// tcpdumpText is how tcpdump's own words on a packet begin: a time, and the protocol.
var tcpdumpText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6} (\S+ +(In|Out|B|M|P) +)?IP6? `)
})

// modifiedPcap is the advice on a variant of pcap whose packets have longer headers.
const modifiedPcap = "convert it first, with editcap -F pcapng"

// foreign returns the hint for an input that begins like a format that is not read.
func foreign(seen []byte) string {
	for _, m := range magics {
		head := seen
		if m.magic[0] == '{' {
			head = compact(seen, len(m.magic))
		}
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return looksLike(m.name, m.advice)
		}
	}
	switch name, mark := decode.EncodingOf(seen); {
	case name == "" || strings.HasPrefix(name, "UTF-8"):
	case mark > 0 || seen[0] == '{' || seen[0] == '[':
		return looksLike(name+" (Windows shells write what they redirect so)", "convert it first, with "+iconv(name, mark))
	}
	if tcpdumpText().Match(seen) {
		return looksLike("packets in tcpdump's words", "let tcpdump write a capture, with -w, and decode that")
	}
	if laterLog(seen) {
		return looksLike("an HTTP Archive (HAR) with another member before log", "--input har reads it")
	}
	return ""
}

// iconv returns the command that converts text of an encoding, as decode.EncodingOf names it, to UTF-8. A mark tells iconv
// the order of the bytes.
func iconv(name string, mark int) string {
	name, order, _ := strings.Cut(name, ", ")
	switch {
	case mark > 0:
	case strings.HasPrefix(order, "little"):
		name += "LE"
	default:
		name += "BE"
	}
	return "iconv -f " + name + " -t UTF-8"
}

// looksLike is the hint for an input that looks like something that is not read.
func looksLike(what, advice string) string {
	return "the input looks like " + what + " and is taken for one raw message: " + advice
}

// laterLog reports whether an input is an object that has the log of an HTTP Archive behind another member. It may be a
// message without its tag too.
func laterLog(seen []byte) bool {
	w := decode.NewWalker(seen, 0)
	if t, ok := w.Next(); !ok || t.Kind != decode.BeginObject {
		return false
	}
	for {
		name, ok := w.Next()
		if !ok || name.Kind != decode.TokenName {
			return false
		}
		if _, ok = w.Next(); !ok {
			return false
		}
		if string(seen[name.Start:name.End]) == `"log"` {
			return recogniseHAR(append([]byte("{"), seen[name.Start:]...))
		}
		w.Skip()
	}
}

// quotedDump returns the hint for a dump that stands behind the marks of a quotation, as in an e-mail.
func quotedDump(lines [][]byte) string {
	bare := make([][]byte, len(lines))
	for i, line := range lines {
		text, quoted := bytes.CutPrefix(line, []byte(">"))
		if !quoted {
			return ""
		}
		bare[i] = bytes.TrimLeft(text, "> \t")
	}
	if recogniseXXD(bare) || recogniseHexdump(bare) {
		return looksLike("a dump behind the marks of a quotation", "take them off first, with sed 's/^[> ]*//'")
	}
	return ""
}

// compact returns the first n characters of s that are not white space.
func compact(s []byte, n int) []byte {
	head := make([]byte, 0, n)
	for _, c := range s[:min(len(s), 1024)] {
		if len(head) < n && c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			head = append(head, c)
		}
	}
	return head
}

// firstLines returns the first two lines, trimmed, that are neither empty nor comments: fewer where there
// are not so many, and only lines that are there to their end.
func firstLines(seen []byte, whole bool) [][]byte {
	var lines [][]byte
	for len(seen) > 0 && len(lines) < 2 {
		line, rest, ended := bytes.Cut(seen, []byte("\n"))
		if !ended && !whole {
			if len(lines) == 0 {
				lines = append(lines, line)
			}
			break
		}
		if bytes.IndexByte(line, '\x1b') >= 0 {
			line = plainText(bytes.Clone(line))
		}
		if line = bytes.TrimSpace(line); !skipped(line) {
			lines = append(lines, line)
		}
		seen = rest
	}
	return lines
}

// recogniseXXD goes by the first line. Where a fault in it leaves no bytes to go by, an offset of eight
// zeros, a colon and a hex digit are enough.
func recogniseXXD(lines [][]byte) bool {
	if len(lines) == 0 {
		return false
	}
	l, err := parseXXD(lines[0], nil)
	if len(l.offset) < 4 || !bytes.HasPrefix(bytes.TrimPrefix(lines[0], []byte("0x")), append(l.offset[:len(l.offset):len(l.offset)], ':')) {
		return false
	}
	if zero(l.offset) && len(l.offset) == 8 {
		return err == nil || len(lines[0]) > 10 && lines[0][9] == ' ' && hexClass[lines[0][10]] < 16
	}
	return likely(err) && (len(l.octets) > 0 || zero(l.offset)) && follows(l, lines, parseXXD, xxdRadixes)
}

// recogniseHexdump goes by the first line, and by the second where the offset is not 0 or the first has other
// units than bytes.
func recogniseHexdump(lines [][]byte) bool {
	if len(lines) == 0 {
		return false
	}
	l, err := parseHexdump(lines[0], nil)
	switch {
	case err != nil && zero(l.offset) && len(l.offset) == 8 && len(l.octets) > 0:
		return true
	case err != nil && zero(l.offset) && len(l.offset) >= 6:
		return otherDump(l.offset, lines)
	case !likely(err) || len(l.octets) == 0:
		return false
	case zero(l.offset):
		return true
	}
	return len(lines) > 1 && follows(l, lines, parseHexdump, hexdumpRadixes)
}

// otherDump reports whether what stands behind a first offset is a dump of hexdump or od in another unit: a group
// that one of them prints, and in the second line an offset that can be the next, or "*".
func otherDump(first []byte, lines [][]byte) bool {
	const (
		most      = 0x100 // how far the second offset is from the first
		character = 4     // bytes of what od -c and -a print of one: \0, nul
	)
	group, _ := cutBlank(bytes.TrimLeft(lines[0][len(first):], " \t"))
	if len(lines) < 2 || len(group) == 0 || len(group) > character && unitOf(group) == "" {
		return false
	}
	if string(lines[1]) == "*" {
		return true
	}
	second, rest := takeOffset(lines[1])
	n, ok := parseOffset(second, 16)
	return ok && len(second) == len(first) && n > 0 && n <= most && (len(rest) == 0 || blank(rest[0]))
}

// likely reports whether a line with this error is one of a dump: none, or one that must not be read as it stands.
func likely(err error) bool {
	_, is := err.(misread)
	return err == nil || is
}

// follows reports whether the second line, if there is one, goes on where the first, l, ends. Where lines hold
// something else than they seem to, it must only be near.
func follows(l dumpLine, lines [][]byte, parse func(line, octets []byte) (dumpLine, error), radixes func([]byte) []int) bool {
	if len(lines) < 2 || zero(l.offset) {
		return true
	}
	if string(lines[1]) == "*" {
		return true
	}
	second, err := parse(lines[1], nil)
	if !likely(err) {
		return false
	}
	for _, radix := range radixes(l.offset) {
		from, ok1 := parseOffset(l.offset, radix)
		to, ok2 := parseOffset(second.offset, radix)
		switch near := uint64(4 * len(l.octets)); {
		case !ok1 || !ok2:
		case to == from+uint64(len(l.octets)), err != nil && to > from && to-from <= near:
			return true
		}
	}
	return err == nil && zero(second.offset)
}

// recogniseHex goes by the characters.
func (k kind) recogniseHex(seen []byte, lines [][]byte) bool {
	if len(lines) == 0 {
		return false
	}
	octets, digit, good := hexPrefix(lines[0], prefixSize)
	switch {
	case k.begins(octets) || bare(octets):
		return true
	case !good || len(octets) == 0:
		return false
	case !digit:
		return len(bytes.TrimSpace(seen)) == 2
	}
	comment := false
	for _, c := range seen {
		switch class := hexClass[c]; {
		case class == hexNewline:
			comment = false
		case class == hexComment:
			comment = true
		case class == hexBad && !comment:
			return false
		}
	}
	return true
}

// hexPrefix decodes the first bytes of a line of hex: up to n of them, from whole runs of digits. digit
// says that there is a decimal digit, good that the line holds nothing but hex and that its first run is
// not odd.
func hexPrefix(line []byte, n int) (octets []byte, digit, good bool) {
	first := true
	for len(line) > 0 && line[0] != '#' {
		size := 0
		switch c := hexClass[line[0]]; {
		case c == hexSeparator:
			line = line[1:]
			continue
		case bytes.HasPrefix(line, []byte(`\x`)), bytes.HasPrefix(line, []byte("0x")), bytes.HasPrefix(line, []byte("0X")):
			line, digit = line[2:], true
			size = hexRun(line)
			if size == 1 {
				octets = append(octets, hexClass[line[0]])
				line = line[1:]
				first = false
				continue
			}
		case c < 16:
			size = hexRun(line)
		}
		if size == 0 {
			return octets, digit, false
		}
		for _, c := range line[:size] {
			digit = digit || c <= '9'
		}
		for i := 0; i+1 < size && len(octets) < n; i += 2 {
			octets = append(octets, hexClass[line[i]]<<4|hexClass[line[i+1]])
		}
		if first && size%2 == 1 {
			return octets, digit, false
		}
		line, first = line[size:], false
	}
	return octets, digit, true
}

// hexBeginning decodes as much of a line of hex as tells what begins there.
func hexBeginning(line []byte) []byte {
	octets, _, _ := hexPrefix(line, prefixSize)
	return octets
}

// hexRun returns how many hex digits s begins with.
func hexRun(s []byte) int {
	n := 0
	for n < len(s) && hexClass[s[n]] < 16 {
		n++
	}
	return n
}

// prefixSize is how many bytes tell what begins there.
const prefixSize = 5

// kind is what the messages of an input are.
type kind uint8

const (
	frames   kind = iota // of a notification path
	asks                 // of /requests
	untagged             // JSON-RPC, without a tag
)

// begins reports whether bytes begin as a message of the kind surely does: tag 0 or 1 and "{", or a channel
// below 65,536 and a known kind of ask.
func (k kind) begins(octets []byte) bool {
	if k == asks {
		return len(octets) >= 5 && octets[0] == 0 && octets[1] == 0 && octets[4] <= 18
	}
	return len(octets) >= 2 && octets[0] <= 1 && octets[1] == '{'
}

// bare reports whether bytes begin as a notification or error without its tag does.
func bare(octets []byte) bool { return len(octets) >= 2 && octets[0] == '{' && octets[1] == '"' }

// recogniseBase64 goes by the first line.
func (k kind) recogniseBase64(lines [][]byte) bool {
	if len(lines) == 0 {
		return false
	}
	octets, padded, good := base64Prefix(lines[0], headSize)
	switch {
	case (k.begins(octets) || bare(octets)) && (good || bytes.IndexByte(octets, '"') == 2):
		return true
	case !good || len(octets) == 0:
		return false
	case len(octets) == 1:
		return padded && len(lines) == 1 && len(lines[0]) == 4
	}
	text, whole := textShare(octets[1:])
	return len(octets) >= 12 && (text == whole || octets[0] <= 1 && text*8 >= whole*7)
}

// base64Prefix decodes the first bytes of a line of base64, about n of them. good says that the line holds
// nothing else.
func base64Prefix(line []byte, n int) (octets []byte, padded, good bool) {
	var bits uint32
	digits := 0
	for i, c := range line {
		v := b64Class[c]
		if v >= 64 {
			return octets, true, v == b64Pad && i >= len(line)-2
		}
		bits = bits<<6 | uint32(v)
		if digits++; digits%4 != 1 && len(octets) < n {
			octets = append(octets, byte(bits>>(6-2*((digits-1)%4))))
		}
	}
	return octets, false, digits%4 != 1
}

// base64Beginning decodes as much of a line of base64 as tells what begins there.
func base64Beginning(line []byte) []byte {
	octets, _, _ := base64Prefix(line, prefixSize)
	return octets
}

// textShare returns how many of the bytes of s are UTF-8 and no control characters, and how many there are.
// A character that the end cuts off counts as text.
func textShare(s []byte) (text, whole int) {
	whole = len(s)
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		switch {
		case !utf8.FullRune(s):
			return text + len(s), whole
		case r == utf8.RuneError && size == 1, r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
		default:
			text += size
		}
		s = s[size:]
	}
	return text, whole
}

// literalBeginnings are what only a literal begins with.
var literalBeginnings = []string{
	"[]byte{", "[]byte(", "[]uint8{", "[]uint8(", "&[]byte{", "vec![", "Binary([", `Binary(b"`,
	"bytearray(", "bytes(", `b"`, "b'", `B"`, "B'", `br"`, `br#"`, `rb"`, "rb'", `bR"`,
	"<Buffer", "Uint8Array", "new Uint8Array", "Buffer.from(", "ArrayBuffer {", "{0x",
	"(b'", `(b"`, "array('B', [", "byteArrayOf(",
	"unsigned char ", "const unsigned char ", "static unsigned char ", "static const unsigned char ", // C, xxd -i
	"uint8_t ", "const uint8_t ", "static uint8_t ", "static const uint8_t ",
}

// spacedBeginnings are literalBeginnings with white space as it likes.
var spacedBeginnings = []string{`{"type":"Buffer","data":[`, "{type:'Buffer',data:[", "newbyte[]{", "newsbyte[]{"}

// recogniseLiteral goes by the first literal.
func recogniseLiteral(seen []byte, whole bool) bool {
	s := bytes.TrimLeft(seen, " \t\r\n")
	for len(s) > 0 && s[0] == '#' {
		_, s, _ = bytes.Cut(s, []byte("\n"))
		s = bytes.TrimLeft(s, " \t\r\n")
	}
	for _, b := range literalBeginnings {
		if bytes.HasPrefix(s, []byte(b)) {
			return true
		}
	}
	for _, b := range spacedBeginnings {
		if string(compact(s, len(b))) == b {
			return true
		}
	}
	if len(s) > 2 && (s[0] == '"' || s[0] == '\'') && s[1] == '\\' {
		return s[2] == 'x' || s[2] >= '0' && s[2] <= '7' || bytes.HasPrefix(s[2:], []byte("u00")) || bytes.HasPrefix(s[2:], []byte("u{"))
	}
	s = bytes.TrimPrefix(s, []byte("&"))
	switch {
	case len(s) == 0:
		return false
	case s[0] == '(':
		return byteList(s[1:], ')', whole)
	case s[0] != '[':
		return false
	}
	_, n := typeBrackets(s[:min(len(s), 24)], false)
	return n > 0 || byteList(s[1:], ']', whole)
}

// byteList reports whether s is a list of at least one byte up to its closing bracket, or to the end of what is
// there. The first byte must not be a letter alone.
func byteList(s []byte, closing byte, whole bool) bool {
	var as notation
	for n := 0; ; n++ {
		s = bytes.TrimLeft(s, " \t\r\n,")
		if len(s) == 0 || !whole && len(s) < 8 {
			return !whole && n > 0
		}
		if s[0] == closing || bytes.HasPrefix(s, []byte("...")) {
			return n > 0
		}
		size := 0
		for size < len(s) && size < 8 && (letter(s[size]) || s[size] >= '0' && s[size] <= '9' || s[size] == '-') {
			size++
		}
		if size == 0 || n == 0 && size == 1 && letter(s[0]) {
			return false
		}
		if _, ok := as.append(nil, 0, s[:size]); !ok {
			return false
		}
		s = s[size:]
	}
}

// maxFirst is the largest length that a record is taken for one by, without its end and a record before it.
const maxFirst = 1 << 30

// recogniseLP32 follows the lengths from the first record on. A notification or error as such never looks
// like lp32: with the "{" or white space behind its tag, its first four bytes are a length of 589,824 or
// more. A chain is one when
//
//   - it ends exactly where the input does; but 00 00 00 01 04 is the kind-4 ask on channel 1, and an ask by
//     itself is a channel before it is a length. Zeros and nothing else, in fours, are empty messages sooner
//     than one message of tag 0 and NULs;
//   - or it goes on where what was seen ends, or breaks off in the last record, and the first record that is
//     not empty begins as a message does; where it goes on, two whole records are enough.
func (k kind) recogniseLP32(seen []byte, whole bool) bool {
	filled, first, rest := 0, []byte(nil), seen
	for len(rest) >= lengthSize {
		size := int64(binary.BigEndian.Uint32(rest))
		data := rest[lengthSize:]
		if size > 0 && first == nil {
			first = data[:min(int64(len(data)), size)]
		}
		if size > int64(len(data)) {
			break
		}
		if size > 0 {
			filled++
		}
		rest = data[size:]
	}
	switch {
	case k.begins(first):
		return filled > 0 || seen[0] < maxFirst>>24
	case !whole || k == asks:
		return filled > 1 && (!whole || len(rest) == 0)
	}
	return len(rest) == 0 && len(seen) > 0 && string(seen) != "\x00\x00\x00\x01\x04"
}
