package capture

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

// TestRecognise is the table of what an input is taken for, and how many messages that makes.
func TestRecognise(t *testing.T) {
	const tagged, bare = "\x00{\"method\":\"x\"}", `{"method":"notifications/tools/list_changed"}`
	long := "\x00{\"method\":\"" + strings.Repeat("x", 70<<10) + "\"}"
	lp := func(messages ...string) string {
		var b []byte
		for _, m := range messages {
			b = AppendEncoded(b, LP32, []byte(m))
		}
		return string(b)
	}
	for _, c := range []struct {
		name, input string
		format      Format
		messages    int
	}{
		// What must stay one raw message: the fault is in the message.
		{"a message", tagged, Raw, 1},
		{"an error message", "\x01{\"code\":-1,\"message\":\"\"}", Raw, 1},
		{"a message of more than the window", long, Raw, 1},
		{"without its tag", bare, Raw, 1},
		{"JSON lines", bare + "\n" + bare + "\n", Raw, 1},
		{"JSON with white space", "{\n  \"method\": \"x\"\n}\n", Raw, 1},
		{"an array for an object", `["notifications/progress",{"progressToken":1}]`, Raw, 1},
		{"a batch", `[{"method":"x"}]`, Raw, 1},
		{"no list of bytes", "[0, 123, 256]", Raw, 1},
		{"an empty array", "[]", Raw, 1},
		{"JSON text in a string", `"{\"method\":\"x\"}"`, Raw, 1},
		{"a tag and nothing", "\x00", Raw, 1},
		{"another tag", "\x09{\"method\":\"x\"}", Raw, 1},
		{"the character 0 for a tag", "0" + bare, Raw, 1},
		{"tag 0 and white space", "\x00 {\"method\":\"x\"}", Raw, 1},
		{"tag 0 and a NUL", "\x00\x00{\"method\":\"x\"}", Raw, 1},
		{"NULs", strings.Repeat("\x00", 4095), Raw, 1},
		{"NULs of more than the window", strings.Repeat("\x00", 128<<10), Raw, 1},
		{"a newline", "\n", Raw, 1},
		{"a word", "hello\n", Raw, 1},
		{"a word of hex letters", "deadbeef\n", Raw, 1},
		{"words of hex letters", "dead beef cafe\n", Raw, 1},
		{"a word of base64 letters", "ALERT123\n", Raw, 1},
		{"an identifier", "into_the_void_insi", Raw, 1},
		{"an identifier that pads", "insideAllOfIt==", Raw, 1},
		{"a key", "key=", Raw, 1},
		{"a number", "12345\n", Raw, 1},
		{"a sentence", "The provider sent 3 messages.\n", Raw, 1},
		{"a log line", "2026-11-30T12:03:04Z INFO 00000000: started\n", Raw, 1},
		{"a log line that begins like an offset", "20261130: 12 items were sent\n", Raw, 1},
		{"a ps line", "  4711 pts/0 00:00:01 provider\n", Raw, 1},
		{"an SSE event", "data: {\"method\":\"x\"}\n\n", Raw, 1},
		{"HTML", "<html><body>502</body></html>", Raw, 1},
		{"the kind-4 ask on channel 1", "\x00\x00\x00\x01\x04", Raw, 1},
		{"an ask on channel 7", "\x00\x00\x00\x07\x04", Raw, 1},
		{"a length of 2 GiB before what looks like a message", "\x86\xc1\x18.\x00{>\xd1", Raw, 1},
		{"a text in quotes", `"\u0627\u0644"`, Raw, 1},
		{"a count and a word", "0000000 hello\n", Raw, 1},
		{"counts and words", "0000000 hello\n0000001 world, 1\nend\n", Raw, 1},
		{"gzip of another method", "\x1f\x8b\x07\x00\x00\x00", Raw, 1},
		{"a byte order mark and a message", "\xef\xbb\xbf{}", Raw, 1},

		{"xxd", "00000000: 007b 7d  .{}\n", XXD, 1},
		{"xxd twice", "00000000: 007b 7d  .{}\n00000000: 007b 7d  .{}\n", XXD, 2},
		{"xxd of an untagged message", "00000000: 7b22 6d65  {\"me\n", XXD, 1},
		{"the hex form's empty message", "00000000:    #1 ch 2 empty 0 B\n", XXD, 1},
		{"xxd -s", "00000010: 007b\n00000012: 7d\n", XXD, 1},
		{"xxd with a fault in the first line", "00000000: 007\n", XXD, 0},
		{"xxd with a fault later", "00000000: 007b\n00000002: 7x\n", XXD, 0},
		{"hexdump -C", "00000000  00 7b 7d  |.{}|\n00000003\n", Hexdump, 1},
		{"hexdump with a fault in the first line", "00000000  00 7b 7\n", Hexdump, 0},
		{"Wireshark", "0000   00 7b 7d   .{}\n", Hexdump, 1},
		{"words in the machine's order", "0000000 7b00 226d\n0000004\n", Hexdump, 0},
		{"characters", "0000000  \\0   {\n0000002\n", Hexdump, 0},
		{"words, squeezed", "0000000 0000 0000 0000 0000 0000 0000 0000 0000\n*\n0000040\n", Hexdump, 0},
		{"xxd -d -s", "00000016: 0041 4243 4445 4647 4849 4a4b 4c4d 4e4f\n00000032: 7d\n", XXD, 1},
		{"xxd in colours", "\x1b[2m00000000:\x1b[0m 007b\n", XXD, 1},
		{"xxd -e", "00000000: 6d227b00  .{\"m\n", XXD, 0},
		{"hexdump -s", "00000010  00 7b\n00000012  7d\n00000013\n", Hexdump, 1},

		{"hex", "007b226d", Hex, 1},
		{"hex of another tag", "097b", Hex, 1},
		{"hex of an untagged message", "7b226d6574686f64223a2278227d\n", Hex, 1},
		{"hex of letters in one byte", "ff\n", Hex, 1},
		{"hex, cut inside a byte", "007b2\n", Hex, 0},
		{"hex with a stray character", "007b226d65746;686f64", Hex, 0},
		{"hex and words", "00 7b 7d and so on", Hex, 0},
		{"hex behind a byte order mark", "\xef\xbb\xbf007b7d\r\n017b7d\r\n", Hex, 2},
		{"hex bytes", "00 7b 7d", Hex, 1},
		{"hex with 0x", "0x0, 0x7b, 0x7d", Hex, 1},
		{`hex with \x`, `\x00\x7b\x7d`, Hex, 1},
		{"hex, wrapped", "007b226d6574\n686f64223a22\n", Hex, 1},
		{"hex, wrapped, tagged once", "007b\n7d\n", Hex, 1},
		{"hex, a message a line", "007b7d\n017b7d\n", Hex, 2},
		{"hex, a fault in the second line", "007b7d\n017b7\n", Hex, 1},
		{"hex, no hex in the second line", "007b7d\nhello\n", Hex, 0},
		{"hex of an ask", "0000000704\n", Hex, 1},
		{"hex of more than the window", strings.Repeat("00", 50<<10), Hex, 1},
		{"hex lines of more than the window", strings.Repeat("007b7d\n", 20<<10), Hex, 20 << 10},

		{"base64", "AHsibWV0aG9kIjoieCJ9\n", Base64, 1},
		{"base64 of an untagged message", "eyJtZXRob2QiOiJ4In0=\n", Base64, 1},
		{"base64 of another tag", "CXsibWV0aG9kIjoieCJ9", Base64, 1},
		{"base64 of no JSON", "AGhlbGxvLCB0aGlzIGlzIG5vIEpTT04=", Base64, 1},
		{"base64 of a tag", "AA==\n", Base64, 1},
		{"base64 with a stray character", "AHsibWV0aG9k*IjoieCJ9", Base64, 0},
		{"base64, cut inside a byte", "AHsibWV0aG9kI", Base64, 0},
		{"base64, wrapped", "AHsibWV0aG9k\nIjoieCJ9\n", Base64, 1},
		{"base64, a message a line", "AHt9\nAXt9\n", Base64, 2},
		{"base64, a fault in the second line", "AHt9\nAXt9AH*\n", Base64, 1},

		{"Go", "[]byte{0x0, 0x7b, 0x7d}", Literal, 1},
		{"Go %v", "[0 123 125]", Literal, 1},
		{"Go %q", `"\x00{}"`, Literal, 1},
		{"Python", `b'{"method":"x"}'`, Literal, 1},
		{"a list", "[0, 123, 125]", Literal, 1},
		{"lists", "[0, 123, 125]\n[1, 123, 125]\n", Literal, 2},
		{"a list of more than the window", "[0" + strings.Repeat(", 123", 20<<10) + "]", Literal, 1},

		{"lp32 of one", lp(tagged), LP32, 1},
		{"lp32 of two", lp(tagged, tagged), LP32, 2},
		{"lp32 of an empty message", lp(""), LP32, 1},
		{"lp32 of empty messages", lp("", "", ""), LP32, 3},
		{"lp32 that begins with an empty message", lp("", tagged), LP32, 2},
		{"lp32 of other tags", lp("\x09{}", bare), LP32, 2},
		{"lp32 of one that has another tag", lp("\x09{}"), LP32, 1},
		{"lp32, torn in the first", lp(tagged)[:12], LP32, 0},
		{"lp32, torn in the second", lp(tagged, tagged)[:25], LP32, 1},
		{"lp32 of more than the window", strings.Repeat(lp(tagged), 10<<10), LP32, 10 << 10},
		{"lp32 of one larger than the window", lp(long), LP32, 1},
		{"lp32 of one larger than the window behind another", lp(tagged, long), LP32, 2},
	} {
		g := read(Auto, c.input)
		if g.format != c.format || len(g.messages) != c.messages {
			t.Errorf("%s: %v, %d messages (%v); want %v, %d", c.name, g.format, len(g.messages), g.err, c.format, c.messages)
		}
		if c.format == Raw && g.messages[0] != c.input {
			t.Errorf("%s: the raw message is %q", c.name, g.messages[0])
		}
	}
}

