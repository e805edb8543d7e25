package trial

import (
	"context"
	"errors"
	"fmt"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/internal/cgroup"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/wire"
	"locktorture/wire/tape"
)

// An Outcome is the result of a trial. Its servers still run, so the caller must close it.
type Outcome struct {
	Dir    *Dir
	Run    report.Run
	Result checker.Result
	// Failure is the error of the harness itself, or of a driver; nil if there was none. Result
	// then judges the history up to the failure.
	Failure error
	close   func() error
	decoder func(protocol string) wire.Decoder
}

// Close stops the servers and closes the store.
func (o *Outcome) Close() error {
	defer o.Dir.unlock()
	return o.close()
}

// Run carries out a trial. An error means that there is no verdict: a RefusedError, an
// unchanged error of a function of cfg, or an error of the harness with its exit code. It is
// wrapped in a KeptError if the history had begun.
func Run(ctx context.Context, cfg Config) (o *Outcome, err error) {
	dir, err := NewDir(cfg.Base, cfg.Called)
	switch {
	case err != nil && exit.Unusable(err):
		return nil, refuse("dir "+cfg.Base, ": %v; name a directory in which new directories can be made", err)
	case err != nil:
		return nil, exit.Broken(err)
	}
	t := &trial{cfg: cfg, setting: Setting{Dir: dir}}
	defer func() {
		if err == nil {
			return
		}
		_ = t.close(true) // the first error is returned
		if !dir.Discard() {
			err = dir.Kept(err)
		}
	}()
	if err := t.prepare(ctx); err != nil {
		return nil, err
	}
	before := cgroup.Read()
	failure := t.unusable(ctx, t.carryOut(ctx))
	if failure != nil && !dir.begun.Load() {
		return nil, exit.Broken(failure)
	}
	failure = errors.Join(failure, t.over(cgroup.Read().Since(before)))
	r, err := Judge(dir.Path, t.run.Options, cfg.Invariant)
	if err != nil {
		return nil, errors.Join(failure, exit.Broken(err))
	}
	o = &Outcome{Dir: dir, Run: t.run, Result: r, Failure: failure, decoder: cfg.Decoder, close: func() error { return t.close(failure != nil) }}
	if failure == nil && ctx.Err() == nil {
		o.Failure = unreached(cfg.Driver, r.Counts, dir)
	}
	return o, nil
}

// A trial is a trial in progress.
type trial struct {
	cfg     Config
	setting Setting
	run     report.Run
	planned bool
	rec     *recording
	tape    *tape.Tape // recording of the traffic; nil if it is not recorded
}

// prepare does everything that precedes the first entry, and writes run.json.
func (t *trial) prepare(ctx context.Context) (err error) {
	if t.setting.Servers, err = t.cfg.Start(ctx, t.setting.Dir); err != nil {
		return err
	}
	if t.setting.Lock, err = t.cfg.Meet(ctx, t.setting.Servers, t.setting.Dir); err != nil {
		return err
	}
	if err := t.wireFits(); err != nil {
		return err
	}
	t.setting.World = harness.WorldOf(t.setting.Servers.Cluster, t.cfg.Clients, t.cfg.TTL)
	t.run = t.cfg.describe(t.setting)
	t.planned = true
	if err := t.cfg.Act.Plan(ctx, t.setting, &t.run); err != nil {
		return err
	}
	if t.cfg.Label != nil {
		t.cfg.Label(&t.run, t.setting)
	}
	if err := t.setting.Dir.WriteJSON("run.json", t.run); err != nil {
		return exit.Broken(err)
	}
	return nil
}

// over adds to run.json how busy the machine was, and how often a CPU limit throttled the trial. It
// does nothing in virtual time.
func (t *trial) over(by cgroup.Throttling) error {
	if t.run.Machine == nil {
		return nil
	}
	t.run.Machine.After, _ = cgroup.Load()
	if by.Throttled > 0 {
		t.run.Options.Throttled = checker.Throttling{Periods: by.Periods, Throttled: by.Throttled, Time: by.Time.Nanoseconds()}
	}
	if err := t.setting.Dir.WriteJSON("run.json", t.run); err != nil {
		return exit.Broken(err)
	}
	return nil
}

// carryOut runs and records the act. It returns the error of the harness itself.
func (t *trial) carryOut(ctx context.Context) (err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if err := t.record(stop); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.rec.close()) }()
	if t.tape, err = t.tap(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.untap()) }()
	cfg := harness.Config{
		Clients: t.cfg.Clients, TTL: t.cfg.TTL, World: t.setting.World,
		Traits: t.setting.Lock.Traits, Open: t.setting.Lock.Open, FreeWithin: t.run.Options.FreeWithin,
		Tail: t.run.Options.Tail(), LongestTail: t.run.Options.LongestTail(),
		Record: t.withoutSecrets(t.named(t.traced(t.rec.record))), Now: t.rec.now,
	}
	cfg.Progress = t.cfg.Watch.Progress
	if t.setting.Lock.Prober != nil {
		prober, err := t.setting.Lock.Prober()
		if err != nil {
			return fmt.Errorf("open prober: %w", err)
		}
		defer func() { err = errors.Join(err, prober.Close()) }()
		cfg.Prober = prober
	}
	if w := t.cfg.Watch.Ready; w != nil {
		w(t.run, t.setting.Dir)
	}
	err = t.cfg.Act.Play(ctx, cfg)
	if w := t.cfg.Watch.Over; w != nil {
		w()
	}
	return err
}

// record opens the history. stop ends the run early and in order.
func (t *trial) record(stop context.CancelCauseFunc) error {
	found := func(a checker.Anomaly) {
		t.keep(a)
		if w := t.cfg.Watch.Found; w != nil {
			w(a)
		}
		if t.cfg.StopOnViolation {
			stop(harness.Early("stopped at the first violation"))
		}
	}
	var err error
	if t.rec, err = openRecording(t.setting.Dir, t.cfg.Clock, t.watched(), found); err != nil || t.cfg.Options.Scripted {
		return err
	}
	limit, err := historyLimit(t.cfg.HistoryLimit, t.setting.Dir.Path)
	if err != nil {
		return errors.Join(err, t.rec.close())
	}
	t.rec.limit(limit, func() {
		if w := t.cfg.Watch.Full; w != nil {
			w(limit)
		}
		stop(harness.Early(history.AtLimit))
	})
	return nil
}

// watched returns the watch on the history during the run; nil for a script.
func (t *trial) watched() *checker.Watch {
	if t.cfg.Options.Scripted {
		return nil
	}
	return checker.NewWatch(t.run.Options, t.cfg.Invariant)
}

// withoutSecrets removes secrets from recorded errors.
func (t *trial) withoutSecrets(record func(history.Op) (history.Op, error)) func(history.Op) (history.Op, error) {
	if t.cfg.Secrets.None() {
		return record
	}
	return func(op history.Op) (history.Op, error) {
		if op.Error != "" {
			op.Error = t.cfg.Secrets.Clean(op.Error)
		}
		if op.F == history.Fault { // the text may quote a server
			op.Value = t.cfg.Secrets.Clean(op.Value)
		}
		return record(op)
	}
}

// close releases what prepare opened.
func (t *trial) close(failed bool) error {
	var err error
	if t.planned {
		err = t.cfg.Act.Close()
	}
	if t.setting.Servers.Leave != nil {
		err = errors.Join(err, t.setting.Servers.Leave(failed))
	}
	return err
}
