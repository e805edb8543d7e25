package mysql

import (
	"context"
	"errors"
	"sync"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A ttlLease is one hold of a row, kept alive by a watchdog. Its validity ends one TTL after
// the start of the latest answered renewal.
type ttlLease struct {
	lock  *UniqueTTL
	name  string
	owner string
	token uint64
	attempt.Kept

	mu sync.Mutex
	// told reports that the server has confirmed the end of the lease.
	told bool
}

var (
	_ locks.Bounded = (*ttlLease)(nil)
	_ locks.Fenced  = (*ttlLease)(nil)
	_ locks.Owned   = (*ttlLease)(nil)
	_ locks.Watched = (*ttlLease)(nil)
	_ locks.Renewer = (*ttlLease)(nil)
)

// begin starts the watchdog of a granted lease.
func (l *ttlLease) begin() *ttlLease {
	u := l.lock
	attempt.Watchdog{Period: u.cfg.TTL / 3, Pause: u.terms.Pause, Clock: u.cfg.Clock}.Keep(u.alive, l)
	return l
}

// Token returns the version of the row.
func (l *ttlLease) Token() uint64 { return l.token }

// Owner returns the value in the row. A re-entry has the value of the first hold.
func (l *ttlLease) Owner() string { return l.owner }

// Renew extends the lease to one TTL from now.
func (l *ttlLease) Renew(ctx context.Context) error {
	start := l.lock.cfg.Clock.Now()
	ttl := l.lock.cfg.TTL
	err := l.lock.change(ctx, "renew", ttlTable(), "UPDATE %s SET expires = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"+
		" WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", ttl.Microseconds(), l.name, l.owner)
	if err != nil {
		return err
	}
	l.Extend(start.Add(ttl))
	return nil
}

// Release stops the watchdog and decrements the count in the row. The last release frees the row.
// After any error the client forgets all its holds: it does not know the count in the row, so its
// next acquire must be a new grant and not a re-entry.
func (l *ttlLease) Release(ctx context.Context) error {
	l.Finish()
	l.mu.Lock()
	told := l.told
	l.mu.Unlock()
	if told {
		return locks.ErrNotHeld
	}
	err := l.lock.change(ctx, "release", ttlTable(), "UPDATE %s SET count = count - 1,"+
		" expires = IF(count = 0, NULL, expires), owner = IF(count = 0, NULL, owner)"+
		" WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", l.name, l.owner)
	l.lock.leave(l.name, l.owner, err != nil)
	if err == nil || errors.Is(err, locks.ErrNotHeld) {
		l.mu.Lock()
		l.told = true
		l.mu.Unlock()
	}
	return err
}
