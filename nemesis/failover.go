package nemesis

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Failover promotes a replica that does not know the current lease. It interrupts the
// replication, waits until every lease known to the replicas has ended and a new write was applied,
// kills the primary and promotes a replica. On loopback a replica would otherwise have every write
// before the primary could be killed.
type Failover struct {
	Lag Span // time between the cut of the replicas and the kill; default 1.05–1.2 TTL
	For Span // time until the old primary returns as a replica; default 0.5–1 TTL
}

var _ Checker = Failover{}

// Traits returns the traits of the fault. Ahead covers the seconds from the cut of the
// replicas to the observed effect. In that time the replicas keep locks that the primary has
// released.
func (Failover) Traits() Traits {
	return Traits{
		Name:          "failover",
		About:         "replication is cut before a grant; then the primary is killed, and a replica is promoted",
		Effect:        Demoted,
		NeedsReplicas: true,
		TakesLocks:    true,
		LeavesCopies:  true,
		SeenLate:      seenLate,
		Ahead:         5 * time.Second,
	}
}

// Supports returns an error if there is no replication.
func (Failover) Supports(w *World) error {
	if w.Replication == nil {
		return errors.New("there is no replica that could be promoted")
	}
	return nil
}

// Plan draws the times; the fault strikes all nodes.
func (f Failover) Plan(d *Draw, w *World) Step {
	return Step{
		Nodes:  indices(len(w.Nodes)),
		Holder: drawHolder(d, w, true),
		Delay:  f.Lag.draw(d, w.TTL, Span{1.05, 1.2}),
		For:    f.For.draw(d, w.TTL, Span{0.5, 1}),
	}
}

// Check returns an error unless the step strikes all nodes.
func (Failover) Check(w *World, s Step) error {
	if len(s.Nodes) != len(w.Nodes) {
		return fmt.Errorf("a fail-over must name all %d nodes", len(w.Nodes))
	}
	return checkNodes(s)
}

// Inject returns once the promoted replica accepts writes. The heal restarts the old primary as a
// replica, and returns when it is in sync.
func (f Failover) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := errors.Join(f.Supports(w), f.Check(w, s)); err != nil {
		return "", nil, err
	}
	heal := w.Replication.Rejoin
	promoted, holder, letGo, err := failOver(ctx, w, s)
	if err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	seen := fmt.Sprintf("the primary had a write that the replicas lacked; the primary was killed, and %s was promoted%s", promoted, holder)
	return seen, func(ctx context.Context) error { letGo(); return heal(ctx) }, nil
}

// failOver lets the replicas fall behind, waits for a holder that they do not know, then kills
// the primary and promotes a replica.
func failOver(ctx context.Context, w *World, s Step) (promoted, holder string, letGo func(), err error) {
	fail := func(err error) (string, string, func(), error) { return "", "", nil, err }
	w.begins() // from here on a lock that waits for its replicas cannot be acquired
	if err := w.Replication.CutReplicas(ctx); err != nil {
		return fail(fmt.Errorf("cut replication: %w", err))
	}
	if !sleep(ctx, s.Delay) {
		return fail(ctx.Err())
	}
	started, letGo, holder, err := linger(ctx, w, s)
	if err != nil {
		return fail(err)
	}
	waiting, cancel := context.WithTimeout(ctx, w.TTL)
	defer cancel()
	if err := w.Replication.WaitWrite(waiting); err != nil {
		letGo()
		if waiting.Err() != nil && ctx.Err() == nil {
			return fail(fmt.Errorf("%w: the primary had no write within %v", ErrNotStruck, w.TTL))
		}
		return fail(fmt.Errorf("wait for a write: %w", err))
	}
	ctx, cancelWhole, err := uninterrupted(ctx)
	if err != nil {
		letGo()
		return fail(err)
	}
	defer cancelWhole()
	if promoted, err = w.Replication.Failover(ctx); err != nil {
		letGo()
		return fail(fmt.Errorf("fail over: %w", err))
	}
	started()
	return promoted, holder, letGo, nil
}
