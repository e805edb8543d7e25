package search

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
)

// perWorld is the number of trials in each world. They follow a run without faults, which yields
// the points at which faults can strike.
const perWorld = 5

// RunsOf returns the number of runs that a search makes for a number of trials.
func RunsOf(trials int) int { return trials + (trials+perWorld-1)/perWorld }

// A batch plays the trials of one world, in order.
type batch struct {
	cfg   *Config
	arena *Arena
	first int // number of its first trial, from 1
	last  int
	tell  func(*Outcome, States)

	trial Trial // the trial without faults
	kinds []schedule.Kind
	// spots holds all points of the run without faults, and messages only the points at
	// messages.
	messages, spots *spots
	leases          []*lease
	after           time.Duration // time that the load needs after the last fault
	seen            States
	corpus          []schedule.Schedule // schedules that showed a new state
}

// play plays the batch until a trial shows an anomaly; nil if none does.
func (b *batch) play(ctx context.Context) (*Finding, error) {
	b.trial, b.seen = Trial{Order: b.cfg.Order}, States{}
	r := b.random(0)
	b.trial.Order.Seed += uint64((b.first - 1) / perWorld)
	b.trial.Order.Clients = clients(r, b.cfg.Order.Clients)
	if len(b.cfg.Loads) > 0 {
		l := b.load()
		b.trial.Order.Hold, b.trial.Order.Think = l.Hold, l.Think
		b.trial.Order.Wait = cmp.Or(b.trial.Order.Wait, l.wait)
		b.trial.Order.Duration, b.after = max(b.trial.Order.Duration, l.lasts), l.after
	}
	b.kinds = some(r, b.cfg.Kinds)
	dry, err := b.arena.Play(ctx, b.trial)
	if err != nil {
		return nil, err
	}
	shown := StatesOf(dry.History)
	b.seen.Add(shown)
	b.tell(dry, shown)
	b.messages, b.spots = spotsOf(dry.Run.Points, messages), spotsOf(dry.Run.Points, anywhere)
	if b.leases, err = leasesOf(dry.History, dry.Run.Points); err != nil {
		return nil, err
	}
	if f := b.finding(dry, b.first); f != nil {
		return f, nil
	}
	for n := b.first; n <= b.last && ctx.Err() == nil; n++ {
		t := b.trial
		t.Schedule, t.Order.Duration = b.draw(n)
		out, err := b.arena.Play(ctx, t)
		if err != nil {
			return nil, err
		}
		shown := StatesOf(out.History)
		if b.seen.Add(shown) > 0 && len(out.Struck) > 0 {
			b.corpus = append(b.corpus, out.Struck)
		}
		b.tell(out, shown)
		if f := b.finding(out, n); f != nil {
			return f, nil
		}
	}
	return nil, nil
}

// load returns the load of the world. Each load occurs once in every len(all) successive worlds, in
// random order.
func (b *batch) load() Load {
	all := loadsFor(b.cfg.Loads, broken(b.cfg.Find))
	n, world := len(all), (b.first-1)/perWorld
	r := rand.New(rand.NewPCG(b.cfg.Order.Seed, uint64(world/n)<<32|2))
	return all[r.Perm(n)[world%n]]
}

// clients returns 2 for two of three worlds. Two clients suffice for most anomalies, and a smaller
// world runs faster.
func clients(r *rand.Rand, most int) int {
	if most > 2 && r.IntN(3) > 0 {
		return 2
	}
	return most
}

// random returns the random source of a trial; number 0 stands for the batch.
func (b *batch) random(number int) *rand.Rand {
	if number == 0 {
		return rand.New(rand.NewPCG(b.cfg.Order.Seed, uint64(b.first)<<32))
	}
	return rand.New(rand.NewPCG(b.cfg.Order.Seed, uint64(number)))
}

// draw draws the schedule of a trial and the length of its phase with faults. The phase ends soon
// after the last fault, because the rest of the run would equal a run without faults.
func (b *batch) draw(number int) (schedule.Schedule, time.Duration) {
	r := b.random(number)
	d := drawer{
		r: r, order: b.trial.Order, nodes: b.arena.lock.Nodes, by: strategyOf(b.cfg.Strategy, r), kinds: b.cfg.Kinds,
		messages: b.messages, all: b.spots, leases: b.leases, deck: deck{b.cfg.Order.Seed, movesOf(b.cfg.Kinds, broken(b.cfg.Find), b.trial.Order.Cluster() != "")}, number: number, watched: b.arena.lock.Traits.Watched,
		keeps: b.trial.Order.Cluster() != "", sessions: b.arena.lock.Traits.Validity == "session",
	}
	if d.by.lease && len(b.leases) == 0 { // latches have none
		d.by = strategies()["class"]
	}
	if len(b.messages.all) == 0 { // without points at messages, some moves have no points at all
		d.deck.moves = slices.DeleteFunc(d.deck.moves, func(m move) bool { return len(d.deck.cells(m, b.leases)) == 0 })
	}
	if d.by.swarm {
		d.kinds = b.kinds
	}
	whole := b.trial.Order.Duration
	if d.by.novelty && len(b.corpus) > 0 && r.IntN(3) > 0 {
		return d.vary(slices.Clone(oneOf(r, b.corpus))), whole
	}
	s := d.draw()
	return s, min(whole, time.Duration(d.ends).Truncate(time.Millisecond)+max(b.after, b.trial.Order.TTL/2))
}

// finding returns the finding that an outcome shows, or nil.
func (b *batch) finding(o *Outcome, number int) *Finding {
	all := Accused(o.Result, b.cfg.Find)
	if len(all) == 0 {
		return nil
	}
	return &Finding{Number: number, Outcome: o, Mechanism: MechanismOf(o, all[0])}
}
