package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/cluster/external"
	"locktorture/internal/exit"
	"locktorture/ledger"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/nemesis/points/anchor"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/report/words"
	"locktorture/trial"
	"locktorture/trial/meter"
	"locktorture/wire/etcd"
	"locktorture/workloads"
)

// An outcome is what one run came to.
type outcome struct {
	result checker.Result
	code   int
}

// runOnce does one run and shows what it came to. Its error is one that left no verdict.
func runOnce(cmd Command, s Run) (o outcome, err error) {
	ctx := cmd.Context()
	cfg, err := s.Trial(cmd)
	if err != nil {
		return o, err
	}
	book, err := s.book()
	if err != nil {
		return o, err
	}
	t, err := trial.Run(ctx, cfg)
	if err != nil {
		return o, errors.Join(s.Explain(ctx, err), book.refused(s, err))
	}
	defer func() {
		if cerr := t.Close(); cerr != nil && err == nil {
			o.code = Unclosed(cmd.ErrOrStderr(), t, o.code, s.secrets().CleanError(cerr), errors.Is(cerr, external.ErrLeft))
		}
	}()
	o.result = t.Result
	o.code = ExitCode(o.result, s.Expect, s.Expected, t.Failure, ctx.Err() != nil)
	t.Run.Exit = o.code
	if t.Failure != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s failed: %v\n", Culprit(t.Failure), s.secrets().CleanError(t.Failure))
	}
	if err := Show(cmd, t, s); err != nil {
		return o, exit.Coded(t.Dir.Kept(s.secrets().CleanError(err)))
	}
	if t.Failure != nil || o.result.Harness || ctx.Err() != nil {
		return o, nil // not what the ledger is to keep
	}
	if err := book.End(s.Lock, t.Run, o.result, t.Dir, false); err != nil {
		return o, exit.Broken(err)
	}
	return o, nil
}

// book begins the line of the run in the ledger, if there is to be one.
func (s Run) book() (*Bookkeeper, error) {
	if s.Ledger != "" && (s.LockSpec.Driver != "" || s.Schedule != "") {
		return nil, exit.Usage("--ledger: not with --driver or --schedule, because everybody must be able to repeat the runs of a ledger")
	}
	k, err := s.Bookkeeper(s.Commit)
	if err != nil {
		return nil, err
	}
	return k, k.Begin(s.Lock, s.faultSet())
}

// faultSet is the name of the set of faults that the flags name; "none" for those that take what is possible.
func (s Run) faultSet() string { return ledger.Faults(s.Nemesis) }

// secrets are the login to the user's servers.
func (s Run) secrets() trial.Secrets { return secretsIn(s.Theirs) }

// Trial is what is tried, how, and where it is written down.
func (s Run) Trial(cmd Command) (trial.Config, error) {
	work, err := s.work()
	if err != nil {
		return trial.Config{}, err
	}
	wire, err := s.WireSpec.Bytes()
	if err != nil {
		return trial.Config{}, err
	}
	return trial.Config{
		Base: s.Dir, Called: fmt.Sprintf("%s-%d", s.Name(), s.Seed),
		Start: func(ctx context.Context, d *trial.Dir) (trial.Servers, error) { return s.servers(ctx, d.Path) },
		Meet: func(ctx context.Context, on trial.Servers, d *trial.Dir) (trial.Lock, error) {
			l, err := s.clients().Meet(ctx, on, d)
			if err == nil && s.Lock.Driver != nil { // it was asked only now
				err = s.told(work, l.Traits)
			}
			return l, err
		},
		Driver: s.Lock.DriverName(), Act: work, Clients: s.Clients, TTL: s.TTL, FreeWithin: s.FreeWithin,
		Options:   checker.Options{Workload: s.Workload, MinGrants: s.MinGrants, Timeout: s.Timeout, Memory: s.Memory << 20},
		Invariant: registry.Invariant(s.Workload), HistoryLimit: s.HistoryLimit << 20, Wire: wire, WireAsked: cmd.Flags().Changed("wire"), StopOnViolation: s.StopOnViolation,
		Secrets: s.secrets(), Commit: s.Commit, Versions: Versions(s.Commit), Label: s.label,
		Watch: s.watch(cmd.ErrOrStderr(), work),
	}, nil
}

// told makes the workload for what a driver has declared.
func (s Run) told(work *trial.Work, t locks.Traits) (err error) {
	if err := s.fits(s.Workload, t); err != nil {
		return err
	}
	s.Lock.Traits = t
	work.Workload, _, err = s.load()
	return err
}

