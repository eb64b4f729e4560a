package capture

import "testing"

// formatCase is an input in an explicit format, what it holds, and the text of the error it ends with.
type formatCase struct {
	name     string
	input    string
	messages []string
	err      string
}

func runFormat(t *testing.T, format Format, cases []formatCase) {
	t.Helper()
	for _, c := range cases {
		g := read(format, c.input)
		if !equal(g.messages, c.messages) {
			t.Errorf("%v, %s: messages\n%q, want\n%q", format, c.name, g.messages, c.messages)
		}
		if text := errorText(t, g.err); text != c.err {
			t.Errorf("%v, %s: error\n%s, want\n%s", format, c.name, text, c.err)
		}
	}
}

func TestRaw(t *testing.T) {
	runFormat(t, Raw, []formatCase{
		{"a message", "\x00{}", []string{"\x00{}"}, ""},
		{"nothing is an empty message", "", []string{""}, ""},
		{"newlines belong to it", "\n\x00\n", []string{"\n\x00\n"}, ""},
	})
}

func TestLP32(t *testing.T) {
	runFormat(t, LP32, []formatCase{
		{"two", "\x00\x00\x00\x03\x00{}\x00\x00\x00\x01\x01", []string{"\x00{}", "\x01"}, ""},
		{"empty ones", "\x00\x00\x00\x00\x00\x00\x00\x00", []string{"", ""}, ""},
		{"nothing", "", nil, ""},
		{"torn in a message", "\x00\x00\x00\x01\x00\x00\x00\x00\x05\x00{", []string{"\x00"},
			"byte 5 of dump.txt: a length of 5 (00000005), and the input ends 2 bytes into that message"},
		{"torn behind a length", "\x00\x00\x00\x05", nil,
			"byte 0 of dump.txt: a length of 5 (00000005), and the input ends 0 bytes into that message"},
		{"torn in a length", "\x00\x00\x00\x00\x00\x00\x01", []string{""},
			"byte 4 of dump.txt: the input ends 3 of 4 bytes into a length (000001)"},
		{"a length over the cap that the input does not hold", "\xff\xff\xff\xff\x00{", nil,
			"byte 0 of dump.txt: a length of 4294967295 (ffffffff), and the input ends 2 bytes into that message"},
	})
}

func TestHex(t *testing.T) {
	one := []string{"\x00{\"a\":1}"}
	runFormat(t, Hex, []formatCase{
		{"a run", "007b2261223a317d", one, ""},
		{"upper case, odd groups of bytes", "007B22 61223a 31 7d\n", one, ""},
		{"0x a byte", "0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x31, 0x7d\n", one, ""},
		{"0x with one digit", "0x0 0X7B 0x22 0x61 0x22 0x3a 0x31 0x7d", one, ""},
		{"0x before a run", "0x007b2261223a317d", one, ""},
		{`\x`, `\x00\x7b\x22\x61\x22\x3a\x31\x7d`, one, ""},
		{`\x of one digit`, `\x0\x7b\x22\x61\x22\x3a\x31\x7d`, one, ""},
		{"colons, semicolons", "00:7b:22:61;22:3a:31:7d", one, ""},
		{"wrapped", "007b2261\r\n223a\r\n317d\r\n", one, ""},
		{"comments", "# a message\n007b2261 # its beginning\n\n223a317d", one, ""},
		{"a message a line", "007b\n\n017b # second\n", []string{"\x00{", "\x01{"}, ""},
		{"one line does not begin as a message", "007b\n7b22\n", []string{"\x00{{\""}, ""},
		{"white space is an empty message", "\n", []string{""}, ""},
		{"nothing", "", nil, ""},
		{"odd", "007b\n007b2\n", []string{"\x00{"}, `line 2 of dump.txt: odd number of hex digits in "007b2"`},
		{"odd after a message", "007b\n017b\n007b2", []string{"\x00{", "\x01{"}, `line 3 of dump.txt: odd number of hex digits in "007b2"`},
		{"odd with 0x", "0x007", nil, `line 1 of dump.txt: odd number of hex digits in "0x007"`},
		{"a byte split by a newline", "007\nb22", nil, `line 1 of dump.txt: odd number of hex digits in "007"`},
		{"no digit", "00 7g", nil, `line 1 of dump.txt: "g" is not a hex digit, behind "7"`},
		{"another character", "00 — 7b", nil, `line 1 of dump.txt: "—" is not a hex digit`},
		{"an escape sequence", "00 \x1b[31m7b", nil, `line 1 of dump.txt: "\u001b" is not a hex digit`},
		{"x without 0", "00 x7b", nil, `line 1 of dump.txt: "x" is not a hex digit`},
		{"0x alone", "00 0x, 7b", nil, `line 1 of dump.txt: no hex digits after "0x"`},
		{`\ alone`, `00 \7b`, nil, `line 1 of dump.txt: "7" is not a hex digit, behind "\\"`},
		{"a long run is cut", "00000000000000000000000000000000000000001", nil,
			`line 1 of dump.txt: odd number of hex digits in "00000000000000000000000000000000"…`},
	})
}

