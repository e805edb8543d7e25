package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

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
		sum := benchmath.AssumeNothing.Summary(benchmath.NewSample(s.percent, &benchmath.DefaultThresholds), 0.95)
		line += fmt.Sprintf("; median of %d runs %s", len(s.percent), percentText(sum.Center))
		if math.IsInf(sum.Lo, 0) || math.IsInf(sum.Hi, 0) {
			line += ", too few for an interval"
		} else {
			line += fmt.Sprintf(", at %.0f %% between %s and %s", 100*sum.Confidence, percentText(sum.Lo), percentText(sum.Hi))
		}
		lines = append(lines, line)
	}
	return lines
}

// percentText writes a share with two digits that matter.
func percentText(p float64) string {
	if p == 0 {
		return "0 %"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.2g", p), ".") + " %"
}
