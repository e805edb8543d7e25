package scorecard

import (
	"cmp"
	"slices"
	"time"

	"locktorture/checker"
)

// A Point is one verdict of one night: a line of the trend file.
type Point struct {
	Time     time.Time     `json:"time"`
	Night    string        `json:"night"` // the day, UTC: 2006-01-02
	Backend  string        `json:"backend"`
	Nemesis  string        `json:"nemesis"`
	Workload string        `json:"workload"`
	Seed     uint64        `json:"seed"`
	State    string        `json:"state"`
	Grade    checker.Grade `json:"grade,omitempty"`
	// FirstAnomaly is the time to the first anomaly, in ns since the start of
	// the run; absent if there was none.
	FirstAnomaly *int64  `json:"first_anomaly,omitempty"`
	GrantRate    float64 `json:"grant_rate,omitempty"`  // grants per second
	P50          int64   `json:"acquire_p50,omitempty"` // ns, median of the acquires
	Commit       string  `json:"commit,omitempty"`
}

// NewPoint returns what the trend keeps of a try.
func NewPoint(t Try, commit string) Point {
	p := Point{Time: t.Start.UTC(), Night: t.Start.UTC().Format(time.DateOnly), Backend: t.Backend, Nemesis: t.Nemesis,
		Workload: t.Workload, Seed: t.Seed, State: t.State, Commit: commit}
	if t.Result != nil {
		p.Grade, p.GrantRate, p.P50 = t.Grade(), t.Result.Measures.GrantRate, t.Result.Measures.Acquire.P50
	}
	if at, ok := t.FirstAnomaly(); ok {
		p.FirstAnomaly = &at
	}
	return p
}

// A night is what became of one backend in one night.
type night struct {
	Night string
	Grade checker.Grade // the worst
	Cells int
	First int64   // ns, the earliest anomaly of the night; -1: none
	Rate  float64 // grants a second without faults; 0: not measured
}

// nights sums the last nights of a backend up, the newest last.
func nights(points []Point, backend string, last int) []night {
	byDay := map[string]*night{}
	measured := map[string]int{}
	for _, p := range points {
		if p.Backend != backend || p.State != Tried {
			continue
		}
		n := byDay[p.Night]
		if n == nil {
			n = &night{Night: p.Night, Grade: p.Grade, First: -1}
			byDay[p.Night] = n
		}
		n.Cells++
		if Badness(p.Grade) > Badness(n.Grade) {
			n.Grade = p.Grade
		}
		if p.FirstAnomaly != nil && (n.First < 0 || *p.FirstAnomaly < n.First) {
			n.First = *p.FirstAnomaly
		}
		if p.Nemesis == "none" {
			n.Rate += p.GrantRate
			measured[p.Night]++
		}
	}
	var out []night
	for day, n := range byDay {
		if c := measured[day]; c > 0 {
			n.Rate /= float64(c)
		}
		out = append(out, *n)
	}
	slices.SortFunc(out, func(a, b night) int { return cmp.Compare(a.Night, b.Night) })
	return out[max(0, len(out)-last):]
}