func TestHexLines(t *testing.T) {
	runFormat(t, HexLines, []formatCase{
		{"a message a line", "00\n7b22\n", []string{"\x00", "{\""}, ""},
		{"no newline at the end", "00\n01", []string{"\x00", "\x01"}, ""},
		{"an empty line is an empty message", "00\n\n \r\n01\n", []string{"\x00", "", "", "\x01"}, ""},
		{"only an empty line", "\n", []string{""}, ""},
		{"a comment is none", "# first\n00\n  # second\n01 # third\n", []string{"\x00", "\x01"}, ""},
		{"nothing", "", nil, ""},
		{"a bad line ends it", "00\n0\n01\n", []string{"\x00"}, `line 2 of dump.txt: odd number of hex digits in "0"`},
	})
}

func TestBase64(t *testing.T) {
	runFormat(t, Base64, []formatCase{
		{"padded", "AHsiYSI6MX0=\n", []string{"\x00{\"a\":1}"}, ""},
		{"not padded", "AHsiYSI6MX0", []string{"\x00{\"a\":1}"}, ""},
		{"URL alphabet", "AP_-\n", []string{"\x00\xff\xfe"}, ""},
		{"standard alphabet", "AP/+\n", []string{"\x00\xff\xfe"}, ""},
		{"wrapped", "AHsi\r\nYSI6\r\nMX0=\r\n", []string{"\x00{\"a\":1}"}, ""},
		{"wrapped inside a group", "AHs\niYS\nI6MX0=", []string{"\x00{\"a\":1}"}, ""},
		{"a message a line", "AHt9\n\nAXs=\n", []string{"\x00{}", "\x01{"}, ""},
		{"white space is an empty message", " \n", []string{""}, ""},
		{"nothing", "", nil, ""},
		{"a character outside", "AHt9\nAH*9\n", nil, `line 2 of dump.txt: "*" is not a base64 digit, behind "AH"`},
		{"behind the padding", "AHs=AHs=", nil, `line 1 of dump.txt: base64 goes on behind its padding`},
		{"padding too early", "AHsi\nA===", nil, `line 2 of dump.txt: padding where no base64 can end`},
		{"padding too much", "AHs==", nil, `line 1 of dump.txt: padding where no base64 can end`},
		{"padding too little", "AA=", nil, `line 1 of dump.txt: base64 with one "=" too few: "AA="`},
		{"one digit over", "AHsi\nY\n", nil, `line 2 of dump.txt: base64 that is one digit too long or too short: "Y"`},
	})
}

func TestBase64Lines(t *testing.T) {
	runFormat(t, Base64Lines, []formatCase{
		{"a message a line", "AA==\neyI\n", []string{"\x00", "{\""}, ""},
		{"an empty line is an empty message", "AA==\n\r\nAQ", []string{"\x00", "", "\x01"}, ""},
		{"a comment is none", "# first\nAA== # second\n", []string{"\x00"}, ""},
		{"a bad line ends it", "AA==\nA\nAA==\n", []string{"\x00"},
			`line 2 of dump.txt: base64 that is one digit too long or too short: "A"`},
	})
}

