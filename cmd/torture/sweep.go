package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/sweep"
	"locktorture/trial"
	"locktorture/trial/meter"
)

func newSweep(env environment) *cobra.Command {
	s := newSweepSpec()
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "try one lock with several TTLs: overruns, outages after a death",
		Long: `sweep answers which TTL a lock should have. Each TTL gets a run with the same
stops and the same deaths of holders. For each TTL it prints how often a stopped
holder overran its lease, for how long nobody got the lock of a dead holder, and
how many renewals a watchdog sends; then one sentence of advice.

Far more holders are stopped and killed than in production. sweep measures the
chance for each stop and death; --pause and --death-every say how often they
happen, and the rates in the table are scaled to that. docs/choosing.md says how
to read the table.

exit codes: 0 all was measured, 2 usage, 4 something could not be measured,
5 the driver failed, 130 interrupted (what was measured is printed)`,
		Example: `  torture sweep --backend redis-set --ttl 500ms,1s,2s,5s
  torture sweep --backend redis-watchdog --ttl 1s,5s --pause 1/100000:lognormal:100ms,2s
  torture sweep --backend redis-set --hold exp:20ms --long-hold 1/100:800ms --json`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSweep(cmd, env.locks, *s) },
	}
	s.register(cmd.Flags())
	completions(cmd, env.locks)
	return cmd
}

// runSweep carries a sweep out and shows it.
func runSweep(cmd *cobra.Command, known map[string]registry.Backend, s sweepSpec) error {
	surviveReaders()
	p, err := s.plan(known)
	if err != nil {
		return err
	}
	book, err := p.book()
	if err != nil {
		return err
	}
	r := p.report()
	measured := sweep.Run(cmd.Context(), sweep.Config{
		Out: p.out, TTLs: p.ttls, Faults: p.faults,
		Trial:   func(ttl time.Duration, schedule string) (trial.Config, error) { return p.trial(cmd, ttl, schedule) },
		Explain: func(err error) error { return p.one(p.ttls[0], "").Explain(cmd.Context(), err) },
		Say: func(line string) {
			if !s.Quiet {
				fmt.Fprintln(cmd.ErrOrStderr(), line)
			}
		},
	}, &r)
	return errors.Join(p.show(cmd, r, measured), p.note(book, r))
}

// one is the run of one TTL.
func (p sweepPlan) one(ttl time.Duration, schedule string) runs.Run {
	spec := p.run
	spec.TTL, spec.Schedule, spec.Dir = ttl, schedule, filepath.Join(p.out, "runs")
	return runs.Run{Spec: spec, Lock: p.lock, Workload: spec.Workloads, Seed: spec.FirstSeed, Named: true}
}

// trial returns the trial of one TTL.
func (p sweepPlan) trial(cmd *cobra.Command, ttl time.Duration, schedule string) (trial.Config, error) {
	cfg, err := p.one(ttl, schedule).Trial(cmd)
	if err != nil {
		return cfg, err
	}
	m := meter.New(cmd.ErrOrStderr(), p.run.Duration, p.Quiet)
	// That a stopped holder overruns is what is counted here, and no news.
	cfg.Watch = trial.Watch{Progress: m.Update, Over: m.Done}
	return cfg, nil
}

// show prints the report, writes the files, and says with which code to exit. Neither keeps
// the other from being done.
func (p sweepPlan) show(cmd *cobra.Command, r sweep.Report, measured error) error {
	var err error
	if len(r.TTLs) > 0 || measured == nil {
		text := r.Text
		if p.JSON {
			text = func(w io.Writer) error { return report.Encode(w, r) }
		}
		err = errors.Join(text(cmd.OutOrStdout()), r.Write(p.out))
		if err == nil && !p.JSON {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "\nchart: %s\nagain: %s\n", filepath.Join(p.out, "sweep.html"), r.Command)
		}
	}
	switch {
	case err != nil:
		return runs.BrokenAfter(cmd.Context(), errors.Join(measured, err))
	case r.Interrupted:
		return exit.Silent(exit.Interrupted)
	case measured != nil && runs.FailureCode(measured) == exit.Driver:
		return exit.With(exit.Driver, measured)
	case measured != nil:
		return exit.Coded(measured)
	}
	return nil
}
