package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/harness"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/registry"
	"locktorture/runs"
)

// A matrixSpec is what the flags of a matrix say.
type matrixSpec struct {
	Backends  []string
	Apps      []string
	Nemeses   []string
	Workloads []string
	Duration  time.Duration
	Seeds     int
	Seed      uint64
	TTL       time.Duration
	Clients   int
	Fencing   string
	runs.ServerSpec
	runs.AccessSpec
	runs.WireSpec
	runs.LedgerSpec
	onSpec

	flags  *pflag.FlagSet // which were given
	Jobs   int
	Budget time.Duration
	Out    string
	Resume bool
	Expect string
	Record string
	Retry  int
	Trend  string
	JSON   bool
	Quiet  bool
}

func newMatrix(env environment) *cobra.Command {
	var s matrixSpec
	cmd := &cobra.Command{
		Use:   "matrix",
		Short: "run many locks under many faults, and put the verdicts into a table",
		Long: `matrix makes a run for each combination of backend, nemesis (fault), workload and seed.
Each run is a process of its own. A cell of the table is one backend, nemesis and workload.
matrix writes every verdict to cells.jsonl immediately, so --resume can continue an
interrupted matrix. At the end, matrix prints the table, and writes the table as matrix.md,
matrix.json, junit.xml and index.html (the score card). matrix also writes the verdicts as
expected.yaml, a file for --expect.`,
		Example: `  torture matrix --backends redis-set,redlock --nemeses none,pause,clock --workloads counter
  torture matrix --nemeses pause+kill-client --seeds 10 --budget 30m --out results/matrix/tonight
  torture matrix --out results/matrix/tonight --seeds 10 --resume
  torture matrix --apps apps/knex,apps/goose --nemeses pause,kill --seeds 3
  torture matrix --on kubernetes --pod-image registry.example/torture:1 --jobs 20 --seeds 50`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.flags = cmd.Flags()
			return runMatrix(cmd, env, s)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&s.Backends, "backends", []string{"all"}, "locks, comma separated, or all")
	f.StringSliceVar(&s.Apps, "apps", nil, "test these programs instead of locks; each `path` is an app.yaml file, or a directory with one")
	f.StringSliceVar(&s.Nemeses, "nemeses", []string{"all"}, "faults, comma separated; none: no fault; A+B: both faults in one run; all: runs without a fault, and runs with each fault on its own")
	f.StringSliceVar(&s.Workloads, "workloads", []string{"counter", "seckill"}, "workloads, comma separated, or all")
	f.DurationVar(&s.Duration, "duration", 10*time.Second, "duration of each run")
	f.IntVar(&s.Seeds, "seeds", 1, "number of runs of each cell, with consecutive seeds")
	f.Uint64Var(&s.Seed, "seed", 1, "first seed")
	f.DurationVar(&s.TTL, "ttl", 2*time.Second, "time to live of a lease; a lock that needs a longer TTL gets the shortest one that it can use")
	f.IntVar(&s.Clients, "clients", 5, "number of clients")
	f.StringVar(&s.Fencing, "fencing", "", "store for locks with tokens: off (the plain store), on (the store that checks tokens) or both (default: both)")
	s.ServerSpec.Register(f)
	s.AccessSpec.Register(f)
	s.WireSpec.Register(f, runs.NoWire)
	s.LedgerSpec.Register(f)
	s.onSpec.register(f)
	f.IntVar(&s.Jobs, "jobs", max(1, runtime.NumCPU()/2), "number of parallel runs; too many runs slow each other down")
	f.DurationVar(&s.Budget, "budget", 0, "time limit of the matrix; runs for which no time is left are listed as not run (default: no limit)")
	f.StringVar(&s.Out, "out", "", "directory of the matrix (default: results/matrix/<time>)")
	f.BoolVar(&s.Resume, "resume", false, "continue the matrix in --out")
	f.StringVar(&s.Expect, "expect", "", "file with expected verdicts (results/expected.yaml); any other verdict is a failure, even a better one")
	f.StringVar(&s.Record, "record", "", "file in the form of --expect: run only cells that the file lacks, and add their verdicts to the file")
	f.IntVar(&s.Retry, "retries", 0, "with --expect or --record: maximum number of further seeds for a cell whose verdict is unknown, or whose hazard was not observed")
	f.StringVar(&s.Trend, "trend", "", "file that keeps the verdicts of all matrices; a basic set of cells runs first, then the cells whose last verdict is oldest")
	f.BoolVar(&s.JSON, "json", false, "print matrix.json instead of the table")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
	completions(cmd, env.locks)
	return cmd
}

