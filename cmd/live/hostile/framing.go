package hostile

import (
	"fmt"
	"slices"
	"strings"

	"kind4/decode"
)

// Three notifications that nothing is to be said of.
const (
	one   = "\x00" + `{"method":"notifications/tools/list_changed"}`
	two   = "\x00" + `{"method":"notifications/prompts/list_changed"}`
	three = "\x00" + `{"method":"notifications/resources/list_changed"}`
)

// sized is a notification of n bytes, white space behind it.
func sized(n int) string { return one + strings.Repeat(" ", n-len(one)) }

// The exit codes of the ways to end.
const (
	served    = 0 // messages, and a Close
	notServed = 4 // a Close, and no message
	refused   = 6 // a message that the receiver refuses
	died      = 7 // no Close, or RFC 6455 broken
)

var (
	isBroken   = []decode.Code{decode.BrokenWebSocket}
	isUnserved = []decode.Code{decode.NotServed}
)

// faulty is a case that ends with its last frame's fault and has no other finding.
func faulty(name string, frames ...Frame) Case {
	return Case{Name: name, Frames: frames, Findings: isBroken, Exit: died}
}

// dies is a case that just ends.
func dies(name string, frames ...Frame) Case { return Case{Name: name, Frames: frames, Exit: died} }

// framing are the cases of the base framing: sections 5.1 to 5.3 and 5.6.
func framing() []Case {
	cases := []Case{
		dies("5 nothing at all"),
		dies("5 an end without a Close", bin(one)),
		{"5 three messages", []Frame{bin(one), bin(two), bin(three), closeCode(1000, "")}, nil, served},
		{"5 a path that is not served", []Frame{closeCode(1000, "")}, isUnserved, notServed},

		faulty("5.1 mask: a binary frame with the other side's", bin("").flip()),
		faulty("5.1 mask: behind a good frame", ping(""), bin(one).flip()),
		faulty("5.1 mask: a ping", ping("p").flip()),
		faulty("5.1 mask: a Close", closeCode(1000, "").flip()),
		faulty("5.1 mask: the second fragment", begin(one[:5]), last(one[5:]).flip()),
		faulty("5.1 mask: a ping inside a message", begin("a"), ping("").flip()),

		{"5.3 key: zeros", []Frame{bin(one).keyed([4]byte{}), closing("").keyed([4]byte{})}, nil, served},
		{"5.3 key: another for each fragment", []Frame{begin(one[:7]).keyed([4]byte{1, 2, 3, 4}), last(one[7:]).keyed([4]byte{0xFF, 0, 0x80, 0x7F}),
			closing("").keyed([4]byte{0xFF, 0xFF, 0xFF, 0xFF})}, []decode.Code{decode.Fragmented}, served},

		{"5.6 a text message", []Frame{text("hello"), closing("")}, []decode.Code{decode.TextMessage, decode.NotServed}, notServed},
		{"5.6 an empty text message", []Frame{text(""), closing("")}, []decode.Code{decode.TextMessage, decode.NotServed}, notServed},
		{"5.6 binary behind text", []Frame{text("x"), bin(one), closing("")}, []decode.Code{decode.TextMessage, decode.ReceiverStopped}, served},
		{"5.6 an empty binary message", []Frame{bin(""), closing("")}, []decode.Code{decode.EmptyMessage}, refused},
		{"5.6 one byte", []Frame{bin("\x00"), closing("")}, []decode.Code{decode.EmptyBody}, refused},
	}
	return slices.Concat(cases, reserved(), lengths(), texts())
}

