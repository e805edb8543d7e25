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
	Played   Played // what it came to, once it was played

	// Free is the time within which a lock must become free. Plan sets it.
	Free time.Duration

	cluster *cluster.Cluster
}

var _ trial.Act = (*Script)(nil)

// grace is added to the time in which a lock must become free. A script looks
// once, and a busy machine may keep it waiting.
const grace = time.Second

// Plan says how the play is judged: by another time than it is played by where becoming free
// is not what the scenario is about.
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

// Close does nothing: Play has closed what it opened.
func (s *Script) Close() error { return nil }