func TestXXD(t *testing.T) {
	runFormat(t, XXD, []formatCase{
		{"offset 0 begins the next", "00000000: 007b 7d   .{}\n00000000: 01         .\n", []string{"\x00{}", "\x01"}, ""},
		{"the hex form, notes and an empty message", "" +
			"00000000: 007b 226d 6574 686f 6422 3a22 612f 6222  .{\"method\":\"a/b\"  #1 ch 2 notification a/b 17 B\n" +
			"00000010: 7d                                       }\n" +
			"00000000:                                                           #2 ch 2 empty 0 B\n" +
			"00000000: #3 ch 2 empty 0 B\n" +
			"00000000:\n" +
			"00000000: 7b7d                                     {}                #5 ch 2 unknown tag 123 2 B\n",
			[]string{"\x00{\"method\":\"a/b\"}", "", "", "", "{}"}, ""},
		{"a text column of hex digits", "00000000: 6162 2063 6420 6566 2030 3020 3131 2032  ab cd ef 00 11 2\n00000010: 3220 2033  2  3\n",
			[]string{"ab cd ef 00 11 22  3"}, ""},
		{"a text column that begins with blanks", "00000000: 2020 6162    ab\n", []string{"  ab"}, ""},
		{"no text column", "00000000: 007b\n00000002: 7d\n", []string{"\x00{}"}, ""},
		{"indented, empty lines, comments", "# dump\n\n  00000000: 007b\n\n  00000002: 7d\n", []string{"\x00{}"}, ""},
		{"begins elsewhere", "00000010: 007b\n00000012: 7d\n", []string{"\x00{}"}, ""},
		{"tcpdump's offsets", "\t0x0000:  007b 226d  .{\"m\n\t0x0004:  6574       et\n", []string{"\x00{\"met"}, ""},
		{"repeated lines", "00000000: 0000\n*\n00000008: 01\n", []string{"\x00\x00\x00\x00\x00\x00\x00\x00\x01"}, ""},
		{"with what kind4 says", "kind4: asked\n00000000: 00\nkind4: x\n00000000: 01\n", []string{"\x00", "\x01"}, ""},
		{"a text column that ends in blanks", "00000000: 6120 20         a\n00000003: 2020 2020\n00000007: 20\n", []string{"a       "}, ""},
		{"blanks as points", "\t0x0000:  2061 2062  .a.b\n", []string{" a b"}, ""},
		{"characters beyond ASCII in the column", "00000000: 00c3 a97b  ·Ã©{  a note\n", []string{"\x00\xc3\xa9{"}, ""},
		{"a comment for a column", "00000000: 007b  # a tag, and {\n", []string{"\x00{"}, ""},
		{"coloured", "00000000: \x1b[31m00\x1b[0m7b  \x1b[31m.\x1b[0m{  \x1b[1m#1\x1b[0m\n\x1b[2m00000002:\x1b[0m 7d\n", []string{"\x00{}"}, ""},
		{"an escape that is no colour", "00000000: \x1b[2K00\n", nil, `line 1 of dump.txt: "\u001b" is not a hex digit, in "\u001b[2K00"`},
		{"decimal offsets", "00000000: 6162 6364 6566 6768 696a\n00000010: 6b\n00000011: 6c\n", []string{"abcdefghijkl"}, ""},
		{"decimal offsets from elsewhere", "00000009: 61\n00000010: 62\n00000011: 63\n", []string{"abc"}, ""},
		{"repeated up to who knows where", "00000000: 0000 0000 0000 0000\n*\n00000080: 01\n", nil,
			`line 3 of dump.txt: offset 00000080 behind "*" can be hex or decimal: dump every line, with od -v, or xxd without -a`},
		{"nothing", "", nil, ""},
		{"another byte than its column", "00000000: 007b 7c  .{}\n", nil, `line 1 of dump.txt: the text column ".{}" does not show the bytes "\u0000{|": ` +
			"the line was changed, or dumped in another way; print it anew, with xxd or hexdump -C"},
		{"a column that goes on", "00000000: 007b  .{}\n", nil, `line 1 of dump.txt: the text column ".{}" does not show the bytes "\u0000{": ` +
			"the line was changed, or dumped in another way; print it anew, with xxd or hexdump -C"},
		{"bytes away from their offset", "00000000:   007b\n", nil, `line 1 of dump.txt: "007b" where the hex digits of bytes are expected`},
		{"bits without a column", "00000000: 00000000 01111011\n", nil,
			`line 1 of dump.txt: these groups are bits, as xxd -b prints them: print hex digits, without -b`},
		{"what could be bits, with its column", "00000000: 00000000 01111011  ........\n", []string{"\x00\x00\x00\x00\x01\x11\x10\x11"}, ""},
		{"odd in the middle", "00000000: 00\n00000001: 7\n", nil, `line 2 of dump.txt: odd number of hex digits in "7"`},
		{"odd", "00000000: 00\n00000000: 007b 2\n", []string{"\x00"}, `line 2 of dump.txt: odd number of hex digits in "2"`},
		{"no hex", "00000000: 007b 2x22\n", nil, `line 1 of dump.txt: "x" is not a hex digit, in "2x22"`},
		{"a line is missing", "00000000: 007b\n00000004: 7d\n", nil,
			"line 2 of dump.txt: offset 00000004 where 2 follows: lines are missing, or this is another dump"},
		{"not a dump", "00000000: 00\nhello\n", []string{"\x00"}, `line 2 of dump.txt: "hello" is no line of a dump: an offset and ":" are missing`},
		{"ends in *", "00000000: 0000\n*\n", nil,
			`line 2 of dump.txt: the dump ends after "*": the offset up to which the line is repeated is missing`},
		{"begins with *", "*\n00000000: 00", nil, `line 1 of dump.txt: "*" with no line before it to repeat`},
		{"* and a new message", "00000000: 00\n*\n00000000: 01\n", nil, `line 3 of dump.txt: offset 00000000 behind "*"`},
	})
}

