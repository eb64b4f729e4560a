package cmd

import (
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	good := map[string]int64{
		"1": 1, "64": 64, "64B": 64, "1K": 1024, "1k": 1024, "1KiB": 1024, "1kB": 1000, "1KB": 1000,
		"64MiB": 64 << 20, "64M": 64 << 20, "64MB": 64e6, "1.5K": 1536, "1GiB": 1 << 30, "2GB": 2e9, "64 MiB": 64 << 20,
	}
	for text, want := range good {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("parseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "K", "0", "-1", "12q", "1e99", "NaN", "0x10", "1KiBB", "1 2", "9999999GiB", "0.5"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("parseSize(%q) = %d, want an error", text, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	good := map[string]time.Duration{
		"30": 30 * time.Second, "0.5": 500 * time.Millisecond, "1m30s": 90 * time.Second, "200ms": 200 * time.Millisecond,
	}
	for text, want := range good {
		if got, err := parseDuration(text); err != nil || got != want {
			t.Errorf("parseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "-5s", "soon", "NaN", "Inf", "1e300", "5 s"} {
		if got, err := parseDuration(text); err == nil {
			t.Errorf("parseDuration(%q) = %v, want an error", text, got)
		}
	}
}
