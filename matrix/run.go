package matrix

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

// A Matrix is one execution of a plan.
type Matrix struct {
	config Config
	past   []scorecard.Point // of the trend, before this execution
	plan   []scorecard.Try   // in the order of the table, then the retries
	order  []int             // of the plan, in the order in which it is run
	store  *Cells[scorecard.Try]
	watch  *meter
	start  time.Time
	// recorded says which rows Record has added.
	recorded []string

	mu      sync.Mutex
	done    map[tryKey]scorecard.Try
	next    int
	longest map[string]time.Duration // that a try has taken here, by backend
	fresh   []scorecard.Point        // what this execution has found
	failure error                    // to keep a verdict
}

// Open reads what an earlier execution in the same directory has done and opens the rest.
// progress is told how far the matrix is. Only one matrix at a time may write to a directory.
func Open(c Config, progress io.Writer) (*Matrix, error) {
	m := &Matrix{config: c, plan: c.plan(), done: map[tryKey]scorecard.Try{}, longest: map[string]time.Duration{}, start: time.Now()}
	var err error
	if c.Trend != "" {
		if m.past, err = readTrend(c.Trend); err != nil {
			return nil, exit.Usage("--trend: %v", err)
		}
	}
	earlier, store, err := OpenCells[scorecard.Try](c.Out)
	if err != nil {
		return nil, err
	}
	m.store = store
	if err := m.adopt(earlier); err != nil {
		_ = store.Close()
		return nil, err
	}
	m.arrange()
	m.watch = newMeter(progress, c, len(m.plan), slices.Collect(maps.Values(m.done)))
	return m, nil
}

// arrange says in which order the plan is run.
func (m *Matrix) arrange() {
	plan := slices.Clone(m.plan)
	if m.config.Trend != "" {
		byWaiting(plan, m.past)
	}
	at := map[tryKey]int{}
	for i, t := range m.plan {
		at[keyOf(t)] = i
	}
	for _, t := range plan {
		m.order = append(m.order, at[keyOf(t)])
	}
	for _, t := range plan {
		m.retry(t) // what an earlier execution left open
	}
}

// retry plans one more seed for a cell that could still show what is expected
// of it. The caller holds the lock, or is alone.
func (m *Matrix) retry(of scorecard.Try) {
	if m.config.Retries == 0 {
		return
	}
	var tries []scorecard.Try
	var last uint64
	for _, t := range m.tries() {
		if t.Backend == of.Backend && t.Nemesis == of.Nemesis && t.Workload == of.Workload {
			tries = append(tries, t)
			last = max(last, t.Seed)
			if t.State == scorecard.NotRun {
				return // not all that was planned is there yet
			}
		}
	}
	row := scorecard.Rows(tries)[0]
	if len(tries) < m.config.Seeds+m.config.Retries && m.config.open(row) {
		m.order = slices.Insert(m.order, m.next, len(m.plan)) // next of all: a budget must not end before it
		m.plan = append(m.plan, m.config.try(of.Backend, of.Nemesis, of.Workload, last+1))
	}
}

// open reports whether another seed of a cell could bring what it has not shown yet.
func (c Config) open(r scorecard.Row) bool {
	if c.Record == "" {
		return curable(c.Expected.Of(r.Backend, r.Nemesis, r.Workload), r, c.Seeds)
	}
	_, known := r.Union()
	return r.State == scorecard.Tried && known < c.Seeds
}

// Run has what is left of the plan carried out, until it is done, the budget is spent or ctx
// ends.
func (m *Matrix) Run(ctx context.Context) {
	if m.config.Budget > 0 {
		// The rest is for the runs that are cut off to heal, and for the pages.
		limited, cancel := context.WithDeadline(ctx, m.start.Add(m.config.Budget-m.config.Budget/20))
		defer cancel()
		ctx = limited
	}
	on := m.config.On
	if on == nil {
		on = m.config.processes()
	}
	err := on.Execute(ctx, &queue{m})
	m.watch.end()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail(err)
}

// take returns the next try that is to be run. None is begun that the budget
// would cut off, judged by the longest of the same backend so far.
func (m *Matrix) take(ctx context.Context) (scorecard.Try, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; m.next < len(m.order); m.next++ {
		t := m.plan[m.order[m.next]]
		if _, done := m.done[keyOf(t)]; done {
			continue
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < max(m.longest[t.Backend], m.config.Duration) {
			continue // another backend may be quicker
		}
		if ctx.Err() != nil || m.failure != nil {
			return t, false
		}
		m.next++
		return t, true
	}
	return scorecard.Try{}, false
}

// keep notes what a try came to, and plans another where that could bring what it has not
// shown.
func (m *Matrix) keep(t scorecard.Try) {
	if t.State == scorecard.NotRun { // interrupted, or the budget ended
		m.watch.finish(t)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[keyOf(t)] = t
	m.longest[t.Backend] = max(m.longest[t.Backend], t.Took)
	m.fresh = append(m.fresh, scorecard.NewPoint(t, m.config.Commit))
	if m.config.Trend != "" {
		m.fail(addTrend(m.config.Trend, m.fresh[len(m.fresh)-1]))
	}
	before := len(m.plan)
	m.retry(t)
	m.watch.more(len(m.plan) - before)
	m.fail(m.store.Add(t))
	m.watch.finish(t)
}

// impossible looks for a try of the same backend and faults that could not be.
func (m *Matrix) impossible(t scorecard.Try) (why, state string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.done {
		if d.Backend == t.Backend && d.Nemesis == t.Nemesis && (d.State == scorecard.NotPossible || d.State == scorecard.NotServed) {
			return d.Reason, d.State
		}
	}
	return "", ""
}

// tries returns the tries of the plan with their outcomes, in the order of the table.
func (m *Matrix) tries() []scorecard.Try {
	out := slices.Clone(m.plan)
	for i, t := range out {
		if d, ok := m.done[keyOf(t)]; ok {
			out[i] = d
		}
	}
	return out
}

// fail keeps the first error; after it no try is begun.
func (m *Matrix) fail(err error) {
	if m.failure == nil {
		m.failure = err
	}
}

// Close ends the store. It returns the first error of keeping a verdict.
func (m *Matrix) Close() error {
	m.fail(m.store.Close())
	return m.failure
}
