//go:build !wasip1 && !simulated

package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/explore"
	"locktorture/explore/kept"
	"locktorture/internal/suggest"
	"locktorture/locks"
	"locktorture/nemesis/points/schedule"
	"locktorture/report"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// A lab plays the trials of the lock of this test.
type lab struct {
	*explore.Lab
	cfg   Config
	order inside.Order
	at    func(format string, args ...any) // receives the progress of the lab
}

// The defaults of a simulation.
const (
	usualTTL    = 500 * time.Millisecond
	ttlOnEtcd   = time.Second // etcd has no shorter leases
	usualTrials = 100
	usualHold   = "50ms" // time that a section holds the lock
	usualThink  = "20ms"
)

// topologies returns the topologies of a simulation, with their servers.
func topologies() map[string]inside.Own {
	return map[string]inside.Own{"redis": {Nodes: 1}, "redis-5": {Nodes: 5}, "etcd-3": {Nodes: 3, Server: inside.Etcd}}
}

// onEtcd reports whether the servers of a simulation are a cluster of etcd.
func (c Config) onEtcd() bool { return topologies()[c.Topology].Server == inside.Etcd }

// possible returns the kinds of faults that the servers can have. etcd's leases use monotonic clocks.
func (c Config) possible() []schedule.Kind {
	if c.onEtcd() {
		return slices.DeleteFunc(schedule.Kinds(), func(k schedule.Kind) bool { return k == schedule.Clock })
	}
	return schedule.OnSingle()
}

// simulated returns the configuration of a search, or the reason why there can be none.
func (c Config) simulated() (Config, error) {
	for _, field := range []struct {
		name  string
		given bool
	}{
		{"Servers", c.Servers != nil}, {"Endpoints", c.Endpoints != nil}, {"Nemeses", c.Nemeses != nil},
		{"Workload", c.Workload != nil}, {"Invariant", c.Invariant != nil}, {"Stderr", c.Stderr != nil},
	} {
		if field.given {
			return c, fmt.Errorf("gotest: Config.%s is not possible in a simulation, which has its own servers, faults and work", field.name)
		}
	}
	for _, kind := range c.Find {
		if !slices.Contains(checker.Kinds(), kind) {
			return c, fmt.Errorf("gotest: Config.Find: %w", suggest.Among(kind, checker.Kinds()))
		}
	}
	if c.Topology = cmp.Or(c.Topology, "redis"); topologies()[c.Topology].Nodes == 0 {
		return c, fmt.Errorf("gotest: Config.Topology %s cannot be simulated: only %s can", c.Topology, strings.Join(slices.Sorted(maps.Keys(topologies())), ", "))
	}
	for _, kind := range c.Kinds {
		if !slices.Contains(c.possible(), schedule.Kind(kind)) {
			return c, fmt.Errorf("gotest: Config.Kinds on %s: %w", c.Topology, suggest.Among(kind, kindNames(c.possible())))
		}
	}
	if len(c.Kinds) == 0 {
		c.Kinds = kindNames(slices.DeleteFunc(c.possible(), func(k schedule.Kind) bool {
			return k == schedule.Clock || k == schedule.Skew || k == schedule.Restart || schedule.Forms()[k].Asked
		}))
	}
	usual := usualTTL
	if c.onEtcd() {
		usual = ttlOnEtcd
	}
	c.TTL = cmp.Or(c.TTL, max(usual, c.Traits.LeastTTL))
	c.Duration = cmp.Or(c.Duration, 3*c.TTL)
	c.Clients = cmp.Or(c.Clients, 3)
	c.Trials = cmp.Or(c.Trials, usualTrials)
	if c.TTL < c.Traits.LeastTTL || c.Duration < 0 || c.Clients < 0 || c.Trials < 0 || c.Budget < 0 {
		return c, errors.New("gotest: Config: TTL must be at least Traits.LeastTTL, and times and numbers must not be negative")
	}
	c.Traits.Model = model(c.Traits)
	return c, nil
}

func kindNames(kinds []schedule.Kind) (names []string) {
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}

// orderOf returns a world without faults.
func (c Config) orderOf(name string) inside.Order {
	own := topologies()[c.Topology]
	own.Traits = c.Traits
	return inside.Order{
		Backend: name, Own: &own, Options: c.Options,
		Workload: ours, Locks: []string{ours}, Hold: cmp.Or(c.Hold, usualHold), Think: cmp.Or(c.Think, usualThink),
		Clients: c.Clients, TTL: c.TTL, Duration: c.Duration, Seed: c.Seed, Careful: true,
		FreeWithin: trial.FreeWithin(0, c.Traits, c.TTL),
	}
}

