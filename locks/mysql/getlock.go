package mysql

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A GetLock is GET_LOCK and RELEASE_LOCK on a connection of the lease's own, which it keeps until
// the server confirms the release. Waiters wait in the server. The client that holds a lock may
// take it again.
//
// Source: the locking functions of the MySQL and MariaDB manuals. Clock: none; a lease ends with
// its connection.
//
// It does not promise that the holder learns of the death of its connection: as people use it,
// nothing checks the connection while the lock is held. On a silent link the server keeps a dead
// holder's lock until its own timeouts. The lock is not replicated. It has no token. The server
// compares names without regard to case.
type GetLock struct {
	*server

	hold sync.Mutex
	held map[string]*userLock
}

// A userLock is a connection that holds a lock, once or several times.
type userLock struct {
	*session
	// busy holds an element while a statement runs, because a connection runs one at a time.
	busy chan struct{}
	// depth is the number of entries of the holder. GetLock.hold guards it.
	depth int
}

var (
	_ locks.Locker = (*GetLock)(nil)
	_ locks.Trier  = (*GetLock)(nil)
)

// NewGetLock returns a client; it connects when it is first used. The TTL is not used.
func NewGetLock(cfg Config) *GetLock {
	return &GetLock{server: newServer(cfg), held: map[string]*userLock{}}
}

// GetLockTraits returns the lock's traits.
func GetLockTraits() locks.Traits {
	t := connectionTraits("server")
	t.Reentrant = true
	return t
}

// Acquire waits in the server until the connection has the lock.
func (g *GetLock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return g.acquire(ctx, name, g.cfg.Wait)
}

// TryAcquire asks with a timeout of 0.
func (g *GetLock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return g.acquire(ctx, name, 0)
}

// acquire asks for the lock on a connection of its own. A wait that the server ends by its own
// limit is repeated until ctx is done.
func (g *GetLock) acquire(ctx context.Context, name string, wait time.Duration) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	key := userLockName(g.cfg.Prefix + name)
	if l, err := g.reenter(ctx, key); l != nil || err != nil {
		return l, err
	}
	pin := g.pinWaiting
	if wait == 0 {
		pin = g.pin
	}
	x, err := pin(ctx)
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	for {
		got, err := x.number(ctx, "SELECT GET_LOCK(?, ?)", key, int(wait/time.Second))
		if err == nil && got.Int64 == 1 {
			break
		}
		if err == nil && wait > 0 && got.Valid && ctx.Err() == nil {
			continue // the server's limit for one wait is over
		}
		if err == nil && got.Valid {
			x.rest() // the request was refused, so the connection holds nothing
		} else {
			x.close()
		}
		switch {
		case err == nil && wait == 0:
			return nil, attempt.Refused(ctx, errors.New("held by another"))
		case err == nil: // NULL: the wait was cancelled
			return nil, attempt.Refused(ctx, errors.New("held by another until the end"))
		case certain(err):
			return nil, attempt.Refused(ctx, err)
		}
		return nil, attempt.Unanswered(err)
	}
	u := &userLock{session: x, busy: make(chan struct{}, 1), depth: 1}
	g.hold.Lock()
	g.held[key] = u
	g.hold.Unlock()
	return &getLockLease{lock: g, key: key, user: u}, nil
}

// reenter takes the lock once more on the connection that has it. It returns nil if this
// client does not hold the lock.
func (g *GetLock) reenter(ctx context.Context, key string) (locks.Lease, error) {
	g.hold.Lock()
	u := g.held[key]
	if u != nil {
		u.depth++
	}
	g.hold.Unlock()
	if u == nil {
		return nil, nil
	}
	u.busy <- struct{}{}
	got, err := u.answer(ctx, "SELECT GET_LOCK(?, 0)", key)
	<-u.busy
	if err == nil && got.Int64 == 1 {
		return &getLockLease{lock: g, key: key, user: u}, nil
	}
	// After any other answer the state of the connection is unknown.
	g.leave(key, u, true, false)
	if err == nil {
		err = errors.New("the connection that holds it is refused")
	}
	return nil, fmt.Errorf("take the lock once more: %w", err)
}

// leave forgets one hold, or all of them. After the last one it keeps the connection for reuse if
// it is clean, and closes it otherwise.
func (g *GetLock) leave(key string, u *userLock, all, clean bool) {
	g.hold.Lock()
	defer g.hold.Unlock()
	if u.depth--; u.depth > 0 && !all {
		return
	}
	if g.held[key] == u {
		delete(g.held, key)
	}
	if clean {
		u.rest()
		return
	}
	u.close()
}

// userLockName returns the server's name of a lock, which has at most 64 characters. Longer names
// are hashed.
func userLockName(name string) string {
	if len(name) <= 64 {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// A getLockLease is one hold of a user-level lock.
type getLockLease struct {
	lock *GetLock
	key  string
	user *userLock
	over atomic.Bool
}

var _ locks.Owned = (*getLockLease)(nil)

// Owner returns the number of the connection, as IS_USED_LOCK reports it.
func (l *getLockLease) Owner() string { return connectionOwner(l.user.id) }

func connectionOwner(id int64) string { return "connection " + strconv.FormatInt(id, 10) }

// Release gives one hold back. Unless the server confirms that the lock is free, the connection is
// closed, which ends the lease in any case.
func (l *getLockLease) Release(ctx context.Context) error {
	if l.over.Swap(true) {
		return locks.ErrNotHeld
	}
	u := l.user
	u.busy <- struct{}{}
	_ = u.look(ctx) // the next statement fails for the same reason
	got, err := u.answer(ctx, "SELECT RELEASE_LOCK(?)", l.key)
	<-u.busy
	clean := err == nil && got.Int64 == 1
	l.lock.leave(l.key, u, err != nil, clean)
	if err == nil && got.Int64 != 1 {
		return locks.ErrNotHeld
	}
	return ended(err)
}
