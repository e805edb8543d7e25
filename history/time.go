package history

import (
	"math"
	"time"
)

// Later returns the time d after t, or Never if the sum overflows. Durations stem from external
// programs, so any value can occur.
func Later(t int64, d time.Duration) int64 {
	if d > 0 && t > math.MaxInt64-int64(d) {
		return Never
	}
	if d < 0 && t < math.MinInt64-int64(d) {
		return math.MinInt64
	}
	return t + int64(d)
}
