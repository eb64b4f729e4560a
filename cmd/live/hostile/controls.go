package hostile

import (
	"fmt"
	"strings"

	"kind4/decode"
)

// fragmenting are the cases of section 5.4.
func fragmenting() []Case {
	fragmented := []decode.Code{decode.Fragmented}
	orphan := func(f Frame) Frame { return f.broken("5.4", 1002, firstByte) }
	bytewise := []Frame{begin(one[:1])}
	for i := range one[1:] {
		bytewise = append(bytewise, more(one[1+i:2+i]))
	}
	bytewise = append(bytewise, last(""), closing(""))
	return []Case{
		{"5.4 two fragments", []Frame{begin(one[:20]), last(one[20:]), closing("")}, fragmented, served},
		{"5.4 an empty first fragment", []Frame{begin(""), last(one), closing("")}, fragmented, served},
		{"5.4 an empty last fragment", []Frame{begin(one), last(""), closing("")}, fragmented, served},
		{"5.4 nothing but empty fragments", []Frame{begin(""), more(""), last(""), closing("")}, []decode.Code{decode.EmptyMessage, decode.Fragmented}, refused},
		{"5.4 a fragment a byte", bytewise, fragmented, served},
		{"5.4 two messages of two fragments", []Frame{begin(one[:9]), last(one[9:]), begin(two[:30]), last(two[30:]), closing("")},
			[]decode.Code{decode.Fragmented, decode.Fragmented}, served},
		{"5.4 pings and pongs between fragments", []Frame{begin(one[:3]), ping("a"), ping(""), more(one[3:8]), pong("b"), last(one[8:]), ping("c"), closing("")},
			fragmented, served},
		{"5.4 a ping as long as can be between fragments", []Frame{begin(one[:3]), ping(strings.Repeat("p", 125)), last(one[3:]), closing("")}, fragmented, served},

		faulty("5.4 a continuation of nothing", orphan(last("a"))),
		faulty("5.4 a continuation of nothing without FIN", orphan(more("a"))),
		faulty("5.4 a continuation of nothing behind a ping", ping("p"), orphan(last(""))),
		faulty("5.4 a continuation of a whole message", bin(one), orphan(last("a"))),
		{"5.4 a continuation behind a fragmented message", []Frame{begin(one[:5]), last(one[5:]), orphan(more("a"))},
			[]decode.Code{decode.Fragmented, decode.BrokenWebSocket}, died},
		faulty("5.4 binary inside a message", begin("ab"), orphan(bin(one))),
		faulty("5.4 text inside a message", begin("ab"), more("c"), orphan(text("x"))),
		faulty("5.4 a first fragment inside a message", begin("ab"), orphan(begin("x"))),
		faulty("5.4 binary inside a message, behind a ping", begin("ab"), ping("p"), orphan(bin(""))),
		faulty("5.4 a Close inside a message", begin("ab"), orphan(closeCode(1000, ""))),
		dies("5.4 a message that is never finished", begin("ab"), more("cd"), ping("p")),
	}
}

// controls are the cases of section 5.5 but for the Close.
func controls() []Case {
	var many []Frame
	var flood []Frame
	for i := range 10 {
		many = append(many, ping(fmt.Sprintf("payload-%d", i)))
	}
	for range 2000 {
		flood = append(flood, ping(""))
	}
	fragmented := func(f Frame) Frame { f.first &^= 0x80; return f.broken("5.5", 1002, firstByte) }
	long := func(f Frame) Frame { return f.broken("5.5", 1002, secondByte) }
	x126, x65536 := strings.Repeat("x", 126), strings.Repeat("x", 65536)
	return []Case{
		{"5.5.2 a ping", []Frame{ping("hello"), bin(one), closing("")}, nil, served},
		{"5.5.2 an empty ping", []Frame{ping(""), closing("")}, isUnserved, notServed},
		{"5.5.2 a ping of bytes", []Frame{ping("\x00\xff\xfe\xfd\xfc\xfb\x00\xff"), closing("")}, isUnserved, notServed},
		{"5.5.2 a ping of 125 bytes", []Frame{ping(x126[:125]), closing("")}, isUnserved, notServed},
		{"5.5.2 ten pings", append(many, closing("")), isUnserved, notServed},
		{"5.5.2 two thousand pings", append(flood, bin(one), closing("")), nil, served},
		{"5.5.3 a pong that nobody asked for", []Frame{pong(""), pong("x"), closing("")}, isUnserved, notServed},
		{"5.5.3 a pong, then a ping", []Frame{pong("x"), ping("y"), bin(one), closing("")}, nil, served},

		faulty("5.5 a ping of 126 bytes", long(ping(x126))),
		faulty("5.5 a ping of 65,536 bytes", ping("p"), long(ping(x65536))),
		faulty("5.5 a pong of 126 bytes", long(pong(x126))),
		faulty("5.5 a Close of 126 bytes", long(closeCode(1000, x126[2:]))),
		faulty("5.5 a ping of 5 bytes, said in two", long(ping("hello").in(2))),
		faulty("5.5 a ping of 5 bytes, said in eight", long(ping("hello").in(8))),
		faulty("5.5 a ping of 126 bytes inside a message", begin("ab"), long(ping(x126))),
		faulty("5.5 a fragmented ping", fragmented(ping("p"))),
		faulty("5.5 a fragmented pong", fragmented(pong(""))),
		faulty("5.5 a fragmented Close", fragmented(closing(""))),
		faulty("5.5 a fragmented ping inside a message", begin("ab"), fragmented(ping("p"))),
	}
}
