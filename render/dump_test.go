package render

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"kind4/decode"
)

// broken returns a message of that many bytes that does not decode at a byte.
func broken(size, at int) *decode.Frame {
	return &decode.Frame{
		Message: bytes.Repeat([]byte("."), size), Size: int64(size), Type: decode.TypeUndecodable,
		Err: &decode.DecodeError{Code: decode.JSONSyntax, Offset: at, Message: "x"},
	}
}

// dumpOf returns the dump that pretty shows of a message, without its header and findings.
func dumpOf(f *decode.Frame) []string {
	p := newPrettyPrinter(Options{}).(*prettyPrinter)
	return strings.Split(strings.TrimSuffix(string(p.appendBody(nil, &Message{Frame: f})), "\n"), "\n")
}

// The mark stands under the digits of the byte at fault, in the line after its row, wherever it is.
func TestDumpMark(t *testing.T) {
	for _, size := range []int{1, 2, 15, 16, 17, 61, 1024, 2048, 2049, 4096, 5000} {
		for at := 0; at <= size; at++ {
			checkMark(t, dumpOf(broken(size, at)), size, at)
		}
	}
}

func checkMark(t *testing.T, lines []string, size, at int) {
	t.Helper()
	for i, line := range lines {
		column := strings.Index(line, "^^")
		if column < 0 {
			continue
		}
		if want := fmt.Sprintf("^^ byte %d", at); line[column:] != want {
			t.Errorf("%d of %d: %q, want %q", at, size, line[column:], want)
		}
		row := rowOf(at, size)
		if !strings.HasPrefix(lines[i-1], fmt.Sprintf("%08x: ", row)) || column != digitColumn(at-row) {
			t.Errorf("%d of %d: under column %d of %q", at, size, column, lines[i-1])
		}
		if at < size && lines[i-1][column:column+2] != "2e" {
			t.Errorf("%d of %d: under %q", at, size, lines[i-1][column:])
		}
		return
	}
	t.Errorf("%d of %d: no mark", at, size)
}

// A long dump shows how it begins and the rows around the byte at fault, and counts what it leaves out.
func TestDumpCut(t *testing.T) {
	const hint = "; -o hex shows all"
	tests := []struct {
		size, at int
		rows     int
		left     []string
	}{
		{2048, noMark, 128, nil},
		{2049, noMark, 64, []string{"… 1025 more bytes" + hint}},
		{1 << 20, 100, 64, []string{"… 1047552 more bytes" + hint}},
		{1 << 20, 1100, 64 + 9, []string{"… 1047408 more bytes" + hint}},
		{1 << 20, 500000, 64 + 9, []string{"… 498912 more bytes" + hint, "… 548496 more bytes" + hint}},
		{1 << 20, 1 << 20, 64 + 5, []string{"… 1047472 more bytes" + hint}},
		{2049, 2049, 64 + 5, []string{"… 960 more bytes" + hint}},
	}
	for _, test := range tests {
		f := broken(test.size, test.at)
		if test.at == noMark {
			f.Err = nil
		}
		rows, left := 0, []string(nil)
		for _, line := range dumpOf(f) {
			switch {
			case strings.HasPrefix(line, "…"):
				left = append(left, line)
			case !strings.Contains(line, "^^"):
				rows++
			}
		}
		if rows != test.rows || fmt.Sprint(left) != fmt.Sprint(test.left) {
			t.Errorf("%d of %d: %d rows, %q; want %d, %q", test.at, test.size, rows, left, test.rows, test.left)
		}
	}
}

func TestDumpOversize(t *testing.T) {
	f := &decode.Frame{Message: make([]byte, 64), Size: 65, Type: decode.TypeOversize}
	lines := dumpOf(f)
	if got := lines[len(lines)-1]; len(lines) != 5 || got != "… 1 more byte, not kept" {
		t.Errorf("%d lines, the last %q", len(lines), got)
	}
}
