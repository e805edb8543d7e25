package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/nemesis"
	"locktorture/registry"
	"locktorture/report"
)

// An outcome is what one run came to.
type outcome struct {
	result checker.Result
	code   int
}

// runOnce does one run: servers, schedule, clients, verdict, report. Its error
// is one that left no verdict.
func runOnce(cmd *cobra.Command, s runSpec, expect checker.Expectation, named bool) (o outcome, err error) {
	ctx := cmd.Context()
	b, err := s.lookup()
	if err != nil {
		return o, err
	}
	dir, err := newRunDir(s.Dir, s.Backend, s.Seed)
	if err != nil {
		return o, broken(err)
	}
	defer func() {
		if err == nil {
			return
		}
		err = s.cleanError(err)
		switch discarded := dir.discard(); { // a run that never began leaves nothing
		case !discarded:
			err = keptIn(dir, err)
		case ctx.Err() != nil:
			err = exit.With(exitInterrupted, fmt.Errorf("interrupted before the run began: %w", err))
		}
	}()
	c, why, err := startCluster(ctx, &s, b, dir)
	if err != nil {
		return o, err
	}
	defer func() {
		if cerr := s.cleanError(c.Close()); cerr != nil && err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "torture: %v\n", cerr)
			o.code = exit.Worse(o.code, exitHarness)
		}
	}()
	if b.Driver != nil {
		if b, err = b.Learn(ctx, c, s.TTL); err != nil {
			return o, broken(err)
		}
		if err := s.settle(b.Traits); err != nil {
			return o, err
		}
	}
	b = b.Through(registry.Args{Access: s.access, Prefix: s.prefix})
	s.Store = cmp.Or(s.Store, registry.StoreOf(s.Workload))
	protected, err := s.OpenStore(ctx, s.Store, dir.file("store"))
	if err != nil {
		return o, servedNot(err, "--store "+s.Store)
	}
	defer func() {
		if cerr := protected.Close(); cerr != nil && err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "torture: %v\n", cerr)
			o.code = exit.Worse(o.code, exitHarness)
		}
	}()
	world := harness.WorldOf(c, s.Clients, s.TTL)
	kinds, leftOut, err := chooseNemeses(s, b, world, named)
	if err != nil {
		return o, err
	}

	work, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &prepared{stop: stop, spec: s, backend: b, cluster: c, dir: dir, world: world, kinds: kinds, meter: newMeter(cmd.ErrOrStderr(), s)}
	p.store = protected
	p.run = describe(p, why, leftOut)
	if protected.Version != "" {
		p.run.Versions = append(p.run.Versions, report.Version{Name: "store " + s.Store, Version: protected.Version})
	}
	if err := p.plan(); err != nil {
		return o, err
	}
	if err := p.open(); err != nil {
		return o, broken(err)
	}
	if !s.Quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s\n", startLine(p, why, leftOut))
	}
	failure := p.carryOut(work)
	o.result, err = judge(dir.path, p.run.Options)
	if err != nil {
		return o, broken(err)
	}
	o.code = exitCode(o.result, s.Expect, expect, failure, ctx.Err() != nil)
	p.run.Exit = o.code
	if failure != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: the harness failed: %v\n", s.cleanError(failure))
	}
	return o, show(cmd, p.run, o.result, dir, s, expect)
}

// exitCode turns a verdict into an exit code.
func exitCode(r checker.Result, expectText string, e checker.Expectation, failure error, interrupted bool) int {
	switch {
	case failure != nil || r.Harness:
		return exitHarness
	case interrupted:
		return exitInterrupted
	case expectText != "" && r.Grade != checker.Unknown:
		if e.Differs(r) != "" {
			return exitViolated
		}
		return exitOK
	case expectText != "" && r.BrokenBy == checker.TheLock && e.Unexpected(r) == "": // it may, but nobody knows whether the fence holds
		return exitUnknown
	case r.Grade == checker.Unsafe || r.Failed:
		return exitViolated
	case r.Grade == checker.Safe || r.Grade == checker.FencedG:
		return exitOK
	}
	return exitUnknown
}

