package timeline

import (
	"testing"
	"time"
)

// TestStuck: longer than it may take, of what must be free at all.
func TestStuck(t *testing.T) {
	stuck := func(within time.Duration, from, to int64) bool {
		_, ok := emptyFold(t, Options{FreeWithin: within}).Stuck(from, to, 1)
		return ok
	}
	twice := func(to int64) bool {
		_, ok := emptyFold(t, Options{FreeWithin: time.Second}).Stuck(0, to, Slow)
		return ok
	}
	o := Options{FreeWithin: time.Second}
	check(t, []border{
		{"as long as it may take", stuck(time.Second, 0, o.FreeBy()), false}, {"1 ns longer", stuck(time.Second, 0, o.FreeBy()+1), true},
		{"one call, twice as long as it may take", twice(2 * o.FreeBy()), false}, {"1 ns longer", twice(2*o.FreeBy() + 1), true},
		{"it need not open", stuck(0, 0, 10*o.FreeBy()), false}, {"backwards", stuck(time.Second, 10*o.FreeBy(), 0), false},
	})
}
