package live

import (
	"context"

	"kind4/decode"
	"kind4/decode/ws"
)

// Fault is one thing that a stand-in provider does wrong on purpose, so that whoever writes a proxy meets it.
// Those that end the path come behind everything else, in place of the ending asked for; the others behind the
// source's first message.
type Fault struct {
	Name    string
	Does    string      // one sentence
	Finding decode.Code // what a debugger finds in it; 0 for none
	Seen    string      // what it sees where there is no such finding

	messages []string                   // sent as they are
	wire     func(frames []byte) []byte // appends what is sent
	frames   int                        // data frames of the one message among it, which holds goodMessage; 0 for none
	text     bool                       // that is a text message
	do       func(context.Context, *sending) error
	then     then
	closes   uint16 // thenClose: with this code, 0 for 1000
	silent   bool   // the source is not sent
}

// then says what follows a fault.
type then uint8

const (
	nothing   then = iota // the messages go on
	thenClose             // the closing handshake
	thenCut               // the end of the connection, without a Close
	thenWait              // the proxy is to end it
)

// Ends reports whether the fault ends the path.
func (f *Fault) Ends() bool { return f.then != nothing }

// Sees says in a few words what a debugger has to say: the code of a finding, or how the path ends.
func (f *Fault) Sees() string {
	if f.Finding != 0 {
		return f.Finding.String()
	}
	return f.Seen
}

// opcode is that of the message in wire.
func (f *Fault) opcode() uint8 {
	if f.text {
		return ws.OpText
	}
	return ws.OpBinary
}

func (f *Fault) code() uint16 {
	if f.closes == 0 {
		return 1000
	}
	return f.closes
}

// ending returns the fault that ends a path, nil for none.
func (p *Provider) ending() *Fault {
	for _, f := range p.o.Faults {
		if f.Ends() {
			return f
		}
	}
	return nil
}

// Faults returns all faults, in the order in which they are listed.
func Faults() []*Fault { return faults() }

// FindFault returns the fault of that name.
func FindFault(name string) (*Fault, bool) {
	for _, f := range faults() {
		if f.Name == name {
			return f, true
		}
	}
	return nil, false
}