// chooseNemeses picks the faults of the run. One that was named and is not possible here is
// the user's error; of all and of the default what is possible is taken, and what is not is said.
func chooseNemeses(s runSpec, b backend, w *nemesis.World, named bool) (map[string]nemesis.Nemesis, []string, error) {
	known := registry.Nemeses()
	wanted := s.Nemesis
	lenient := !named
	switch {
	case s.Schedule != "":
		return known, nil, nil
	case len(wanted) == 1 && wanted[0] == "none":
		return nil, nil, nil
	case slices.Contains(wanted, "all"):
		wanted, lenient = slices.Sorted(maps.Keys(known)), true
	}
	chosen := map[string]nemesis.Nemesis{}
	var leftOut []string
	for _, name := range wanted {
		n, ok := known[name]
		if !ok {
			return nil, nil, unknownName("nemesis", name, known)
		}
		why := n.Supports(w)
		if why == nil && s.InProcess && n.Traits().NeedsProcess {
			why = errors.New("the clients run in-process")
		}
		if spared, ok := b.Spared[name]; why == nil && lenient && ok {
			why = errors.New(spared)
		}
		if why == nil && n.Traits().MovesClientClock && b.HostTime {
			why = fmt.Errorf("%s asks the host for the time", s.Backend)
		}
		switch {
		case why == nil:
			chosen[name] = n
		case lenient:
			leftOut = append(leftOut, fmt.Sprintf("%s (%v)", name, why))
		default:
			return nil, nil, usage("--nemesis %s is not possible here: %v", name, why)
		}
	}
	return chosen, leftOut, nil
}

// A prepared run has everything but its outcome.
type prepared struct {
	spec    runSpec
	backend backend
	cluster *cluster.Cluster
	dir     *runDir
	store   *registry.OpenStore
	world   *nemesis.World
	kinds   map[string]nemesis.Nemesis
	run     report.Run
	meter   *meter
	stop    context.CancelCauseFunc // ends the run early, in order

	recorder *recording
	harness  *harness.Run
	steps    []nemesis.Step
	close    func() error // of what open opened
}

// open opens the history and the harness.
func (p *prepared) open() error {
	var alarm func()
	if p.spec.StopOnViolation {
		alarm = func() { p.stop(harness.Early("stopped at the first violation")) }
	}
	rec, err := openRecording(p.dir, p.run.Options.Model, alarm)
	if err != nil {
		return err
	}
	p.recorder = rec
	limit, err := historyLimit(p.spec.HistoryLimit, p.dir.path)
	if err != nil {
		return err
	}
	rec.limit(limit, func() {
		p.meter.say(fmt.Sprintf("the history has reached its limit of %.1f MB (--history-limit): the run ends here", float64(limit)/(1<<20)))
		p.stop(harness.Early("history limit"))
	})
	p.meter.violation = rec.violation
	p.close = rec.close
	work, arrivals, err := p.spec.load()
	if err != nil {
		return err
	}
	cfg := harness.Config{
		Clients: p.spec.Clients, Duration: p.spec.Duration, TTL: p.spec.TTL, Seed: p.spec.Seed,
		Workload: work, Resource: p.store, Arrivals: arrivals, Sections: p.spec.Sections, AcquireTimeout: p.spec.Wait,
		Warm:    p.spec.direct(),
		Fencing: p.spec.Fencing, Careful: p.spec.Careful, FreeWithin: p.run.Options.FreeWithin,
		Tail: p.run.Options.Tail(), LongestTail: p.run.Options.LongestTail(),
		Traits: p.backend.Traits, Open: p.opener(),
		World: p.world, Kinds: p.kinds, Record: p.withoutSecrets(rec.record), Now: rec.now,
		Progress: p.meter.update,
	}
	if p.backend.Prober != nil {
		prober, err := p.backend.Prober(p.cluster)
		if err != nil {
			return fmt.Errorf("open prober: %w", err)
		}
		cfg.Prober = prober
		p.close = func() error { return errors.Join(prober.Close(), rec.close()) }
	}
	p.harness, err = harness.New(cfg)
	return err
}

