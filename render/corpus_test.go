package render

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"kind4/decode"
	"kind4/decode/inspect"
	"kind4/decode/session"
)

// vectors returns the messages of both vector files of the packages below, and each of the 256 tags with no body,
// with a notification, with an error and with bytes that are no text.
func vectors(t testing.TB) [][]byte {
	t.Helper()
	var messages [][]byte
	for _, path := range []string{"../decode/testdata/frames.jsonl", "../decode/inspect/testdata/findings.jsonl"} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var v struct{ Hex string }
			if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
				t.Fatal(err)
			}
			b, err := hex.DecodeString(v.Hex)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, b)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	bodies := []string{"", `{"method":"x"}`, `{"code":1,"message":"m"}`, "\x00\x1b[2J\xff\u202e\u2028\x7f"}
	for tag := range 256 {
		for _, body := range bodies {
			messages = append(messages, decode.AppendMessage(nil, decode.Tag(tag), []byte(body)))
		}
	}
	return messages
}

// each calls use with every message, received whole, as text, and cut.
func each(messages [][]byte, use func(m *Message)) {
	state := inspect.NewSession()
	for i, b := range messages {
		ev := &session.Event{Kind: session.Message, Time: int64(i) * 1234, Opcode: session.OpBinary, Data: b, Size: int64(len(b))}
		for _, f := range asReceived(b) {
			ev.Size = f.Size
			ev.Opcode = session.OpBinary
			if f.Type == decode.TypeText {
				ev.Opcode = session.OpText
			}
			use(&Message{Seq: uint64(i + 1), Event: ev, Frame: f, Findings: state.Message(nil, ev, f)})
		}
	}
}

func asReceived(b []byte) []*decode.Frame {
	whole, text, cut := new(decode.Frame), new(decode.Frame), new(decode.Frame)
	_ = whole.Decode(b)
	text.SetText(b)
	cut.SetOversize(b[:min(len(b), 64)], 1<<30)
	return []*decode.Frame{whole, text, cut}
}

// colours are the sequences that a theme may write.
func colours() *strings.Replacer {
	theme := NewTheme(true)
	var pairs []string
	for _, s := range []Style{theme.Notification, theme.Custom, theme.Error, theme.Failed, theme.Severe, theme.Warning, theme.Info, theme.Dim, theme.Method, theme.Tag} {
		pairs = append(pairs, s.Open, "", s.Close, "")
	}
	return strings.NewReplacer(pairs...)
}

// checkSafe fails for output that could drive a terminal: the form's own newlines and colours are all there is.
func checkSafe(out []byte, strip *strings.Replacer) error {
	if !utf8.Valid(out) {
		return fmt.Errorf("not UTF-8: %q", out)
	}
	text := string(out)
	if bytes.IndexByte(out, 0x1b) >= 0 {
		text = strip.Replace(text)
	}
	for _, r := range text {
		if r != '\n' && decode.Unsafe(r) {
			return fmt.Errorf("%U stands raw in %q", r, out)
		}
	}
	return nil
}

// The forms for people never let a message drive the terminal, in colour or not.
func TestSafeOutput(t *testing.T) {
	messages := vectors(t)
	strip, none := colours(), strings.NewReplacer()
	for _, form := range []Form{Pretty, Line, JSON, Hex} {
		for _, o := range []Options{{}, {Color: true, Width: 80}, {Width: 20, ASCII: true, Timestamp: Delta}, {Timestamp: Start}} {
			p := New(form, o)
			allowed := none
			if o.Color {
				allowed = strip
			}
			each(messages, func(m *Message) {
				out := p.AppendMessage(nil, m)
				if err := checkSafe(out, allowed); err != nil {
					t.Errorf("%v of %q: %v", form, m.Frame.Message, err)
				}
				if n := bytes.Count(out, []byte("\n")); (form == Line || form == JSON) && n != 1 || !bytes.HasSuffix(out, []byte("\n")) {
					t.Errorf("%v of %q: %d newlines in %q", form, m.Frame.Message, n, out)
				}
			})
		}
	}
}

