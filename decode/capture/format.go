package capture

// Format is the container that messages are read from, or written in.
type Format uint8

// The formats. Auto looks at the input and takes one of the others.
const (
	Auto        Format = iota // recognised from the first 64 KiB
	Raw                       // all of the input is one message
	Hex                       // hex digits: one message, or one a line where every line looks like a message
	HexLines                  // hex digits, one message a line
	XXD                       // dumps as xxd and kind4's own hex form print them
	Hexdump                   // dumps as hexdump -C, od -A x -t x1 and Wireshark print them
	Base64                    // base64: one message, or one a line where every line looks like a message
	Base64Lines               // base64, one message a line
	Literal                   // byte lists and quoted bytes in the notation of a programming language
	LP32                      // each message behind its length, a big-endian u32
	Record                    // kind4's own record of a session: every event, a JSON object a line
	HAR                       // an HTTP Archive with the messages of WebSockets, as browsers save one
	PCAP                      // a packet capture as tcpdump writes it
	PCAPNG                    // a packet capture as dumpcap and Wireshark write it
	Lines                     // JSON-RPC without tags, a message a line
	SSE                       // JSON-RPC without tags in an event stream

	numFormats
)

// formatTable holds each format's name and what reads it.
var formatTable = [numFormats]struct {
	name   string
	decode func(r *Reader) decoder
}{
	Auto: {"auto", func(*Reader) decoder { return nothing{} }},
	Raw:  {"raw", func(*Reader) decoder { return rawDecoder{} }},
	Hex: {"hex", func(r *Reader) decoder {
		return &hexDecoder{line: 1, lines: r.everyLine(hexBeginning)}
	}},
	HexLines: {"hex-lines", func(*Reader) decoder { return &hexDecoder{line: 1, lines: true, blanks: true} }},
	XXD:      {"xxd", func(*Reader) decoder { return &dumpDecoder{parse: parseXXD, radixes: xxdRadixes} }},
	Hexdump:  {"hexdump", func(*Reader) decoder { return &dumpDecoder{parse: parseHexdump, radixes: hexdumpRadixes} }},
	Base64: {"base64", func(r *Reader) decoder {
		return &base64Decoder{line: 1, lines: r.everyLine(base64Beginning)}
	}},
	Base64Lines: {"base64-lines", func(*Reader) decoder { return &base64Decoder{line: 1, lines: true, blanks: true} }},
	Literal:     {"literal", func(r *Reader) decoder { return &literalDecoder{in: &r.in, line: 1} }},
	LP32:        {"lp32", func(*Reader) decoder { return lp32Decoder{} }},
	Record:      {"record", func(*Reader) decoder { return new(recordDecoder) }},
	HAR:         {"har", newHARDecoder},
	PCAP:        {"pcap", newPacketDecoder},
	PCAPNG:      {"pcapng", newPacketDecoder},
	Lines:       {"lines", func(*Reader) decoder { return new(linesDecoder) }},
	SSE:         {"sse", func(*Reader) decoder { return &sseDecoder{lines: textLines{returns: true}} }},
}

// String returns the format's name as people write it, "hex-lines" for instance.
func (f Format) String() string {
	if f < numFormats {
		return formatTable[f].name
	}
	return "unknown"
}

// ParseFormat finds the format of that name.
func ParseFormat(name string) (Format, bool) {
	for f, row := range formatTable {
		if row.name == name {
			return Format(f), true
		}
	}
	return 0, false
}

// Untagged reports whether the format's messages have no tag, and get the tag 0 when they are read.
func (f Format) Untagged() bool { return f == Lines || f == SSE }

// Formats returns every format, Auto first.
func Formats() []Format {
	formats := make([]Format, numFormats)
	for i := range formats {
		formats[i] = Format(i)
	}
	return formats
}

// sessions reports whether the format holds sessions, events of every kind, and not messages alone.
func (f Format) sessions() bool { return f == Record || f == HAR || f == PCAP || f == PCAPNG }
