package render

// spillAt is how much of one message is printed before its Spill takes it, in bytes, about.
const spillAt = 256 << 10

// spillRows is how many bytes of a message are dumped before that is looked at: a dump is five times as long.
const spillRows = 8 << 10

// spill gives away what is printed, where that is much.
func (m *Message) spill(dst []byte) []byte {
	if m.Spill != nil && len(dst) >= spillAt {
		return m.Spill(dst)
	}
	return dst
}

// appendBytes appends b as it is.
func (m *Message) appendBytes(dst, b []byte) []byte {
	for m.Spill != nil && len(b) > spillAt {
		dst = m.spill(append(dst, b[:spillAt]...))
		b = b[spillAt:]
	}
	return append(dst, b...)
}

// appendParts appends b part by part, none of which ends inside a character or an escape.
func (m *Message) appendParts(dst, b []byte, part func(dst, b []byte) []byte) []byte {
	for m.Spill != nil && len(b) > spillAt {
		n := whole(b, spillAt)
		dst = m.spill(part(dst, b[:n]))
		b = b[n:]
	}
	return part(dst, b)
}

// whole returns the length of the longest start of b, at most n, that ends neither inside a character of UTF-8 nor
// behind a backslash that the next byte belongs to.
func whole(b []byte, n int) int {
	end := n
	for end > n-3 && b[end]&0xc0 == 0x80 {
		end--
	}
	slants := 0
	for slants < end && b[end-1-slants] == '\\' {
		slants++
	}
	return end - slants%2
}
