package search

import (
	"context"
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/nemesis/points/schedule"
)

// A Shrunk is a finding that was cut down.
type Shrunk struct {
	*Outcome
	Mechanism Mechanism       // blamed on another fault than before where that was not needed
	Anomaly   checker.Anomaly // the first that came about so
	Runs      int             // that it took
	Enough    bool            // all steps were tried; false: there were no more runs
}

// DefaultRuns bounds the runs of a shrink.
const DefaultRuns = 60

// A Player plays trials and judges them, as an Arena does.
type Player interface {
	Play(ctx context.Context, t Trial) (*Outcome, error)
}

// Shrink cuts a finding down: fewer faults, fewer clients, a shorter run, fewer servers
// struck, earlier points, shorter and rounder times. Each step is a run that must show the
// same mechanism, and must be no rarer in the other worlds that are tried for it (others). It
// takes at most so many runs, of which a part is kept for the last steps. What hangs on luck may
// be tried with other loads.
func Shrink(ctx context.Context, p Player, t Trial, m Mechanism, runs int, loads []Load) (*Shrunk, error) {
	last := runs / 6
	s := newShrinker(ctx, p, m, runs-last)
	s.loads = loads
	if !s.try(t) {
		if s.err != nil {
			return nil, s.err
		}
		return nil, fmt.Errorf("seed %d: a replay does not show the %v again", t.Order.Seed, m)
	}
	s.outlasting()
	s.fewer()
	s.steadier(30)
	s.clients()
	for i := range s.best.Trial.Schedule {
		s.servers(i)
		s.earlier(i)
	}
	s.shorterTimes()
	s.fewer() // what was needed may not be any more
	s.shorterRun()
	s.steadier(10)
	s.steadiest()
	enough := s.left > 0
	s.left += last
	s.round()
	s.fewer() // where runs were lacking, or times are others now
	if s.err != nil {
		return nil, s.err
	}
	found, _ := s.mechanism.Shows(s.best)
	return &Shrunk{Outcome: s.best, Mechanism: s.mechanism, Anomaly: found, Runs: runs - s.left, Enough: enough}, ctx.Err()
}

// A shrinker cuts a trial down.
type shrinker struct {
	ctx       context.Context
	player    Player
	mechanism Mechanism
	left      int // runs
	loads     []Load
	err       error
	best      *Outcome
	seen      int                 // of the other worlds, in how many it is there
	known     map[string]*Outcome // by order and schedule
}

func newShrinker(ctx context.Context, p Player, m Mechanism, runs int) *shrinker {
	return &shrinker{ctx: ctx, player: p, left: runs, mechanism: m, known: map[string]*Outcome{}}
}

// play plays a trial, unless it was played before; nil: there are no runs left.
func (s *shrinker) play(t Trial) *Outcome {
	key := fmt.Sprintf("%+v\n%s\n%v", t.Order, t.Schedule, t.Late)
	if o, ok := s.known[key]; ok || s.left == 0 || s.err != nil || s.ctx.Err() != nil {
		return o
	}
	s.left--
	o, err := s.player.Play(s.ctx, t)
	if err != nil {
		s.err = err
		return nil
	}
	if s.ctx.Err() != nil { // it was cut short
		return nil
	}
	s.known[key] = o
	return o
}

// shows plays a trial, and returns what it came to if the mechanism is there.
func (s *shrinker) shows(t Trial) *Outcome {
	o := s.play(t)
	if o == nil {
		return nil
	}
	if _, ok := s.mechanism.Shows(o); !ok {
		return nil
	}
	return o
}

// others is in how many other worlds each step is tried.
const others = 2

// try takes a trial if it shows the mechanism, each of its faults has struck, and it is seen
// in as many other worlds as the best so far.
func (s *shrinker) try(t Trial) bool { return s.tryWith(t, s.seen) }

// tryWith is try for a trial that must be seen in so many other worlds.
func (s *shrinker) tryWith(t Trial, least int) bool {
	o := s.shows(t)
	if o == nil || len(o.Struck) < len(t.Schedule) {
		return false
	}
	seen := s.elsewhere(t, others, least)
	if seen < least {
		return false
	}
	s.best, s.seen = o, seen
	return true
}

// elsewhere is in how many of so many other worlds a trial is seen; fewer once that is less
// than the least.
func (s *shrinker) elsewhere(t Trial, worlds, least int) (seen int) {
	for n := 1; n <= worlds && seen+worlds-n+1 >= least; n++ {
		if other := s.play(t.elsewhere(n)); other != nil && s.mechanism.recurs(other) {
			seen++
		}
	}
	return seen
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
