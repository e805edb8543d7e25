package trial

import (
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/nemesis"
)

// TestFarthestClock: a key may live longer by what a clock gains, also while the fault is healed late.
func TestFarthestClock(t *testing.T) {
	expires := locks.Traits{LeastTTL: 1}
	for _, c := range []struct {
		traits locks.Traits
		step   nemesis.Step
		late   time.Duration
		want   time.Duration
	}{
		{expires, nemesis.Step{Offset: -2 * time.Second}, time.Second, 2 * time.Second},
		{expires, nemesis.Step{Rate: 3, For: time.Second}, 0, 2 * time.Second},
		{expires, nemesis.Step{Rate: 3, For: time.Second}, time.Second, 4 * time.Second},
		{expires, nemesis.Step{Rate: 3, For: time.Second, Offset: time.Second}, 0, 3 * time.Second},
		{locks.Traits{}, nemesis.Step{Offset: time.Second}, 0, 0},
	} {
		if got := FarthestClock(c.traits, []nemesis.Step{c.step}, c.late); got != c.want {
			t.Errorf("%+v: %v, want %v", c.step, got, c.want)
		}
	}
}
