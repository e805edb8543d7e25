package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktorture/locks"
)

// open returns the session, or makes one if there is none that lives.
func (e *EtcdConcurrency) open(ctx context.Context) (*concurrency.Session, error) {
	e.mu.Lock()
	s := e.session
	e.mu.Unlock()
	if s != nil {
		select {
		case <-s.Done():
		default:
			return s, nil
		}
	}
	// NewSession's own grant would have no time-out.
	ttl := seconds(e.cfg.TTL)
	lease, err := e.client.Grant(ctx, int64(ttl))
	if err != nil {
		return nil, fmt.Errorf("grant a session: %w", err)
	}
	s, err = concurrency.NewSession(e.client, concurrency.WithLease(lease.ID), concurrency.WithTTL(ttl))
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = s
	return s, nil
}

// drop ends a session that was left in doubt: it is revoked, and with it
// whatever was or will be created under it.
func (e *EtcdConcurrency) drop(s *concurrency.Session) {
	e.mu.Lock()
	if e.session == s {
		e.session = nil
	}
	e.mu.Unlock()
	// Close tells the loss at once and revokes for a TTL at most; where that
	// cannot reach a server the lease ends by itself.
	go func() { _ = s.Close() }()
}

// taken is what the library's Mutex has for a key once it took its place in the
// queue back.
const taken = "\x00"

// take runs Lock or TryLock and tells what its error means.
func (e *EtcdConcurrency) take(ctx context.Context, name string, lock func(*concurrency.Mutex, context.Context) error) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	s, err := e.open(ctx)
	if err != nil {
		// No key was asked for; a session that nobody knows holds nothing.
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	m := concurrency.NewMutex(s, etcdPrefix+name)
	done := make(chan error, 1)
	go func() { done <- lock(m, ctx) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		t := time.NewTimer(e.cfg.Patience)
		defer t.Stop()
		select {
		case err = <-done:
		case <-t.C:
			e.drop(s)
			return nil, fmt.Errorf("the library did not return within %v after: %w", e.cfg.Patience, ctx.Err())
		}
	}
	switch {
	case err == nil:
		return &etcdLease{etcd: e, session: s, mutex: m, token: uint64(m.Header().Revision)}, nil
	case errors.Is(err, concurrency.ErrLocked), errors.Is(err, concurrency.ErrSessionExpired), m.Key() == taken:
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	e.drop(s)
	return nil, fmt.Errorf("acquire: %w", err)
}

// An etcdLease is a key of the session.
type etcdLease struct {
	etcd    *EtcdConcurrency
	session *concurrency.Session
	mutex   *concurrency.Mutex
	token   uint64
}

var (
	_ locks.Fenced  = (*etcdLease)(nil)
	_ locks.Watched = (*etcdLease)(nil)
	_ locks.Owned   = (*etcdLease)(nil)
)

// Token is the revision of the store at the grant.
func (l *etcdLease) Token() uint64 { return l.token }

// Lost is closed when the session is over, as the library knows it.
func (l *etcdLease) Lost() <-chan struct{} { return l.session.Done() }

// Owner is the id of the session's lease in hex, which is the last part of the
// key: the library leaves no room for an owner value.
func (l *etcdLease) Owner() string { return strconv.FormatInt(int64(l.session.Lease()), 16) }

// Release deletes the key. The library does not tell whether it was still
// there; ErrNotHeld comes for a second release and for a session that is over.
func (l *etcdLease) Release(ctx context.Context) error {
	over := false
	select {
	case <-l.session.Done():
		over = true
	default:
	}
	err := l.mutex.Unlock(ctx)
	switch {
	case errors.Is(err, concurrency.ErrLockReleased), err == nil && over:
		return locks.ErrNotHeld
	case err != nil:
		l.etcd.drop(l.session)
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// An EtcdProbe asks etcd who holds a lock of EtcdConcurrency.
type EtcdProbe struct {
	client *clientv3.Client
	node   string
}

var _ locks.Prober = (*EtcdProbe)(nil)

// NewEtcdProbe returns a probe of these servers, which answer as one under the
// name node: its reads are linearizable.
func NewEtcdProbe(endpoints []string, node string) (*EtcdProbe, error) {
	c, err := dialEtcd(EtcdConfig{Endpoints: endpoints})
	if err != nil {
		return nil, err
	}
	return &EtcdProbe{client: c, node: node}, nil
}

// Probe returns the session of the oldest key and what is left of its TTL, in whole seconds.
func (p *EtcdProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	prefix := etcdPrefix + name + "/"
	r, err := p.client.Get(ctx, prefix, clientv3.WithFirstCreate()...)
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight := locks.Sight{Node: p.node, Left: -1}
	if len(r.Kvs) == 0 {
		return []locks.Sight{sight}, nil
	}
	sight.Owner = string(r.Kvs[0].Key[len(prefix):])
	t, err := p.client.TimeToLive(ctx, clientv3.LeaseID(r.Kvs[0].Lease))
	if err != nil {
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	sight.Left = max(0, time.Duration(t.TTL)*time.Second)
	return []locks.Sight{sight}, nil
}

// Close drops the connections.
func (p *EtcdProbe) Close() error { return p.client.Close() }
