package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktorture/locks"
)

// An EtcdElection is the Election of go.etcd.io/etcd/client/v3/concurrency, with one Session for
// each client.
//
// Algorithm: a lease that is kept alive, and a key below the election's prefix under that lease,
// with the candidate's value. The oldest key leads; the others wait until all older keys are gone.
// The term is Election.Rev(), the revision that created the leader's key, which observers see too.
// Source: etcd's documentation and the library's. Clock: as EtcdConcurrency.
//
// Its promises are weaker than those of EtcdConcurrency in three ways. Campaign does not check that
// its own key still exists when the older ones are gone (etcd#11051). Resign does not report
// whether there was a key. A Campaign that ends with an error of its watch, for example after a
// compaction, leaves its key behind (etcd#21128). This adapter checks whether an abandoned campaign
// has withdrawn, because the library does not report it.
type EtcdElection struct {
	locks.NotExclusive
	etcd *EtcdConcurrency
}

var (
	_ locks.Locker   = (*EtcdElection)(nil)
	_ locks.Elector  = (*EtcdElection)(nil)
	_ locks.Observer = (*EtcdElection)(nil)
)

// NewEtcdElection returns a client; it opens its session when it first campaigns.
func NewEtcdElection(cfg EtcdConfig) (*EtcdElection, error) {
	e, err := NewEtcdConcurrency(cfg)
	if err != nil {
		return nil, err
	}
	return &EtcdElection{etcd: e}, nil
}

// EtcdElectionTraits returns the election's traits.
func EtcdElectionTraits() locks.Traits {
	t := EtcdConcurrencyTraits()
	t.Kind, t.Model, t.Observed = locks.Election, "election", true
	t.Blind = true // Resign does not report whether its key was still there
	return t
}

// Campaign waits until every older key of the election is gone.
func (e *EtcdElection) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		s, err := e.etcd.open(ctx)
		if err != nil {
			// No key was requested; a session that the client never received leads nothing.
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		c := concurrency.NewElection(s, locks.Key(etcdPrefix, name))
		err = e.etcd.patiently(ctx, func() error { return c.Campaign(ctx, value) })
		switch {
		case err == nil:
			return &etcdLeader{etcd: e.etcd, session: s, election: c, term: uint64(c.Rev()), owner: ownerOf(int64(s.Lease()), c.Rev())}, nil
		case errors.Is(err, rpctypes.ErrLeaseNotFound):
			e.etcd.drop(s) // the server answered that there is no such session, so no key of it exists
			continue
		case !errors.Is(err, errPatience) && e.withdrawn(ctx, s, name, c.Rev()):
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		if !e.etcd.cfg.KeepSession {
			e.etcd.drop(s)
		}
		return nil, fmt.Errorf("campaign: %w", err)
	}
}

// withdrawn reports whether a campaign had created its key in the given revision and the key is
// gone.
func (e *EtcdElection) withdrawn(ctx context.Context, s *concurrency.Session, name string, made int64) bool {
	if made == 0 {
		return false // no server has answered, so the key may still appear
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.etcd.cfg.Patience)
	defer cancel()
	r, err := e.etcd.client.Get(ctx, fmt.Sprintf("%s/%x", locks.Key(etcdPrefix, name), s.Lease()))
	return err == nil && (len(r.Kvs) == 0 || r.Kvs[0].CreateRevision > made)
}

// Leader reads the oldest key, in a linearizable read.
func (e *EtcdElection) Leader(ctx context.Context, name string) (value string, term uint64, err error) {
	s, err := e.etcd.open(ctx)
	if err != nil {
		return "", 0, err
	}
	r, err := concurrency.NewElection(s, locks.Key(etcdPrefix, name)).Leader(ctx)
	switch {
	case errors.Is(err, concurrency.ErrElectionNoLeader):
		return "", 0, nil
	case err != nil:
		return "", 0, fmt.Errorf("ask for the leader: %w", err)
	}
	return string(r.Kvs[0].Value), uint64(r.Kvs[0].CreateRevision), nil
}

// Close drops the connections. The session ends when its TTL is over.
func (e *EtcdElection) Close() error { return e.etcd.Close() }

// An etcdLeader is a key of the session that became the oldest.
type etcdLeader struct {
	etcd     *EtcdConcurrency
	session  *concurrency.Session
	election *concurrency.Election
	term     uint64
	owner    string
	// resigned is set once a resignation was answered.
	resigned atomic.Bool
}

var (
	_ locks.Fenced  = (*etcdLeader)(nil)
	_ locks.Watched = (*etcdLeader)(nil)
	_ locks.Owned   = (*etcdLeader)(nil)
)

// Token returns the term: the revision that created the key.
func (l *etcdLeader) Token() uint64 { return l.term }

// Lost returns a channel that is closed when the session is over, as the library knows it.
func (l *etcdLeader) Lost() <-chan struct{} { return l.session.Done() }

// Owner returns the name of the key, see ownerOf.
func (l *etcdLeader) Owner() string { return l.owner }

// Release resigns. The library does not report whether the key was still there; ErrNotHeld is
// returned only for a second resignation and for a session that is over. The library takes a failed
// resignation for a success: it forgets its key, and the next Resign returns nil without a request
// (etcd#22123). So Release ends the session after a failure, unless KeepSession is set.
func (l *etcdLeader) Release(ctx context.Context) error {
	over := l.resigned.Load()
	select {
	case <-l.session.Done():
		over = true
	default:
	}
	err := l.election.Resign(ctx)
	switch {
	case err == nil && over:
		return locks.ErrNotHeld
	case err != nil:
		if !l.etcd.cfg.KeepSession {
			l.etcd.drop(l.session)
		}
		return fmt.Errorf("resign: %w", err)
	}
	l.resigned.Store(true)
	return nil
}