// TestVectorsStayRaw takes no vector of the wire format for a container: what is wrong with a message is its own.
func TestVectorsStayRaw(t *testing.T) {
	count := 0
	for line := range strings.Lines(readFile(t, "../testdata/frames.jsonl")) {
		var v struct{ Name, Hex string }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		message, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		if count++; len(message) > 0 {
			expect(t, v.Name, read(Auto, string(message)), Raw, string(message))
		}
	}
	if count == 0 {
		t.Error("no vectors")
	}
}

// TestRecogniseAsks tells asks apart: their first byte is a channel's.
func TestRecogniseAsks(t *testing.T) {
	for _, c := range []struct {
		name, input string
		format      Format
		messages    []string
	}{
		{"kind 4, channel 1", "\x00\x00\x00\x01\x04", Raw, []string{"\x00\x00\x00\x01\x04"}},
		{"a channel that is a length", "\x00\x00\x00\x05\x00null", Raw, []string{"\x00\x00\x00\x05\x00null"}},
		{"too short", "\x00\x00\x00", Raw, []string{"\x00\x00\x00"}},
		{"zeros", "\x00\x00\x00\x00", Raw, []string{"\x00\x00\x00\x00"}},
		{"hex", "0000000704\n", Hex, []string{"\x00\x00\x00\x07\x04"}},
		{"hex, an ask a line", "0000000704\n0000000804\n", Hex, []string{"\x00\x00\x00\x07\x04", "\x00\x00\x00\x08\x04"}},
		{"base64", "AAAABwQ=\n", Base64, []string{"\x00\x00\x00\x07\x04"}},
		{"lp32", "\x00\x00\x00\x05\x00\x00\x00\x07\x04", LP32, []string{"\x00\x00\x00\x07\x04"}},
		{"xxd", "00000000: 0000 0007 04  .....\n", XXD, []string{"\x00\x00\x00\x07\x04"}},
	} {
		g := collect(strings.NewReader(c.input), Options{Asks: true})
		expect(t, c.name, g, c.format, c.messages...)
	}
}

