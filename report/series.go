package report

import (
	"slices"

	"locktorture/history"
)

// The number of points of a chart over time: fewer where few grants would
// leave nothing to take a quantile of.
const (
	minBins      = 20
	maxPoints    = 240
	grantsPerBin = 15
)

// A series is what the charts show over time, one value a bin. Times are
// seconds, latencies milliseconds; a latency of a bin without a grant is nil.
type series struct {
	X       []float64  `json:"x"`
	Ops     []float64  `json:"ops"`     // completions a second
	Grants  []float64  `json:"grants"`  // a second
	Refused []float64  `json:"refused"` // acquires, tries and store operations a second
	P50     []*float64 `json:"p50"`
	P90     []*float64 `json:"p90"`
	P99     []*float64 `json:"p99"`
	// Quantiles of the acquire latency of the whole run.
	QX []float64 `json:"qx"` // 0 … 1
	QY []float64 `json:"qy"` // ms
}

// A clientRow says what one client got.
type clientRow struct {
	Client        int
	Grants        int
	Share         float64
	P50, P99, Max int64 // ns, of its acquires
}

// statistics are the charts and the fairness table.
type statistics struct {
	series  series
	clients []clientRow
}

func buildStatistics(h history.History) statistics {
	end := int64(1)
	if len(h) > 0 {
		end = max(1, h[len(h)-1].Time)
	}
	bins := int64(max(minBins, min(maxPoints, len(grantTimes(h))/grantsPerBin)))
	width := end/bins + 1
	c := collector{width: width, waits: make([][]int64, bins), ops: make([]int, bins), refused: make([]int, bins), byClient: map[int][]int64{}, calls: map[call]int64{}}
	for _, op := range h {
		c.entry(op)
	}
	return statistics{c.series(), c.clients()}
}

// A collector sorts completions into bins.
type collector struct {
	width        int64 // ns
	waits        [][]int64
	ops, refused []int
	byClient     map[int][]int64
	calls        map[call]int64
}

func (c *collector) entry(op history.Op) {
	if op.Process < 0 {
		return
	}
	isAcquire := op.F == history.Acquire || op.F == history.Try
	key := call{op.Process, op.F, op.Lock}
	if op.Type == history.Invoke {
		if isAcquire {
			c.calls[key] = op.Time
		}
		return
	}
	bin := min(op.Time/c.width, int64(len(c.ops)-1))
	c.ops[bin]++
	if op.Type == history.Fail {
		c.refused[bin]++
	}
	called, known := c.calls[key]
	if isAcquire && op.Type == history.OK && known {
		c.waits[bin] = append(c.waits[bin], op.Time-called)
		c.byClient[op.Client] = append(c.byClient[op.Client], op.Time-called)
	}
	if isAcquire {
		delete(c.calls, key)
	}
}

func (c *collector) series() series {
	var s series
	var all []int64
	perSecond := 1e9 / float64(c.width)
	for i, w := range c.waits {
		s.X = append(s.X, (float64(i)+0.5)*float64(c.width)/1e9)
		s.Ops = append(s.Ops, float64(c.ops[i])*perSecond)
		s.Grants = append(s.Grants, float64(len(w))*perSecond)
		s.Refused = append(s.Refused, float64(c.refused[i])*perSecond)
		slices.Sort(w)
		s.P50 = append(s.P50, millis(w, 0.5))
		s.P90 = append(s.P90, millis(w, 0.9))
		s.P99 = append(s.P99, millis(w, 0.99))
		all = append(all, w...)
	}
	slices.Sort(all)
	for _, q := range []float64{0, .05, .1, .2, .3, .4, .5, .6, .7, .75, .8, .85, .9, .92, .94, .96, .98, .99, .995, .999, 1} {
		if v := millis(all, q); v != nil {
			s.QX, s.QY = append(s.QX, q), append(s.QY, *v)
		}
	}
	return s
}

func (c *collector) clients() []clientRow {
	var out []clientRow
	total := 0
	for client, w := range c.byClient {
		slices.Sort(w)
		total += len(w)
		out = append(out, clientRow{Client: client, Grants: len(w), P50: quantile(w, 0.5), P99: quantile(w, 0.99), Max: quantile(w, 1)})
	}
	for i := range out {
		out[i].Share = float64(out[i].Grants) / float64(total)
	}
	slices.SortFunc(out, func(a, b clientRow) int { return a.Client - b.Client })
	return out
}

// quantile of a sorted sample that is not empty: the nearest rank.
func quantile(sorted []int64, q float64) int64 {
	i := int(q * float64(len(sorted)))
	return sorted[min(i, len(sorted)-1)]
}

func millis(sorted []int64, q float64) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	v := float64(quantile(sorted, q)) / 1e6
	return &v
}
