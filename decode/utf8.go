package decode

// sequence returns how many bytes the UTF-8 sequence at the start of s has, 0 where it is none
// (RFC 3629 section 4: no overlong form, no surrogate, nothing above U+10FFFF). s begins with a byte
// beyond ASCII.
func sequence(s []byte) int {
	switch c := s[0]; {
	case c < 0xc2:
		return 0
	case c < 0xe0:
		if len(s) >= 2 && follows(s[1]) {
			return 2
		}
	case c < 0xf0:
		if len(s) >= 3 && follows(s[1]) && follows(s[2]) && (c != 0xe0 || s[1] >= 0xa0) && (c != 0xed || s[1] < 0xa0) {
			return 3
		}
	case c < 0xf5:
		if len(s) >= 4 && follows(s[1]) && follows(s[2]) && follows(s[3]) && (c != 0xf0 || s[1] >= 0x90) && (c != 0xf4 || s[1] < 0x90) {
			return 4
		}
	}
	return 0
}

func follows(c byte) bool { return c&0xc0 == 0x80 }

// cutOff reports whether s is the beginning of a UTF-8 sequence and ends inside it.
func cutOff(s []byte) bool {
	if len(s) >= 4 {
		return false
	}
	var whole [4]byte
	n := copy(whole[:], s)
	for fill := byte(0x80); fill < 0xc0; fill += 0x10 { // the second byte decides which sequences there are
		for i := n; i < 4; i++ {
			whole[i] = fill
		}
		if sequence(whole[:]) > n {
			return true
		}
	}
	return false
}
