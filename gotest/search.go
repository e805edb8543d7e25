//go:build !wasip1 && !simulated

package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/explore"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/search"
)

// atOnce is the number of parallel trials. It does not change the trials.
const atOnce = 2

// cutRuns bounds the runs that reduce a finding, and otherWorlds the runs in worlds with other
// latencies.
const (
	cutRuns     = 48
	otherWorlds = 5
)

// Search plays the lock that Main serves in virtual time, each time with one to three drawn faults,
// until the lock breaks a guarantee, and reduces the finding. An error reports that the simulator
// failed, that the package cannot be compiled for wasip1, that the lock did nothing, or that ctx
// ended before the search did. The Exploration has the faults of the lock.
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
	defer func() { err = errors.Join(err, l.Close()) }()
	e.Servers, e.Kinds = l.Arenas[0].Why, cfg.Kinds
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

// works plays a world without faults, and returns an error if no client is granted the lock
// there. A search would find no fault in a lock that does nothing.
func (l *lab) works(ctx context.Context, e *Exploration) error {
	o, err := l.play(ctx, search.Trial{Order: l.order}, e)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("gotest: a run without faults did not end: %w", context.Cause(ctx))
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
		why += "\nnothing was sent to the servers: in a simulation only driver.Open.Dial makes connections, as in " + l.cfg.dialing()
	}
	return fmt.Errorf("gotest: %s", why)
}

// dialing returns the option that makes a client of the servers use driver.Open.Dial.
func (c Config) dialing() string {
	if c.onEtcd() {
		return `clientv3.Config{Endpoints: o.Endpoints, DialOptions: []grpc.DialOption{grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) { return o.Dial(ctx, "tcp", addr) })}}`
	}
	return "redis.Options{Addr: o.Endpoints[0], Dialer: o.Dial}"
}

func (l *lab) play(ctx context.Context, t search.Trial, e *Exploration) (*search.Outcome, error) {
	o, err := l.Play(ctx, t)
	if err == nil {
		e.Virtual += o.Run.Virtual
	}
	return o, err
}

// steady reports whether a finding depends little on luck: at least four worlds in five show
// it.
func steady(f *explore.Finding) bool { return 5*f.Seen >= 4*f.Worlds }

// mostFindings bounds the findings that are examined until one is steady.
const mostFindings = 6

// search looks for a finding and reduces it. A finding that few other worlds show will rarely occur
// on real servers, so search continues with the remaining trials for a steadier one.
func (l *lab) search(ctx context.Context, e *Exploration) error {
	var best *explore.Finding
	for n, after := 0, 0; n < mostFindings && (best == nil || !steady(best)); n++ {
		f, err := l.find(ctx, e, after)
		if err != nil && best == nil {
			return err
		}
		if f == nil || err != nil {
			break
		}
		if after = f.Number; best == nil || f.Seen > best.Seen {
			best = f
		}
	}
	if best == nil {
		return nil
	}
	if err := l.Explain(ctx, best); err != nil {
		return hinted(err)
	}
	e.Found = found(best)
	return l.keep(ctx, best, e.Found)
}

// find searches the worlds after this number of trials. It returns nil if it finds no anomaly.
func (l *lab) find(ctx context.Context, e *Exploration, after int) (*explore.Finding, error) {
	first, tally, err := search.Run(ctx, search.Config{
		Order: l.order, Find: l.cfg.Find, Strategy: search.Usual, Kinds: l.kinds(), Trials: l.cfg.Trials, After: after, Budget: l.cfg.Budget, Arenas: l.Arenas,
		Tell: func(t search.Tally) { l.at("%d of %d trials were played", after+t.Trials, l.cfg.Trials) },
	})
	e.Trials, e.Virtual = e.Trials+tally.Trials, e.Virtual+tally.Virtual
	switch {
	case err != nil:
		return nil, hinted(err)
	case first == nil && ctx.Err() != nil:
		return nil, fmt.Errorf("gotest: %d of %d trials were played: %w", e.Trials, l.cfg.Trials, context.Cause(ctx))
	case first == nil:
		return nil, nil
	}
	l.at("something was found; it is being reduced")
	f, loads := explore.Found(first), search.Loads(search.Load{Hold: l.order.Hold, Think: l.order.Think}, l.order.TTL)
	if _, err := l.Shrink(ctx, f, cutRuns, loads); err != nil {
		return nil, hinted(err)
	}
	if err := l.TryOthers(ctx, f, otherWorlds); err != nil {
		return nil, hinted(err)
	}
	return f, nil
}

func (l *lab) kinds() (all []schedule.Kind) {
	for _, k := range l.cfg.Kinds {
		all = append(all, schedule.Kind(k))
	}
	return all
}

// found returns a finding in the form for the user.
func found(f *explore.Finding) *Found {
	t := f.Trial
	return &Found{
		Trial: f.Number, Mechanism: f.Mechanism.String(), Result: f.Result, Runs: f.Runs, Seen: f.Seen, Others: f.Worlds,
		Replay: replayOf(t),
	}
}

// replayOf returns the replay of a trial.
func replayOf(t search.Trial) Replay {
	o := t.Order
	r := Replay{Clients: o.Clients, Duration: o.Duration, Seed: o.Seed, Schedule: t.Schedule.String()}
	if o.Hold != usualHold {
		r.Hold = o.Hold
	}
	if o.Think != usualThink {
		r.Think = o.Think
	}
	return r
}

// again plays a schedule.
func (l *lab) again(ctx context.Context, faults schedule.Schedule, e *Exploration) error {
	o, err := l.play(ctx, search.Trial{Order: l.order, Schedule: faults}, e)
	if err != nil {
		return hinted(err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("gotest: the run did not end: %w", context.Cause(ctx))
	}
	if e.Trials = 1; len(o.Struck) < len(faults) {
		text := "gotest: the schedule no longer fits the lock"
		for _, s := range o.Run.Struck {
			switch {
			case s.At < 0 && s.Why == "":
				text += fmt.Sprintf("\n\t%v: its point never came", s.Decision)
			case s.Why != "":
				text += fmt.Sprintf("\n\t%v: it had no target: %s", s.Decision, s.Why)
			}
		}
		return errors.New(text)
	}
	f := explore.Given(o, l.cfg.Find)
	if f == nil {
		return nil
	}
	e.Found = found(f)
	return l.keep(ctx, f, e.Found)
}

// judge returns the invariant of all runs in virtual time.
func judge() checker.Invariant { return invariant.Counter{} }