func TestHexdump(t *testing.T) {
	runFormat(t, Hexdump, []formatCase{
		{"two, with their last offsets", "00000000  00 7b 7d                                          |.{}|\n00000003\n" +
			"00000000  01                                                |.|\n00000001\n", []string{"\x00{}", "\x01"}, ""},
		{"squeezed", "00000000  61 61 61 61 61 61 61 61  61 61 61 61 61 61 61 61  |aaaaaaaaaaaaaaaa|\n*\n00000030  62\n00000031\n",
			[]string{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}, ""},
		{"Wireshark, its text column of hex digits", "" +
			"0000   30 31 20 32 33 20 34 35 20 36 37 20 38 39 20 61   01 23 45 67 89 a\n" +
			"0010   62 20 63 64                                       b cd\n",
			[]string{"01 23 45 67 89 ab cd"}, ""},
		{"squeezed octal", "0000000 61 61\n*\n0000014 62\n0000015\n", nil,
			`line 3 of dump.txt: offset 0000014 behind "*" can be octal or decimal: dump every line, with od -v, or xxd without -a`},
		{"squeezed octal, known by the line before", "0000000 61 62 63 64 65 66 67 68\n0000010 61 61 61 61 61 61 61 61\n*\n0000040 62\n0000041\n",
			[]string{"abcdefghaaaaaaaaaaaaaaaaaaaaaaaab"}, ""},
		{"squeezed octal, no decimal of whole lines", "0000000 61 61 61 61 61 61 61 61\n*\n0000020 62\n0000021\n", []string{"aaaaaaaaaaaaaaaab"}, ""},
		{"squeezed to no whole line", "00000000  61 61 61\n*\n00000008  62\n", nil,
			`line 3 of dump.txt: offset 00000008 behind "*" is not whole lines of 3 bytes further: lines are missing, or this is another dump`},
		{"octal from elsewhere", "0000005 61 62 63 64\n0000011 65\n0000012\n", []string{"abcde"}, ""},
		{"coloured", "\x1b[33m00000000\x1b[0m  \x1b[1;31m00\x1b[m 7b  |\x1b[38:5:9m.\x1b[0m{|\r\n", []string{"\x00{"}, ""},
		{"a column in od's signs", "000000 7b 7d  >{}<\n000002\n", []string{"{}"}, ""},
		{"another byte than its column", "00000000  00 7b 7c  |.{}|\n", nil, `line 1 of dump.txt: the text column "|.{}|" does not show the bytes "\u0000{|": ` +
			"the line was changed, or dumped in another way; print it anew, with xxd or hexdump -C"},
		{"fewer bytes than its column", "00000000  00 7b  |.{}|\n", nil, `line 1 of dump.txt: the text column "|.{}|" does not show the bytes "\u0000{": ` +
			"the line was changed, or dumped in another way; print it anew, with xxd or hexdump -C"},
		{"a blank in the middle of the column", "0000  61 62 63 64 65 66 67 68  69 6a   abcdefgh ij\n", []string{"abcdefghij"}, ""},
		{"a decimal byte", "0000000  34\n0000001\n", nil,
			`line 1 of dump.txt: "34" is further from its offset than od puts a byte in hex; print bytes, with hexdump -C`},
		{"an empty message", "00000000\n00000000  00\n", []string{"", "\x00"}, ""},
		{"words", "0000000 7b00 226d\n", nil,
			`line 1 of dump.txt: "7b00" is a word in the byte order of some machine; print bytes, with hexdump -C`},
		{"half a byte", "00000000  00 7\n", nil, `line 1 of dump.txt: "7" where a byte of two hex digits is expected; print bytes, with hexdump -C`},
		{"a line is missing", "00000000  00 7b\n00000010  7d\n", nil,
			"line 2 of dump.txt: offset 00000010 where 2 follows: lines are missing, or this is another dump"},
		{"cut short", "00000000  00 7b\n00000003\n", nil,
			"line 2 of dump.txt: offset 00000003 where 2 follows: lines are missing, or this is another dump"},
		{"not a dump", "hello\n", nil, `line 1 of dump.txt: "hello" is no line of a dump: it begins with no offset`},
	})
}

