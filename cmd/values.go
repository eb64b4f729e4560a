package cmd

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// sizeUnits are the letters that may follow a size; "K" and "KiB" are 1024, "kB" is 1000, and so on.
var sizeUnits = map[string]float64{
	"": 1, "B": 1,
	"k": 1 << 10, "K": 1 << 10, "KiB": 1 << 10, "kB": 1e3, "KB": 1e3,
	"m": 1 << 20, "M": 1 << 20, "MiB": 1 << 20, "MB": 1e6,
	"g": 1 << 30, "G": 1 << 30, "GiB": 1 << 30, "GB": 1e9,
	"t": 1 << 40, "T": 1 << 40, "TiB": 1 << 40, "TB": 1e12,
}

// maxSize is the largest size that can be asked for: what the receiver's offsets can hold.
const maxSize = 1 << 40

// parseSize reads "64MiB", "1.5K" or "1000": bytes, from 1 to 1 TiB.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "BKMGTkmgti")
	unit, known := sizeUnits[s[len(digits):]]
	number, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !known || err != nil || strings.ContainsAny(digits, "xXpP_") || math.IsNaN(number) {
		return 0, fmt.Errorf("not a size; write 64MiB, 512K or 1000")
	}
	if size := number * unit; size >= 1 && size <= maxSize {
		return int64(size), nil
	}
	return 0, fmt.Errorf("a size is from 1 byte to 1 TiB")
}

// parseDuration reads a duration as Go writes it, "1m30s", or a bare number of seconds. It is positive.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		seconds, numberErr := strconv.ParseFloat(s, 64)
		if numberErr != nil || math.IsNaN(seconds) || math.Abs(seconds) > 1e9 {
			return 0, fmt.Errorf("not a duration; write 30s, 1m30s or a number of seconds")
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d <= 0 {
		return 0, fmt.Errorf("a duration is greater than 0; leave the flag out for no limit")
	}
	return d, nil
}

// parseNumber reads an unsigned number of that many bits, decimal or with 0x in front hexadecimal.
func parseNumber(s string, bits int) (uint64, error) {
	if digits, hex := strings.CutPrefix(strings.ToLower(s), "0x"); hex {
		return strconv.ParseUint(digits, 16, bits)
	}
	return strconv.ParseUint(s, 10, bits)
}

// parseCount reads a number of messages, from 1.
func parseCount(s string) (uint64, error) {
	n, err := strconv.ParseUint(s, 10, 63)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("not a number of messages from 1 on")
	}
	return n, nil
}
