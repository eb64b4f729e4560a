package cmd

import (
	"fmt"
	"maps"
	"slices"

	"kind4/decode/session"
)

// strays counts the messages of a proxy that break a rule, by path: the first of a path is said at once, the others
// when the path has ended.
type strays map[string]strayCount

// strayCount is what came on one path behind the first.
type strayCount struct {
	messages uint64
	bytes    int64
}

// add says line, or counts the message where its path had one before.
func (s strays) add(to *status, ev *session.Event, line string) {
	count, again := s[ev.Path]
	if !again {
		to.failure(line)
	} else {
		count.messages++
		count.bytes += ev.Size
	}
	s[ev.Path] = count
}

// end says how many came on a path behind the first, and forgets them.
func (s strays) end(to *status, path string) {
	if count := s[path]; count.messages > 0 {
		to.failure(fmt.Sprintf("%s: %s more like that, %s in all", path, plural(count.messages, "message"), plural(count.bytes, "byte")))
	}
	delete(s, path)
}

// endAll is end for all paths.
func (s strays) endAll(to *status) {
	for _, path := range slices.Sorted(maps.Keys(s)) {
		s.end(to, path)
	}
}
