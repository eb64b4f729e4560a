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

	numFormats
)

var formatNames = [numFormats]string{
	Auto: "auto", Raw: "raw", Hex: "hex", HexLines: "hex-lines", XXD: "xxd", Hexdump: "hexdump",
	Base64: "base64", Base64Lines: "base64-lines", Literal: "literal", LP32: "lp32",
}

// String returns the format's name as people write it, "hex-lines" for instance.
func (f Format) String() string {
	if f < numFormats {
		return formatNames[f]
	}
	return "unknown"
}

// ParseFormat finds the format of that name.
func ParseFormat(name string) (Format, bool) {
	for f, n := range formatNames {
		if n == name {
			return Format(f), true
		}
	}
	return 0, false
}

// Formats returns every format, Auto first.
func Formats() []Format {
	formats := make([]Format, numFormats)
	for i := range formats {
		formats[i] = Format(i)
	}
	return formats
}