// openLab compiles the programs, and starts servers.
func openLab(ctx context.Context, cfg Config, at func(format string, args ...any)) (l *lab, err error) {
	if k, ok := locks.KindOf(cfg.Traits.Kind); ok && !k.Alone {
		return nil, fmt.Errorf("gotest: Config.Traits: a %s cannot be explored: the counter needs a lock that one client can hold alone", k.Name)
	}
	l = &lab{cfg: cfg, order: cfg.orderOf(called()), at: at}
	if _, err := l.order.Lock(); err != nil {
		return nil, fmt.Errorf("gotest: Config.Traits: %w", err)
	}
	guests, err := load(ctx, topologies()[cfg.Topology].Server, at)
	if err != nil {
		return nil, err
	}
	n := atOnce
	if cfg.Schedule != "" {
		n = 1
	}
	if l.Lab, err = explore.Open(ctx, guests, l.order, judge(), n); err != nil {
		return nil, fmt.Errorf("gotest: %w", err)
	}
	return l, nil
}

// learn finds the representation of the holder on the servers, so that they can be probed.
func (l *lab) learn(ctx context.Context, e *Exploration) error {
	o := l.order // the same world for each search and each replay
	o.Clients, o.Duration, o.Seed = 2, 3*o.TTL, 1
	look, why, err := l.Arenas[0].Learn(ctx, o)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("gotest: a run without faults did not end: %w", context.Cause(ctx))
	case err != nil:
		return hinted(err)
	}
	l.order.Own.Look = look
	on, err := l.order.Lock()
	if e.Unseen = on.Unseen(); e.Unseen != "" {
		e.Unseen += ": " + why
	}
	return err
}

// keep plays a finding once more as a run with a directory, unless Config.Dir is "". It stores
// the cause, the votes and the path of the report in f.
func (l *lab) keep(ctx context.Context, found *explore.Finding, f *Found) error {
	f.Cause = found.Why()
	if l.cfg.Dir == "" {
		return nil
	}
	order := found.Trial.Order
	k, err := l.Keep(ctx, found, explore.Record{
		Config: trial.Config{
			Base: l.cfg.Dir, Called: l.order.Backend, Invariant: judge(), FreeWithin: l.order.FreeWithin,
			Options: checker.Options{Workload: ours, MinGrants: 1, Timeout: checkTimeout, Memory: checkMemory},
			Label: func(r *report.Run, _ trial.Setting) {
				r.Backend, r.Flags = l.order.Backend, flagsOf(order)
				if l.cfg.test != "" {
					r.Reproduce = f.Replay.command(l.cfg.test)
				}
			},
		},
		Find: l.cfg.Find, Beside: func(d *trial.Dir) error { return l.lock(order).Keep(d.Path) },
	})
	if err != nil {
		return fmt.Errorf("gotest: %w", err)
	}
	f.Votes, f.Cause, f.Report = k.Votes, k.Why, k.Dir.File("report.html")
	return nil
}

// lock returns the lock of this test, as torture plays it.
func (l *lab) lock(o inside.Order) kept.Lock {
	here, _ := os.Getwd() // without it, a replay reports missing sources
	return kept.Lock{Order: o, Folder: here, Flags: tags(), Test: l.cfg.test}
}

// flagsOf returns the flags of torture run for settings that run.json does not contain.
func flagsOf(o inside.Order) []report.Flag {
	return []report.Flag{
		{Name: "hold", Value: o.Hold}, {Name: "think", Value: o.Think},
		{Name: "free-within", Value: o.FreeWithin.String()}, {Name: "min-grants", Value: "1"},
	}
}

// hinted adds a hint for the author of a lock to an error of the simulator.
func hinted(err error) error {
	if errors.Is(err, server.ErrRefused) {
		return fmt.Errorf("gotest: the run in virtual time failed: %w\n(commands that wait, streams and pub/sub need a redis-server; docs/explore.md says what is refused; Check tries the lock on real servers)", err)
	}
	if errors.Is(err, simulate.ErrCall) {
		return fmt.Errorf("gotest: the run in virtual time failed: %w\n(docs/explore.md says what a simulation offers a lock; Check tries the lock on real servers)", err)
	}
	return fmt.Errorf("gotest: the run in virtual time failed: %w\n(does TestMain call gotest.Main before all else? In a simulation a lock has no files and no processes, and only connections from driver.Open.Dial)", err)
}
