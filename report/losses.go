package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"locktorture/checker"
)

// Losses are what the repetitions of a workload cost, by store.
type Losses map[string]*lossSample

// A lossSample is the loss of each repetition, in percent, and the sum of all.
type lossSample struct {
	percent  []float64
	lost, of int
	unit     string
}

// Add adds one repetition.
func (l Losses) Add(r checker.Result) {
	for _, s := range r.Stores {
		if s.Of == 0 {
			continue
		}
		sample := l[s.Store]
		if sample == nil {
			sample = &lossSample{unit: s.LossUnit}
			l[s.Store] = sample
		}
		sample.percent = append(sample.percent, 100*s.Loss)
		sample.lost += s.Lost
		sample.of += s.Of
	}
}

// Lines says, for each store, how much was lost over all repetitions: the sum,
// and the median of the repetitions with its 95 % confidence interval. The
// interval comes from the order of the repetitions alone: what one run loses
// has no distribution that could be assumed, and its losses are not independent.
func (l Losses) Lines() []string {
	var lines []string
	for _, store := range slices.Sorted(maps.Keys(l)) {
		s := l[store]
		line := fmt.Sprintf("%s store: lost %d of %d %s in all, %s", store, s.lost, s.of, s.unit, percentText(100*float64(s.lost)/float64(s.of)))
		median, low, high, confidence := medianOf(s.percent)
		line += fmt.Sprintf("; median of %d runs %s", len(s.percent), percentText(median))
		if confidence == 0 {
			line += ", too few for an interval"
		} else {
			line += fmt.Sprintf(", at %.0f %% between %s and %s", 100*confidence, percentText(low), percentText(high))
		}
		lines = append(lines, line)
	}
	return lines
}

// medianOf returns the median of a sample, and the narrowest interval from its k-th lowest to its
// k-th highest value that covers the true median with a confidence of at least 95 %. No
// distribution is assumed: the number of values below the true median is binomial. The confidence
// is 0 where the sample is too small for an interval.
func medianOf(sample []float64) (median, low, high, confidence float64) {
	sorted := slices.Sorted(slices.Values(sample))
	n := len(sorted)
	median = (sorted[(n-1)/2] + sorted[n/2]) / 2
	outside := 0.0
	for k := range n / 2 {
		outside += 2 * math.Exp(logFactorial(n)-logFactorial(k)-logFactorial(n-k)-float64(n)*math.Ln2)
		if outside > 0.05 {
			break
		}
		low, high, confidence = sorted[k], sorted[n-1-k], 1-outside
	}
	return median, low, high, confidence
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}

// percentText writes a share with two digits that matter.
func percentText(p float64) string {
	if p == 0 {
		return "0 %"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2g", p), ".") + " %"
}
