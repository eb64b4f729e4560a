package decode

import "testing"

// No character that must not reach a terminal as it is passes without ClueText, whatever stands around it.
func TestClueTextOfEveryCharacter(t *testing.T) {
	var f Frame
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if r == 0xd800 {
			r = 0xe000
		}
		if !Unsafe(r) && r != '\ufffd' && r%251 != 0 {
			continue // of the others some
		}
		for _, text := range []string{string(r), "日" + string(r) + "日日", string(r) + "日日日", "é" + string(r), "a" + string(r) + "–日本"} {
			message := "\x00" + `{"method":"x","params":{"a":"` + text + `","b":"padding"}}`
			if err := f.Decode([]byte(message)); err != nil {
				t.Fatalf("%U in %q: %v", r, text, err)
			}
			if unsafe := Unsafe(r) || r == '\ufffd'; unsafe && f.Clues&ClueText == 0 {
				t.Errorf("%U in %q: no clue", r, text)
			}
		}
	}
}
