package render

import (
	"bytes"
	"strconv"

	"kind4/decode"
	"kind4/decode/inspect"
)

const (
	maxPointer = 200 // characters of a pointer that are shown
	wrapWidth  = 100 // columns of a finding, where the terminal has as many
	wrapLeast  = 40
)

// appendFinding appends "warning params-misfit /params/progress: a string, "50", where a number is needed. The
// receiver takes …", wrapped; the place is the pointer, or else the byte, where there is either.
func (p *prettyPrinter) appendFinding(dst []byte, f *inspect.Finding, frame *decode.Frame) []byte {
	severity := f.Severity.String()
	s := append(p.scratch[:0], severity...)
	s = append(append(s, ' '), f.Code.String()...)
	s = append(p.appendPlace(s, f, frame), ": "...)
	s = appendStop(f.AppendText(s))
	if c := f.Consequence(); c != "" {
		s = append(append(s, ' '), c...)
		s = appendStop(s)
	}
	if p.options.ASCII {
		s = AppendASCII(nil, s)
	}
	p.scratch = s

	style := p.theme.Severity(f.Severity)
	dst = append(dst, style.Open...)
	dst = append(dst, severity...)
	dst = append(dst, style.Close...)
	width := wrapWidth
	if w := p.options.Width; w > 0 {
		width = max(min(w, wrapWidth), wrapLeast)
	}
	return appendWrapped(dst, s[len(severity):], len(severity), width)
}

// appendPlace appends where a finding applies: the pointer, but the byte where there is none and where the message
// is shown as a dump because its text breaks there.
func (p *prettyPrinter) appendPlace(dst []byte, f *inspect.Finding, frame *decode.Frame) []byte {
	inDump := frame.Type == decode.TypeUndecodable && f.Layer() <= decode.LayerJSON
	if f.HasPointer() && !inDump {
		if pointer := f.Pointer(); pointer != "" {
			return appendSafeCut(append(dst, ' '), []byte(pointer), maxPointer, ellipsis(p.options.ASCII))
		}
	}
	if f.Offset == inspect.NoOffset || len(frame.Message) == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, " byte "...), int64(f.Offset), 10)
}

// appendStop appends a full stop, where there is none.
func appendStop(s []byte) []byte {
	if n := len(s); n > 0 && (s[n-1] == '.' || s[n-1] == '?' || s[n-1] == '!') {
		return s
	}
	return append(s, '.')
}

// appendWrapped appends s, broken at spaces into lines of at most width columns, and a newline. The first line
// begins at column; each further one is indented by two. A word that is longer than a line stays whole.
func appendWrapped(dst, s []byte, column, width int) []byte {
	first := true
	for len(s) > 0 {
		end := bytes.IndexByte(s[1:], ' ') + 1
		if end == 0 {
			end = len(s)
		}
		word := s[:end] // the space before it included
		w := displayWidth(word)
		if !first && column+w > width {
			dst = append(dst, '\n')
			dst = append(dst, gap...)
			dst = append(dst, word[1:]...)
			column = len(gap) + w - 1
		} else {
			dst = append(dst, word...)
			column += w
		}
		first = false
		s = s[end:]
	}
	return append(dst, '\n')
}