// carryOut runs it, and returns what failed of the harness itself.
func (p *prepared) carryOut(ctx context.Context) error {
	err := p.harness.Go(ctx, p.steps)
	p.meter.done()
	if line := backlogLine(p.harness.Backlog()); line != "" && !p.spec.Quiet {
		fmt.Fprintln(p.meter.out, line)
	}
	return errors.Join(err, p.close())
}

// judge reads the record and judges it.
func judge(path string, o checker.Options) (checker.Result, error) {
	h := historyOf(path)
	r, err := checker.Judge(h, o, registry.Invariant(o.Workload))
	if err != nil {
		return r, err
	}
	if h.Truncated {
		r.Warnings = append(r.Warnings, "the last line of the history is cut off; what was open counts as unknown")
	}
	return r, nil
}

// startLine says what is about to happen.
func startLine(p *prepared, why string, leftOut []string) string {
	s := p.spec
	var b strings.Builder
	fmt.Fprintf(&b, "torture %s · %s · %s for %s, %d clients, ttl %s, seed %d\n", s.Backend, s.Workload,
		orNone(p.run.Nemeses), s.Duration, s.Clients, s.TTL, s.Seed)
	fmt.Fprintf(&b, "%s\ncluster: %s", s.holds(), why)
	if len(leftOut) > 0 {
		fmt.Fprintf(&b, "\nleft out: %s", strings.Join(leftOut, "; "))
	}
	fmt.Fprintf(&b, "\nrun: %s", p.dir.path)
	return b.String()
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "no faults"
	}
	return strings.Join(list, ",")
}

// describe fills in run.json.
func describe(p *prepared, why string, leftOut []string) report.Run {
	s, t := p.spec, p.backend.Traits
	names := slices.Sorted(maps.Keys(p.kinds))
	r := report.Run{
		Name: p.dir.name, Start: time.Now(), Version: commit, Commit: commit,
		Backend: s.Backend, Workload: s.Workload, Nemeses: names, LeftOut: leftOut, Seed: s.Seed,
		Duration: s.Duration, Clients: s.Clients, TTL: s.TTL, Fencing: s.Fencing, Careful: s.Careful,
		InProcess: s.InProcess, Expect: s.Expect, Flags: flagsOf(s),
		Topology: p.cluster.Topology, Provisioner: p.cluster.Provisioner, ProvisionerWhy: why,
		LeaseClock: t.Clock, Reproduce: reproduce(s, names, t), CheckAgain: "torture check " + p.dir.path,
		Options: checker.Options{
			Model: t.Model, Bounded: t.Bounded, Watched: t.Watched, Tokens: t.Token, Expires: t.LeastTTL > 0, Fair: t.Fair, Reentrant: t.Reentrant,
			TTL: s.TTL, FreeWithin: freeWithin(s, p.backend), Retry: p.backend.Retry, Workload: s.Workload,
			Nemeses: names, MinGrants: s.MinGrants, Control: p.backend.Control,
			Timeout: s.Timeout, Memory: s.Memory << 20,
		},
	}
	for _, n := range p.cluster.Nodes {
		r.Nodes = append(r.Nodes, n.Name())
		r.Versions = append(r.Versions, report.Version{Name: n.Name(), Version: n.Version()})
	}
	if d := p.backend.Driver; d != nil {
		r.Versions = append(r.Versions, report.Version{Name: "driver " + d.Name(), Version: d.Declared.Lock})
	}
	for _, name := range slices.Sorted(maps.Keys(moduleVersions())) {
		r.Versions = append(r.Versions, report.Version{Name: name, Version: moduleVersions()[name]})
	}
	return r
}

// freeWithin is the time after which a lock whose holder is gone must be free.
// What a driver or a flag says is bounded, so that it can be added to.
func freeWithin(s runSpec, b backend) time.Duration {
	free := 3 * s.TTL
	switch {
	case s.FreeWithin > 0:
		free = s.FreeWithin
	case b.Traits.FreeWithin != nil:
		free = b.Traits.FreeWithin(s.TTL)
	}
	return min(free, longestFree)
}

// What makes sense of a flag at the most.
const (
	longestTTL  = 365 * 24 * time.Hour
	longestFree = 8 * longestTTL
)