func TestLiteral(t *testing.T) {
	const want = "\x00{\"a\":\"é\"}"
	for _, input := range []string{
		`[]byte{0x0, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d}`,             // Go %#v
		`[]uint8{0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125}`,                              // Go
		"[]byte{\n\t0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a,\n\t0x22, 0xc3, 0xa9, 0x22, 0x7d,\n}",  // gofmt
		`[0 123 34 97 34 58 34 195 169 34 125]`,                                               // Go %v
		`"\x00{\"a\":\"é\"}"`,                                                                 // Go %q
		`"\x00{\"a\":\"\u00e9\"}"`,                                                            // Go %+q
		`[]byte("\x00{\"a\":\"\xc3\xa9\"}")`,                                                  // Go
		`"\000{\"a\":\"\303\251\"}"`,                                                          // Go, C
		`[0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125]`,                                     // Rust {:?}, Python list(b)
		`[00, 7b, 22, 61, 22, 3a, 22, c3, a9, 22, 7d]`,                                        // Rust {:02x?}
		`&[0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125]`,                                    // Rust
		`vec![0u8, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125]`,                               // Rust
		`b"\0{\"a\":\"\xc3\xa9\"}"`,                                                           // Rust
		`Binary(b"\0{\"a\":\"\xc3\xa9\"}")`,                                                   // Rust, a WebSocket message
		`"\0{\"a\":\"\u{e9}\"}"`,                                                              // Rust
		`b'\x00{"a":"\xc3\xa9"}'`,                                                             // Python repr
		`bytearray(b'\x00{"a":"\xc3\xa9"}')`,                                                  // Python
		`bytes([0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125])`,                              // Python
		`<Buffer 00 7b 22 61 22 3a 22 c3 a9 22 7d>`,                                           // Node
		"Uint8Array(11) [\n   0, 123, 34, 97, 34,\n  58,  34, 195, 169, 34, 125\n]",           // Node
		`new Uint8Array([0,123,34,97,34,58,34,195,169,34,125])`,                               // JavaScript
		`Buffer.from([0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d])`,     // Node
		`{"type":"Buffer","data":[0,123,34,97,34,58,34,195,169,34,125]}`,                      // Node, JSON.stringify
		`ArrayBuffer { [Uint8Contents]: <00 7b 22 61 22 3a 22 c3 a9 22 7d>, byteLength: 11 }`, // Node
		`'\x00{"a":"é"}'`,                                                                     // JavaScript
		`{0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d};`,                 // C
		`[0, 123, 34, 97, 34, 58, 34, -61, -87, 34, 125]`,                                     // Java
		`[11]uint8{0x0, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d}`,          // Go %#v of an array
		`&[11]uint8{0x0, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d}`,         // Go
		`[...]byte{0x0, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d}`,          // Go source
		`[0, 7b, 22, 61, 22, 3a, 22, c3, a9, 22, 7d]`,                                         // Rust {:x?}
		`[0, 7B, 22, 61, 22, 3A, 22, C3, A9, 22, 7D]`,                                         // Rust {:X?}
		"[\n    0x0,\n    0x7b,\n    0x22,\n    0x61,\n    0x22,\n    0x3a,\n    0x22,\n    0xc3,\n    0xa9,\n    0x22,\n    0x7d,\n]", // Rust {:#x?}
		`(0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125)`,                                                              // Python tuple(b)
		"(b'\\x00{\"a\":'\n b'\"\\xc3\\xa9\"}')",                                                                       // Python pprint
		"bytearray(b'\\x00{\"a\":'\n          b'\"\\xc3\\xa9\"}')",                                                     // Python pprint
		`(b'\x00{"a":"\xc3\xa9"}',)`,                                                                                   // Python, a tuple of one
		`array('B', [0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125])`,                                                  // Python
		"{\n  type: 'Buffer',\n  data: [\n      0, 123,  34,  97,  34,\n     58,  34, 195, 169,  34,\n    125\n  ]\n}", // Node, toJSON
		"{\n  \"type\": \"Buffer\",\n  \"data\": [\n    0,\n    123,\n    34,\n    97,\n    34,\n    58,\n    34,\n    195,\n    169,\n    34,\n    125\n  ]\n}", // Node, JSON.stringify with 2
		`new byte[] { 0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125 }`,                                                                                           // C#
		`new byte[]{0, 123, 34, 97, 34, 58, 34, -61, -87, 34, 125}`,                                                                                              // Java
		`byteArrayOf(0, 123, 34, 97, 34, 58, 34, -61, -87, 34, 125)`,                                                                                             // Kotlin
		"unsigned char m[] = {\n  0x00, 0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xc3, 0xa9, 0x22, 0x7d\n};\nunsigned int m_len = 11;",                                // xxd -i
		"static const uint8_t m[11] = {0, 123, 34, 97, 34, 58, 34, 195, 169, 34, 125};",                                                                          // C
	} {
		for _, format := range []Format{Literal, Auto} {
			expect(t, input, read(format, input), Literal, want)
			expect(t, input+" and a newline", read(format, input+"\n"), Literal, want)
			expect(t, input+" twice", read(format, input+"\r\n"+input+"\n"), Literal, want, want)
		}
	}
}

