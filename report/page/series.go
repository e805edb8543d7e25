package page

import (
	"slices"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/timeline"
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

// A collector sorts completions into bins.
type collector struct {
	width        int64 // ns
	waits        []checker.Sample
	all          checker.Sample
	ops, refused []int
	byClient     map[int]*checker.Sample
}

func newCollector(end int64, grants int) *collector {
	bins := int64(max(minBins, min(maxPoints, grants/grantsPerBin)))
	return &collector{width: max(1, end)/bins + 1, waits: make([]checker.Sample, bins), ops: make([]int, bins), refused: make([]int, bins),
		byClient: map[int]*checker.Sample{}}
}

func (c *collector) statistics() statistics { return statistics{c.series(), c.clients()} }

func (c *collector) entry(e timeline.Entry) {
	if e.Process < 0 || e.Type == history.Invoke {
		return
	}
	bin := min(e.Time/c.width, int64(len(c.ops)-1))
	c.ops[bin]++
	if e.Type == history.Fail {
		c.refused[bin]++
	}
	if !e.Granted() {
		return
	}
	took := e.Time - e.Inv.Time
	c.waits[bin].Add(took)
	c.all.Add(took)
	if c.byClient[e.Client] == nil {
		c.byClient[e.Client] = &checker.Sample{}
	}
	c.byClient[e.Client].Add(took)
}

func (c *collector) series() series {
	var s series
	perSecond := 1e9 / float64(c.width)
	for i := range c.waits {
		w := &c.waits[i]
		s.X = append(s.X, (float64(i)+0.5)*float64(c.width)/1e9)
		s.Ops = append(s.Ops, float64(c.ops[i])*perSecond)
		s.Grants = append(s.Grants, float64(w.N())*perSecond)
		s.Refused = append(s.Refused, float64(c.refused[i])*perSecond)
		s.P50 = append(s.P50, millis(w, 500))
		s.P90 = append(s.P90, millis(w, 900))
		s.P99 = append(s.P99, millis(w, 990))
	}
	for _, q := range []int{0, 50, 100, 200, 300, 400, 500, 600, 700, 750, 800, 850, 900, 920, 940, 960, 980, 990, 995, 999, 1000} {
		if v := millis(&c.all, q); v != nil {
			s.QX, s.QY = append(s.QX, float64(q)/1000), append(s.QY, *v)
		}
	}
	return s
}

func (c *collector) clients() []clientRow {
	var out []clientRow
	total := 0
	for client, w := range c.byClient {
		total += w.N()
		out = append(out, clientRow{Client: client, Grants: w.N(), P50: w.Quantile(500), P99: w.Quantile(990), Max: w.Quantile(1000)})
	}
	for i := range out {
		out[i].Share = float64(out[i].Grants) / float64(total)
	}
	slices.SortFunc(out, func(a, b clientRow) int { return a.Client - b.Client })
	return out
}

func millis(s *checker.Sample, permille int) *float64 {
	if s.N() == 0 {
		return nil
	}
	v := float64(s.Quantile(permille)) / 1e6
	return &v
}
