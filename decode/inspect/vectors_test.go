package inspect

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kind4/decode"
	"kind4/decode/session"
)

// vector is one line of testdata/findings.jsonl or testdata/frames.jsonl.
type vector struct {
	Name    string   `json:"name"`
	Hex     string   `json:"hex"`
	Must    []string `json:"must"`
	Clean   bool     `json:"clean"`
	Verdict string   `json:"verdict"`
}

func vectors(t testing.TB, name string) []vector {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []vector
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// message is the vector's bytes.
func (v *vector) message(t testing.TB) []byte {
	t.Helper()
	message, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// inSession is what a fresh session says of one message.
func inSession(message []byte) (*decode.Frame, []Finding) {
	var f decode.Frame
	_ = f.Decode(message)
	ev := session.Event{Kind: session.Message, Opcode: session.OpBinary, Data: message, Size: int64(len(message))}
	return &f, NewSession().Message(nil, &ev, &f)
}

func codesOf(findings []Finding) []string {
	var codes []string
	for i := range findings {
		codes = append(codes, findings[i].Code.String())
	}
	return codes
}

func TestFindingVectors(t *testing.T) {
	all := vectors(t, "findings.jsonl")
	if len(all) != 57 {
		t.Fatalf("%d vectors, want 57", len(all))
	}
	for _, v := range all {
		_, findings := inSession(v.message(t))
		codes := codesOf(findings)
		for _, want := range v.Must {
			if !slices.Contains(codes, want) {
				t.Errorf("%s: %v lacks %s", v.Name, codes, want)
			}
		}
		for i := range findings {
			if v.Clean && findings[i].Severity > decode.Info {
				t.Errorf("%s: %s, but it is clean", v.Name, text(&findings[i]))
			}
		}
	}
}

// TestFrameVectors holds the catalogue's rules to every frame: a frame that does not decode has exactly one error,
// its cause, from the layers bytes to params; one that decodes has none.
func TestFrameVectors(t *testing.T) {
	all := vectors(t, "frames.jsonl")
	if len(all) < 3000 {
		t.Fatalf("%d vectors, want 3,080", len(all))
	}
	for _, v := range all {
		message := v.message(t)
		f, findings := inSession(message)
		checkInvariants(t, v.Name, message, f, findings)
		if failed := v.Verdict != "notification" && v.Verdict != "error"; failed != f.Type.Failed() {
			t.Errorf("%s: type %v, verdict %s", v.Name, f.Type, v.Verdict)
		}
	}
}

func checkInvariants(t testing.TB, name string, message []byte, f *decode.Frame, findings []Finding) {
	t.Helper()
	errors := 0
	severity := decode.Error
	for i := range findings {
		finding := &findings[i]
		if finding.Severity == decode.Error {
			errors++
			if f.Err == nil || finding.Code != f.Err.Code || finding.Offset != f.Err.Offset {
				t.Errorf("%s: error %s is not the cause, %v", name, text(finding), f.Err)
			}
			if l := finding.Layer(); l < decode.LayerBytes || l > decode.LayerParams {
				t.Errorf("%s: layer %v", name, l)
			}
		}
		if finding.Severity > severity {
			t.Errorf("%s: %s stands behind a lesser one", name, text(finding))
		}
		severity = finding.Severity
		if finding.Offset < NoOffset || finding.Offset > len(message) {
			t.Errorf("%s: offset %d of %d", name, finding.Offset, len(message))
		}
		checkSafe(t, name, finding)
	}
	if want := f.Type.Failed(); (errors == 1) != want || errors > 1 {
		t.Errorf("%s: %v gives %d errors: %v", name, f.Type, errors, codesOf(findings))
	}
}

// checkSafe holds a finding's texts to be fit for a terminal.
func checkSafe(t testing.TB, name string, finding *Finding) {
	t.Helper()
	said := string(finding.AppendText(nil))
	if said == "" || strings.HasSuffix(said, ".") {
		t.Errorf("%s: %v says %q", name, finding.Code, said)
	}
	for _, s := range []string{said, finding.Consequence()} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return isControl(r) || r < ' ' }) {
			t.Errorf("%s: %v says %q", name, finding.Code, s)
		}
	}
	if len(said) > 2000 {
		t.Errorf("%s: %v says %d bytes", name, finding.Code, len(said))
	}
}

// text is a finding as people read it.
func text(f *Finding) string {
	return f.Severity.String() + " " + f.Code.String() + ": " + string(f.AppendText(nil))
}
