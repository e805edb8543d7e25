//go:build !wasip1 && !simulated

package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/search"
)

// atOnce is how many trials are played at once. It changes none.
const atOnce = 2

// cutRuns and otherWorlds bound the runs by which a finding is cut down, and tried in worlds
// with other latencies.
const (
	cutRuns     = 48
	otherWorlds = 5
)

// Search plays the lock that Main serves in virtual time, each time with one to three faults
// that are drawn, until it breaks its promise, and cuts down what it has found. An error means
// that the simulator failed, that the package cannot be compiled for wasip1, that the lock did
// nothing, or that ctx ended before; what is wrong with the lock stands in the Exploration.
func Search(ctx context.Context, cfg Config) (e Exploration, err error) {
	if os.Getenv(asDriver) != "" {
		return e, errors.New("gotest: this is the process of a client; call Main in TestMain")
	}
	cfg, err = cfg.simulated()
	if err != nil {
		return e, err
	}
	faults, err := schedule.Parse(cfg.Schedule)
	if err != nil {
		return e, fmt.Errorf("gotest: Schedule: %w", err)
	}
	p := newProgress(os.Stderr, sayEvery)
	defer p.end()
	l, err := openLab(ctx, cfg, p.at)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	e.Servers, e.Kinds = l.arenas[0].Why, cfg.Kinds
	if err := l.works(ctx, &e); err != nil {
		return e, err
	}
	if err := l.learn(ctx, &e); err != nil {
		return e, err
	}
	if cfg.Schedule != "" {
		return e, l.again(ctx, faults, &e)
	}
	return e, l.search(ctx, &e)
}

// works plays a world without faults: a lock that does nothing there would be accused of
// nothing.
func (l *lab) works(ctx context.Context, e *Exploration) error {
	o, err := l.play(ctx, search.Trial{Order: l.order}, e)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("gotest: a run without faults was not over: %w", context.Cause(ctx))
	case err != nil:
		return hinted(err)
	case o.Result.Counts.Grants > 0:
		return nil
	}
	why := "no client was granted the lock in a run without faults"
	for _, op := range o.History {
		if op.Error != "" {
			why += fmt.Sprintf("; the first error of c%d: %s", op.Client, op.Error)
			break
		}
	}
	if o.Run.Messages == 0 {
		why += "\nnothing was sent to the servers: in a simulation connections are made by driver.Open.Dial alone, as in redis.Options{Addr: o.Endpoints[0], Dialer: o.Dial}"
	}
	return fmt.Errorf("gotest: %s", why)
}

func (l *lab) play(ctx context.Context, t search.Trial, e *Exploration) (*search.Outcome, error) {
	o, err := l.arenas[0].Play(ctx, t)
	if err == nil {
		e.Virtual += o.Run.Virtual
	}
	return o, err
}

// A candidate is what a search found, cut down and tried in other worlds.
type candidate struct {
	number int // of its trial
	*search.Shrunk
	search.Robustness
}

// steady tells of a finding that hangs on little luck: four worlds in five show it.
func (c *candidate) steady() bool { return 5*c.Seen >= 4*c.Worlds }

// mostFindings is how many findings are looked at for one that is steady.
const mostFindings = 3

