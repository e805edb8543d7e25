package play

import (
	"context"
	"errors"
	"maps"
	"time"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/trial"
)

// Once plays one case and judges it. If the play ends with an error, the recorded part is judged
// and kept. Once does not write the reports.
func (p *Player) Once(ctx context.Context, c Play) (Result, error) {
	start := time.Now()
	script := &scenarios.Script{Scenario: c.Scenario, Case: c.Case, Lock: p.lock(c.Name)}
	cfg, err := p.trial(c, script), error(nil)
	if p.Program != nil {
		if cfg, err = p.virtual(ctx, c, cfg, script); err != nil {
			return Result{}, exit.Broken(err)
		}
	}
	o, err := trial.Run(ctx, cfg)
	if refused(err) {
		return Result{}, exit.Usage("--%w", err)
	}
	if err != nil {
		return Result{}, exit.Coded(err)
	}
	failure := errors.Join(o.Failure, o.Close())
	r := Result{Play: c, Dir: o.Dir, Result: o.Result, Played: script.Played, Differs: c.Case.Differs(o.Result, script.Played)}
	switch {
	case ctx.Err() != nil:
		o.Run.Exit = exit.Interrupted
	case failure != nil:
		o.Run.Exit = failureCode(failure)
	case r.Differs != "":
		o.Run.Exit = exit.Violated
	}
	o.Dir.Latest()
	r.Took, r.Run = time.Since(start), o.Run
	r.Run.Facts, r.Run.Measured = r.Played.Facts, r.Played.Measures
	if failure != nil {
		return r, exit.Coded(o.Dir.Kept(failure))
	}
	return r, nil
}

// trial returns one play of a script.
func (p *Player) trial(c Play, script *scenarios.Script) trial.Config {
	b := p.Locks[c.Case.Backend]
	if b.Driver != nil {
		b.Driver = b.Driver.With(c.Case.Options)
	}
	told := driver.Open{Backend: c.Case.Backend, TTL: c.TimeToLive(), Options: scriptOptions(c.Case)}
	return trial.Config{
		Base: p.Dir, Called: c.Case.Backend + "-" + c.Name,
		Start: func(ctx context.Context, d *trial.Dir) (trial.Servers, error) { return p.get(ctx, b, c, d) },
		Meet:  p.Meet(b, told, c.InProcess && b.Driver == nil), Act: script, Clients: c.Parties(), TTL: c.TimeToLive(),
		Options: checker.Options{
			Model: c.Case.Model, Workload: "counter", MinGrants: 1, Scripted: true, Timeout: time.Minute, Memory: 2 << 30,
		},
		Invariant: registry.Invariant("counter"), Wire: p.Wire, Commit: p.Commit, Versions: p.Versions,
		Label: func(r *report.Run, _ trial.Setting) {
			r.Scenario, r.Title, r.Backend, r.InProcess = c.Name, c.Title, c.Case.Backend, c.InProcess
			r.Happens, r.Lesson, r.Source = c.Story, c.Lesson, c.Source
			r.Expect, r.Reproduce = c.Case.Expect, p.Again(c)
			r.Flags = []report.Flag{{Name: "backend", Value: c.Case.Backend}, {Name: "variant", Value: c.Case.Variant}}
		},
	}
}

// scriptOptions makes a client wait for an answer longer than a busy machine delays it, so that no
// request of a script is lost by accident.
func scriptOptions(c scenarios.Case) map[string]string {
	options := map[string]string{"timeout": "20s"}
	maps.Copy(options, c.Options)
	return options
}
