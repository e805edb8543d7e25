package figures_test

import (
	"math"
	"testing"

	"locktorture/internal/figures"
)

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if got := figures.Count(n); got != want {
			t.Errorf("%d is written %q, want %q", n, got, want)
		}
	}
	if one, many := figures.Plural(1, "grant", "grants"), figures.Plural(2098, "grant", "grants"); one != "1 grant" || many != "2,098 grants" {
		t.Errorf("%q and %q", one, many)
	}
}

// TestAtMost compares with values of the tables of Clopper and Pearson, one-sided at 95 %.
func TestAtMost(t *testing.T) {
	for _, tt := range []struct {
		k, n int
		want float64
	}{
		{0, 0, 1}, {0, 1, 0.95}, {1, 1, 1}, {0, 12, 0.2209}, {0, 40, 0.0722}, {0, 10_000, 0.0002995}, {1, 20, 0.2161}, {3, 10, 0.6066}, {19, 20, 0.9974},
	} {
		if got := figures.AtMost(tt.k, tt.n); math.Abs(got-tt.want) > 0.0001 {
			t.Errorf("%d of %d: %.5f, want %.5f", tt.k, tt.n, got, tt.want)
		}
	}
}
