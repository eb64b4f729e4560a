package render

import "fmt"

var formNames = [...]string{"", "pretty", "line", "json", "hex", "raw", "lp32", "payload"}

// String returns the form's name as -o takes it.
func (f Form) String() string {
	if int(f) < len(formNames) {
		return formNames[f]
	}
	return fmt.Sprintf("form %d", f)
}

// ParseForm finds the form of that name.
func ParseForm(name string) (Form, bool) {
	for f := Pretty; f <= Payload; f++ {
		if formNames[f] == name {
			return f, true
		}
	}
	return 0, false
}

// Forms returns every form, the default first.
func Forms() []Form { return []Form{Pretty, Line, JSON, Hex, Raw, LP32, Payload} }

// Binary reports whether the form may write bytes that are no text, which a terminal must not get.
func (f Form) Binary() bool { return f == Raw || f == LP32 }

// New returns a printer of that form; pretty for the zero Form. A printer keeps memory between messages: it
// serves one goroutine at a time, and any number of printers may work beside each other.
func New(form Form, o Options) Printer {
	switch form {
	case JSON:
		return new(jsonPrinter)
	case Line:
		return newLinePrinter(o)
	case Hex:
		return newHexPrinter(o)
	case Raw:
		return rawPrinter{}
	case LP32:
		return lp32Printer{}
	case Payload:
		return payloadPrinter{o.Terminal}
	}
	return newPrettyPrinter(o)
}
