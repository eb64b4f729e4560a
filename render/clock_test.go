package render

import (
	"math"
	"testing"
	"time"
)

func TestUTCClock(t *testing.T) {
	times := []string{
		"2026-11-30T12:03:04.128771Z", "2026-11-30T12:03:04.000001Z", "2026-11-30T12:03:05.000000Z",
		"1969-12-31T23:59:59.999999Z", "0000-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z",
	}
	var c utcClock
	for _, want := range times {
		at, err := time.Parse(time.RFC3339Nano, want)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(c.append(nil, at.UnixMicro())); got != want || !c.holds(at.UnixMicro()) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, micros := range []int64{firstMicro - 1, endMicro, math.MinInt64, math.MaxInt64} {
		if c.holds(micros) {
			t.Errorf("holds %d", micros)
		}
	}
}

func TestLocalClock(t *testing.T) {
	c := localClock{zone: time.FixedZone("", 5*3600+1800)}
	at := time.Date(2026, 11, 30, 12, 3, 4, 128_999_000, time.UTC).UnixMicro()
	if got := string(c.append(nil, at, 3)); got != "17:33:04.129" {
		t.Errorf("got %s", got)
	}
	if got := string(c.append(nil, at-500, 3)); got != "17:33:04.128" {
		t.Errorf("got %s", got)
	}
	end := time.Date(2026, 11, 30, 18, 29, 59, 999_500_000, time.UTC).UnixMicro()
	if got := string(c.append(nil, end, 3)); got != "00:00:00.000" {
		t.Errorf("got %s", got)
	}
	if got := string(c.append(nil, math.MaxInt64, 3)); len(got) != len("17:33:04.128") {
		t.Errorf("got %s", got)
	}
	if got := string(c.append(nil, at+1, 6)); got != "17:33:04.129000" {
		t.Errorf("got %s", got)
	}
}

func TestAppendSeconds(t *testing.T) {
	tests := []struct {
		micros int64
		digits int
		want   string
	}{
		{10567, 6, "0.010567"}, {10567, 3, "0.011"}, {0, 3, "0.000"}, {999_600, 3, "1.000"}, {-1, 6, "-0.000001"},
		{-1_500_000, 3, "-1.500"}, {61_000_000, 6, "61.000000"}, {math.MinInt64, 6, "-9223372036854.775808"},
		{math.MaxInt64, 3, "9223372036854.776"},
	}
	for _, test := range tests {
		if got := string(appendSeconds(nil, test.micros, test.digits)); got != test.want {
			t.Errorf("%d with %d digits: got %s, want %s", test.micros, test.digits, got, test.want)
		}
	}
}
