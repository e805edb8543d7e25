package explore

import (
	"context"
	"errors"
	"fmt"

	"locktorture/internal/exit"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// A Record holds the settings for keeping a finding.
type Record struct {
	trial.Config                   // the directory and the rules of the verdict
	Find         []string          // kinds of anomalies; Keep describes the votes of the first one (see Votes)
	Scripts      map[string]string // sources of Lua scripts by their names, for the votes
	// Beside adds files to the run directory. It may be nil.
	Beside func(*trial.Dir) error
	// Write writes the reports. nil means Outcome.Write.
	Write func(*trial.Outcome) error
}

// A Kept is a run directory that shows a finding.
type Kept struct {
	Dir   *trial.Dir
	Why   string   // each fault, and the votes
	Votes []string // the votes with their times, a line each
}

// Keep plays a finding once more as a run that is kept, even after ctx has ended. It fails if the
// run differs from the finding. An error of a run that has begun is a trial.KeptError.
func (l *Lab) Keep(ctx context.Context, f *Finding, r Record) (k Kept, err error) {
	o, played, err := l.Guests.Play(context.WithoutCancel(ctx), r.Config, f.Trial)
	if err != nil {
		return k, err
	}
	defer func() {
		if err = errors.Join(err, o.Close()); err != nil {
			err = o.Dir.Kept(err)
		}
	}()
	k.Dir = o.Dir
	if o.Run.Exit = exit.Violated; o.Failure != nil {
		return k, o.Failure
	}
	if k.Votes, err = Votes(o, r.Find, r.Scripts); err != nil {
		return k, err
	}
	k.Why = f.Why()
	for _, line := range k.Votes {
		k.Why += line + "\n"
	}
	err = o.Dir.WriteText(trial.CauseFile, k.Why)
	if err == nil && r.Beside != nil {
		err = r.Beside(o.Dir)
	}
	if err != nil {
		return k, err
	}
	if r.Write == nil {
		r.Write = written
	}
	if err := r.Write(o); err != nil {
		return k, err
	}
	if _, ok := f.Mechanism.Shows(&search.Outcome{Result: o.Result}); !ok || played.Hash != f.Run.Hash {
		return k, fmt.Errorf("the simulator failed: when it replayed the finding, the run differed and had the anomalies %v", o.Result.Counts.Anomalies)
	}
	return k, nil
}

// written writes the reports of a run, and makes it the latest run.
func written(o *trial.Outcome) error {
	err := o.Write()
	o.Dir.Latest()
	return err
}

// Votes describes the votes, with their times, in the first anomaly of a run that has one of
// the kinds in find, or without kinds, in the first that is the lock's fault. It returns nil
// if there is none.
func Votes(o *trial.Outcome, find []string, scripts map[string]string) ([]string, error) {
	all := search.Accused(o.Result, find)
	if len(all) == 0 {
		return nil, nil
	}
	return trial.Witness(o.Dir, o.Run.Nodes, all[0], scripts)
}
