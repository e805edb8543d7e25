package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"locktorture/bench"
	"locktorture/bench/suite"
	"locktorture/cluster/docker"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
)

func newBench(env environment) *cobra.Command {
	var s benchSpec
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "measure what locks cost, compared with the bare commands on the same server",
		Long: `bench measures locks on real servers: latency and throughput without contention,
hand-overs under contention, and memory on the server. The clients run in this process.
Every figure has a baseline: the bare commands that such a lock needs on the same server.
The lock and the baseline are measured alternately, in short slices, so their ratio hardly
depends on the machine. Some locks need libraries that are not part of torture. Such a
lock runs in another program (drivers/go), each call goes through a pipe, and the
figures include the time of the pipe.

bench measures each kind of lock in its own modes (--modes selects some):
  exclusive   one client; several clients, each with a lock of its own; hand-overs of
              one lock; for a read-write lock, all these clients are writers
  shared      several readers of one lock
  mixed       several readers and one writer of one lock: reads and writes per second,
              the wait of the writer, readers that overtook the writer
  permits     one permit of a semaphore; under contention: more clients than permits
  campaign    elections: winning, resigning, hand-overs between candidates
  count-down  latches: creating, opening and passing a latch; parties that meet at one latch
  party       barriers: entering and leaving; parties that meet at one barrier

exit codes: 0 everything was measured, 2 wrong usage, 4 something could not be measured,
130 interrupted (bench prints the results so far)`,
		Example: `  torture bench --backends redis-set,redlock,etcd --out bench
  torture bench --backends zookeeper,zookeeper-herd --clients 1 --waiters 2,10,50,100
  torture bench --backends redis-rw,zookeeper-rw --modes shared,mixed --waiters 2,10
  torture bench --backends redis-permits --waiters 10,50 --permits 5
  torture bench --backends zookeeper-rw --against curator-rw
  torture bench --backends all --duration 5s --json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runBench(cmd, env.locks, s) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&s.Backends, "backends", []string{"all"}, "locks, comma separated (torture list backends); all: every lock whose servers can run here")
	f.DurationVar(&s.Duration, "duration", 2*time.Second, "length of a measurement, including its baseline")
	f.IntSliceVar(&s.Clients, "clients", []int{1, 8, 64}, "numbers of clients to measure; each client has a lock of its own")
	f.IntSliceVar(&s.Waiters, "waiters", []int{2, 10, 20}, "numbers of clients that contend for one lock, or meet at one latch or barrier")
	f.StringSliceVar(&s.Modes, "modes", nil, "modes to measure, see above (default: all modes of the lock's kind)")
	f.IntVar(&s.Permits, "permits", 0, "number of permits under contention (default: half the number of clients)")
	f.DurationVar(&s.Hold, "hold", time.Millisecond, "how long a waiter holds the lock; for latches and barriers: delay of the last party")
	f.DurationVar(&s.TTL, "ttl", 10*time.Second, "time to live of a lease, for locks with a TTL")
	s.ServerSpec.Register(f)
	s.LedgerSpec.Register(f)
	f.BoolVar(&s.Peers, "peers", true, "compare torture's locks with libraries that use the same algorithm, if --backends names both")
	f.StringVar(&s.Against, "against", "", "name of a lock on the same servers; this lock is the baseline instead of the bare commands")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object instead of tables")
	f.StringVar(&s.Out, "out", "", "directory to which bench also writes bench.json, bench.txt and bench.html")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
	completions(cmd, env.locks)
	names := slices.Sorted(maps.Keys(env.locks))
	// The only error is a flag that does not exist.
	_ = errors.Join(
		cmd.RegisterFlagCompletionFunc("against", cobra.FixedCompletions(slices.Clone(names), cobra.ShellCompDirectiveNoFileComp)),
		cmd.RegisterFlagCompletionFunc("modes", cobra.FixedCompletions(bench.AllModes(), cobra.ShellCompDirectiveNoFileComp)),
		cmd.RegisterFlagCompletionFunc("backends", cobra.FixedCompletions(append(names, "all"), cobra.ShellCompDirectiveNoFileComp)),
	)
	return cmd
}

func runBench(cmd *cobra.Command, known map[string]registry.Backend, s benchSpec) error {
	surviveReaders()
	c, names, err := s.config(known)
	if err != nil {
		return err
	}
	var topologies []string
	for _, name := range names {
		topologies = append(topologies, known[name].Topology)
	}
	if !slices.Contains(s.Backends, "all") && s.WantsEngine(topologies...) {
		return docker.ErrNotCompiled
	}
	say := func(line string) {
		if !s.Quiet {
			fmt.Fprintln(cmd.ErrOrStderr(), line)
		}
	}
	book, err := s.book(known, names)
	if err != nil {
		return err
	}
	r := suite.Run(cmd.Context(), c, names, say)
	return allSaid(errors.Join(s.show(cmd, r), s.note(book, known, r)))
}

// allSaid gives what went wrong with a measurement that is over the worst of its exit codes, and
// says all of it. A part without a code, such as a line that the ledger did not take, is no wrong
// usage: the harness failed.
func allSaid(err error) error {
	parts, joined := err.(interface{ Unwrap() []error })
	if !joined {
		return err
	}
	code, say := exit.OK, error(nil)
	for _, part := range parts.Unwrap() {
		e := new(exit.Error)
		if !errors.As(part, &e) {
			e = &exit.Error{Code: exit.Harness, Err: part}
		}
		code = exit.Worse(code, e.Code)
		if e.Err != nil { // else it is silent
			say = errors.Join(say, part)
		}
	}
	return exit.With(code, say)
}

// show prints the report, writes the files, and says with which code to exit. Neither keeps
// the other from being done.
func (s benchSpec) show(cmd *cobra.Command, r bench.Report) error {
	text := r.Text
	if s.JSON {
		text = func(w io.Writer) error { return report.Encode(w, r) }
	}
	err := text(cmd.OutOrStdout())
	if s.Out != "" {
		err = errors.Join(err, suite.Write(s.Out, r))
	}
	if err != nil {
		return runs.BrokenAfter(cmd.Context(), err)
	}
	switch {
	case r.Interrupted:
		return exit.Silent(exit.Interrupted)
	case r.Failed():
		return exit.Silent(exit.Harness)
	}
	return nil
}
