package hostile

import (
	"fmt"
	"slices"
	"strings"

	"kind4/decode"
)

// closes are the cases of the closing handshake: sections 5.5.1, 7 and 8.1.
func closes() []Case {
	clean := closeCode(1000, "")
	junk := frame(0xFF, "zzz") // reserved bits and opcode, if anybody looked
	cases := []Case{
		{"5.5.1 a Close without a code", []Frame{bin(one), closing("")}, nil, served},
		{"5.5.1 a Close with a reason", []Frame{bin(one), closeCode(1000, "done")}, nil, served},
		{"5.5.1 a reason of 123 bytes", []Frame{bin(one), closeCode(1000, strings.Repeat("r", 123))}, nil, served},
		faulty("5.5.1 a Close of one byte", closing("\x03").broken("5.5.1", 1002, whole)),
		faulty("5.5.1 a Close of one byte behind a message", bin(one), closing("\x00").broken("5.5.1", 1002, whole)),

		{"1.4 two Closes", []Frame{bin(one), clean, closeCode(1001, "")}, nil, served},
		{"1.4 data behind a Close", []Frame{bin(one), clean, bin(two)}, nil, served},
		{"1.4 a ping behind a Close", []Frame{bin(one), clean, ping("late")}, nil, served},
		{"1.4 a broken frame behind a Close", []Frame{bin(one), clean, junk}, nil, served},
		{"1.4 much behind a Close", []Frame{bin(one), clean, bin(sized(100_000))}, nil, served},
		{"1.4 two Closes and no message", []Frame{clean, clean}, isUnserved, notServed},
		{"7.1.7 more behind a broken frame", []Frame{junk.broken("5.2", 1002, firstByte), bin(one), clean}, isBroken, died},
		{"7.1.7 a Close behind a broken frame", []Frame{bin(one), last("").broken("5.4", 1002, firstByte), clean}, isBroken, died},
	}
	return slices.Concat(cases, closeCodes(), reasons())
}

// closeCodes are the codes of section 7.4: each that a Close may carry, and of those that it may not each that has a
// meaning or stands at an edge.
func closeCodes() (cases []Case) {
	legal := []uint16{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3001, 3999, 4000, 4998, 4999}
	for _, code := range legal {
		var odd []decode.Code
		if code > 1001 {
			odd = []decode.Code{decode.CloseCode}
		}
		cases = append(cases, Case{fmt.Sprintf("7.4 code %d", code), []Frame{bin(one), closeCode(code, "")}, odd, served})
	}
	illegal := []uint16{0, 1, 2, 100, 999, 1004, 1005, 1006, 5000, 5001, 9999, 32767, 32768, 65534, 65535}
	illegal = append(illegal, 1015, 1016, 1100, 1500, 1999, 2000, 2500, 2998, 2999)
	slices.Sort(illegal)
	for _, code := range illegal {
		cases = append(cases, faulty(fmt.Sprintf("7.4 code %d, which is none", code), closeCode(code, "why").broken("7.4", 1002, whole)))
	}
	return cases
}

// reasons are the reasons of a Close, which must be UTF-8 (section 8.1).
func reasons() (cases []Case) {
	for name, reason := range notUTF8 {
		cases = append(cases, faulty("8.1 reason: "+name, closeCode(1000, reason).broken("8.1", 1007, whole)))
	}
	for _, reason := range []string{"\x00", "a\u00e9\u20ac\U0010ffff", "\ufffe\uffff", "\ufeff", "\x1b[2J\r\n"} {
		cases = append(cases, Case{fmt.Sprintf("8.1 reason: %+q", reason), []Frame{bin(one), closeCode(1001, reason)}, nil, served})
	}
	return cases
}

// limits are messages at the limit and beyond it (section 10.4).
func limits() []Case {
	oversize := []decode.Code{decode.Oversize}
	half := sized(MaxSize / 2)
	rest := strings.Repeat(" ", MaxSize/2)
	split := []decode.Code{decode.Oversize, decode.Fragmented}
	return []Case{
		{"10.4 a message at the limit", []Frame{bin(sized(MaxSize)), closing("")}, nil, served},
		{"10.4 a message beyond it", []Frame{bin(sized(MaxSize + 1)), closing("")}, oversize, refused},
		{"10.4 fragments up to it", []Frame{begin(half), last(rest), closing("")}, []decode.Code{decode.Fragmented}, served},
		{"10.4 fragments beyond it", []Frame{begin(half), more(rest), ping("p"), last(" "), closing("")}, split, refused},
		{"10.4 a small fragment, then one beyond it", []Frame{begin("a"), last(sized(MaxSize)), closing("")}, split, refused},
		{"10.4 a first fragment beyond it, then small ones", []Frame{begin(sized(MaxSize + 1)), ping("p"), more("b"), last(""), closing("")}, split, refused},
		{"10.4 text beyond it", []Frame{text(strings.Repeat("t", MaxSize+1)), closing("")}, []decode.Code{decode.Oversize, decode.TextMessage, decode.NotServed}, refused},
		{"10.4 a good message behind one beyond it", []Frame{bin(sized(MaxSize + 1)), bin(two), closing("")},
			oversize, refused},
		faulty("10.4 a continuation that is none inside one beyond it", begin(sized(MaxSize+1)), bin("x").broken("5.4", 1002, firstByte)),
		dies("10.4 one beyond it that never ends", begin(sized(MaxSize+1)), more("b"), ping("")),
	}
}