// reserved are the bits and opcodes that section 5.2 reserves: every one of them.
func reserved() (cases []Case) {
	kinds := []struct {
		name   string
		before []Frame
		first  byte
	}{
		{"text", nil, 0x81},
		{"binary behind a ping", []Frame{ping("")}, 0x82},
		{"a first fragment", nil, 0x02},
		{"a last fragment", []Frame{begin("a")}, 0x80},
		{"ping", nil, 0x89},
		{"pong inside a message", []Frame{begin("a")}, 0x8A},
		{"close", nil, 0x88},
	}
	for _, kind := range kinds {
		for bits := byte(1); bits < 8; bits++ {
			bad := frame(kind.first|bits<<4, "x").broken("5.2", 1002, firstByte)
			cases = append(cases, faulty(fmt.Sprintf("5.2 RSV %03b: %s", bits, kind.name), slices.Concat(kind.before, []Frame{bad})...))
		}
	}
	for _, opcode := range []byte{0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF} {
		bad := func(first byte, payload string) Frame {
			return frame(first|opcode, payload).broken("5.2", 1002, firstByte)
		}
		cases = append(cases,
			faulty(fmt.Sprintf("5.2 opcode %#x", opcode), bad(0x80, "")),
			faulty(fmt.Sprintf("5.2 opcode %#x without FIN", opcode), bad(0x00, "a")),
			faulty(fmt.Sprintf("5.2 opcode %#x inside a message", opcode), begin("ab"), bad(0x80, "x")))
	}
	return cases
}

// lengths are the payload lengths of section 5.2: their three forms, at their edges, and what they must not say.
func lengths() (cases []Case) {
	for _, n := range []int{124, 125, 126, 127, 128, 65534, 65535, 65536, 65537} {
		cases = append(cases, Case{fmt.Sprintf("5.2 length %d", n), []Frame{bin(sized(n)), closing("")}, nil, served})
	}
	for _, n := range []int{0, 1, 50, 125} {
		payload := strings.Repeat("z", n)
		cases = append(cases,
			faulty(fmt.Sprintf("5.2 length %d in two bytes", n), bin(payload).in(2).broken("5.2", 1002, length16)),
			faulty(fmt.Sprintf("5.2 length %d in two bytes, the second fragment", n), begin("a"), last(payload).in(2).broken("5.2", 1002, length16)))
	}
	for _, n := range []int{0, 125, 126, 65535} {
		cases = append(cases, faulty(fmt.Sprintf("5.2 length %d in eight bytes", n), bin(strings.Repeat("z", n)).in(8).broken("5.2", 1002, length64)))
	}
	for _, n := range []uint64{1 << 63, 1<<63 | 1, 1<<64 - 1} {
		cases = append(cases, faulty(fmt.Sprintf("5.2 length %#x: the top bit", n), ping(""), bin("abc").claims(n).broken("5.2", 1002, length64)))
	}
	for _, n := range []uint64{1 << 31, 1<<32 - 1, 1 << 32, 1 << 62, 1<<63 - 1} {
		cases = append(cases, dies(fmt.Sprintf("5.2 length %#x, and little of it", n), bin("abc").claims(n)))
	}
	return append(cases, dies("5.2 length 0x7fffffffffffffff twice in a message", begin("ab"), more("abc").claims(1<<63-1)))
}

// texts are text messages of which the payload is UTF-8 or is not (section 8.1). Text carries no meaning on these
// paths: it is shown as it came and nothing interprets it as UTF-8, so it never ends the path.
func texts() (cases []Case) {
	text, unserved := []decode.Code{decode.TextMessage, decode.NotServed}, []decode.Code{decode.TextMessage, decode.Fragmented, decode.NotServed}
	for name, payload := range notUTF8 {
		cases = append(cases, Case{"8.1 text: " + name, []Frame{frame(0x81, payload), closing("")}, text, notServed})
	}
	return append(cases,
		Case{"8.1 text: a character over two fragments", []Frame{frame(0x01, "a\xe2\x82"), ping("p"), last("\xac"), closing("")}, unserved, notServed},
		Case{"8.1 text: characters of every length", []Frame{frame(0x81, "a\u00e9\u20ac\U0010ffff"), closing("")}, text, notServed})
}

// notUTF8 are the ways not to be UTF-8 (RFC 3629 sections 3 and 10).
var notUTF8 = map[string]string{
	"a byte that is none of it":   "a\xff",
	"a continuation of nothing":   "\x80a",
	"a character cut off":         "a\xe2\x82",
	"a character broken off":      "\xe2\x82a",
	"two bytes for one":           "\xc0\xaf",
	"three bytes for two":         "\xe0\x80\xaf",
	"half of a surrogate pair":    "\xed\xa0\x80",
	"beyond U+10FFFF":             "\xf4\x90\x80\x80",
	"the five bytes of RFC 2279":  "\xf8\x88\x80\x80\x80",
	"Latin-1":                     "caf\xe9 \xe0 la",
	"cut off in the longest form": "\xf0\x9f\x98",
}
