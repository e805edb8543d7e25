package report

import (
	"math"
	"testing"
)

// TestMedianOf compares the intervals with those of the sign test: the size of the sample, the rank of
// the lower end (0: there is none), the confidence.
func TestMedianOf(t *testing.T) {
	for _, want := range []struct {
		n, rank    int
		confidence float64
	}{
		{1, 0, 0}, {5, 0, 0}, {6, 1, 0.96875}, {8, 1, 0.9921875}, {9, 2, 0.9609375}, {10, 2, 0.978515625}, {17, 5, 0.951}, {20, 6, 0.9586}, {25, 8, 0.9567},
		{100, 40, 0.9648}, {5000, 2431, 0.9507},
	} {
		sample := make([]float64, want.n)
		for i := range sample {
			sample[i] = float64(want.n - i) // 1 to n, the highest first
		}
		median, low, high, confidence := medianOf(sample)
		top := float64(want.n + 1 - want.rank)
		if want.rank == 0 {
			top = 0
		}
		if median != float64(want.n+1)/2 || low != float64(want.rank) || high != top || math.Abs(confidence-want.confidence) > 1e-4 {
			t.Errorf("%d values: median %v, from %v to %v at %.5f, want from %d to %v at %v", want.n, median, low, high, confidence, want.rank, top, want.confidence)
		}
	}
}
