package mysql

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A GetLockPooled is broken on purpose: it calls GET_LOCK and RELEASE_LOCK through a pool of
// two connections that are used in turn, as pools and proxies do to spread the load.
//
// Source: a common mistake of programs that call both through a pool and were tested with one
// connection. Clock: none.
//
// It does not promise that a release releases: on the connection that does not hold the lock,
// RELEASE_LOCK answers 0, and the lock stays for as long as the pool keeps the other
// connection. Nor does it exclude within one client: a caller that gets the same connection
// re-enters.
type GetLockPooled struct {
	*server

	turn sync.Mutex
	pool [2]*session
	next int
}

var (
	_ locks.Locker = (*GetLockPooled)(nil)
	_ locks.Trier  = (*GetLockPooled)(nil)
)

// NewGetLockPooled returns a client; it connects when it is first used. The TTL is not used.
func NewGetLockPooled(cfg Config) *GetLockPooled { return &GetLockPooled{server: newServer(cfg)} }

// Acquire waits in the server until the connection whose turn it is has the lock.
func (g *GetLockPooled) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return g.acquire(ctx, name, g.cfg.Wait)
}

// TryAcquire asks with a timeout of 0.
func (g *GetLockPooled) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return g.acquire(ctx, name, 0)
}

// acquire takes a connection from the pool and calls GET_LOCK on it. wait is the time that the
// server waits.
func (g *GetLockPooled) acquire(ctx context.Context, name string, wait time.Duration) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x, err := g.inTurn(ctx)
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	key := userLockName(g.cfg.Prefix + name)
	if err := x.take(ctx, key, wait); err != nil {
		return nil, err
	}
	return &pooledLease{lock: g, key: key, id: x.id}, nil
}

// inTurn returns the connection whose turn it is.
func (g *GetLockPooled) inTurn(ctx context.Context) (*session, error) {
	g.turn.Lock()
	defer g.turn.Unlock()
	i := g.next
	g.next = (i + 1) % len(g.pool)
	var err error
	if g.pool[i] == nil {
		g.pool[i], err = g.pin(ctx)
	}
	return g.pool[i], err
}

// A pooledLease is a user-level lock of one connection in the pool.
type pooledLease struct {
	lock *GetLockPooled
	key  string
	id   int64
}

var _ locks.Owned = (*pooledLease)(nil)

// Owner returns the number of the connection that took the lock.
func (l *pooledLease) Owner() string { return connectionOwner(l.id) }

// Release releases the lock on the connection whose turn it is, which may be the wrong one.
func (l *pooledLease) Release(ctx context.Context) error {
	x, err := l.lock.inTurn(ctx)
	if err != nil {
		return ended(err)
	}
	got, err := x.answer(ctx, "SELECT RELEASE_LOCK(?)", l.key)
	if err == nil && got.Int64 != 1 {
		return fmt.Errorf("%w: connection %d does not hold it, connection %d does", locks.ErrNotHeld, x.id, l.id)
	}
	return ended(err)
}

// take asks for a user-level lock until the connection has it. A wait that the server ends by its
// own limit is repeated. It returns the errors of Acquire.
func (x *session) take(ctx context.Context, key string, wait time.Duration) error {
	for {
		got, err := x.number(ctx, "SELECT GET_LOCK(?, ?)", key, int(wait/time.Second))
		switch {
		case err == nil && got.Int64 == 1:
			return nil
		case err == nil && wait > 0 && got.Valid && ctx.Err() == nil:
			continue
		case err == nil:
			return attempt.Refused(ctx, errors.New("held by another"))
		case certain(err):
			return attempt.Refused(ctx, err)
		}
		return attempt.Unanswered(err)
	}
}
