package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A SkipLocked is a row that is locked with FOR UPDATE SKIP LOCKED in a transaction that stays open
// while the lock is held, as workers take jobs from a queue in a table. A missing row is created
// first, and stays. Waiters spin, because they skip a row that is locked.
//
// Source: the PostgreSQL manual on SELECT, "The Locking Clause", which names queues as the use.
// Clock: none; a lease ends with its connection.
//
// It does not promise any order among waiters, nor that the holder learns of the death of its
// connection. It has no token. The server does not show who has locked a row.
type SkipLocked struct {
	*Advisory
	table string // quoted

	mu sync.Mutex
	// made holds the names of rows that exist.
	made map[string]bool
}

var (
	_ locks.Locker = (*SkipLocked)(nil)
	_ locks.Trier  = (*SkipLocked)(nil)
)

// NewSkipLocked returns a client; it connects when it is first used.
func NewSkipLocked(cfg Config) *SkipLocked {
	return &SkipLocked{Advisory: NewAdvisory(cfg), table: `"` + cfg.Prefix + `torture_queue"`, made: map[string]bool{}}
}

// SkipLockedTraits returns the lock's traits.
func SkipLockedTraits() locks.Traits {
	t := XactTraits()
	t.Wait = "spin"
	return t
}

// skipPause is the least pause of a waiter between two tries; the longest is twice that.
const skipPause = 5 * time.Millisecond

// Acquire asks until the row is locked or ctx is done.
func (q *SkipLocked) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	for {
		l, err := q.TryAcquire(ctx, name)
		if err == nil || !errors.Is(err, locks.ErrNotAcquired) || q.alive.Err() != nil {
			return l, err
		}
		t := time.NewTimer(skipPause + rand.N(skipPause))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil, err
		}
	}
}

// TryAcquire asks for the row once.
func (q *SkipLocked) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := q.make(ctx, name); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	owner := attempt.Owner(q.cfg.Owner)
	x, err := q.begun(ctx, owner, "SELECT COUNT(*) = 1 FROM (SELECT 1 FROM "+q.table+" WHERE name = $1 FOR UPDATE SKIP LOCKED) taken", name)
	if err != nil {
		if !errors.Is(err, errTaken) { // a server that restarted without its data has lost the row
			q.forget(name)
		}
		return nil, err
	}
	return unseenLease{&xactLease{lock: q.Advisory, session: x, owner: owner}}, nil
}

// make creates the row of a lock that this client has not seen yet, and the table if it is missing.
// It takes no lock, so its errors are certain.
func (q *SkipLocked) make(ctx context.Context, name string) error {
	q.mu.Lock()
	made := q.made[name]
	q.mu.Unlock()
	if made || ctx.Err() != nil {
		return ctx.Err()
	}
	x, err := q.pin(ctx)
	if err != nil {
		return err
	}
	row := fmt.Sprintf("INSERT INTO %s VALUES ($1) ON CONFLICT DO NOTHING", q.table)
	err = x.exec(ctx, row, name)
	for again := 0; is(err, undefinedTable, uniqueViolation) && again < 3; again++ { // another client creates it at the same time
		if err = x.exec(ctx, "CREATE TABLE IF NOT EXISTS "+q.table+" (name text PRIMARY KEY)"); err == nil {
			err = x.exec(ctx, row, name)
		}
	}
	if err != nil {
		x.close()
		return err
	}
	q.rest(x)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.made[name] = true
	return nil
}

// forget makes the next try create the row of a lock again.
func (q *SkipLocked) forget(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.made, name)
}

// An unseenLease is a lease whose owner the server does not show.
type unseenLease struct{ locks.Lease }
