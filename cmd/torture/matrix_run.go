package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"locktorture/report"
)

// A matrix is one execution of a plan.
type matrix struct {
	spec  matrixSpec
	plan  []report.Try
	store *cellStore
	watch *matrixMeter
	start time.Time

	mu      sync.Mutex
	done    map[tryKey]report.Try
	next    int
	longest time.Duration // that a try has taken here
	failure error         // to keep a verdict
}

// openMatrix reads what an earlier execution has done and opens the rest.
func openMatrix(cmd *cobra.Command, s matrixSpec) (*matrix, error) {
	m := &matrix{spec: s, plan: s.plan(), done: map[tryKey]report.Try{}, start: time.Now()}
	earlier, store, err := openCells(s.Out)
	if err != nil {
		return nil, err
	}
	m.store = store
	planned := map[tryKey]report.Try{}
	for _, t := range m.plan {
		planned[keyOf(t)] = t
	}
	for _, t := range earlier {
		p, wanted := planned[keyOf(t)]
		if wanted && !slices.Equal(p.Args, t.Args) {
			_ = store.close()
			return nil, usage("--resume: %s %s %s was run with other flags: %q, now %q", t.Backend, t.Nemesis, t.Workload, t.Args, p.Args)
		}
		if wanted && t.State != report.HarnessFailed { // that one is tried again
			m.done[keyOf(t)] = t
		}
	}
	m.watch = newMatrixMeter(cmd.ErrOrStderr(), s, len(m.plan), len(m.done))
	return m, nil
}

// run carries out what is left of the plan, jobs at a time.
func (m *matrix) run(ctx context.Context) {
	if m.spec.Budget > 0 {
		limited, cancel := context.WithDeadline(ctx, m.start.Add(m.spec.Budget))
		defer cancel()
		ctx = limited
	}
	var workers sync.WaitGroup
	for range m.spec.Jobs {
		workers.Go(func() {
			for {
				t, ok := m.take(ctx)
				if !ok {
					return
				}
				m.carryOut(ctx, t)
			}
		})
	}
	workers.Wait()
	m.watch.end()
}

// take returns the next try that is to be run. None is begun that the budget
// would cut off, judged by the longest so far.
func (m *matrix) take(ctx context.Context) (report.Try, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for ; m.next < len(m.plan); m.next++ {
		t := m.plan[m.next]
		if _, done := m.done[keyOf(t)]; done {
			continue
		}
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < max(m.longest, m.spec.Duration) {
			return t, false
		}
		if ctx.Err() != nil || m.failure != nil {
			return t, false
		}
		m.next++
		return t, true
	}
	return report.Try{}, false
}

// carryOut runs one try, unless another seed or workload has shown that the
// backend cannot suffer the fault, and keeps what it came to.
func (m *matrix) carryOut(ctx context.Context, t report.Try) {
	if why, state := m.impossible(t); state != "" {
		t.State, t.Reason, t.Start, t.Exit = state, why, time.Now(), exitUsage
	} else {
		m.watch.begin(t)
		t = runTry(ctx, m.spec.Out, t)
	}
	if t.State == report.NotRun { // interrupted, or the budget ended
		m.watch.finish(t)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done[keyOf(t)] = t
	m.longest = max(m.longest, t.Took)
	if err := m.store.add(t); err != nil && m.failure == nil {
		m.failure = err
	}
	m.watch.finish(t)
}

// impossible looks for a try of the same backend and faults that could not be.
func (m *matrix) impossible(t report.Try) (why, state string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.done {
		if d.Backend == t.Backend && d.Nemesis == t.Nemesis && (d.State == report.NotPossible || d.State == report.NotServed) {
			return d.Reason, d.State
		}
	}
	return "", ""
}

// tries are those of the plan with what they came to, in the order of the table.
func (m *matrix) tries() []report.Try {
	out := slices.Clone(m.plan)
	for i, t := range out {
		if d, ok := m.done[keyOf(t)]; ok {
			out[i] = d
		}
	}
	return out
}

// close ends the store.
func (m *matrix) close() error {
	if err := m.store.close(); err != nil && m.failure == nil {
		m.failure = err
	}
	return m.failure
}
