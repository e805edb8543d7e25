package history

import (
	"math"
	"time"
)

// Later is the time d after t, Never if that is beyond what can be told: durations
// come from programs that nobody knows.
func Later(t int64, d time.Duration) int64 {
	if d > 0 && t > math.MaxInt64-int64(d) {
		return Never
	}
	if d < 0 && t < math.MinInt64-int64(d) {
		return math.MinInt64
	}
	return t + int64(d)
}
