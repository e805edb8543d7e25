package timeline

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Sample holds durations and returns their quantiles. It is exact as long as it is small.
// Beyond that it takes a fixed amount of memory, some 40 kB. Its quantiles are then exact to
// one hundredth, and its greatest duration is still exact. The zero value is empty.
type Sample struct {
	n     int
	most  int64
	exact []int64
	bins  *hdrhistogram.Histogram // nil as long as the sample is exact
}

const (
	exactSamples = 1 << 12
	longestTold  = int64(1) << 42 // ns, 73 minutes
)

// N returns the number of durations.
func (s *Sample) N() int { return s.n }

// Add adds a duration in nanoseconds.
func (s *Sample) Add(d int64) {
	s.n++
	s.most = max(s.most, d)
	if s.bins == nil && len(s.exact) < exactSamples {
		s.exact = append(s.exact, d)
		return
	}
	if s.bins == nil {
		s.bins = hdrhistogram.New(1, longestTold, 2)
		for _, e := range s.exact {
			s.count(e)
		}
		s.exact = nil
	}
	s.count(d)
}

// count adds a duration to the bins.
func (s *Sample) count(d int64) {
	// A duration outside the range of the bins is counted at the edge of that range.
	_ = s.bins.RecordValue(min(max(d, 0), longestTold))
}

// Quantile returns the quantile by the nearest rank, which is the ⌈n·permille/1000⌉th least
// duration. The sample must not be empty.
func (s *Sample) Quantile(permille int) int64 { return s.Rank(max(1, (s.n*permille+999)/1000) - 1) }

// Rank returns the i-th least duration, counted from 0. The sample must not be empty.
func (s *Sample) Rank(i int) int64 {
	if s.bins == nil {
		slices.Sort(s.exact)
		return s.exact[i]
	}
	if i == s.n-1 {
		return s.most
	}
	return min(s.most, s.bins.ValueAtPercentile(100*(float64(i)+1)/float64(s.n)))
}
