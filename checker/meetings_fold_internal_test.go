package checker

import (
	"testing"
	"time"
)

// TestStuck: longer than it may take, of what must be free at all.
func TestStuck(t *testing.T) {
	stuck := func(within time.Duration, from, to int64) bool {
		_, ok := emptyFold(t, Options{FreeWithin: within}).stuck(from, to, 1)
		return ok
	}
	twice := func(to int64) bool {
		_, ok := emptyFold(t, Options{FreeWithin: time.Second}).stuck(0, to, slow)
		return ok
	}
	o := Options{FreeWithin: time.Second}
	check(t, []border{
		{"as long as it may take", stuck(time.Second, 0, o.freeBy()), false}, {"1 ns longer", stuck(time.Second, 0, o.freeBy()+1), true},
		{"one call, twice as long as it may take", twice(2 * o.freeBy()), false}, {"1 ns longer", twice(2*o.freeBy() + 1), true},
		{"it need not open", stuck(0, 0, 10*o.freeBy()), false}, {"backwards", stuck(time.Second, 10*o.freeBy(), 0), false},
	})
}
