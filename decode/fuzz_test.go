package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// addVectors gives a fuzz target every eighth vector that keep keeps.
func addVectors(f *testing.F, keep func(message []byte) []byte) {
	for i, v := range vectors(f) {
		if seed := keep(v.message); seed != nil && i%8 == 0 {
			f.Add(seed)
		}
	}
}

// FuzzDecode holds the scanner to jsontext: a body under tag 0 is JSON to both or to neither, but for the
// receiver's limits of depth and range, which are checked here; and what it begins with makes no difference.
func FuzzDecode(f *testing.F) {
	addVectors(f, func(message []byte) []byte {
		if len(message) == 0 || message[0] != 0 {
			return nil
		}
		return message[1:]
	})
	var frame Frame
	f.Fuzz(func(t *testing.T, body []byte) {
		message := AppendMessage(nil, TagNotification, body)
		err := frame.Decode(message)
		checkFrame(t, "fuzz", &frame, err)
		checkUsualHead(t, message)
		valid := jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true))
		fault := Code(0)
		if err != nil && layerGroup(frame.Err.Layer()) == "json" {
			fault = frame.Err.Code
		}
		switch {
		case fault == TooDeep:
			if got := bracketsOpen(message[1:frame.Err.Offset+1], nil); got != maxDepth+1 {
				t.Errorf("too deep with %d open", got)
			}
		case fault == NumberRange:
			end, _ := skipNumber(message, frame.Err.Offset)
			if !large(message[frame.Err.Offset:end]) {
				t.Errorf("%s is refused", message[frame.Err.Offset:end])
			}
		case valid != (fault == 0):
			t.Errorf("jsontext: %t; here: %v", valid, err)
		case valid:
			checkBody(t, &frame, body)
		}
	})
}

// bracketsOpen returns how many brackets are open at the end of text that is JSON up to there; each is
// told of every depth on the way.
func bracketsOpen(text []byte, each func(depth int)) int {
	depth, inString, escaped := 0, false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if each != nil {
			each(depth)
		}
	}
	return depth
}

// large reports whether a number is beyond every double, or so near the largest that serde_json's
// arithmetic may find it so.
func large(literal []byte) bool {
	x, _ := strconv.ParseFloat(string(literal), 64)
	return math.Abs(x) > 1.7976931348623150e308
}

// checkBody checks what is said about a body that is JSON: its depth, and that no clue is missing.
func checkBody(t *testing.T, frame *Frame, body []byte) {
	deepest := 0
	bracketsOpen(body, func(depth int) { deepest = max(deepest, depth) })
	if deepest != frame.Depth() || deepest > maxDepth {
		t.Errorf("depth %d, want %d", frame.Depth(), deepest)
	}
	if v, ok := frame.JSONBody(); !ok || !bytes.Equal(frame.Raw(v), bytes.Trim(body, " \t\r\n")) {
		t.Errorf("the JSON stands at %+v, %t", v, ok)
	}
	want := Clue(0)
	if deepest >= 100 {
		want |= ClueDeep
	}
	if !jsontext.Value(body).IsValid() {
		want |= ClueDuplicate
	}
	var compact bytes.Buffer
	if json.Compact(&compact, body) == nil && compact.Len() != len(body) {
		want |= ClueSpace
	}
	d := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
	for {
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		switch text := token.String(); token.Kind() {
		case '"':
			for _, r := range text {
				if r < 0x20 && r != '\n' && r != '\r' && r != '\t' || r > 0x7e && Unsafe(r) || r == utf8.RuneError {
					want |= ClueText
				}
			}
		case '0':
			if !bytes.ContainsAny([]byte(text), ".eE") && len(text) >= 17 {
				want |= ClueBigInteger
			}
			if large([]byte(text)) && math.IsInf(parseFloat(text), 0) && len(text) < 300 {
				t.Errorf("%s passes", text)
			}
		}
	}
	if missing := want &^ frame.Clues; missing != 0 {
		t.Errorf("clues %b are missing: %q", missing, body)
	}
}

func parseFloat(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64)
	if math.Abs(x) > math.MaxFloat64*(1-1e-15) && !math.IsInf(x, 0) {
		return 0
	}
	return x
}

// FuzzError holds the reading of errors to jsontext: what it takes and that is strict JSON is JSON, and what
// jsontext takes is JSON to the receiver, which skips more than it reads.
func FuzzError(f *testing.F) {
	addVectors(f, func(message []byte) []byte {
		if len(message) == 0 || message[0] != 1 {
			return nil
		}
		return message[1:]
	})
	var frame Frame
	f.Fuzz(func(t *testing.T, body []byte) {
		err := frame.Decode(AppendMessage(nil, TagError, body))
		checkFrame(t, "fuzz", &frame, err)
		valid := jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true))
		_, strict := frame.JSONBody()
		if strict && !valid {
			t.Errorf("said to be JSON: %v", err)
		}
		if valid && err != nil && layerGroup(frame.Err.Layer()) == "json" {
			if frame.Err.Code != TooDeep && frame.Err.Code != NumberRange {
				t.Errorf("said to be no JSON: %v", err)
			}
		}
		if frame.Type == TypeError && valid && frame.Clues&ClueSkippedFault != 0 && frame.Depth() <= maxDepth && !bytes.ContainsAny(body, "eE0123456789") {
			t.Error("a fault skipped where there is none")
		}
	})
}

