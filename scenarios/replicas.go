//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"errors"
	"time"

	"locktorture/nemesis"
)

// errAlone reports that a topology has no replicas.
var errAlone = errors.New("there are no replicas here")

// Replicas controls the primary and its replicas behind the clients' endpoint.
type Replicas struct {
	stage   *Stage
	cluster *system
	fault   *Fault
	struck  int64 // time just before the kill of the primary, in ns of the history
}

// Replicas returns the primary and its replicas.
func (s *Stage) Replicas() *Replicas { return &Replicas{stage: s, cluster: s.Servers.cluster} }

// begin starts the fault, which ends when the replicas follow the primary again.
func (r *Replicas) begin() {
	r.fault = r.stage.begin(nemesis.Failover{}, nemesis.Step{Nodes: all(len(r.cluster.Nodes))}, r.cluster.Replicas.Rejoin)
}

// Cut cuts the replicas off: they do not receive later writes.
func (r *Replicas) Cut() {
	r.stage.step("cut replication", func(ctx context.Context) error {
		if r.cluster.Replicas == nil {
			return errAlone
		}
		r.begin()
		return r.cluster.Replicas.CutReplicas(ctx)
	})
}

// UntilSynced waits until every replica has all data of the primary, for the control case.
func (r *Replicas) UntilSynced() {
	r.stage.step("wait for the replicas", func(ctx context.Context) error {
		sync, ok := r.cluster.Replicas.(interface{ WaitSync(context.Context) error })
		if !ok {
			return errAlone
		}
		r.begin()
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return sync.WaitSync(ctx)
	})
}

// aim selects the shard with the lock for the next fail-over, if there are several shards.
func (r *Replicas) aim() {
	a, ok := r.cluster.Replicas.(interface {
		Aim(ctx context.Context, key string) error
	})
	if ok {
		r.stage.step("find the lock's shard", func(ctx context.Context) error { return a.Aim(ctx, "lock:"+r.stage.Lock) })
	}
}

// UntilAhead waits until the primary has a write that no replica has.
func (r *Replicas) UntilAhead() {
	r.stage.step("wait for a write that the replicas have not got", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return r.cluster.Replicas.WaitWrite(ctx)
	})
}

// Failover kills the primary and promotes a replica, or lets the sentinels do it. The clients'
// endpoint then leads to the new primary.
func (r *Replicas) Failover() {
	r.failover("promoted", func(ctx context.Context) (string, error) { return r.cluster.Replicas.Failover(ctx) })
}

// FailoverByElection kills the primary and waits until the other primaries have elected its
// replica.
func (r *Replicas) FailoverByElection() {
	r.failover("elected", func(ctx context.Context) (string, error) {
		e, ok := r.cluster.Replicas.(interface {
			Elect(ctx context.Context) (string, error)
		})
		if !ok {
			return "", ErrCannot
		}
		return e.Elect(ctx)
	})
}

func (r *Replicas) failover(how string, do func(ctx context.Context) (string, error)) {
	r.stage.step("fail over", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 3*patience)
		defer cancel()
		r.struck = r.stage.script.Now()
		promoted, err := do(ctx)
		if err != nil {
			return err
		}
		r.fault.strike("the primary was killed and " + promoted + " " + how)
		return nil
	})
}

// Windows records the time from the old primary's last grant to the new primary's first grant of
// the lock, and the time without any grant. first is the first grant of the new primary, second the
// second grant of the lock, or nil.
func (r *Replicas) Windows(last, second, first *Lease) {
	if r.stage.over() || last == nil || first == nil {
		return
	}
	if second != nil {
		r.stage.Measured("granted again", "%.2f s after the last grant of the old primary", time.Duration(second.at-last.at).Seconds())
	}
	r.stage.Measured("no grant at all", "for %.2f s from the kill", time.Duration(first.at-r.struck).Seconds())
}

// chosen controls single replicas.
type chosen interface {
	CutReplica(ctx context.Context, i int) error
	FailoverTo(ctx context.Context, i int) (string, error)
}

// CutOne cuts off the last replica and leaves the others in sync.
func (r *Replicas) CutOne() {
	r.stage.step("cut one replica off", func(ctx context.Context) error {
		c, ok := r.cluster.Replicas.(chosen)
		if !ok {
			return errAlone
		}
		r.begin()
		return c.CutReplica(ctx, r.last())
	})
}

// last returns the replica with the highest number.
func (r *Replicas) last() int {
	i := len(r.cluster.Nodes) - 1
	if i == r.primary() {
		i--
	}
	return i
}

// FailoverToCut kills the primary and promotes the replica that CutOne cut off.
func (r *Replicas) FailoverToCut() {
	s := r.stage
	s.step("fail over", func(ctx context.Context) error {
		i := r.last()
		r.struck = s.script.Now()
		promoted, err := r.cluster.Replicas.(chosen).FailoverTo(ctx, i)
		if err != nil {
			return err
		}
		r.fault.strike("the primary was killed and " + promoted + " promoted, which had been cut off")
		return nil
	})
}
