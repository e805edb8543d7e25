package search

import (
	"context"
	"sync"
	"time"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
)

// A Config is what is searched, for what, and for how long.
type Config struct {
	Order    inside.Order // of the first world; the seed of each other is one more
	Find     []string     // kinds of anomalies; none: all of which the lock can be accused
	Strategy string       // one of Strategies
	Kinds    []schedule.Kind
	Loads    []Load        // of which each world has one; none: that of the order
	Trials   int           // at most; 0: as many as there is time for
	After    int           // trials of an earlier search, whose worlds are not played again
	Budget   time.Duration // 0: no bound
	Arenas   []*Arena      // as many trials are played at once
	// Tell is told of each run; nil: nobody is.
	Tell func(Tally)
}

// A Finding is a trial that shows what was looked for.
type Finding struct {
	Number int // of the trial, from 1
	*Outcome
	Mechanism Mechanism
}

// Run searches until something is found, and returns that; nil: nothing was found in the
// trials or the time that there was, or until ctx ended. Of two findings the one with the
// lower number counts, so that the number of arenas changes none.
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

// A search is what its workers share.
type search struct {
	cfg *Config

	mu       sync.Mutex
	next     int // batch
	running  map[int]context.CancelFunc
	found    *Finding
	failed   error
	failedAt int // the first trial of that batch
	tally    Tally
}

// work plays batches until there is no need for more.
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
			f, err = nil, nil // it was stopped where it was
		}
		cancel()
		s.end(b.first, f, err)
	}
}

// whole tells of a finding whose run was not cut short.
func whole(f *Finding) bool { return f != nil && f.Result.Ended == "" }

// begin takes the next batch; nil if there is none.
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

// end takes what a batch came to, and stops those after it if there is no need for them.
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

// tell counts a run.
func (s *search) tell(o *Outcome, seen States) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.add(o, seen)
	if s.cfg.Tell != nil {
		s.cfg.Tell(s.tally)
	}
}
