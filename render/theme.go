package render

import (
	"strings"

	"github.com/fatih/color"

	"kind4/decode"
)

// Style is one look: the escape sequences before and after a text. The zero Style is plain.
type Style struct {
	Open, Close string
}

// Append appends text in that style.
func (s Style) Append(dst []byte, text string) []byte {
	dst = append(dst, s.Open...)
	dst = append(dst, text...)
	return append(dst, s.Close...)
}

// Sprint returns text in that style.
func (s Style) Sprint(text string) string { return s.Open + text + s.Close }

// Theme is the colours by meaning: one hue each for a notification, a custom one, an error message and what
// failed, and one for each severity. The zero Theme is plain.
type Theme struct {
	Notification Style // typed by the receiver
	Custom       Style // taken as custom
	Error        Style // tag 1
	Failed       Style // not decoded
	Severe       Style // severity error
	Warning      Style // severity warning; a text message
	Info         Style // severity info
	Dim          Style // times, sizes, offsets
	Method       Style // methods
	Tag          Style // the tag byte of a dump, a marked byte
}

// NewTheme returns the theme, plain when on is false. It looks at no terminal and no environment, and leaves
// fatih/color's global state alone.
func NewTheme(on bool) *Theme {
	return &Theme{
		Notification: newStyle(on, color.FgGreen, color.Bold),
		Custom:       newStyle(on, color.FgCyan, color.Bold),
		Error:        newStyle(on, color.FgMagenta, color.Bold),
		Failed:       newStyle(on, color.FgRed, color.Bold),
		Severe:       newStyle(on, color.FgRed, color.Bold),
		Warning:      newStyle(on, color.FgYellow, color.Bold),
		Info:         newStyle(on, color.FgBlue),
		Dim:          newStyle(on, color.Faint),
		Method:       newStyle(on, color.Bold),
		Tag:          newStyle(on, color.ReverseVideo),
	}
}

// newStyle reads the sequences out of one colour object, so that printing formats nothing.
func newStyle(on bool, attributes ...color.Attribute) Style {
	c := color.New(attributes...)
	if on {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	const mark = "x"
	open, end, _ := strings.Cut(c.Sprint(mark), mark)
	return Style{Open: open, Close: end}
}

// Severity returns the style of that severity.
func (t *Theme) Severity(s decode.Severity) Style {
	switch s {
	case decode.Error:
		return t.Severe
	case decode.Warning:
		return t.Warning
	}
	return t.Info
}

// Verdict returns the style of what became of a message.
func (t *Theme) Verdict(f *decode.Frame) Style {
	switch {
	case f.Type == decode.TypeNotification && f.Variant == decode.Custom:
		return t.Custom
	case f.Type == decode.TypeNotification:
		return t.Notification
	case f.Type == decode.TypeError:
		return t.Error
	case f.Type == decode.TypeText:
		return t.Warning
	}
	return t.Failed
}