// FuzzRoundTrip writes what a frame was found to hold again, and reads that.
func FuzzRoundTrip(f *testing.F) {
	addVectors(f, func(message []byte) []byte { return message })
	var frame, again Frame
	f.Fuzz(func(t *testing.T, message []byte) {
		err := frame.Decode(message)
		checkFrame(t, "fuzz", &frame, err)
		if len(message) > 0 && !bytes.Equal(AppendMessage(nil, frame.Tag, frame.Body()), message) {
			t.Fatal("tag and body are not the message")
		}
		switch frame.Type {
		case TypeNotification:
			body := append([]byte(`{"method":`), frame.Raw(frame.Method)...)
			if frame.Params.Present() {
				body = append(append(body, `,"params":`...), frame.Raw(frame.Params)...)
			}
			err = again.Decode(AppendMessage(nil, TagNotification, append(body, '}')))
			if err != nil || again.Variant != frame.Variant || again.Known != frame.Known || again.Misfit.Kind != frame.Misfit.Kind {
				t.Errorf("%s known as %s (%+v) became %s known as %s (%+v): %v",
					frame.Variant, frame.Known, frame.Misfit, again.Variant, again.Known, again.Misfit, err)
			}
		case TypeError:
			body := append([]byte(`{"message":`), frame.Raw(frame.Members[MemberMessage])...)
			if data := frame.Members[MemberData]; data.Present() {
				body = append(append(body, `,"data":`...), frame.Raw(data)...)
			}
			body = strconv.AppendInt(append(body, `,"code":`...), int64(frame.Code), 10)
			if err = again.Decode(AppendMessage(nil, TagError, append(body, '}'))); err != nil || again.Code != frame.Code {
				t.Errorf("code %d became %d: %v", frame.Code, again.Code, err)
			}
		}
	})
}

// FuzzAsk reads anything as an ask and writes it again.
func FuzzAsk(f *testing.F) {
	for kind := range byte(20) {
		f.Add([]byte{0, 0, 0, 7, kind, 0, 2, 'i', 'd', 0, 1, 'p', 'x'})
	}
	f.Add([]byte{0, 0, 0})
	var a Ask
	f.Fuzz(func(t *testing.T, message []byte) {
		err := a.Decode(message)
		var located *DecodeError
		if err != nil && (!errors.As(err, &located) || located.Code != AskTruncated || located.Offset > len(message)) {
			t.Fatalf("%v", err)
		}
		if a.Header == askHeader && !bytes.Equal(a.Append(nil), message) {
			t.Error("written again, it is another")
		}
		at := askHeader
		for _, p := range a.Parts {
			if p.Start < at || p.End < p.Start || p.End > len(message) {
				t.Fatalf("parts %+v of %d bytes", a.Parts, len(message))
			}
			at = p.End
		}
		if len(a.Parts) > 0 && at != len(message) {
			t.Errorf("parts %+v leave out the end", a.Parts)
		}
	})
}

// FuzzText points, walks and quotes in anything.
func FuzzText(f *testing.F) {
	addVectors(f, func(message []byte) []byte { return message })
	f.Add([]byte("\x00{\"a\":[\"\\ud800\",\"\u202e\"\xff"))
	f.Fuzz(func(t *testing.T, message []byte) {
		for offset := -1; offset <= len(message)+1; offset += 1 + len(message)/64 {
			if p := PointerAt(message, offset); p != "" && p[0] != '/' || !utf8.ValidString(p) {
				t.Fatalf("pointer %q at %d", p, offset)
			}
		}
		depth, end := 0, 0
		w := NewWalker(message, 1)
		for token, ok := w.Next(); ok; token, ok = w.Next() {
			if token.Start < end || token.End <= token.Start || token.End > len(message) || token.Depth > depth+1 {
				t.Fatalf("token %+v behind byte %d", token, end)
			}
			depth, end = token.Depth, token.End
		}
		for _, out := range [][]byte{AppendSafe(nil, message), AppendQuoted(nil, message, 40)} {
			if !utf8.Valid(out) {
				t.Errorf("not UTF-8: %q", out)
			}
		}
		for _, r := range string(AppendSafe(nil, message)) {
			if Unsafe(r) {
				t.Errorf("%U is left", r)
			}
		}
	})
}
