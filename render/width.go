package render

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// columns measures characters without regard to locale or environment.
var columns = &runewidth.Condition{StrictEmojiNeutral: true}

// displayWidth returns how many columns s takes, wide characters counting two.
func displayWidth(s []byte) int {
	if firstBeyondASCII(s) == len(s) {
		return len(s)
	}
	width := 0
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		width += columns.RuneWidth(r)
		s = s[n:]
	}
	return width
}

func firstBeyondASCII(s []byte) int {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

// fit returns the length of the longest start of s that takes at most limit columns, and how many it takes.
func fit(s []byte, limit int) (length, width int) {
	for length < len(s) {
		r, n := utf8.DecodeRune(s[length:])
		w := columns.RuneWidth(r)
		if width+w > limit {
			break
		}
		length += n
		width += w
	}
	return length, width
}

// Width returns how many columns s takes on a terminal, wide characters counting two.
func Width(s string) int { return displayWidth([]byte(s)) }

// Fit returns s, cut where it takes more than limit columns: an ellipsis stands at its end then, where that fits.
func Fit(s string, limit int, ascii bool) string {
	if Width(s) <= limit {
		return s
	}
	mark := ellipsis(ascii)
	if Width(mark) > limit {
		mark = ""
	}
	length, _ := fit([]byte(s), limit-Width(mark))
	return s[:length] + mark
}
