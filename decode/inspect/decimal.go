package inspect

import (
	"bytes"
	"strconv"
)

// decimal is a JSON number as its literal spells it, with nothing rounded: 0.digits × 10^exponent.
type decimal struct {
	negative bool
	digits   []byte // without leading or trailing zeros; none for zero
	exponent int64
}

func (d *decimal) zero() bool { return len(d.digits) == 0 }

// maxExponent bounds the exponents that are told apart: far beyond what any double holds.
const maxExponent = 1 << 40

// parseDecimal reads a JSON number's literal; false where it is none.
func parseDecimal(literal []byte) (d decimal, ok bool) {
	if len(literal) > 0 && literal[0] == '-' {
		d.negative, literal = true, literal[1:]
	}
	mantissa := literal
	if i := bytes.IndexAny(literal, "eE"); i >= 0 {
		mantissa = literal[:i]
		if d.exponent, ok = parseExponent(literal[i+1:]); !ok {
			return d, false
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	if len(whole) == 0 || !allDigits(whole) || !allDigits(fraction) {
		return d, false
	}
	d.digits = whole
	if len(fraction) > 0 {
		d.digits = append(bytes.Clone(whole), fraction...)
	}
	d.exponent += int64(len(whole))
	trimmed := bytes.TrimLeft(d.digits, "0")
	d.exponent -= int64(len(d.digits) - len(trimmed))
	d.digits = bytes.TrimRight(trimmed, "0")
	if d.zero() {
		d.negative, d.exponent = false, 0
	}
	return d, true
}

func parseExponent(s []byte) (int64, bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative || len(s) > 0 && s[0] == '+' {
		s = s[1:]
	}
	if len(s) == 0 || !allDigits(s) {
		return 0, false
	}
	var n int64
	for _, b := range s {
		n = min(n*10+int64(b-'0'), maxExponent)
	}
	if negative {
		n = -n
	}
	return n, true
}

func allDigits(s []byte) bool {
	for _, b := range s {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

// compareDecimals compares two numbers digit by digit.
func compareDecimals(a, b *decimal) int {
	switch {
	case a.zero() && b.zero():
		return 0
	case a.zero():
		return sign(!b.negative, -1)
	case b.zero():
		return sign(!a.negative, 1)
	case a.negative != b.negative:
		return sign(!a.negative, 1)
	case a.exponent != b.exponent:
		return sign((a.exponent < b.exponent) != a.negative, -1)
	}
	return sign(!a.negative, bytes.Compare(a.digits, b.digits))
}

// sign is n, or -n unless positive.
func sign(positive bool, n int) int {
	if positive {
		return n
	}
	return -n
}

// compareNumbers compares two JSON number literals exactly. Where their doubles differ, these decide: rounding
// keeps order. It allocates only where they do not and the literals differ.
func compareNumbers(a []byte, af float64, b []byte, bf float64) int {
	switch {
	case af < bf:
		return -1
	case af > bf:
		return 1
	case bytes.Equal(a, b):
		return 0
	}
	da, okA := parseDecimal(a)
	db, okB := parseDecimal(b)
	if !okA || !okB {
		return 0
	}
	return compareDecimals(&da, &db)
}

// float is the double nearest to a JSON number's literal.
func float(literal []byte) float64 {
	f, _ := strconv.ParseFloat(string(literal), 64)
	return f
}
