package checker_test

import (
	"testing"

	"locktorture/checker"
)

// TestLongSamples: a quantile of many durations is told to a hundredth, the longest exactly.
func TestLongSamples(t *testing.T) {
	for _, n := range []int{4096, 4097, 10_000} {
		var s checker.Sample
		for i := range n {
			s.Add(int64(i+1) * 1000)
		}
		for _, rank := range []int{0, n / 2, n - 2, n - 1} {
			got, want := s.Rank(rank), int64(rank+1)*1000
			if exact := n <= 4096 || rank == n-1; exact && got != want || got < want-want/100 || got > want+want/100 {
				t.Errorf("%d of %d: %d, want %d", rank, n, got, want)
			}
		}
		if s.N() != n {
			t.Errorf("%d, want %d", s.N(), n)
		}
	}
}

// TestQuantiles: the nearest rank, so that half of the durations are at most the median.
func TestQuantiles(t *testing.T) {
	for _, tt := range []struct{ n, p50, p90, p99 int64 }{
		{1, 1, 1, 1}, {2, 1, 2, 2}, {3, 2, 3, 3}, {10, 5, 9, 10}, {11, 6, 10, 11}, {100, 50, 90, 99}, {101, 51, 91, 100},
	} {
		var s checker.Sample
		for i := range tt.n {
			s.Add(i + 1)
		}
		if p50, p90, p99, most := s.Quantile(500), s.Quantile(900), s.Quantile(990), s.Quantile(1000); p50 != tt.p50 || p90 != tt.p90 || p99 != tt.p99 || most != tt.n {
			t.Errorf("of 1 to %d: %d, %d, %d, %d, want %d, %d, %d, %d", tt.n, p50, p90, p99, most, tt.p50, tt.p90, tt.p99, tt.n)
		}
	}
}
