package sweep

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/trial"
	"locktorture/trial/meter"
)

// Run carries out a sweep and prints its report.
func (s Spec) Run(cmd runs.Command, known map[string]registry.Backend) error {
	p, err := s.plan(known)
	if err != nil {
		return err
	}
	book, err := p.book()
	if err != nil {
		return err
	}
	r := p.report()
	measured := Run(cmd.Context(), Config{
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
func (p plan) one(ttl time.Duration, schedule string) runs.Run {
	spec := p.run
	spec.TTL, spec.Schedule, spec.Dir = ttl, schedule, filepath.Join(p.out, "runs")
	return runs.Run{Spec: spec, Lock: p.lock, Workload: spec.Workloads, Seed: spec.FirstSeed, Named: true}
}

// trial returns the trial of one TTL.
func (p plan) trial(cmd runs.Command, ttl time.Duration, schedule string) (trial.Config, error) {
	cfg, err := p.one(ttl, schedule).Trial(cmd)
	if err != nil {
		return cfg, err
	}
	m := meter.New(cmd.ErrOrStderr(), p.run.Duration, p.Quiet)
	// The sweep counts overruns of stopped holders; they are no news.
	cfg.Watch = trial.Watch{Progress: m.Update, Over: m.Done}
	return cfg, nil
}

// show prints the report, writes the files, and returns the error with the exit code. It does each of
// them even if the other failed.
func (p plan) show(cmd runs.Command, r Report, measured error) error {
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