func TestLiteralEscapes(t *testing.T) {
	runFormat(t, Literal, []formatCase{
		{"letters", `"\a\b\f\n\r\t\v\\\'\"\/"`, []string{"\a\b\f\n\r\t\v\\'\"/"}, ""},
		{"NUL and a digit", `"\01"`, []string{"\x001"}, ""},
		{"octal", `"\001\177\7{"`, []string{"\x01\x7f\x07{"}, ""},
		{"octal at the end", `"\0"`, []string{"\x00"}, ""},
		{"a surrogate pair", `"\ud83d\ude00"`, []string{"😀"}, ""},
		{"\\U", `"\U0001f600"`, []string{"😀"}, ""},
		{"\\u{}", `"\u{1f600}\u{0}"`, []string{"😀\x00"}, ""},
		{"a line that goes on", "\"a\\\nb\"", []string{"ab"}, ""},
		{"raw texts", "[]byte(`\\x00{\n`)\nbr#\"\\\"\"#\nr'\\'", []string{"\\x00{\n", "\\\"", "\\"}, ""},
		{"empty", "[]byte{}\nb''\n[]\n<Buffer >\n", []string{"", "", "", ""}, ""},
		{"comments", "# one\n[1] # two\n[2]", []string{"\x01", "\x02"}, ""},
		{"commas between", "[1], [2];\n[3]", []string{"\x01", "\x02", "\x03"}, ""},
		{"nothing", "", nil, ""},

		{"texts joined", `("a" + 'b'` + "\n" + `"c")`, []string{"abc"}, ""},
		{"nil", "[]byte(nil)\n[1]", []string{"", "\x01"}, ""},
		{"a list of one beside lists", "[3]\n[7]uint8{1, 2, 3, 4, 5, 6, 7}\n(5, )", []string{"\x03", "\x01\x02\x03\x04\x05\x06\x07", "\x05"}, ""},
		{"hex known late", "[0, 10, 99, 7b]", []string{"\x00\x10\x99\x7b"}, ""},
		{"hex known by a zero", "[10, 0, 00, 12]", []string{"\x10\x00\x00\x12"}, ""},
		{"hex of one letter", "[a, b]", []string{"\x0a\x0b"}, ""},
		{"decimal as far as it tells", "[0, 10, 99]", []string{"\x00\x0a\x63"}, ""},
		{"decimal, and hex later", "[0, 123, 7b]", nil, `line 1 of dump.txt: "7b" is not a byte`},
		{"hex, and decimal later", "[0, 7b, 123]", nil, `line 1 of dump.txt: "123" is not a byte`},

		{"a fraction", "[0, 1.5]", nil, `line 1 of dump.txt: "1.5" is not a byte`},
		{"a point", "[0, .5]", nil, `line 1 of dump.txt: "." where a byte or ']' is expected`},
		{"left out by an ellipsis", "[0, …]", nil, `line 1 of dump.txt: "…" stands for the rest: what printed this list left it out`},
		{"fewer than its type says", "[3]uint8{0x0, 0x7b}", nil,
			"line 1 of dump.txt: a list of length 2 where 3 is announced: bytes are missing, or the number was changed"},
		{"more than are announced", "Uint8Array(2) [ 0, 123, 125 ]", nil,
			"line 1 of dump.txt: a list of length 3 where 2 is announced: bytes are missing, or the number was changed"},
		{"fewer than its size says", "unsigned char m[] = { 0x00 };\nunsigned int m_len = 3;\n", []string{"\x00"},
			"line 2 of dump.txt: a size of 3 behind a list of length 1: bytes are missing, or the number was changed"},
		{"literals in a list", "[b'a', b'b']", nil,
			`line 1 of dump.txt: "'" inside a list: one literal is one message; print each by itself, on a line of its own`},
		{"literals in a tuple", "(b'a', b'b')", nil,
			`line 1 of dump.txt: "b" where a ")" is missing: one literal is one message; print each by itself, on a line of its own`},
		{"lists in a list", "[[0 123] [1 123]]", nil,
			`line 1 of dump.txt: "[" inside a list: one literal is one message; print each by itself, on a line of its own`},
		{"buffers in a list", "[ <Buffer 00>, <Buffer 01> ]", nil,
			`line 1 of dump.txt: "<" inside a list: one literal is one message; print each by itself, on a line of its own`},
		{"a text and its encoding", `Buffer.from("007b", "hex")`, nil,
			`line 1 of dump.txt: "\"" where a ")" is missing: one literal is one message; print each by itself, on a line of its own`},
		{"not a byte", "[0]\n[256]", []string{"\x00"}, `line 2 of dump.txt: "256" is not a byte`},
		{"left out", "<Buffer 00 7b ... 12 more bytes>", nil,
			`line 1 of dump.txt: "..." stands for the rest: what printed this list left it out`},
		{"ends in a list", "[0, 1", nil, "line 1 of dump.txt: the input ends inside a literal"},
		{"ends in a text", `b"a`, nil, "line 1 of dump.txt: the input ends inside a literal"},
		{"a newline in a text", "b'a\nb'", nil, "line 1 of dump.txt: the line ends inside a quoted literal: ' is missing"},
		{"no escape", `"\q"`, nil, `line 1 of dump.txt: "\\q" is no escape`},
		{"no hex", `"\xg0"`, nil, `line 1 of dump.txt: "g0" where 2 hex digits of an escape are expected`},
		{"half a character", `"\ud83d"`, nil, "line 1 of dump.txt: half of a character: its other half is missing"},
		{"the other half alone", `"\ude00"`, nil, "line 1 of dump.txt: no character has the number 0xde00"},
		{"words", "[1]\nhello", []string{"\x01"}, `line 2 of dump.txt: "hello" is no word that begins a literal`},
		{"a parenthesis", `bytes([1]`, nil, "line 1 of dump.txt: the input ends inside a literal"},
		{"another", `bytes([1]]`, nil, `line 1 of dump.txt: "]" where a ")" is missing`},
		{"an octal that is too large", `"\777"`, nil, `line 1 of dump.txt: the octal escape "\777" is not a byte`},
	})
}
