package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kind4/cmd/live"
)

// faultsMdoc is the list of faults as mdoc, of those that end a path or of the others.
func faultsMdoc(ends bool) string {
	var b strings.Builder
	b.WriteString(".Bl -tag -width Ds\n")
	for _, f := range live.Faults() {
		if f.Ends() == ends {
			fmt.Fprintf(&b, ".It Cm %s Pq %s\n%s\n", f.Name, f.Sees(), strings.ReplaceAll(f.Does, `"`, `\(dq`))
		}
	}
	b.WriteString(".El\n")
	return b.String()
}

func TestManPageOfProvideListsTheFaults(t *testing.T) {
	name := commandPage("provide")
	page := readPage(t, name)
	want := page
	for _, list := range []struct {
		mark string
		ends bool
	}{{"faults", false}, {"last faults", true}} {
		begin, end := ".\\\" "+list.mark+": begin\n", ".\\\" "+list.mark+": end\n"
		before, rest, begun := strings.Cut(want, begin)
		_, after, ended := strings.Cut(rest, end)
		if !begun || !ended {
			t.Fatalf("%s has no lines %q and %q", name, begin, end)
		}
		want = before + begin + faultsMdoc(list.ends) + end + after
	}
	if page == want {
		return
	}
	if *updateDocs {
		if err := os.WriteFile(filepath.Join("..", name), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s does not list the faults as explain does; go test ./cmd -run ManPage -update-docs mends it", name)
}