// work is what the clients do, and the faults that strike meanwhile.
func (s Run) work() (*trial.Work, error) {
	w, arrivals, err := s.load()
	if err != nil {
		return nil, err
	}
	faults, err := s.faults()
	if err != nil {
		return nil, err
	}
	store := s.store()
	return &trial.Work{
		Workload: w, Arrivals: arrivals, Sections: s.Sections, Wait: s.Wait, Warm: s.direct(),
		Fencing: s.Fencing, Careful: s.Careful, Duration: s.Duration, Seed: s.Seed, Faults: faults,
		Store: func(ctx context.Context, d *trial.Dir) (workloads.Resource, []report.Version, error) {
			o, err := s.OpenStore(ctx, store, d.File("store"))
			if err != nil {
				return nil, nil, ServedNot(err, "--store "+store)
			}
			if o.Version == "" {
				return o, nil, nil
			}
			return o, []report.Version{{Name: "store " + store, Version: o.Version}}, nil
		},
	}, nil
}

// store is what the lock protects.
func (s Run) store() string { return cmp.Or(s.Store, registry.StoreOf(s.Workload)) }

// faults returns the faults that the flags choose. For "all" and for the default it takes the
// ones that are possible.
func (s Run) faults() (trial.Faults, error) {
	f := trial.Faults{Wanted: s.Nemesis, Known: registry.Nemeses(), Lenient: !s.Named, Unfit: map[string]string{}, Schedule: s.Schedule, Points: s.Points, Least: s.Least,
		Names: anchor.Names{schedule.Etcd: etcd.Calls}}
	switch {
	case s.Points != nil || s.Schedule != "":
		f.Wanted = nil
		for name, n := range f.Known {
			s.unfit(f, name, n)
		}
		return f, nil
	case len(s.Nemesis) == 1 && s.Nemesis[0] == "none":
		f.Wanted = nil
		return f, nil
	case slices.Contains(s.Nemesis, "all"):
		f.Wanted, f.Lenient = nemesis.Whole(f.Known), true
	}
	for _, name := range f.Wanted {
		n, ok := f.Known[name]
		if !ok {
			return f, UnknownName("nemesis", name, f.Known)
		}
		if spared := s.Lock.Spared[name]; f.Lenient && spared != "" {
			f.Unfit[name] = spared
		}
		s.unfit(f, name, n)
	}
	return f, nil
}

// label adds to run.json what the flags say.
func (s Run) label(r *report.Run, on trial.Setting) {
	if s.Points != nil && s.Schedule == "" {
		s.Schedule = on.Dir.File(trial.PointsFile)
	}
	r.Backend, r.InProcess, r.Expect = s.Name(), s.InProcess, s.Expect
	r.Flags, r.Reproduce = s.flags(r.Fencing, on.Servers.Prefix), s.reproduce(r.Fencing, r.Nemeses, on.Lock.Traits)
}

// watch shows on out how a run goes.
func (s Run) watch(out io.Writer, w *trial.Work) trial.Watch {
	m := meter.New(out, s.Duration, s.Quiet)
	return trial.Watch{
		Ready: func(r report.Run, d *trial.Dir) {
			if !s.Quiet {
				fmt.Fprintln(out, strings.Join(startLines(s, r, d, Look(out).Width), "\n"))
			}
		},
		Progress: m.Update,
		Found:    m.Found,
		Full: func(limit int64) {
			m.Say(fmt.Sprintf("the history has reached its limit of %.1f MB (--history-limit): the run ends here", float64(limit)/(1<<20)))
		},
		Over: func() {
			m.Done()
			if !s.Quiet {
				fmt.Fprint(out, strikesText(w.Strikes()))
			}
			if late := w.Backlog().String(); late != "" && !s.Quiet {
				fmt.Fprintf(out, "torture: %s\n", late)
			}
		},
	}
}

// startLines say what is about to happen, on lines of so many columns.
func startLines(s Run, r report.Run, dir *trial.Dir, width int) (lines []string) {
	say := func(format string, args ...any) {
		lines = append(lines, words.Hang(fmt.Sprintf(format, args...), width)...)
	}
	say("torture %s · %s · %s for %s, %d clients, ttl %s, seed %d", s.Name(), s.Workload,
		OrNone(r.Nemeses), s.Duration, s.Clients, s.TTL, s.Seed)
	say("%s", s.holds())
	say("servers: %s", r.ProvisionerWhy)
	if len(r.LeftOut) > 0 {
		say("left out: %s", strings.Join(r.LeftOut, "; "))
	}
	return append(lines, "run: "+dir.Path)
}

func OrNone(list []string) string {
	if len(list) == 0 {
		return "no faults"
	}
	return strings.Join(list, ",")
}

// Unclosed prints why a trial could not be closed, and returns the exit code. If only keys are left on
// a server of the user, the verdict counts, which says that the server could not be used.
func Unclosed(w io.Writer, t *trial.Outcome, code int, why error, keys bool) int {
	fmt.Fprintf(w, "torture: %v\n", why)
	if !keys || code == exit.OK {
		return exit.Worse(code, exit.Harness)
	}
	fmt.Fprintf(w, "torture: when the servers work again, remove the keys of the run: torture clean --keys %s\n", t.Dir.Path)
	return code
}