func TestHints(t *testing.T) {
	for _, c := range []struct {
		input string
		hint  string // a part of it; "" for none
	}{
		{"", "no bytes at all"},
		{"\x00{}", ""},
		{"{\"seq\":1,\"size\":2}\n", "record a session with -w"},
		{"{\"event\":\"opened\"}\n", "record a session with -w"},
		{"\xa1\xb2\xcd\x34\x00\x02", "editcap -F pcapng"},
		{"\xfd7zXZ\x00\x00", "xz -dc"},
		{"\xff\xfe{\x00\"\x00l\x00", "UTF-16, little-endian (Windows shells write what they redirect so) and is taken for one raw message: convert it first, with iconv -f UTF-16 -t UTF-8"},
		{"{\x00\"\x00l\x00\"\x00", "iconv -f UTF-16LE -t UTF-8"},
		{"\x00{\x00\"\x00l\x00\"", ""}, // a message with tag 0 sooner
		{`{"foo":[1,{"log":2}],"log":{"entries":[]}}`, "--input har reads it"},
		{`{"method":"x","params":{},"log":{"level":1}}`, ""},
		{`{"foo":{"log":{"entries":[]}}}`, ""},
		{"  > 000000 00 7b 7d\n  > 000003\n", "sed 's/^[> ]*//'"},
		{"> > 00000000: 007b 7d  .{}\n", "sed 's/^[> ]*//'"},
		{"> 00 7b 7d\n", ""},
		{"┌────────┬─────────────────────────┬\n", "hexdump -C"},
		{"02:20:35.593665 IP localhost.47012 > localhost.14979: Flags [P.]\n\t0x0000:  4500\n", "with -w"},
		{"02:20:35.593665 lo    In  IP6 ::1.47012 > ::1.14979: Flags [P.]\n", "with -w"},
	} {
		g := read(Auto, c.input)
		if (c.hint == "") != (g.hint == "") || !strings.Contains(g.hint, c.hint) {
			t.Errorf("%q: hint %q, want %q in it", c.input, g.hint, c.hint)
		}
		if c.input != "" && (g.format != Raw || !equal(g.messages, []string{c.input})) {
			t.Errorf("%q: read as %v, %q", c.input, g.format, g.messages)
		}
	}
	for input, hint := range map[string]string{
		"007b7d\n7b7d\n017b7d\n": "2 of 3 lines begin as a message does, but not all, so all of them are read as one message; " +
			"--input hex-lines reads a message a line",
		"AHt9\neyJ9\nAXt9\n": "2 of 3 lines begin as a message does, but not all, so all of them are read as one message; " +
			"--input base64-lines reads a message a line",
		"007b22\n6d65\n7468\n": "",
		"007b226d\n\n657468\n": "",
		"077b7d\n077b7d\n":     "2 lines are read as one message, and each begins with what may be a tag; --input hex-lines reads a message a line",
	} {
		if g := read(Auto, input); g.hint != hint || len(g.messages) != 1 {
			t.Errorf("%q: %d messages, hint %q, want %q", input, len(g.messages), g.hint, hint)
		}
	}
	for input, empty := range map[string]string{
		"007b7d\n\n017b7d\n": "1 empty line", "\n007b7d\n\n#\n\n017b7d\n\n\n": "2 empty lines", "007b7d\n#\n017b7d\n\n": "",
	} {
		want := ""
		if empty != "" {
			want = empty + " between the messages passed over; with --input hex-lines each is an empty message"
		}
		if g := read(Auto, input); g.hint != want || len(g.messages) != 2 {
			t.Errorf("%q: %d messages, hint %q, want %q", input, len(g.messages), g.hint, want)
		}
	}
	for _, f := range Formats() {
		g := read(f, "")
		if f == Raw {
			expect(t, "raw", g, Raw, "")
		} else if len(g.messages) > 0 || g.err != nil || !strings.HasPrefix(g.hint, "no bytes at all") {
			t.Errorf("%v of nothing: %q, %v, hint %q", f, g.messages, g.err, g.hint)
		}
	}
}

func TestFormatNames(t *testing.T) {
	want := strings.Fields("auto raw hex hex-lines xxd hexdump base64 base64-lines literal lp32 record har pcap pcapng lines sse")
	for i, f := range Formats() {
		back, ok := ParseFormat(want[i])
		if f.String() != want[i] || !ok || back != f {
			t.Errorf("format %d is %q and %v, want %q", i, f, back, want[i])
		}
	}
	if f, ok := ParseFormat("Hex"); ok {
		t.Errorf(`ParseFormat("Hex") = %v`, f)
	}
}
