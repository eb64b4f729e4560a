package decode

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// vector is a message and what rmcp 3.1.2 and serde_json made of it.
type vector struct {
	Name    string
	Hex     string
	Verdict string
	Variant string
	Code    *int32
	Tag     *uint8
	Layer   string
	message []byte
}

func vectors(t testing.TB) []vector {
	t.Helper()
	file, err := os.Open("testdata/frames.jsonl")
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
		if v.message, err = hex.DecodeString(v.Hex); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if lines.Err() != nil || len(all) != 3080 {
		t.Fatalf("%d vectors, %v", len(all), lines.Err())
	}
	return all
}

// verdicts are the words of the vectors for what a message is.
var verdicts = map[Type]string{
	TypeNotification: "notification", TypeError: "error", TypeUnknown: "unknown-tag", TypeEmpty: "empty",
	TypeUndecodable: "undecodable",
}

func TestVectors(t *testing.T) {
	var f Frame
	for _, v := range vectors(t) {
		err := f.Decode(v.message)
		if got := verdicts[f.Type]; got != v.Verdict {
			t.Errorf("%s: %s, want %s: %q: %v", v.Name, got, v.Verdict, v.message, err)
			continue
		}
		switch f.Type {
		case TypeNotification:
			if f.Variant.String() != v.Variant {
				t.Errorf("%s: %s, want %s: %q", v.Name, f.Variant, v.Variant, v.message)
			}
		case TypeError:
			if f.Code != *v.Code {
				t.Errorf("%s: code %d, want %d", v.Name, f.Code, *v.Code)
			}
		case TypeUnknown:
			if f.Tag != Tag(*v.Tag) {
				t.Errorf("%s: tag %d, want %d", v.Name, f.Tag, *v.Tag)
			}
		case TypeUndecodable:
			if got := layerGroup(f.Err.Layer()); got != v.Layer {
				t.Errorf("%s: %s (%v), want %s: %q", v.Name, got, err, v.Layer, v.message)
			}
		}
		checkFrame(t, v.Name, &f, err)
	}
}

// layerGroup is the vectors' word for where a body fails.
func layerGroup(l Layer) string {
	if l == LayerBytes || l == LayerJSON {
		return "json"
	}
	return "shape"
}

// checkFrame holds a decoded frame to what is true of every one.
func checkFrame(t *testing.T, name string, f *Frame, err error) {
	t.Helper()
	failed := f.Type == TypeUnknown || f.Type == TypeEmpty || f.Type == TypeUndecodable
	switch {
	case failed != (err != nil) || failed != (f.Err != nil):
		t.Errorf("%s: %s, but the error is %v", name, f.Type, err)
	case failed && (f.Err.Offset < 0 || f.Err.Offset > len(f.Message)):
		t.Errorf("%s: offset %d of %d bytes", name, f.Err.Offset, len(f.Message))
	case failed && f.Err.Message == "":
		t.Errorf("%s: no text", name)
	case (f.Type == TypeNotification) != (f.Variant != 0):
		t.Errorf("%s: %s of variant %s", name, f.Type, f.Variant)
	case (f.Misfit.Kind != 0) != (f.Variant == Custom && f.Known != Custom):
		t.Errorf("%s: misfit %+v with %s known as %s", name, f.Misfit, f.Variant, f.Known)
	}
	if failed {
		if safe := string(AppendSafe(nil, []byte(f.Err.Message))); safe != f.Err.Message {
			t.Errorf("%s: unsafe text %q", name, f.Err.Message)
		}
	}
}
