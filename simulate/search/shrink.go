package search

import (
	"context"
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/simulate/schedule"
)

// A Shrunk is a finding that was cut down.
type Shrunk struct {
	*Outcome
	Mechanism Mechanism
	Anomaly   checker.Anomaly // the first that came about so
	Runs      int             // that it took
	Held      bool            // it is still there with all times longer and shorter by the margin
	Enough    bool            // all steps were tried; false: there were no more runs
}

// DefaultRuns bounds the runs of a shrink.
const DefaultRuns = 50

// A Player plays trials and judges them, as an Arena does.
type Player interface {
	Play(ctx context.Context, t Trial) (*Outcome, error)
}

// Shrink cuts a finding down: fewer faults, fewer clients, a shorter run, fewer servers
// struck, earlier points, shorter and rounder times. Each step is a run that must show the
// same mechanism. It takes at most so many runs.
func Shrink(ctx context.Context, p Player, t Trial, m Mechanism, runs int) (*Shrunk, error) {
	s := newShrinker(ctx, p, m, runs)
	if !s.try(t) {
		if s.err != nil {
			return nil, s.err
		}
		return nil, fmt.Errorf("seed %d: a replay does not show the %v again", t.Order.Seed, m)
	}
	s.fewer()
	s.clients()
	s.shorterRun()
	for i := range s.best.Trial.Schedule {
		s.servers(i)
		s.earlier(i)
	}
	held := s.shorterTimes(runs / 4)
	if s.err != nil {
		return nil, s.err
	}
	found, _ := m.Shows(s.best)
	return &Shrunk{Outcome: s.best, Mechanism: m, Anomaly: found, Runs: runs - s.left, Held: held, Enough: s.left > 0}, ctx.Err()
}

// A shrinker cuts a trial down.
type shrinker struct {
	ctx       context.Context
	player    Player
	mechanism Mechanism
	left      int // runs
	err       error
	best      *Outcome
	known     map[string]*Outcome // by order and schedule; nil: it does not show the mechanism
}

func newShrinker(ctx context.Context, p Player, m Mechanism, runs int) *shrinker {
	return &shrinker{ctx: ctx, player: p, left: runs, mechanism: m, known: map[string]*Outcome{}}
}

// shows plays a trial, unless it was played before, and returns what it came to if the
// mechanism is there and no run was cut short.
func (s *shrinker) shows(t Trial) *Outcome {
	key := fmt.Sprintf("%+v\n%s", t.Order, t.Schedule)
	if o, ok := s.known[key]; ok || s.left == 0 || s.err != nil || s.ctx.Err() != nil {
		return o
	}
	s.left--
	o, err := s.player.Play(s.ctx, t)
	if err != nil {
		s.err = err
		return nil
	}
	if _, ok := s.mechanism.Shows(o); !ok || s.ctx.Err() != nil {
		o = nil
	}
	s.known[key] = o
	return o
}

// try takes a trial if it shows the mechanism, and each of its faults has struck.
func (s *shrinker) try(t Trial) bool {
	o := s.shows(t)
	if o == nil || len(o.Struck) < len(t.Schedule) {
		return false
	}
	s.best = o
	return true
}

// with is the best trial so far with one decision changed.
func (s *shrinker) with(i int, change func(d *schedule.Decision)) Trial {
	t := s.best.Trial
	t.Schedule = slices.Clone(t.Schedule)
	d := &t.Schedule[i]
	d.Nodes = slices.Clone(d.Nodes)
	change(d)
	return t
}
