package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"locktorture/bench"
	"locktorture/bench/suite"
	"locktorture/internal/exit"
	"locktorture/registry"
)

// A benchSpec is what the flags of a benchmark say.
type benchSpec struct {
	Backends []string
	Duration time.Duration
	Clients  []int
	Waiters  []int
	Hold     time.Duration
	TTL      time.Duration
	Peers    bool
	JSON     bool
	Out      string
	Quiet    bool
	serverSpec
}

func newBench(env environment) *cobra.Command {
	var s benchSpec
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "what locks cost, beside the bare commands on the same server",
		Long: `bench measures locks on their real servers, in this process: latency and
throughput without contention, hand-overs with it, memory on the server. Every
figure stands beside that of the bare commands that the lock cannot do without,
which take turns with it in short slices: ratios hold on any machine.

exit codes: 0 all was measured, 2 usage, 4 something could not be measured,
130 interrupted (what there is is printed)`,
		Example: `  torture bench --backends redis-set,redlock,etcd --out bench
  torture bench --backends zookeeper,zookeeper-herd --clients 1 --waiters 2,10,50,100
  torture bench --backends all --duration 5s --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, env.locks, s) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&s.Backends, "backends", []string{"all"}, "the locks (torture list backends); all takes every one that can be served here")
	f.DurationVar(&s.Duration, "duration", 2*time.Second, "of one measurement, all its sides together")
	f.IntSliceVar(&s.Clients, "clients", []int{1, 8, 64}, "numbers of clients that work on as many locks")
	f.IntSliceVar(&s.Waiters, "waiters", []int{2, 10, 20}, "numbers of clients that want one lock")
	f.DurationVar(&s.Hold, "hold", time.Millisecond, "how long each of those holds it")
	f.DurationVar(&s.TTL, "ttl", 10*time.Second, "time to live of a lease, for locks that have one")
	s.register(f)
	f.BoolVar(&s.Peers, "peers", true, "compare our locks with libraries of the same algorithm, where both are among the backends")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object instead of tables")
	f.StringVar(&s.Out, "out", "", "also write bench.json, bench.txt and bench.html (charts) to this directory")
	f.BoolVar(&s.Quiet, "quiet", false, "no progress")
	completions(cmd, env.locks)
	names := slices.Sorted(maps.Keys(env.locks))
	// The only error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("backends", cobra.FixedCompletions(append(names, "all"), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// validate checks the flags and returns the backends to measure. named tells
// that the user named them.
func (s benchSpec) validate(all map[string]registry.Backend) (names []string, named bool, err error) {
	switch {
	case s.Duration <= 0:
		return nil, false, usage("--duration %s: must be positive", s.Duration)
	case s.TTL <= 0:
		return nil, false, usage("--ttl %s: must be positive", s.TTL)
	case s.Hold < 0 || s.Hold > s.TTL/4:
		return nil, false, usage("--hold %s: must be from 0 to a quarter of --ttl", s.Hold)
	case len(s.Clients) > 0 && slices.Min(s.Clients) < 1:
		return nil, false, usage("--clients: at least one is needed")
	case len(s.Waiters) > 0 && slices.Min(s.Waiters) < 2:
		return nil, false, usage("--waiters: fewer than two clients do not contend")
	}
	if err := s.check("what a lock costs is measured on servers that serve nobody else"); err != nil {
		return nil, false, err
	}
	if slices.Contains(s.Backends, "all") {
		return slices.Sorted(maps.Keys(all)), false, nil
	}
	for _, name := range s.Backends {
		if _, ok := all[name]; !ok {
			return nil, false, unknownName("backend", name, all)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, false, usage("--backends: at least one is needed")
	}
	return names, true, nil
}

func runBench(cmd *cobra.Command, known map[string]registry.Backend, s benchSpec) error {
	surviveReaders()
	names, named, err := s.validate(known)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	say := func(line string) {
		if !s.Quiet {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
	}
	r := suite.Run(ctx, suite.Config{
		Duration: s.Duration, Hold: s.Hold, TTL: s.TTL, Plan: bench.Plan{Clients: s.Clients, Waiters: s.Waiters}, Peers: s.Peers,
		Servers: s.Servers, Locks: known, Named: named,
	}, names, say)
	return s.show(cmd, r)
}

// show prints the report, writes the files, and says with which code to exit. Neither keeps the
// other from being done.
func (s benchSpec) show(cmd *cobra.Command, r bench.Report) error {
	text := r.Text
	if s.JSON {
		text = func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }
	}
	err := text(cmd.OutOrStdout())
	if s.Out != "" {
		err = errors.Join(err, suite.Write(s.Out, r))
	}
	if err != nil {
		return brokenAfter(cmd.Context(), err)
	}
	switch {
	case r.Interrupted:
		return exit.Silent(exitInterrupted)
	case r.Failed():
		return exit.Silent(exitHarness)
	}
	return nil
}
