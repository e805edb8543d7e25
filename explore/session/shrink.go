package session

import (
	"locktorture/explore"
	"locktorture/internal/exit"
	"locktorture/runs"
	"locktorture/simulate/search"

	"github.com/spf13/pflag"
)

// NewShrink returns an Explore that searches nothing, for ShrinkRun.
func NewShrink(commit string) Explore {
	return Explore{Jobs: 1, Shrink: true, Virtual: Virtual{Commit: commit}}
}

// RegisterShrink adds the flags of torture shrink.
func (s *Explore) RegisterShrink(f *pflag.FlagSet) {
	f.StringSliceVar(&s.Find, "find", nil, "`anomalies`, comma separated; the result keeps the first of these that the run has (default: all anomalies that are the lock's fault)")
	f.StringVar(&s.Dir, "dir", "results/runs", "`directory` in which the run directory is made")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
}

// ShrinkRun plays the run in virtual time that path holds again, and shrinks, explains and
// keeps its finding.
func (s Explore) ShrinkRun(cmd runs.Command, path string) error {
	if err := s.checkFind(); err != nil {
		return err
	}
	_, flags, faults, err := recorded(path)
	if err != nil {
		return err
	}
	flags.Commit = s.Commit
	s.Virtual = flags
	t := search.Trial{Order: flags.order(), Schedule: faults}
	lab, err := openLab(cmd, t.Order, s)
	if err != nil {
		return err
	}
	defer lab.Close()
	o, err := lab.Play(cmd.Context(), t)
	if err != nil {
		return runs.BrokenAfter(cmd.Context(), err)
	}
	if cmd.Context().Err() != nil { // the play was cut short, so it may lack the anomaly
		return exit.Silent(exit.Interrupted)
	}
	f := explore.Given(o, s.Find)
	if f == nil {
		return exit.Usage("%s: a replay shows %s; --find names the anomaly to keep", path, orNothing(o.Result.Counts.Anomalies))
	}
	return s.explain(cmd, lab, f)
}

// orNothing lists kinds of anomalies with their numbers.
func orNothing(of map[string]int) string {
	if len(of) == 0 {
		return "no anomaly"
	}
	return counts(of)
}
