package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A MariaDBPair controls a MariaDB primary and its asynchronous replica behind a virtual endpoint.
// Its methods may be called from several goroutines; each waits until the others have returned.
type MariaDBPair struct {
	mu        sync.Mutex
	nodes     [2]restarter
	links     mesh    // links[i][j]: the connection over which i replicates from j
	endpoints []*Link // one for each client
	primary   atomic.Int32
	number    atomic.Int32 // the last number given to a server
	down      bool         // Failover has killed the old primary, and Rejoin was not called yet
}

var _ Replication = (*MariaDBPair)(nil)

// startMariaDBReplica starts a MariaDB primary with an asynchronous replica.
func startMariaDBReplica(ctx context.Context, b *builder) error {
	ports, err := b.reserve(2)
	if err != nil {
		return err
	}
	r := &MariaDBPair{}
	r.number.Store(100) // above the numbers that the servers start with
	specs := make([]Spec, 2)
	for i := range specs {
		specs[i] = mariadbSpec(i + 1)
		specs[i].Ports = ports[i : i+1]
		specs[i].Args = []string{
			"--log-bin=binlog", "--binlog-format=ROW", "--log-slave-updates", "--sync-binlog=0",
			fmt.Sprintf("--server-id=%d", i+1), "--skip-slave-start", "--slave-net-timeout=5", "--relay-log=relay",
		}
		specs[i].Ready = func(ctx context.Context) error { return r.place(ctx, i) }
	}
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	for i, n := range b.cluster.Nodes {
		rn, ok := n.(restarter)
		if !ok {
			return fmt.Errorf("%s cannot be killed and started again, which a fail-over needs", n.Name())
		}
		r.nodes[i] = rn
	}
	if r.links, err = b.mesh(addrs(b.cluster.Nodes)); err != nil {
		return err
	}
	if err := r.place(ctx, 1); err != nil {
		return err
	}
	if r.endpoints, err = b.virtual(func() string { return r.nodes[r.Primary()].Addr() }); err != nil {
		return err
	}
	b.cluster.Replicas, b.cluster.peer = r, r.links.oneWay
	return r.inSync(ctx)
}

// Primary returns the index of the current primary.
func (r *MariaDBPair) Primary() int { return int(r.primary.Load()) }

// CutReplicas interrupts the replication: the replica does not receive later writes of the primary.
// The primary still considers the connection alive.
func (r *MariaDBPair) CutReplicas(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.Primary()
	if err := r.links[1-p][p].Cut(); err != nil {
		return fmt.Errorf("cut %s from %s: %w", r.nodes[1-p].Name(), r.nodes[p].Name(), err)
	}
	return nil
}

// WaitWrite waits until the primary has a row that the replica lacks. Deleted rows do not
// count, and neither do rows with a NULL, because locks mark a free row that way. Some locks
// write no row, for example the lock of an open transaction, and a replica never knows of them.
// So if nothing was written in the first half of the time until ctx ends, WaitWrite writes a
// row itself.
func (r *MariaDBPair) WaitWrite(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.Primary()
	d, err := newRowDiffer(r.nodes[p].Addr(), r.nodes[1-p].Addr())
	if err != nil {
		return err
	}
	defer d.close()
	began, err := gtid(ctx, d.primary)
	if err != nil {
		return err
	}
	half := time.Now().Add(untilHalf(ctx))
	err = poll(ctx, replicaPoll, func() (bool, error) {
		if ok, err := d.ahead(ctx); ok || err != nil || time.Now().Before(half) {
			return ok, err
		}
		if now, err := gtid(ctx, d.primary); err != nil || now != began {
			return false, err
		}
		return false, execAll(ctx, r.nodes[p].Addr(), "CREATE DATABASE IF NOT EXISTS torture_lag",
			"CREATE TABLE IF NOT EXISTS torture_lag.writes (at BIGINT PRIMARY KEY)", fmt.Sprintf("INSERT IGNORE INTO torture_lag.writes VALUES (%d)", time.Now().UnixNano()))
	})
	if err != nil {
		return fmt.Errorf("wait for a write that the replica has not got: %w", err)
	}
	return nil
}

// untilHalf returns half of the time until the deadline of ctx, or an hour if ctx has no deadline.
func untilHalf(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return time.Hour
	}
	return time.Until(end) / 2
}

// Failover kills the primary, promotes the replica and redirects the virtual endpoints, which
// breaks the connections of the clients. It returns once the new primary accepts writes.
func (r *MariaDBPair) Failover(ctx context.Context) (promoted string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, next := r.Primary(), 1-r.Primary()
	if r.down {
		return "", errors.New("fail over: no replica to promote")
	}
	if err := r.nodes[old].Kill(ctx); err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	r.down = true
	name := r.nodes[next].Name()
	if err := promoteMariaDB(ctx, r.nodes[next].Addr()); err != nil {
		return "", fmt.Errorf("fail over to %s: %w", name, err)
	}
	r.primary.Store(int32(next))
	for _, e := range r.endpoints {
		if err := e.move(r.nodes[next].Addr()); err != nil {
			return "", fmt.Errorf("fail over to %s: %w", name, err)
		}
	}
	return name, nil
}

// Rejoin heals the links and restarts a killed primary as a replica. The old primary starts empty
// and receives all data from the new one, so data that only the old primary had is lost. Rejoin
// returns when the replica is in sync.
func (r *MariaDBPair) Rejoin(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.links.heal(); err != nil {
		return fmt.Errorf("rejoin: %w", err)
	}
	if r.down {
		if err := r.nodes[1-r.Primary()].Start(ctx, true); err != nil {
			return fmt.Errorf("rejoin: %w", err)
		}
		r.down = false
	}
	return r.inSync(ctx)
}

// inSync waits until the replica has applied all transactions that the primary had written at the
// time of the call.
func (r *MariaDBPair) inSync(ctx context.Context) error {
	p := r.Primary()
	replica, primary := r.nodes[1-p].Addr(), r.nodes[p].Addr()
	want, err := binlogPosition(ctx, primary)
	if err != nil {
		return err
	}
	err = poll(ctx, 5*time.Millisecond, func() (bool, error) {
		s, err := slaveStatus(ctx, replica)
		if err != nil {
			return false, err
		}
		if e := s["Last_SQL_Error"]; e != "" {
			return false, errors.New(e)
		}
		if s["Slave_IO_Running"] != "Yes" || s["Slave_SQL_Running"] != "Yes" {
			return false, nil
		}
		got, err := binlogPosition(ctx, replica)
		return got >= want, err
	})
	if err != nil {
		return fmt.Errorf("wait for %s to follow %s: %w", r.nodes[1-p].Name(), r.nodes[p].Name(), err)
	}
	return nil
}

// place integrates node i after its start. The replica begins to replicate. If the primary has
// restarted without its data, place first empties the replica, so that the replica has no more data
// than the primary.
func (r *MariaDBPair) place(ctx context.Context, i int) error {
	p := r.Primary()
	replica, primary := r.nodes[1-p].Addr(), r.nodes[p].Addr()
	has, perr := binlogPosition(ctx, primary)
	knows, rerr := binlogPosition(ctx, replica)
	if i == p && rerr != nil {
		return nil // the replica is down, and is integrated when it returns
	}
	if rerr != nil {
		return rerr
	}
	if perr == nil && knows > has {
		if err := emptyMariaDB(ctx, replica); err != nil {
			return err
		}
	} else if i == p {
		return nil
	}
	return followMariaDB(ctx, replica, r.links[1-p][p].Addr(), int(r.number.Add(1)))
}
