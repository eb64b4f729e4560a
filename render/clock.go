package render

import (
	"math"
	"strconv"
	"time"
)

const second = 1_000_000 // microseconds

// The years that RFC 3339 can write, 0000 to 9999, in microseconds since the Unix epoch.
var (
	firstMicro = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	endMicro   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
)

// utcClock writes times as RFC 3339 in UTC. It keeps the text of the last one: what was read at once has one time.
type utcClock struct {
	micros int64
	second int64
	text   [27]byte // "2026-11-30T12:03:04.118204Z"
	filled bool
}

func (*utcClock) holds(micros int64) bool { return micros >= firstMicro && micros < endMicro }

// append appends a time that c holds, with six digits of a second: "2026-11-30T12:03:04.118204Z".
func (c *utcClock) append(dst []byte, micros int64) []byte {
	if !c.filled || micros != c.micros {
		c.set(micros)
	}
	return append(dst, c.text[:]...)
}

func (c *utcClock) set(micros int64) {
	const digitsAt = 20
	s, rest := floorDiv(micros, second)
	if !c.filled || s != c.second {
		time.Unix(s, 0).UTC().AppendFormat(c.text[:0], "2006-01-02T15:04:05.")
	}
	appendDigits(c.text[:digitsAt], rest, 6)
	c.text[len(c.text)-1] = 'Z'
	c.micros, c.second, c.filled = micros, s, true
}

// localClock writes the time of day in one zone.
type localClock struct {
	zone   *time.Location // nil for local
	second int64
	text   [9]byte // "12:03:04."
	filled bool
}

// append appends the time of day with that many digits of a second, at most six, rounded to the nearest.
func (c *localClock) append(dst []byte, micros int64, digits int) []byte {
	unit := int64(1)
	for range 6 - digits {
		unit *= 10
	}
	if micros <= math.MaxInt64-unit {
		micros += unit / 2
	}
	s, rest := floorDiv(micros, second)
	if !c.filled || s != c.second {
		zone := c.zone
		if zone == nil {
			zone = time.Local
		}
		time.Unix(s, 0).In(zone).AppendFormat(c.text[:0], "15:04:05.")
		c.second, c.filled = s, true
	}
	dst = append(dst, c.text[:]...)
	return appendDigits(dst, rest/unit, digits)
}

// floorDiv divides towards minus infinity.
func floorDiv(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

// appendDigits appends n, which is not negative, with leading zeros to that many digits.
func appendDigits(dst []byte, n int64, digits int) []byte {
	at := len(dst)
	for range digits {
		dst = append(dst, '0')
	}
	for i := at + digits - 1; i >= at; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
	return dst
}

// appendSeconds appends a number of microseconds as seconds with that many digits behind the point, 1 to 6,
// rounded to the nearest.
func appendSeconds(dst []byte, micros int64, digits int) []byte {
	if micros == 0 && digits == 6 {
		return append(dst, "0.000000"...) // as between most messages of a burst
	}
	n := uint64(micros)
	if micros < 0 {
		dst = append(dst, '-')
		n = -n
	}
	unit := uint64(1)
	for range 6 - digits {
		unit *= 10
	}
	n = (n + unit/2) / unit
	whole := second / unit
	dst = strconv.AppendUint(dst, n/whole, 10)
	dst = append(dst, '.')
	return appendDigits(dst, int64(n%whole), digits)
}
