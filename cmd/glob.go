package cmd

import "strings"

const methodPrefix = "notifications/"

// glob matches methods: "*" stands for any run of bytes, "/" included, and everything else for itself.
type glob struct {
	pattern string
	parts   []string // between the stars
	short   bool     // no "/" in it: also tried against the method without "notifications/"
}

func newGlob(pattern string) glob {
	return glob{pattern, strings.Split(pattern, "*"), !strings.Contains(pattern, "/")}
}

func (g glob) matches(method string) bool {
	if g.matchesWhole(method) {
		return true
	}
	rest, cut := strings.CutPrefix(method, methodPrefix)
	return g.short && cut && g.matchesWhole(rest)
}

// matchesWhole takes each part between stars at its first place: linear in the length of s.
func (g glob) matchesWhole(s string) bool {
	first, last := g.parts[0], g.parts[len(g.parts)-1]
	if len(g.parts) == 1 {
		return s == first
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	if s, ok = strings.CutSuffix(s, last); !ok {
		return false
	}
	for _, part := range g.parts[1 : len(g.parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

func newGlobs(patterns []string) []glob {
	globs := make([]glob, len(patterns))
	for i, p := range patterns {
		globs[i] = newGlob(p)
	}
	return globs
}

func anyMatches(globs []glob, method string) bool {
	for _, g := range globs {
		if g.matches(method) {
			return true
		}
	}
	return false
}