// search looks for something, and cuts it down. What few other worlds show will rarely be seen on
// real servers, so it goes on with the trials that are left for a finding that more of them show.
func (l *lab) search(ctx context.Context, e *Exploration) error {
	var best *candidate
	for n, after := 0, 0; n < mostFindings && (best == nil || !best.steady()); n++ {
		c, err := l.find(ctx, e, after)
		if err != nil && best == nil {
			return err
		}
		if c == nil || err != nil {
			break
		}
		if after = c.number; best == nil || c.Seen > best.Seen {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	f := l.found(best.Outcome, best.Mechanism.String())
	f.Trial, f.Runs, f.Seen, f.Others = best.number, best.Runs, best.Seen, best.Worlds
	e.Found = f
	if err := l.causes(ctx, best.Shrunk, f); err != nil {
		return err
	}
	return l.keep(ctx, best.Outcome, f)
}

// find searches the worlds after so many trials; nil: nothing was found there.
func (l *lab) find(ctx context.Context, e *Exploration, after int) (*candidate, error) {
	found, tally, err := search.Run(ctx, search.Config{
		Order: l.order, Find: l.cfg.Find, Strategy: search.Usual, Kinds: l.kinds(), Trials: l.cfg.Trials, After: after, Budget: l.cfg.Budget, Arenas: l.arenas,
		Tell: func(t search.Tally) { l.at("%d of %d trials were played", after+t.Trials, l.cfg.Trials) },
	})
	e.Trials, e.Virtual = e.Trials+tally.Trials, e.Virtual+tally.Virtual
	switch {
	case err != nil:
		return nil, hinted(err)
	case found == nil && ctx.Err() != nil:
		return nil, fmt.Errorf("gotest: %d of %d trials were played: %w", e.Trials, l.cfg.Trials, context.Cause(ctx))
	case found == nil:
		return nil, nil
	}
	l.at("something was found, and is cut down")
	small, err := search.Shrink(ctx, l.arenas[0], search.Trial{Order: found.Trial.Order, Schedule: found.Struck}, found.Mechanism, cutRuns, nil)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, hinted(err)
	case err != nil: // there was no time to cut it down
		small = &search.Shrunk{Outcome: found.Outcome, Mechanism: found.Mechanism}
	}
	c := &candidate{number: found.Number, Shrunk: small}
	c.Robustness, err = search.Robust(ctx, l.arenas[0], small.Trial, small.Mechanism, otherWorlds)
	if err != nil && ctx.Err() == nil {
		return nil, hinted(err)
	}
	return c, nil
}

func (l *lab) kinds() (all []schedule.Kind) {
	for _, k := range l.cfg.Kinds {
		all = append(all, schedule.Kind(k))
	}
	return all
}

// found is what an outcome shows.
func (l *lab) found(o *search.Outcome, mechanism string) *Found {
	t := o.Trial
	return &Found{
		Mechanism: mechanism, Result: o.Result,
		Replay: Replay{Clients: t.Order.Clients, Duration: t.Order.Duration, Seed: t.Order.Seed, Schedule: t.Schedule.String()},
	}
}

// causes tells what each fault has to do with it, as far as there is time.
func (l *lab) causes(ctx context.Context, small *search.Shrunk, f *Found) error {
	all, err := search.Causes(ctx, l.arenas[0], small)
	if err != nil && ctx.Err() == nil {
		return hinted(err)
	}
	f.Cause = search.Why(small.Trial, all, search.Robustness{Worlds: f.Others, Seen: f.Seen})
	return nil
}

// again plays a schedule.
func (l *lab) again(ctx context.Context, faults schedule.Schedule, e *Exploration) error {
	o, err := l.play(ctx, search.Trial{Order: l.order, Schedule: faults}, e)
	if err != nil {
		return hinted(err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("gotest: the run was not over: %w", context.Cause(ctx))
	}
	if e.Trials = 1; len(o.Struck) < len(faults) {
		text := "gotest: the schedule does not fit the lock any more"
		for _, s := range o.Run.Struck {
			switch {
			case s.At < 0 && s.Why == "":
				text += fmt.Sprintf("\n\t%v: its point did not come", s.Decision)
			case s.Why != "":
				text += fmt.Sprintf("\n\t%v: it struck nobody: %s", s.Decision, s.Why)
			}
		}
		return errors.New(text)
	}
	all := search.Accused(o.Result, l.cfg.Find)
	if len(all) == 0 {
		return nil
	}
	e.Found = l.found(o, search.MechanismOf(o, all[0]).String())
	e.Found.Cause = search.Why(o.Trial, nil, search.Robustness{})
	return l.keep(ctx, o, e.Found)
}

// judge is the invariant of all runs in virtual time.
func judge() checker.Invariant { return invariant.Counter{} }