// judgeJSON fails for a line that is not one RFC 8259 object with unique members.
func judgeJSON(out []byte) error {
	line, ok := bytes.CutSuffix(out, []byte("\n"))
	if !ok || !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true)) || !json.Valid(line) {
		return fmt.Errorf("not RFC 8259: %q", out)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return fmt.Errorf("no object: %q: %v", out, err)
	}
	d := jsontext.NewDecoder(bytes.NewReader(line), jsontext.AllowDuplicateNames(true))
	seen := map[string]bool{}
	for {
		token, err := d.ReadToken()
		if err != nil {
			return nil
		}
		if d.StackDepth() != 1 || token.Kind() != '"' {
			continue
		}
		name := token.String()
		if seen[name] {
			return fmt.Errorf("%s twice in %q", name, out)
		}
		seen[name] = true
		if err := d.SkipValue(); err != nil {
			return err
		}
	}
}

func TestJSONIsRFC8259(t *testing.T) {
	p := New(JSON, Options{})
	each(vectors(t), func(m *Message) {
		if err := judgeJSON(p.AppendMessage(nil, m)); err != nil {
			t.Errorf("%q: %v", m.Frame.Message, err)
		}
	})
}

// The json form of every vector goes through the real jq, one object a line.
func TestJSONThroughJQ(t *testing.T) {
	path, err := exec.LookPath("jq")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("jq is not installed")
		}
		t.Skip("jq is not installed")
	}
	var out []byte
	n := 0
	p := New(JSON, Options{})
	each(vectors(t), func(m *Message) {
		out = p.AppendMessage(out, m)
		n++
	})
	got := strings.Fields(string(run(t, out, path, "-c", ".size")))
	if len(got) != n {
		t.Fatalf("jq read %d objects of %d", len(got), n)
	}
}

// No byte is lost: payload, payload_base64 or message_base64 give the message back.
func TestJSONLosesNothing(t *testing.T) {
	p := New(JSON, Options{})
	each(vectors(t), func(m *Message) {
		var got struct {
			Tag     *byte
			Type    string
			Payload jsontext.Value
			Body    *[]byte `json:"payload_base64"`
			Message []byte  `json:"message_base64"`
		}
		if err := json.Unmarshal(p.AppendMessage(nil, m), &got); err != nil {
			t.Fatalf("%q: %v", m.Frame.Message, err)
		}
		b := m.Frame.Message
		switch {
		case m.Frame.Type == decode.TypeText || m.Frame.Type == decode.TypeOversize:
			if !bytes.Equal(got.Message, b) {
				t.Errorf("%q: message_base64 holds %q", b, got.Message)
			}
		case len(b) == 0:
			if got.Tag != nil || got.Body != nil || got.Type != "empty" {
				t.Errorf("empty message: %+v", got)
			}
		case got.Body != nil:
			if *got.Tag != b[0] || !bytes.Equal(*got.Body, b[1:]) {
				t.Errorf("%q: payload_base64 holds %q", b, *got.Body)
			}
		default:
			sent := jsontext.Value(bytes.Clone(b[1:]))
			if err := sent.Compact(jsontext.AllowDuplicateNames(true)); err != nil {
				t.Fatalf("%q has a payload: %v", b, err)
			}
			if *got.Tag != b[0] || string(unescapeUnsafe(got.Payload)) != string(unescapeUnsafe(sent)) {
				t.Errorf("%q: payload holds %q", b, got.Payload)
			}
		}
	})
}

// unescapeUnsafe writes the characters that decode.Unsafe names as escapes, each by itself.
func unescapeUnsafe(b []byte) []byte {
	var out []byte
	for _, r := range string(b) {
		if decode.Unsafe(r) {
			out = appendEscape(out, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// raw, lp32 and payload are the bytes as they came.
func TestByteForms(t *testing.T) {
	raw, lp32, payload := New(Raw, Options{}), New(LP32, Options{}), New(Payload, Options{})
	each(vectors(t), func(m *Message) {
		b := m.Frame.Message
		if got := raw.AppendMessage([]byte("x"), m); string(got) != "x"+string(b) {
			t.Errorf("raw of %q: %q", b, got)
		}
		n := len(b)
		want := string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) + string(b)
		if got := lp32.AppendMessage(nil, m); string(got) != want {
			t.Errorf("lp32 of %q: %q", b, got)
		}
		want = string(b) + "\n"
		if m.Frame.Type != decode.TypeText && n > 0 {
			want = want[1:]
		}
		if got := payload.AppendMessage(nil, m); string(got) != want {
			t.Errorf("payload of %q: %q", b, got)
		}
	})
}
