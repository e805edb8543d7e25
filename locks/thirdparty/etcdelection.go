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

// An EtcdElection is the Election of go.etcd.io/etcd/client/v3/concurrency on a Session of its
// own for each client.
//
// Algorithm: a lease that is kept alive; a key below the election's prefix under that lease,
// whose value is the candidate's; the oldest key leads, the others wait until all older ones
// are gone. The term is Election.Rev(), the revision that created the leader's key, which
// observers see too. Source: etcd's documentation and the library's. Clock: as
// EtcdConcurrency.
//
// Beyond what EtcdConcurrency does not promise: Campaign does not look whether its own key is
// still there when the older ones are gone (etcd#11051), Resign does not say whether there was
// a key, and a Campaign that ends with an error of its watch, as after a compaction, leaves
// its key behind (etcd#21128). Whether a campaign that was given up has withdrawn is looked at
// here, because the library keeps that to itself.
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
	t.Blind = true // Resign does not say whether its key was still there
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
			// No key was asked for; a session that nobody knows leads nothing.
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		c := concurrency.NewElection(s, locks.Key(etcdPrefix, name))
		err = e.etcd.patiently(ctx, func() error { return c.Campaign(ctx, value) })
		switch {
		case err == nil:
			return &etcdLeader{etcd: e.etcd, session: s, election: c, term: uint64(c.Rev()), owner: ownerOf(int64(s.Lease()), c.Rev())}, nil
		case errors.Is(err, rpctypes.ErrLeaseNotFound):
			e.etcd.drop(s) // the server answered: there is no such session, and no key of it
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

// withdrawn reports whether a campaign made its key, in this revision, and that it is gone.
func (e *EtcdElection) withdrawn(ctx context.Context, s *concurrency.Session, name string, made int64) bool {
	if made == 0 {
		return false // no server has answered: the key may come yet
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.etcd.cfg.Patience)
	defer cancel()
	r, err := e.etcd.client.Get(ctx, fmt.Sprintf("%s/%x", locks.Key(etcdPrefix, name), s.Lease()))
	return err == nil && (len(r.Kvs) == 0 || r.Kvs[0].CreateRevision > made)
}

// Leader asks for the oldest key, in a linearizable read.
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

// An etcdLeader is a key of the session that was the oldest.
type etcdLeader struct {
	etcd     *EtcdConcurrency
	session  *concurrency.Session
	election *concurrency.Election
	term     uint64
	owner    string
	resigned atomic.Bool // and the library was answered
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

// Owner names the key, see ownerOf.
func (l *etcdLeader) Owner() string { return l.owner }

// Release resigns. The library does not tell whether the key was still there; ErrNotHeld comes
// for a second resignation and for a session that is over. A resignation that failed the
// library takes for done: it has forgotten its key, and says yes to the next, for which it
// asks nobody (etcd#22123). So the session is ended then, unless it is to be kept.
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
