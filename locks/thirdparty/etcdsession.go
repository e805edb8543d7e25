package thirdparty

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktorture/locks"
)

// open returns the present session, or makes one if it is over.
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
	// NewSession's own grant would have no timeout.
	ttl := seconds(e.cfg.TTL)
	lease, err := e.grant(ctx, int64(ttl))
	if err != nil {
		return nil, fmt.Errorf("grant a session: %w", err)
	}
	s, err = concurrency.NewSession(e.client, concurrency.WithLease(lease), concurrency.WithTTL(ttl))
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = s
	return s, nil
}

// grant creates the lease of a session, or finds the one that clients share.
func (e *EtcdConcurrency) grant(ctx context.Context, ttl int64) (clientv3.LeaseID, error) {
	if e.cfg.Session == 0 {
		l, err := e.client.Grant(ctx, ttl)
		if err != nil {
			return 0, err
		}
		return l.ID, nil
	}
	_, err := pb.NewLeaseClient(e.client.ActiveConnection()).LeaseGrant(ctx, &pb.LeaseGrantRequest{TTL: ttl, ID: e.cfg.Session})
	if err != nil && !errors.Is(rpctypes.Error(err), rpctypes.ErrLeaseExist) {
		return 0, err
	}
	return clientv3.LeaseID(e.cfg.Session), nil
}

// drop ends a session that was left in doubt: it is revoked with every key that was or will be
// created under it.
func (e *EtcdConcurrency) drop(s *concurrency.Session) {
	e.mu.Lock()
	if e.session == s {
		e.session = nil
	}
	e.mu.Unlock()
	// Close reports the loss at once and tries to revoke for at most a TTL; if it reaches no
	// server, the lease expires by itself.
	go func() { _ = s.Close() }()
}

// taken is the key of the library's Mutex after it has left the queue.
const taken = "\x00"

// take calls Lock or TryLock. It repeats the call with a new session if the session had ended
// unnoticed.
func (e *EtcdConcurrency) take(ctx context.Context, name string, lock lockFunc) (locks.Lease, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		s, err := e.open(ctx)
		if err != nil {
			// No key was requested; a session that the client never received holds nothing.
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		m := concurrency.NewMutex(s, locks.Key(etcdPrefix, name))
		err = e.within(ctx, m, lock)
		switch {
		case err == nil:
			mine := m.IsOwner()
			owner := ownerOf(int64(s.Lease()), mine.GetCompare().GetCreateRevision())
			return &etcdLease{etcd: e, session: s, mutex: m, token: uint64(m.Header().Revision), owner: owner}, nil
		case errors.Is(err, rpctypes.ErrLeaseNotFound), errors.Is(err, concurrency.ErrSessionExpired):
			e.drop(s) // the server answered that there is no such session, so no key of it exists
			continue
		case errors.Is(err, concurrency.ErrLocked), !errors.Is(err, errPatience) && m.Key() == taken:
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		if !e.cfg.KeepSession {
			e.drop(s)
		}
		return nil, fmt.Errorf("acquire: %w", err)
	}
}

// A lockFunc is Lock or TryLock.
type lockFunc func(*concurrency.Mutex, context.Context) error

// errPatience reports that the library is still using the mutex.
var errPatience = errors.New("the library did not return")

// within runs the library until ctx has ended and Patience has passed.
func (e *EtcdConcurrency) within(ctx context.Context, m *concurrency.Mutex, lock lockFunc) error {
	return e.patiently(ctx, func() error { return lock(m, ctx) })
}

// patiently runs any call as within does.
func (e *EtcdConcurrency) patiently(ctx context.Context, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	t := time.NewTimer(e.cfg.Patience)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return fmt.Errorf("%w within %v after: %w", errPatience, e.cfg.Patience, ctx.Err())
	}
}

// An etcdLease is a key of the session.
type etcdLease struct {
	etcd    *EtcdConcurrency
	session *concurrency.Session
	mutex   *concurrency.Mutex
	token   uint64
	owner   string
}

// ownerOf names a key by its session and the revision that created it: the library has no room for
// an owner value, and all keys of a session for one lock have the same name.
func ownerOf(session, created int64) string {
	return strconv.FormatInt(session, 16) + "@" + strconv.FormatInt(created, 10)
}

var (
	_ locks.Fenced  = (*etcdLease)(nil)
	_ locks.Watched = (*etcdLease)(nil)
	_ locks.Owned   = (*etcdLease)(nil)
)

// Token returns the revision of the store at the grant.
func (l *etcdLease) Token() uint64 { return l.token }

// Lost returns a channel that is closed when the session is over, as the library knows it.
func (l *etcdLease) Lost() <-chan struct{} { return l.session.Done() }

// Owner returns the session's id in hex, "@", and the revision at which this lease's key was
// created.
func (l *etcdLease) Owner() string { return l.owner }

// Release deletes the key. The library does not report whether it was still there; ErrNotHeld is
// returned only for a second release and for a session that is over.
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
		if !l.etcd.cfg.KeepSession {
			l.etcd.drop(l.session)
		}
		if l.etcd.cfg.RetryUnlock {
			go l.unlockAgain()
		}
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

// The pause before an Unlock is repeated, and the time that each repetition has.
const (
	unlockPause = 100 * time.Millisecond
	unlockTime  = time.Second
)

// unlockAgain repeats Unlock until it is answered or the session is over.
func (l *etcdLease) unlockAgain() {
	for {
		select {
		case <-l.session.Done():
			return
		case <-time.After(unlockPause):
		}
		ctx, cancel := context.WithTimeout(context.Background(), unlockTime)
		err := l.mutex.Unlock(ctx)
		cancel()
		if err == nil || errors.Is(err, concurrency.ErrLockReleased) {
			return
		}
	}
}
