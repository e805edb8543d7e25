package mysql

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A UniqueTTL is a row with a unique key, owner, count and expiry. One statement inserts the row,
// or takes it over if it is free. The owner may acquire it again, which increments the count. A
// watchdog renews the row every third of its TTL while it is held. Waiters run a reaper, which
// frees the expired rows of all locks.
//
// Source: the method of articles on database locks, with all the repairs that they propose. Clock:
// the database's clock, for every expiry; the client computes its validity as the start of the
// latest answered renewal plus the TTL.
//
// It does not promise that a paused holder learns of the end of its lease before it goes on,
// because the watchdog is paused with it. Nor does it promise any order among waiters, nor that a
// lease survives a fail-over to a replica that lags. Its token is the version of the row. It grows
// with each grant that is not a re-entry, and falls back with the row.
type UniqueTTL struct {
	*server

	hold sync.Mutex
	held map[string]*tenure
	// reaped is the time at which this client last ran the reaper.
	reaped time.Time
}

// A tenure is a client's state of a lock that it holds, once or several times.
type tenure struct {
	owner string
	token uint64
	depth int
}

var (
	_ locks.Locker = (*UniqueTTL)(nil)
	_ locks.Trier  = (*UniqueTTL)(nil)
)

// NewUniqueTTL returns a client; it connects when it is first used.
func NewUniqueTTL(cfg Config) *UniqueTTL {
	return &UniqueTTL{server: newServer(cfg), held: map[string]*tenure{}}
}

// UniqueTTLTraits returns the lock's traits.
func UniqueTTLTraits() locks.Traits {
	return locks.Traits{
		Reentrant: true, Wait: "spin", Renews: true, Token: true, Bounded: true, Watched: true, Validity: "renewal+TTL",
		LeastTTL: 300 * time.Millisecond, Model: "fenced",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + reapEvery(ttl) + 2*retryMax },
		Clock:      "the database server's wall clock",
	}
}

// reapEvery returns the least time between two runs of one client's reaper.
func reapEvery(ttl time.Duration) time.Duration { return max(ttl/20, 10*time.Millisecond) }

// Acquire spins until the row is free or already held by this client.
func (u *UniqueTTL) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	l, try := u.attempt(name)
	if err := u.terms.Spin(ctx, try); err != nil {
		return nil, err
	}
	return l.begin(), nil
}

// TryAcquire asks once, and once more if the reaper has freed rows in between.
func (u *UniqueTTL) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	l, try := u.attempt(name)
	if err := u.terms.Once(ctx, try); err != nil {
		return nil, err
	}
	return l.begin(), nil
}

// attempt returns a lease that is not granted yet, and the request for it.
func (u *UniqueTTL) attempt(name string) (*ttlLease, attempt.Try) {
	l := &ttlLease{lock: u, name: name, owner: u.owner(), Kept: attempt.NewKept(time.Time{})}
	return l, func(ctx context.Context) (bool, error) {
		if ok, err := u.reenter(ctx, l); ok || err != nil {
			return ok, err
		}
		ok, err := u.take(ctx, l)
		if ok || err != nil || !u.reapDue() {
			return ok, err
		}
		freed, err := u.reap(ctx)
		if err != nil || !freed {
			return false, err
		}
		return u.take(ctx, l)
	}
}

// takeStatement inserts the row, or changes its owner if it is free. MySQL executes assignments
// from left to right: once owner is the new one, the row was free.
const takeStatement = "INSERT INTO %s (name, owner, count, expires, version)" +
	" VALUES (?, ?, 1, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, 1) ON DUPLICATE KEY UPDATE" +
	" version = IF(owner IS NULL, LAST_INSERT_ID(version + 1), version)," +
	" count = IF(owner IS NULL, 1, count)," +
	" expires = IF(owner IS NULL, VALUES(expires), expires)," +
	" owner = IF(owner IS NULL, VALUES(owner), owner)"

// take tries once to take the lock. The validity counts from before the statement.
func (u *UniqueTTL) take(ctx context.Context, l *ttlLease) (bool, error) {
	start := u.cfg.Clock.Now()
	r, err := u.exec(ctx, ttlTable(), takeStatement, l.name, l.owner, u.cfg.TTL.Microseconds())
	if err != nil || r.rows == 0 {
		return false, err
	}
	l.Extend(start.Add(u.cfg.TTL))
	l.token = max(r.id, 1) // an inserted row has version 1
	u.hold.Lock()
	defer u.hold.Unlock()
	u.held[l.name] = &tenure{owner: l.owner, token: l.token, depth: 1}
	return true, nil
}

// reenter increments the count if this client already holds the lock.
func (u *UniqueTTL) reenter(ctx context.Context, l *ttlLease) (bool, error) {
	u.hold.Lock()
	defer u.hold.Unlock()
	t := u.held[l.name]
	if t == nil {
		return false, nil
	}
	start := u.cfg.Clock.Now()
	r, err := u.exec(ctx, ttlTable(), "UPDATE %s SET count = count + 1, expires = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"+
		" WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", u.cfg.TTL.Microseconds(), l.name, t.owner)
	if err != nil {
		return false, err
	}
	if r.rows == 0 { // the lock was lost in the meantime
		delete(u.held, l.name)
		return false, nil
	}
	t.depth++
	l.owner, l.token = t.owner, t.token
	l.Extend(start.Add(u.cfg.TTL))
	return true, nil
}

// leave forgets one hold, or all holds if the lock is lost or nobody knows how often it is held.
func (u *UniqueTTL) leave(name, owner string, lost bool) {
	u.hold.Lock()
	defer u.hold.Unlock()
	t := u.held[name]
	if t == nil || t.owner != owner {
		return
	}
	if t.depth--; lost || t.depth == 0 {
		delete(u.held, name)
	}
}

// reapDue reports whether the reaper may run again, and counts that as a run.
func (u *UniqueTTL) reapDue() bool {
	u.hold.Lock()
	defer u.hold.Unlock()
	now := time.Now() // paces the reaper; no validity depends on it
	if now.Sub(u.reaped) < reapEvery(u.cfg.TTL) {
		return false
	}
	u.reaped = now
	return true
}

// reap frees all expired rows and reports whether there were any. It acquires nothing, so its
// errors leave nothing in doubt.
func (u *UniqueTTL) reap(ctx context.Context) (bool, error) {
	r, err := u.exec(ctx, ttlTable(), "UPDATE %s SET owner = NULL, count = 0, expires = NULL WHERE expires <= UTC_TIMESTAMP(6)")
	if is(err, errDeadlock) { // with another client's reaper, which does the same work
		return true, nil
	}
	if err != nil {
		return false, &attempt.NotSentError{Err: fmt.Errorf("reap: %w", err)}
	}
	return r.rows > 0, nil
}
