package search

import (
	"context"
	"sync"
	"time"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
)

// A Config describes a search.
type Config struct {
	Order    inside.Order // order of the first world; each further world has the next seed
	Find     []string     // kinds of anomalies; empty: all for which the lock is responsible
	Strategy string       // one of Strategies
	Kinds    []schedule.Kind
	Loads    []Load        // each world has one of them; empty: the order's own
	Trials   int           // most trials; 0: until the time is over
	After    int           // number of trials of an earlier search, whose worlds are skipped
	Budget   time.Duration // longest duration; 0: no limit
	Arenas   []*Arena      // one trial is played at a time in each
	// Tell, if not nil, is called after each run.
	Tell func(Tally)
}

// A Finding is a trial that shows one of the anomalies for which the search looks.
type Finding struct {
	Number int // number of the trial, from 1
	*Outcome
	Mechanism Mechanism
}

// Run searches until a trial shows an anomaly. It returns nil if the trials, the time or ctx ended
// first. Of two findings it returns the one with the lower number, so that the result does not
// depend on the number of arenas.
func Run(ctx context.Context, cfg Config) (*Finding, Tally, error) {
	if cfg.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cfg.Budget)
		defer cancel()
	}
	s := &search{cfg: &cfg, next: (cfg.After + perWorld - 1) / perWorld, running: map[int]context.CancelFunc{}, tally: newTally()}
	var all sync.WaitGroup
	for _, a := range cfg.Arenas {
		all.Go(func() { s.work(ctx, a) })
	}
	all.Wait()
	if s.failed != nil && (s.found == nil || s.failedAt < s.found.Number) {
		return nil, s.tally, s.failed
	}
	return s.found, s.tally, nil
}

// A search holds the state that its workers share.
type search struct {
	cfg *Config

	mu       sync.Mutex
	next     int // number of the next batch
	running  map[int]context.CancelFunc
	found    *Finding
	failed   error
	failedAt int // number of the first trial of the failed batch
	tally    Tally
}

// work plays batches until the search is over.
func (s *search) work(ctx context.Context, a *Arena) {
	for {
		ctx, cancel := context.WithCancel(ctx)
		b := s.begin(a, cancel)
		if b == nil || ctx.Err() != nil {
			cancel()
			return
		}
		f, err := b.play(ctx)
		if ctx.Err() != nil && !whole(f) {
			f, err = nil, nil // the batch was interrupted
		}
		cancel()
		s.end(b.first, f, err)
	}
}

// whole reports whether the run of a finding was complete.
func whole(f *Finding) bool { return f != nil && f.Result.Ended == "" }

// begin returns the next batch; nil if there is none.
func (s *search) begin(a *Arena, cancel context.CancelFunc) *batch {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.next*perWorld + 1
	if s.found != nil || s.failed != nil || s.cfg.Trials > 0 && first > s.cfg.Trials {
		return nil
	}
	s.next++
	s.running[first] = cancel
	b := &batch{cfg: s.cfg, arena: a, first: first, last: first + perWorld - 1, tell: s.tell}
	if s.cfg.Trials > 0 {
		b.last = min(b.last, s.cfg.Trials)
	}
	return b
}

// end stores the result of a batch, and cancels later batches that are no longer needed.
func (s *search) end(first int, f *Finding, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, first)
	if err != nil && (s.failed == nil || first < s.failedAt) {
		s.failed, s.failedAt = err, first
	}
	if f != nil && (s.found == nil || f.Number < s.found.Number) {
		s.found = f
	}
	if f == nil && err == nil {
		return
	}
	for later, cancel := range s.running {
		if later > first {
			cancel()
		}
	}
}

// tell counts a run, which showed some states, and reports the tally.
func (s *search) tell(o *Outcome, shown States) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.add(o, shown)
	if s.cfg.Tell != nil {
		s.cfg.Tell(s.tally)
	}
}
