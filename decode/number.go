package decode

import "math"

// overflows reports whether serde_json finds that a number overflows a double. It computes as
// serde_json 1.0 does without its float_roundtrip feature (de.rs, f64_from_parts): the digits that fit
// an unsigned 64-bit integer, times a power of ten; so it may differ from an exact reader by a unit in
// the last place beside the largest double. The literal is well formed.
func overflows(literal []byte) bool {
	d := digits{s: literal}
	if d.peek() == '-' {
		d.i++
	}
	d.whole()
	if d.peek() == '.' {
		d.i++
		d.fraction()
	}
	if d.peek()|0x20 != 'e' {
		return d.infinite()
	}
	d.i++
	sign := int64(1)
	switch d.peek() {
	case '-':
		sign = -1
		d.i++
	case '+':
		d.i++
	}
	exponent := int64(0)
	for ; d.more(); d.i++ {
		exponent = exponent*10 + int64(d.peek()-'0')
		if exponent > math.MaxInt32 {
			return d.significand != 0 && sign > 0
		}
	}
	d.exponent = min(max(d.exponent+sign*exponent, math.MinInt32), math.MaxInt32)
	return d.infinite()
}

// digits is a number on its way to a double.
type digits struct {
	s           []byte
	i           int
	significand uint64
	exponent    int64
}

func (d *digits) peek() byte {
	if d.i < len(d.s) {
		return d.s[d.i]
	}
	return 0
}

func (d *digits) more() bool { return class[d.peek()]&isDigit != 0 }

// push takes one more digit into the significand, false where it does not fit.
func (d *digits) push() bool {
	digit := uint64(d.s[d.i] - '0')
	if d.significand > (math.MaxUint64-digit)/10 {
		return false
	}
	d.significand = d.significand*10 + digit
	return true
}

// whole reads the digits before the point; those that do not fit only count.
func (d *digits) whole() {
	for ; d.more() && d.push(); d.i++ {
	}
	for ; d.more(); d.i++ {
		d.exponent++
	}
}

// fraction reads the digits behind the point; those that do not fit are dropped.
func (d *digits) fraction() {
	for ; d.more() && d.push(); d.i++ {
		d.exponent--
	}
	for d.more() {
		d.i++
	}
}

// infinite reports whether significand × 10^exponent is beyond every double.
func (d *digits) infinite() bool {
	f := float64(d.significand)
	e := d.exponent
	for e < -308 && f != 0 {
		f /= 1e308
		e += 308
	}
	switch {
	case f == 0:
		return false
	case e > 308:
		return true
	case e >= 0:
		return math.IsInf(f*powers[e], 0)
	}
	return false
}

// powers holds the powers of ten that a double can hold.
var powers = func() (t [309]float64) {
	for i := range t {
		t[i] = math.Pow10(i)
	}
	return t
}()
