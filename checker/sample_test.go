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
