package decode

// Decode reads one message by the receiver's rules. It returns f.Err, or nil.
func (f *Frame) Decode(message []byte) error { panic("unwritten") }
