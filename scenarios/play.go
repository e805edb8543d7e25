package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/workloads"
)

// undoTime bounds the clean-up after a script.
const undoTime = 60 * time.Second

// A Setup is the environment of a play.
type Setup struct {
	Config  harness.Config // the script sets Workload, Resource and Fencing
	Cluster *system
	Lock    string // a name that was never used on these servers
}

// Play plays one case and returns the result. An error concerns the harness or the servers, and
// prevents a verdict. Config.Record has the history in any case. If Play returns without an error,
// it has healed all faults of the script.
func Play(ctx context.Context, sc Scenario, c Case, setup Setup) (Played, error) {
	cfg := setup.Config
	cfg.Clients, cfg.TTL, cfg.AcquireTimeout = sc.Parties(), sc.TimeToLive(), time.Hour
	cfg.Workload = workloads.Counter{Config: workloads.Config{Locks: []string{setup.Lock}}}
	resource, err := sc.store(ctx, c, setup.Cluster)
	if err != nil {
		return Played{}, err
	}
	defer resource.Close()
	cfg.Resource = resource
	cfg.Fencing = harness.FencingOff
	if c.Fenced {
		cfg.Fencing = harness.FencingOn
	}
	script, err := harness.NewScript(cfg)
	if err != nil {
		return Played{}, err
	}
	if err := script.Begin(ctx); err != nil {
		return Played{}, err
	}
	s := &Stage{
		Lock: setup.Lock, TTL: cfg.TTL, Case: c, FreeWithin: cfg.FreeWithin, ctx: ctx, script: script, traits: cfg.Traits,
		clients: map[int]*Client{}, resource: resource,
	}
	s.Servers, s.Probe, s.Queue = &Servers{stage: s, cluster: setup.Cluster, world: cfg.World}, Probe{s}, Queue{s}
	sc.Play(s)
	if broken := script.Broken(); s.err != nil && ctx.Err() == nil && broken != nil {
		s.err = broken // a broken play is no finding about the lock
	}
	failed := s.clear(ctx)
	var why stuck
	switch {
	case errors.As(s.err, &why):
		s.played.Stuck = why.why
		return s.played, script.End(harness.Early("stuck: "+why.why), failed)
	case s.err != nil && ctx.Err() != nil:
		return s.played, errors.Join(s.err, script.End(history.Interrupted, failed))
	}
	return s.played, script.End("", errors.Join(s.err, failed))
}

// store opens the store that the lock protects.
func (sc Scenario) store(ctx context.Context, c Case, servers *system) (workloads.Resource, error) {
	if sc.Store == nil {
		return &workloads.Memory{WritesOnly: c.WritesOnly}, nil
	}
	return sc.Store(ctx, servers)
}

// clear undoes the script's actions, in reverse order.
func (s *Stage) clear(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
	defer cancel()
	var errs []error
	for _, undo := range slices.Backward(s.undo) {
		if err := undo(ctx); err != nil {
			errs = append(errs, fmt.Errorf("undo: %w", err))
		}
	}
	return errors.Join(errs...)
}
