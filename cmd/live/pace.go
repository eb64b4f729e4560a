package live

import "time"

// pacer says when the messages of a source are due. Its schedule is absolute: what was late is made good.
type pacer struct {
	speed float64 // how much faster than the source's own times; 0: as fast as possible
	rate  float64 // messages a second, which outweighs speed; 0: by speed

	begun bool
	start time.Time
	first int64 // the source's time at start, in microseconds
	sent  float64
}

// restart says that the times that follow are of another session: it begins now.
func (p *pacer) restart() { p.begun = p.begun && p.rate > 0 }

// anchor lets the schedule begin now, with that time of the source's, unless it has begun.
func (p *pacer) anchor(at int64, now func() time.Time) {
	if !p.begun && (at != 0 || p.rate > 0) {
		p.begun, p.start, p.first, p.sent = true, now(), at, 0
	}
}

// wait returns how long it is until a message of that time is due, 0 or less where it is. A time of 0 is none.
func (p *pacer) wait(at int64, now func() time.Time) time.Duration {
	if p.rate == 0 && (p.speed == 0 || at == 0) {
		return 0
	}
	p.anchor(at, now)
	since := float64(at-p.first) / p.speed * float64(time.Microsecond)
	if p.rate > 0 {
		since = p.sent / p.rate * float64(time.Second)
		p.sent++
	}
	const longest = 100 * 365 * 24 * time.Hour
	return p.start.Add(time.Duration(min(since, float64(longest)))).Sub(now())
}