// config checks the flags, but for those of servers, and fills in what is computed.
func (s matrixSpec) config(ctx context.Context, known map[string]registry.Backend) (c matrix.Config, err error) {
	c = matrix.Config{
		Duration: s.Duration, Seeds: s.Seeds, Seed: s.Seed, TTL: s.TTL, Clients: s.Clients, Fencing: s.Fencing,
		Jobs: s.Jobs, Budget: s.Budget, Out: s.Out, Retries: s.Retry, Trend: s.Trend, Record: s.Record, JSON: s.JSON, Quiet: s.Quiet,
		Locks: known, Commit: commit, Wire: s.Wire, Ledger: s.Ledger,
	}
	if err := s.subjects(ctx, &c); err != nil {
		return c, err
	}
	if err := s.validate(); err != nil {
		return c, err
	}
	if c.Out == "" {
		c.Out = filepath.Join("results", "matrix", time.Now().Format("20060102-150405"))
	}
	if matrix.Exists(c.Out) && !s.Resume {
		return c, exit.Usage("%s already has a matrix: continue that matrix with --resume, or name another directory with --out", c.Out)
	}
	return c, nil
}

// subjects fills in what is tortured, and by which faults.
func (s matrixSpec) subjects(ctx context.Context, c *matrix.Config) (err error) {
	if len(s.Apps) > 0 {
		return s.apps(ctx, c)
	}
	if c.Backends, err = expand("backend", s.Backends, c.Locks); err != nil {
		return err
	}
	if c.Workloads, err = expand("workload", s.Workloads, registry.Workloads()); err != nil {
		return err
	}
	if c.Nemeses, err = matrix.Sets(s.Nemeses); err != nil {
		return exit.Usage("%v", err)
	}
	return nil
}

// validate checks the flags that need no table.
func (s matrixSpec) validate() error {
	if err := s.WireSpec.Check(); err != nil {
		return err
	}
	switch {
	case s.Seeds < 1:
		return exit.Usage("--seeds %d: at least one is needed", s.Seeds)
	case s.Jobs < 1:
		return exit.Usage("--jobs %d: at least one is needed", s.Jobs)
	case s.Clients < 1:
		return exit.Usage("--clients %d: at least one is needed", s.Clients)
	case s.Clients > runs.MostClients:
		return exit.Usage("--clients %d: must be at most %d", s.Clients, runs.MostClients)
	case s.Duration <= 0 || s.TTL <= 0:
		return exit.Usage("--duration and --ttl must be positive")
	case s.Budget < 0:
		return exit.Usage("--budget %s: must not be negative", s.Budget)
	case s.Retry < 0:
		return exit.Usage("--retries %d: must not be negative", s.Retry)
	case s.Record != "" && (s.Expect != "" || len(s.Workloads) != 1 || s.Workloads[0] == "all"):
		return exit.Usage("--record: needs exactly one workload in --workloads, and cannot be used with --expect")
	case s.Ledger != "" && s.On != onProcesses:
		return exit.Usage("--ledger: not with --on %s, because pods have no ledger", s.On)
	case s.Resume && s.Out == "":
		return exit.Usage("--resume needs --out: the directory of the matrix")
	case !slices.Contains([]string{"", harness.FencingOff, harness.FencingOn, harness.FencingBoth}, s.Fencing):
		return exit.Usage("--fencing %q: must be off, on or both", s.Fencing)
	}
	return nil
}

// expand checks names, and takes every known one for all.
func expand[V any](what string, names []string, known map[string]V) ([]string, error) {
	if slices.Contains(names, "all") {
		return slices.Sorted(maps.Keys(known)), nil
	}
	for _, n := range names {
		if _, ok := known[n]; !ok {
			return nil, runs.UnknownName(what, n, known)
		}
	}
	return matrix.Unique(names), nil
}

// expected reads what is expected of the cells.
func (s matrixSpec) expected(locks []string, apps map[string]matrix.App) (matrix.Expectations, error) {
	path, flag := s.Expect, "--expect"
	if s.Record != "" {
		path, flag = s.Record, "--record"
	}
	if path == "" {
		return nil, nil
	}
	e, err := matrix.ReadExpectations(path, locks)
	if apps != nil {
		e, err = matrix.ReadAppExpectations(path, apps)
	}
	if err != nil {
		return nil, wrongFile(flag+": ", err)
	}
	return e, nil
}

// runMatrix carries a matrix out and shows it.
func runMatrix(cmd *cobra.Command, env environment, s matrixSpec) error {
	surviveReaders()
	c, err := s.config(cmd.Context(), env.locks)
	if err != nil {
		return err
	}
	if err := s.servers(cmd, &c); err != nil {
		return err
	}
	c.NoConfig, _ = cmd.Flags().GetBool(runs.NoConfig) // every command has it
	if c.Expected, err = s.expected(env.files.Names(), c.Apps); err != nil {
		return err
	}
	if s.Record != "" && !c.Lacking() {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s already has all rows of these backends and nemeses\n", s.Record)
		return err
	}
	if c.On, err = s.executor(cmd, c, cmd.ErrOrStderr()); err != nil {
		return err
	}
	m, err := matrix.Open(c, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	m.Run(cmd.Context())
	unkept := m.Close()
	if s.Record != "" {
		unkept = errors.Join(unkept, m.Record())
	}
	interrupted := cmd.Context().Err() != nil
	code, err := m.Show(cmd.OutOrStdout(), interrupted)
	if err = errors.Join(unkept, err); err != nil {
		return runs.BrokenAfter(cmd.Context(), err)
	}
	if interrupted {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: interrupted; continue with: %s\n", resumption(cmd, c.Out))
	}
	return exit.Silent(code)
}
