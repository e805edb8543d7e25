package sweep

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/pflag"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/runs"
	"locktorture/workloads"
)

// A Spec is what the flags of a sweep say.
type Spec struct {
	run        runs.Spec // what is the same for all TTLs
	TTLs       []time.Duration
	Pause      string // how often a section is stopped, and for how long
	DeathEvery time.Duration
	Out        string
	JSON       bool
	Quiet      bool
}

// NewSpec returns a spec in which everything that a sweep has no flag for has the default of a run.
func NewSpec(commit string) *Spec {
	s := &Spec{}
	s.run.Register(pflag.NewFlagSet("run", pflag.ContinueOnError))
	s.run.Quiet, s.run.Commit = true, commit
	return s
}

// Register adds the flags.
func (s *Spec) Register(f *pflag.FlagSet) {
	f.StringVar(&s.run.Backend, "backend", "redis-set", "`name` of the lock to measure (torture list backends)")
	f.StringVar(&s.run.Driver, "driver", "", "`command` that starts the driver of a lock of your own; needs --topology")
	f.StringToStringVar(&s.run.Options, "option", nil, "option of a driver, `NAME=VALUE`; may be repeated")
	f.StringVar(&s.run.Topology, "topology", "", "with --driver: `name` of the topology")
	f.DurationSliceVar(&s.TTLs, "ttl", []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second}, "`TTLs` to try, comma separated")
	f.DurationVar(&s.run.Duration, "duration", 55*time.Second, "length of the phase with faults, for each TTL")
	f.StringVar(&s.Pause, "pause", "1/1000:lognormal:300ms,5s", "`stops` (pauses) of clients in production: 1/1000:lognormal:300ms,5s means that one section in a thousand is paused, "+
		"for a median of 300 ms and a 99th percentile of 5 s; the time can have any form of --hold")
	f.DurationVar(&s.DeathEvery, "death-every", time.Hour, "time between two deaths of holders in production")
	f.StringVar(&s.run.Hold, "hold", runs.UsualHold, "`time` of the work in a section: 2ms, 1ms-5ms, exp:2ms (mean) or lognormal:2ms,50ms (median and 99th percentile)")
	f.StringVar(&s.run.LongHold, "long-hold", workloads.NoLongHold, "`sections` with longer holds: 1/100:800ms means that one section in a hundred holds the lock for 800 ms more")
	f.StringVar(&s.run.Workloads, "workload", "counter", "`name` of the workload, which is the work that holders of the lock do (torture list workloads)")
	f.IntVar(&s.run.Clients, "clients", 5, "number of clients, each a process of its own")
	f.Uint64Var(&s.run.FirstSeed, "seed", 1, "number that determines the work, the pauses and the deaths")
	s.run.ServerSpec.Register(f)
	s.run.LedgerSpec.Register(f)
	f.StringVar(&s.Out, "out", "", "`directory` for sweep.json, sweep.txt, sweep.html (the chart) and the runs (default: results/sweep/<time>-<backend>)")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object (docs/files.md)")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
}

// A plan is the sweep that the flags ask for.
type plan struct {
	Spec
	lock   registry.Backend
	ttls   []time.Duration // from the shortest to the longest, each once
	faults Faults
	rates  Rates
	out    string
}

// plan parses the flags, and refuses those that no sweep can have.
func (s Spec) plan(known map[string]registry.Backend) (p plan, err error) {
	b, err := s.run.Lookup(known)
	if err != nil {
		return p, err
	}
	if len(s.TTLs) == 0 {
		return p, exit.Usage("--ttl: at least one TTL is needed")
	}
	if s.DeathEvery <= 0 {
		return p, exit.Usage("--death-every %s: must be positive", s.DeathEvery)
	}
	every, stops, err := workloads.ParseLongHold(s.Pause, 0)
	if err != nil || every == 0 || strings.Contains(s.Pause, "ttl") {
		return p, exit.Usage("--pause %q: must be a share of the sections and a duration, like 1/1000:lognormal:300ms,5s", s.Pause)
	}
	p = plan{
		Spec: s, lock: b, ttls: slices.Compact(slices.Sorted(slices.Values(s.TTLs))), out: s.Out,
		faults: Faults{Stops: stops, Seed: s.run.FirstSeed, Clients: s.run.Clients},
		rates:  Rates{StopEvery: every, DeathEvery: s.DeathEvery},
	}
	if p.out == "" {
		p.out = filepath.Join("results", "sweep", time.Now().Format("20060102-150405")+"-"+s.run.Name())
	}
	return p, p.check()
}

// check refuses a sweep for which the lock, the servers or the time have no room.
func (p plan) check() error {
	for _, ttl := range p.ttls {
		if _, err := p.one(ttl, "").Validate(p.lock, []string{p.run.Workloads}); err != nil {
			return err
		}
	}
	if p.lock.Driver == nil && p.lock.Traits.LeastTTL == 0 {
		return exit.Usage("--backend %s: its leases have no TTL", p.run.Name())
	}
	if p.run.Cluster == registry.Theirs {
		return exit.Usage("--cluster %s: a sweep starts servers of its own", registry.Theirs)
	}
	if err := p.faults.Check(p.run.Duration, slices.Max(p.ttls)); err != nil {
		return exit.Usage("--duration %v", err)
	}
	return nil
}

// report returns the report of a sweep that has not begun.
func (p plan) report() Report {
	return Report{
		Started: time.Now(), Commit: p.run.Commit, Backend: p.run.Name(), Command: p.again(), Clients: p.run.Clients,
		Duration: p.run.Duration, Hold: p.run.Hold, LongHold: p.run.LongHold, Stops: p.faults.Stops.String(),
		Rates: p.rates, Renews: p.lock.Traits.Renews,
	}
}

// again returns the command line of the sweep.
func (p plan) again() string {
	var ttls []string
	for _, ttl := range p.ttls {
		ttls = append(ttls, Short(ttl))
	}
	words := append([]string{"torture", "sweep"}, p.run.LockSpec.Words()...)
	words = append(words, "--ttl", strings.Join(ttls, ","), "--duration", Short(p.run.Duration), "--pause", p.Pause,
		"--death-every", Short(p.DeathEvery), "--hold", p.run.Hold, "--long-hold", p.run.LongHold)
	return shellquote.Join(words...)
}
