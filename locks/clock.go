package locks

import (
	"sync/atomic"
	"time"
)

// A Clock is the source of time of a lock implementation. It is an interface, so that a
// client's clock can be skewed or simulated.
type Clock interface {
	Now() time.Time
	// After returns a channel that receives the time once d has passed. stop frees the timer
	// earlier.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// SystemClock is the clock of the host.
type SystemClock struct{}

var _ Clock = SystemClock{}

// Now returns time.Now().
func (SystemClock) Now() time.Time { return time.Now() }

// After starts a time.Timer.
func (SystemClock) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// A SkewedClock is the host's clock plus an offset that can be changed while it runs. Its
// timers measure durations, which the offset does not change, as with the monotonic clock of an
// operating system.
type SkewedClock struct{ offset atomic.Int64 }

var _ Clock = (*SkewedClock)(nil)

// Now returns the host's wall-clock time plus the offset, without a monotonic reading.
func (c *SkewedClock) Now() time.Time {
	return time.Now().Round(0).Add(time.Duration(c.offset.Load()))
}

// After starts a time.Timer; the offset does not affect it.
func (c *SkewedClock) After(d time.Duration) (<-chan time.Time, func()) {
	return SystemClock{}.After(d)
}

// Set changes the offset.
func (c *SkewedClock) Set(offset time.Duration) { c.offset.Store(int64(offset)) }
