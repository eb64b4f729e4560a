package decode

import (
	"fmt"
	"strings"
	"testing"
)

// walk lists the tokens of a message's body as "kind depth text".
func walk(message string) []string {
	kinds := [...]string{"", "name", "string", "integer", "float", "true", "false", "null", "{", "}", "[", "]"}
	var got []string
	w := NewWalker([]byte(message), 1)
	for token, ok := w.Next(); ok; token, ok = w.Next() {
		got = append(got, fmt.Sprintf("%s %d %s", kinds[token.Kind], token.Depth, message[token.Start:token.End]))
	}
	return got
}

func TestWalker(t *testing.T) {
	tests := []struct {
		body string
		want []string
	}{
		{` {"a" : [1, -0 ,1e5,true],"b":{}}`, []string{`{ 1 {`, `name 1 "a"`, `[ 2 [`, `integer 2 1`, `float 2 -0`, `float 2 1e5`,
			`true 2 true`, `] 2 ]`, `name 1 "b"`, `{ 2 {`, `} 2 }`, `} 1 }`}},
		{`"x" 5`, []string{`string 0 "x"`}},
		{`[null,false]`, []string{`[ 1 [`, `null 1 null`, `false 1 false`, `] 1 ]`}},
		{`["\ud800` + "\xff" + `",1e999]`, []string{`[ 1 [`, `string 1 "\ud800` + "\xff" + `"`, `float 1 1e999`, `] 1 ]`}},
		{`{"a":1,}`, []string{`{ 1 {`, `name 1 "a"`, `integer 1 1`}},
		{`{"a" 1}`, []string{`{ 1 {`, `name 1 "a"`}},
		{`[1}`, []string{`[ 1 [`, `integer 1 1`}},
		{`[1 2]`, []string{`[ 1 [`, `integer 1 1`}},
		{`[01]`, []string{`[ 1 [`}},
		{`["open`, []string{`[ 1 [`}},
		{``, nil},
	}
	for _, test := range tests {
		if got := walk("\x00" + test.body); strings.Join(got, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("%s:\n got %q\nwant %q", test.body, got, test.want)
		}
	}
}

func TestWalkerSkip(t *testing.T) {
	message := []byte(`{"a":[1,{"x":[]}],"b":2,"c":"s"}`)
	w := NewWalker(message, 0)
	w.Next()
	var names []string
	for token, ok := w.Next(); ok && token.Kind == TokenName; token, ok = w.Next() {
		names = append(names, string(message[token.Start:token.End]))
		w.Skip()
	}
	if got := strings.Join(names, " "); got != `"a" "b" "c"` || w.Offset() != len(message) {
		t.Errorf("names %s, and then byte %d", got, w.Offset())
	}
	w = NewWalker(message, 0)
	w.Next()
	w.Skip()
	if token, ok := w.Next(); ok || w.Offset() != len(message) {
		t.Errorf("behind the object there is %+v", token)
	}
}

func TestWalkerDeep(t *testing.T) {
	const levels = 100_000
	message := []byte(strings.Repeat(`[{"":`, levels/2) + "1" + strings.Repeat("}]", levels/2))
	w := NewWalker(message, 0)
	deepest, tokens := 0, 0
	for token, ok := w.Next(); ok; token, ok = w.Next() {
		deepest = max(deepest, token.Depth)
		tokens++
	}
	if want := levels*2 + levels/2 + 1; deepest != levels || tokens != want || w.Offset() != len(message) {
		t.Errorf("%d levels, %d tokens, byte %d; want %d and %d", deepest, tokens, w.Offset(), levels, want)
	}
	shallow := []byte("\x00" + `{"a":[1,{"b":"c"}]}`)
	if n := testing.AllocsPerRun(100, func() {
		w := NewWalker(shallow, 1)
		for _, ok := w.Next(); ok; _, ok = w.Next() {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestLiteralFault(t *testing.T) {
	tests := []struct {
		literal string
		code    Code // 0: nothing is wrong
		offset  int
	}{
		{`"fine é"`, 0, 0},
		{`1e308`, 0, 0},
		{`-1e999`, NumberRange, 0},
		{`"a\ud800"`, LoneSurrogate, 2},
		{"\"ab\xff\"", NotUTF8, 3},
		{`true`, 0, 0},
	}
	for _, test := range tests {
		message := []byte("[" + test.literal + "]")
		got := LiteralFault(message, 1, len(message)-1)
		switch {
		case test.code == 0 && got != nil:
			t.Errorf("%s: %v", test.literal, got)
		case test.code != 0 && (got == nil || got.Code != test.code || got.Offset != test.offset+1):
			t.Errorf("%s: %v, want %s at %d", test.literal, got, test.code, test.offset+1)
		}
	}
}
