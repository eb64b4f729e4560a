package inspect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kind4/decode"
	"kind4/decode/session"
)

// TestRedactedFindingsTellNothing redacts all params, or all of an error but its code, of every vector that
// decodes, and looks for the hidden strings in what the findings say.
func TestRedactedFindingsTellNothing(t *testing.T) {
	redactor, err := decode.NewRedactor([]string{"/params", "/method", "/message", "/data", "/0", "/1"})
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	for _, v := range append(vectors(t, "frames.jsonl"), vectors(t, "findings.jsonl")...) {
		f, findings := inSession(v.message(t))
		hidden, ok := redactor.Find(f)
		if !ok || len(hidden) == 0 {
			continue
		}
		var shown decode.Frame
		visible := shown.SetRedacted(f, hidden, nil)
		for i := range findings {
			finding := &findings[i]
			own := string(bytes.ReplaceAll(ownWords(finding), []byte("%"), nil))
			finding.Redact(f.Message, hidden)
			text := string(finding.AppendText(nil))
			if strings.Contains(text, redactedText) {
				said++
			}
			for _, h := range hidden {
				secret := string(decode.Unquote(nil, f.Raw(h)))
				if len(secret) > 2 && strings.Contains(text, secret) && !strings.Contains(own, secret) && !bytes.Contains(visible, []byte(secret)) {
					t.Errorf("%s: %s tells of %q: %s", v.Name, finding.Code, secret, text)
				}
			}
		}
	}
	if said < 50 {
		t.Errorf("only %d findings held something to redact", said)
	}
}

// ownWords is what a finding says whatever the message holds.
func ownWords(f *Finding) []byte {
	own := []byte(f.format)
	for i := range f.args {
		if f.args[i].kind == argWords {
			own = append(own, f.args[i].words...)
		}
	}
	return own
}

// TestWithheldFindingsTellNothing withholds every vector that does not decode: only wire and session findings
// keep their text, which holds numbers alone.
func TestWithheldFindingsTellNothing(t *testing.T) {
	for _, v := range append(vectors(t, "frames.jsonl"), vectors(t, "findings.jsonl")...) {
		f, findings := inSession(v.message(t))
		if f.Err == nil {
			continue
		}
		for i := range findings {
			finding := findings[i]
			finding.Withhold()
			text := string(finding.AppendText(nil))
			if finding.HasPointer() || finding.Code != findings[i].Code || finding.Offset != findings[i].Offset {
				t.Errorf("%s: %+v", v.Name, finding)
			}
			if text != decode.WithheldText && strings.ContainsAny(text, `"'`) {
				t.Errorf("%s: %s says %s", v.Name, finding.Code, text)
			}
		}
	}
}

// TestVerdictSaysTheSame withholds every vector that cannot be looked into, and judges it again by its verdict alone.
func TestVerdictSaysTheSame(t *testing.T) {
	for _, v := range append(vectors(t, "frames.jsonl"), vectors(t, "findings.jsonl")...) {
		f, findings := inSession(v.message(t))
		if _, strict := f.JSONBody(); len(f.Message) == 0 || strict && f.Err == nil {
			continue
		}
		verdict := session.Verdict{Type: f.Type, Tag: f.Tag, ErrorCode: f.Code}
		if f.Err != nil {
			verdict.Code, verdict.Offset = f.Err.Code, f.Err.Offset
		}
		for i := range findings {
			findings[i].Withhold()
			if said, ok := findings[i].Said(f.Err); ok {
				verdict.Said = append(verdict.Said, said)
			}
		}
		var shown decode.Frame
		shown.SetVerdict(f.Size, verdict.Tag, verdict.Type, verdict.Code, verdict.Offset)
		ev := session.Event{Kind: session.Message, Opcode: session.OpBinary, Size: f.Size, Withheld: true, Verdict: &verdict}
		again := NewSession().Message(nil, &ev, &shown)
		if got, want := textsOf(again), textsOf(findings); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", v.Name, got, want)
		}
	}
}

// textsOf is what findings say.
func textsOf(findings []Finding) []string {
	var texts []string
	for i := range findings {
		f := &findings[i]
		texts = append(texts, fmt.Sprintf("%s %s %d %s", f.Severity, f.Code, f.Offset, f.AppendText(nil)))
	}
	return texts
}

func TestTornIsSafe(t *testing.T) {
	f := torn("line 3 of a.rec: \x1b[31m\u202e")
	if got := string(f.AppendText(nil)); got != `line 3 of a.rec: \u001b[31m\u202e` || f.Code != decode.CaptureTorn {
		t.Errorf("%s %s", f.Code, got)
	}
}
