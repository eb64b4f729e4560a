package live

import (
	"context"
	"time"
)

// Bounds of the wait before /requests is dialled again.
const (
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 30 * time.Second
)

// backoff returns how long to wait after so many vain attempts in a row before this one, from 0: it doubles
// with each, up to maxBackoff, and random, from 0 up to 1, takes away up to half, so that many providers do not
// come back all at once.
func backoff(attempt int, random float64) time.Duration {
	d := maxBackoff
	if attempt < 16 {
		d = min(d, firstBackoff<<attempt)
	}
	return d - time.Duration(random*float64(d)/2)
}

// sleep waits for d, and reports whether ctx lasted.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
