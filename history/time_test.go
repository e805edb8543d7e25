package history_test

import (
	"math"
	"testing"
	"time"

	"locktorture/history"
)

func TestLater(t *testing.T) {
	for _, x := range []struct {
		t    int64
		d    time.Duration
		want int64
	}{
		{1, 2, 3}, {3, -5, -2},
		{1, math.MaxInt64, history.Never}, {1, math.MaxInt64 - 1, history.Never}, {1, math.MaxInt64 - 2, history.Never - 1},
		{-1, math.MinInt64, math.MinInt64}, {math.MaxInt64, math.MinInt64, -1},
	} {
		if got := history.Later(x.t, x.d); got != x.want {
			t.Errorf("%d after %d is %d, want %d", int64(x.d), x.t, got, x.want)
		}
	}
}
