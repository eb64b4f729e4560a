package render

import (
	"bytes"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// lineOf returns the line of a notification's or error's JSON, without its newline, as it stands in no time column.
func lineOf(t *testing.T, tag decode.Tag, body string, o Options) string {
	t.Helper()
	f := new(decode.Frame)
	if err := f.Decode(decode.AppendMessage(nil, tag, []byte(body))); err != nil {
		t.Fatal(err)
	}
	o.Timestamp = None
	return strings.TrimSuffix(string(New(Line, o).AppendMessage(nil, &Message{Seq: 1, Frame: f})), "\n")
}

func progress(params string) string {
	return `{"method":"notifications/progress","params":{` + params + `}}`
}

func TestLineProgress(t *testing.T) {
	full, none := strings.Repeat("█", 20), strings.Repeat("░", 20)
	tests := []struct{ params, want string }{
		{`"progressToken":"up","progress":3,"total":9,"message":"reading"`, `progress  up  ███████░░░░░░░░░░░░░  33 %  3/9  reading`},
		{`"progressToken":1,"progress":9,"total":9`, `progress  1  ` + full + ` 100 %  9/9`},
		{`"progressToken":1,"progress":999,"total":1000`, `progress  1  ` + strings.Repeat("█", 19) + `░  99 %   999/1000`},
		{`"progressToken":1,"progress":12,"total":9`, `progress  1  ` + full + ` 133 %  12/9`},
		{`"progressToken":1,"progress":-1,"total":9`, `progress  1  ` + none + `   0 %  -1/9`},
		{`"progressToken":1,"progress":1e300,"total":1e-300`, `progress  1  ` + full + ` 999 %   1e300/1e-300`},
		{`"progressToken":1,"progress":1,"total":1e308`, `progress  1  ` + none + `   0 %      1/1e308`},
		{`"progressToken":1,"progress":0,"total":0`, `progress  1  0/0`},
		{`"progressToken":1,"progress":1,"total":-3`, `progress  1   1/-3`},
		{`"progressToken":1,"progress":1.50,"total":null`, `progress  1  1.50`},
		{`"progressToken":"1","progress":1`, `progress  "1"  1`},
		{`"progressToken":"","progress":1`, `progress  ""  1`},
		{`"progressToken":"null","progress":1`, `progress  "null"  1`},
		{`"progressToken":"a b\u001b","progress":1`, `progress  "a b\u001b"  1`},
	}
	for _, test := range tests {
		if got := lineOf(t, decode.TagNotification, progress(test.params), Options{}); got != test.want {
			t.Errorf("%s\ngot  %q\nwant %q", test.params, got, test.want)
		}
	}
	got := lineOf(t, decode.TagNotification, progress(`"progressToken":1,"progress":1,"total":4`), Options{ASCII: true})
	if want := "progress  1  #####---------------  25 %  1/4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLineVariants(t *testing.T) {
	tests := []struct {
		tag        decode.Tag
		body, want string
	}{
		{0, `{"method":"notifications/cancelled","params":{"requestId":"3"}}`, `cancelled "3"`},
		{0, `{"method":"notifications/cancelled"}`, `cancelled`},
		{0, `{"method":"notifications/message","params":{"level":"info","logger":null,"data":null}}`, `info      null`},
		{0, `{"method":"notifications/message","params":{"level":"info","data":"true"}}`, `info      "true"`},
		{0, `{"method":"notifications/message","params":{"level":"info","data":"a\nb \u2028"}}`, `info      a\nb \u2028`},
		{0, `{"method":"notifications/prompts/list_changed","params":{}}`, `changed   prompts`},
		{0, `{"method":"notifications/resources/list_changed"}`, `changed   resources`},
		{0, `{"method":"a"}`, `a`},
		{0, `{"method":"a b","params":{}}`, `custom    "a b" {}`},
		{0, `{"method":"progress","params":{"x": [1, "\u202e"]}}`, `custom    "progress" {"x":[1,"\u202e"]}`},
		{0, `{"method":"x\u001b[2J"}`, `custom    "x\u001b[2J"`},
		{0, `{"method":"漢字","params":{}}`, `漢字      {}`},
		{1, `{"code":1,"message":"m"}`, `error     1: m`},
		{1, `{"code":-32601,"message":"","data":null}`, `error     -32601 method not found:   null`},
	}
	for _, test := range tests {
		if got := lineOf(t, test.tag, test.body, Options{}); got != test.want {
			t.Errorf("%s\ngot  %q\nwant %q", test.body, got, test.want)
		}
	}
}

// Values that are longer than anything that means something are cut, whatever the width.
func TestLineBounds(t *testing.T) {
	long := strings.Repeat("9", 5000)
	text := strings.Repeat("x", 5000)
	for _, body := range []string{
		progress(`"progressToken":"` + text + `","progress":` + "1." + long + `,"total":1.` + long),
		`{"method":"` + text + `"}`,
		`{"method":"` + text + ` "}`,
		`{"method":"notifications/tasks","params":{"taskId":"` + text + `","status":"failed","createdAt":"","lastUpdatedAt":"","error":{}}}`,
		`{"method":"notifications/message","params":{"level":"info","logger":"` + text + `","data":1}}`,
	} {
		if got := lineOf(t, decode.TagNotification, body, Options{}); len(got) > 500 {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	}
	body := `{"method":"notifications/message","params":{"level":"info","data":"` + text + `"}}`
	if got := lineOf(t, decode.TagNotification, body, Options{}); !strings.HasSuffix(got, text) {
		t.Error("a text was cut though there is no width")
	}
}

// Whatever comes, a line is no wider than the terminal, unless the findings alone leave no room, and they all stand
// at its end.
func TestLineWidth(t *testing.T) {
	messages := vectors(t)
	for _, o := range []Options{{Width: 80}, {Width: 50, ASCII: true}, {Width: 50, ASCII: true, Terminal: true}, {Width: 200, Timestamp: None}} {
		p := New(Line, o)
		each(messages, func(m *Message) {
			line := bytes.TrimSuffix(p.AppendMessage(nil, m), []byte("\n"))
			codes := codesOf(m.Findings)
			if !strings.HasSuffix(string(line), codes) {
				t.Errorf("%q does not end with %q", line, codes)
			}
			if width := displayWidth(line); width > max(o.Width, minLine+len(codes)) {
				t.Errorf("%d columns of %d: %s", width, o.Width, line)
			}
			if o.ASCII && o.Terminal && firstBeyondASCII(line) < len(line) {
				t.Errorf("beyond ASCII: %s", line)
			}
		})
	}
}

// Every form prints every message on terminals of any width.
func TestAnyWidth(t *testing.T) {
	messages := vectors(t)
	for _, form := range []Form{Pretty, Line, JSON, Hex, Raw, LP32, Payload} {
		for _, width := range []int{0, 1, 2, 10, 10_000} {
			p := New(form, Options{Width: width, Color: true})
			each(messages, func(m *Message) { p.AppendMessage(nil, m) })
		}
	}
}

func codesOf(findings []inspect.Finding) string {
	var codes []string
	for _, f := range findings {
		code := strings.Repeat("!", int(f.Severity-decode.Info)) + f.Code.String()
		if f.Severity > decode.Info && !strings.Contains(strings.Join(codes, " ")+" ", code+" ") {
			codes = append(codes, code)
		}
	}
	if len(codes) == 0 {
		return ""
	}
	return "  " + strings.Join(codes, " ")
}

// A cut falls between characters, and a wide one that would stand over the edge is left out.
func TestLineCutsWideText(t *testing.T) {
	body := `{"method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("漢", 100) + `"}}`
	for width, want := range map[int]string{
		40: "info      " + strings.Repeat("漢", 14) + "…",
		41: "info      " + strings.Repeat("漢", 15) + "…",
		42: "info      " + strings.Repeat("漢", 15) + "…",
	} {
		if got := lineOf(t, decode.TagNotification, body, Options{Width: width}); got != want {
			t.Errorf("width %d: got %q, want %q", width, got, want)
		}
	}
}

// A text of characters without width is bounded too.
func TestLineZeroWidth(t *testing.T) {
	body := `{"method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("a"+strings.Repeat("\u0301", 1000), 10) + `"}}`
	got := lineOf(t, decode.TagNotification, body, Options{Width: 80})
	if len(got) > 4000 || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes", len(got))
	}
}

// The severity that is shown is the finding's own, and a code stands once.
func TestLineCodes(t *testing.T) {
	var l lineText
	l.addCodes([]inspect.Finding{
		{Code: decode.NotUTF8, Severity: decode.Warning}, {Code: decode.CustomMethod, Severity: decode.Info},
		{Code: decode.NotUTF8, Severity: decode.Warning}, {Code: decode.AfterError, Severity: decode.Error},
	}, NewTheme(false))
	if got, want := string(l.codes), "  !not-utf8 !!after-error"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A message without a clock has no time column.
func TestAbsentColumns(t *testing.T) {
	f := new(decode.Frame)
	if err := f.Decode([]byte("\x00{\"method\":\"a\"}")); err != nil {
		t.Fatal(err)
	}
	for _, stamp := range []Timestamp{Clock, Delta, Start, None} {
		m := &Message{Seq: 7, Frame: f, Event: &session.Event{Kind: session.Message}}
		if got := string(New(Line, Options{Timestamp: stamp}).AppendMessage(nil, m)); got != "a\n" {
			t.Errorf("line: %q", got)
		}
		got := string(New(Pretty, Options{Timestamp: stamp}).AppendMessage(nil, m))
		if want := "#7  custom  a  15 B\n{\n  \"method\": \"a\"\n}\n\n"; got != want {
			t.Errorf("pretty: %q", got)
		}
		got = string(New(JSON, Options{Timestamp: stamp}).AppendMessage(nil, m))
		if want := `{"seq":7,"size":15,"tag":0,"type":"notification","variant":"custom","method":"a","payload":{"method":"a"}}` + "\n"; got != want {
			t.Errorf("json: %s", got)
		}
	}
}
