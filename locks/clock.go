package locks

import (
	"sync/atomic"
	"time"
)

// A Clock is where a lock implementation takes its time from, so that a
// client's own clock can be skewed or simulated.
type Clock interface {
	Now() time.Time
	// After sends the time on the channel once d has passed; stop gives it up.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// SystemClock is the clock of the host.
type SystemClock struct{}

var _ Clock = SystemClock{}

// Now is time.Now.
func (SystemClock) Now() time.Time { return time.Now() }

// After is a time.Timer.
func (SystemClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// A SkewedClock is the host's clock plus an offset that can be changed while
// it runs. Its timers measure durations and are not moved by the offset, as
// those of an operating system's monotonic clock.
type SkewedClock struct{ offset atomic.Int64 }

var _ Clock = (*SkewedClock)(nil)

// Now is the host's wall clock plus the offset. It has no monotonic reading.
func (c *SkewedClock) Now() time.Time {
	return time.Now().Round(0).Add(time.Duration(c.offset.Load()))
}

// After is a time.Timer.
func (c *SkewedClock) After(d time.Duration) (<-chan time.Time, func()) {
	return SystemClock{}.After(d)
}

// Set changes the offset.
func (c *SkewedClock) Set(offset time.Duration) { c.offset.Store(int64(offset)) }
