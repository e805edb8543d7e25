// Package etcdtest has a lock on etcd and its tests. They are the tests of package gotest that need
// a client of etcd: importers of gotest should not need the checksums of that client's modules.
package etcdtest

import (
	"context"
	"fmt"
	"net"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"locktorture/locks"
	"locktorture/locks/driver"
)

// A Lock is one client. The lock is a key under an etcd lease that is not renewed.
type Lock struct {
	etcd *clientv3.Client
	ttl  time.Duration
	// blind makes a release delete the key, even if it is the key of another client.
	blind bool
}

// New returns a client. Its connections are made by o.Dial, so that they can be simulated.
func New(o driver.Open, blind bool) (*Lock, error) {
	dial := func(ctx context.Context, addr string) (net.Conn, error) { return o.Dial(ctx, "tcp", addr) }
	c, err := clientv3.New(clientv3.Config{Endpoints: o.Endpoints, DialOptions: []grpc.DialOption{grpc.WithContextDialer(dial)}})
	if err != nil {
		return nil, err
	}
	return &Lock{c, o.TTL, blind}, nil
}

// Close drops the connections.
func (l *Lock) Close() error { return l.etcd.Close() }

// Acquire waits for the lock until ctx ends.
func (l *Lock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	for {
		if err := l.await(ctx, name); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		start := time.Now()
		g, err := l.etcd.Grant(ctx, int64(l.ttl/time.Second))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		r, err := l.put(ctx, name, g.ID)
		if err != nil {
			return nil, fmt.Errorf("acquire %s: %w", name, err) // it may have been taken
		}
		if r.Succeeded {
			return &Lease{l, name, r.Header.Revision, start.Add(l.ttl)}, nil
		}
	}
}

// await waits until the key is gone.
func (l *Lock) await(ctx context.Context, name string) error {
	for {
		r, err := l.etcd.Get(ctx, name)
		if err != nil || r.Count == 0 {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// put creates the key unless it exists. The request is not cut off with ctx, because its answer
// tells whether the lock was taken.
func (l *Lock) put(ctx context.Context, name string, id clientv3.LeaseID) (*clientv3.TxnResponse, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.ttl)
	defer cancel()
	return l.etcd.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(name), "=", 0)).
		Then(clientv3.OpPut(name, "", clientv3.WithLease(id))).
		Commit()
}

// A Lease is a lock that is held.
type Lease struct {
	lock     *Lock
	name     string
	revision int64
	until    time.Time
}

// Token returns the revision that created the key.
func (l *Lease) Token() uint64 { return uint64(l.revision) }

// Until returns the end of the validity: the TTL, counted from before the request of the etcd lease.
func (l *Lease) Until() time.Time { return l.until }

// Release deletes the key.
func (l *Lease) Release(ctx context.Context) error {
	txn := l.lock.etcd.Txn(ctx)
	if !l.lock.blind {
		txn = txn.If(clientv3.Compare(clientv3.CreateRevision(l.name), "=", l.revision))
	}
	r, err := txn.Then(clientv3.OpDelete(l.name)).Commit()
	switch {
	case err != nil:
		return fmt.Errorf("release %s: %w", l.name, err)
	case !r.Succeeded || r.Responses[0].GetResponseDeleteRange().Deleted == 0:
		return locks.ErrNotHeld
	}
	return nil
}
