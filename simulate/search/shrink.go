package search

import (
	"context"
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/nemesis/points/schedule"
)

// A Shrunk is a finding after shrinking.
type Shrunk struct {
	*Outcome
	Mechanism Mechanism       // may name another fault than before, if that fault was not needed
	Anomaly   checker.Anomaly // first anomaly with this mechanism
	Runs      int             // number of runs for shrinking
	Enough    bool            // all steps were tried; false: the limit of runs ended the shrinking
}

// DefaultRuns bounds the runs of Shrink.
const DefaultRuns = 60

// A Player plays trials and judges them. Arena is one.
type Player interface {
	Play(ctx context.Context, t Trial) (*Outcome, error)
}

// Shrink reduces a finding: fewer faults, fewer clients, a shorter run, fewer target servers,
// earlier points, shorter and rounder times. Each step is a run that must show the same mechanism,
// and must occur in as many other worlds (others) as before. Shrink uses at most the given number
// of runs and keeps a sixth for the last steps. It may try other loads for a finding that depends
// on timing.
func Shrink(ctx context.Context, p Player, t Trial, m Mechanism, runs int, loads []Load) (*Shrunk, error) {
	last := runs / 6
	s := newShrinker(ctx, p, m, runs-last)
	s.loads = loads
	if !s.try(t) {
		if s.err != nil {
			return nil, s.err
		}
		return nil, fmt.Errorf("seed %d: a replay does not reproduce the %v", t.Order.Seed, m)
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
	s.fewer() // a fault that was needed before may not be needed any more
	s.shorterRun()
	s.steadier(10)
	s.steadiest()
	enough := s.left > 0
	s.left += last
	s.round()
	s.fewer() // runs were lacking before, or times have changed
	if s.err != nil {
		return nil, s.err
	}
	found, _ := s.mechanism.Shows(s.best)
	return &Shrunk{Outcome: s.best, Mechanism: s.mechanism, Anomaly: found, Runs: runs - s.left, Enough: enough}, ctx.Err()
}

// A shrinker reduces a trial step by step.
type shrinker struct {
	ctx       context.Context
	player    Player
	mechanism Mechanism
	left      int // number of runs left
	loads     []Load
	err       error
	best      *Outcome
	seen      int                 // number of other worlds in which the best trial shows the anomaly
	known     map[string]*Outcome // outcomes by order and schedule
}

func newShrinker(ctx context.Context, p Player, m Mechanism, runs int) *shrinker {
	return &shrinker{ctx: ctx, player: p, left: runs, mechanism: m, known: map[string]*Outcome{}}
}

// play plays a trial, or returns the outcome of an equal one; nil if no runs are left.
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
	if s.ctx.Err() != nil { // the run was interrupted
		return nil
	}
	s.known[key] = o
	return o
}

// shows plays a trial and returns its outcome if it shows the mechanism, else nil.
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

// others is the number of other worlds in which each step is tried.
const others = 2

// try accepts a trial if it shows the mechanism, each of its faults struck, and it occurs in as
// many other worlds as the best trial so far.
func (s *shrinker) try(t Trial) bool { return s.tryWith(t, s.seen) }

// tryWith accepts a trial as try does, if it occurs in at least least other worlds.
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

// elsewhere returns the number of other worlds in which a trial shows the anomaly. It stops early
// once least is out of reach.
func (s *shrinker) elsewhere(t Trial, worlds, least int) (seen int) {
	for n := 1; n <= worlds && seen+worlds-n+1 >= least; n++ {
		if other := s.play(t.elsewhere(n)); other != nil && s.mechanism.recurs(other) {
			seen++
		}
	}
	return seen
}

// with returns the best trial so far with one changed decision.
func (s *shrinker) with(i int, change func(d *schedule.Decision)) Trial {
	t := s.best.Trial
	t.Schedule = slices.Clone(t.Schedule)
	d := &t.Schedule[i]
	d.Nodes = slices.Clone(d.Nodes)
	change(d)
	return t
}
