package mysql

import (
	"context"
	"errors"
	"sync"
	"time"

	"locktorture/locks"
)

// A ttlLease is one hold of a row, kept alive by a watchdog.
type ttlLease struct {
	lock  *UniqueTTL
	name  string
	owner string
	token uint64
	end   context.CancelFunc // of the watchdog
	lost  chan struct{}

	mu    sync.Mutex
	until time.Time
	over  bool // lost, or released
	told  bool // the server said that it is over or has been released
}

var (
	_ locks.Bounded = (*ttlLease)(nil)
	_ locks.Fenced  = (*ttlLease)(nil)
	_ locks.Owned   = (*ttlLease)(nil)
	_ locks.Watched = (*ttlLease)(nil)
	_ locks.Renewer = (*ttlLease)(nil)
)

// begin starts the watchdog of a lease that was granted.
func (l *ttlLease) begin() *ttlLease {
	ctx, cancel := context.WithCancel(l.lock.alive)
	l.end = cancel
	go l.watch(ctx)
	return l
}

// Until is the start of the last renewal that was answered, plus the TTL.
func (l *ttlLease) Until() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until
}

// Token is the version of the row.
func (l *ttlLease) Token() uint64 { return l.token }

// Owner is the value in the row; a re-entry has that of the first hold.
func (l *ttlLease) Owner() string { return l.owner }

// Lost is closed when the lease is known to be over.
func (l *ttlLease) Lost() <-chan struct{} { return l.lost }

// Renew gives the lease a TTL from now.
func (l *ttlLease) Renew(ctx context.Context) error {
	start := l.lock.cfg.Clock.Now()
	ttl := l.lock.cfg.TTL
	err := l.lock.change(ctx, "renew", ttlTable(), "UPDATE %s SET expires = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND"+
		" WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", ttl.Microseconds(), l.name, l.owner)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := start.Add(ttl); until.After(l.until) {
		l.until = until
	}
	return nil
}

// Release ends the watchdog and counts one less; the last release frees the
// row.
func (l *ttlLease) Release(ctx context.Context) error {
	l.mu.Lock()
	l.over = true
	told := l.told
	l.mu.Unlock()
	l.end()
	if told {
		return locks.ErrNotHeld
	}
	err := l.lock.change(ctx, "release", ttlTable(), "UPDATE %s SET count = count - 1,"+
		" expires = IF(count = 0, NULL, expires), owner = IF(count = 0, NULL, owner)"+
		" WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", l.name, l.owner)
	if err == nil || errors.Is(err, locks.ErrNotHeld) {
		l.lock.leave(l.name, l.owner, err != nil)
		l.mu.Lock()
		l.told = true
		l.mu.Unlock()
	}
	return err
}

// watch renews until the lease is released, lost, or its client closed.
func (l *ttlLease) watch(ctx context.Context) {
	clock := l.lock.cfg.Clock
	next := l.lock.cfg.TTL / 3
	for {
		// Never sleep past the end of the validity: its end must be told.
		left := l.Until().Sub(clock.Now())
		c, stop := clock.After(max(0, min(next, left)))
		select {
		case <-c:
			stop()
		case <-ctx.Done():
			stop()
			return
		}
		left = l.Until().Sub(clock.Now())
		if left <= 0 {
			l.lose()
			return
		}
		rctx, cancel := context.WithTimeout(ctx, left)
		err := l.Renew(rctx)
		cancel()
		switch {
		case err == nil:
			next = l.lock.cfg.TTL / 3
		case errors.Is(err, locks.ErrNotHeld):
			l.lose()
			return
		default:
			next = l.lock.pause()
		}
	}
}

// lose tells the loss, unless the lease was released.
func (l *ttlLease) lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.lost)
	}
}
