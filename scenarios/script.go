//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/report"
	"locktorture/trial"
)

// A Script is the act in which one case of a scenario is played.
type Script struct {
	Scenario Scenario
	Case     Case
	Lock     string // a name that was never used on these servers
	Played   Played // the result, set by Play

	// Free is the time within which a lock must become free. Plan sets it.
	Free time.Duration

	cluster *cluster.Cluster
}

var _ trial.Act = (*Script)(nil)

// grace is added to the time in which a lock must become free. A script checks once, and a busy
// machine may delay it.
const grace = time.Second

// Plan sets the rules by which the play is judged. The time to become free is longer than the one
// of the play if the scenario does not concern it.
func (s *Script) Plan(_ context.Context, on trial.Setting, r *report.Run) error {
	s.cluster, s.Free = on.Servers.Cluster, r.Options.FreeWithin+grace
	r.Options.FreeWithin = s.Free
	if !s.Scenario.Liveness {
		r.Options.FreeWithin += time.Minute
	}
	r.Fencing = harness.FencingOff
	if s.Case.Fenced {
		r.Fencing = harness.FencingOn
	}
	return nil
}

// Play plays the case.
func (s *Script) Play(ctx context.Context, cfg harness.Config) (err error) {
	cfg.FreeWithin, cfg.Tail, cfg.LongestTail = s.Free, 0, 0 // a script has no tail
	s.Played, err = Play(ctx, s.Scenario, s.Case, Setup{Config: cfg, Cluster: s.cluster, Lock: s.Lock})
	return err
}

// Close does nothing, because Play has closed everything.
func (s *Script) Close() error { return nil }
