package bench

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Latency is quantiles of durations in nanoseconds, to three figures.
type Latency struct {
	N   int64 `json:"n"`
	P50 int64 `json:"p50_ns"`
	P99 int64 `json:"p99_ns"`
	Max int64 `json:"max_ns"`
}

// A Spread is the median of the slices of one side, and its quartiles.
type Spread struct {
	Median float64 `json:"median"`
	Low    float64 `json:"q1"`
	High   float64 `json:"q3"`
}

// A Ratio is a median of one side over that of another. Low and High are the
// quartiles of the ratios of those slices that were neighbours: where they are far apart the
// machine, and not the sides, made the difference.
type Ratio struct {
	Value float64 `json:"value"`
	Low   float64 `json:"q1"`
	High  float64 `json:"q3"`
}

// longest is the longest latency that is told apart from longer ones.
const longest = 10 * time.Minute

// newHistogram is one of durations in nanoseconds.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, int64(longest), 3)
}

// record adds a duration.
func record(h *hdrhistogram.Histogram, d time.Duration) {
	// The only error is a value out of range.
	_ = h.RecordValue(min(max(int64(d), 1), int64(longest)))
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	return Latency{N: h.TotalCount(), P50: h.ValueAtQuantile(50), P99: h.ValueAtQuantile(99), Max: h.Max()}
}

// quantile interpolates between the two nearest values; 0 if there are none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	at := q * float64(len(s)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(s)-1)
	return s[low] + (s[high]-s[low])*(at-float64(low))
}

func spreadOf(values []float64) Spread {
	return Spread{quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75)}
}

// ratioOf compares the slices of two sides, in the order of their turns; nil
// if there is nothing to divide by.
func ratioOf(of, over []float64) *Ratio {
	n := min(len(of), len(over))
	var pairs []float64
	for i := range n {
		if over[i] > 0 {
			pairs = append(pairs, of[i]/over[i])
		}
	}
	base := quantile(over, 0.5)
	if base <= 0 || len(pairs) == 0 {
		return nil
	}
	return &Ratio{quantile(of, 0.5) / base, quantile(pairs, 0.25), quantile(pairs, 0.75)}
}

// Jain is the fairness index of R. Jain, D. Chiu and W. Hawe (1984):
// (Σx)² / (n·Σx²), 1 if all got the same, 1/n if one got everything, 0 if
// nobody got anything.
func Jain(shares []int64) float64 {
	var sum, squares float64
	for _, s := range shares {
		sum += float64(s)
		squares += float64(s) * float64(s)
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(shares)) * squares)
}
