package mysql

import (
	"context"
	"time"

	"locktorture/locks"
)

// A Shared is a read–write lock on a row with a unique key: SELECT … FOR UPDATE for writers and
// SELECT … LOCK IN SHARE MODE for readers. It runs in a transaction that stays open, on a
// connection of its own, while the lock is held. Waiters wait in the server; TryAcquire uses
// NOWAIT.
//
// Source: the MySQL and MariaDB manuals, "Locking Reads". Clock: none; a lease ends with its
// connection.
//
// Its promises are no stronger than those of ForUpdate. It does not promise any order between
// readers and a waiting writer, and is not reentrant.
type Shared struct{ *ForUpdate }

var (
	_ locks.Locker = Shared{}
	_ locks.Trier  = Shared{}
	_ locks.Sharer = Shared{}
)

// NewShared returns a client; it connects when it is first used. The TTL is not used.
func NewShared(cfg Config) Shared {
	return Shared{&ForUpdate{server: newServer(cfg), rows: rows{table: sharedTable(), make: makeRow, unique: true}}}
}

// SharedTraits returns the lock's traits.
func SharedTraits() locks.Traits {
	t := connectionTraits("server")
	t.Kind, t.Model = locks.ReadWrite, "timed-rwlock"
	t.LeastTTL = time.Nanosecond // any TTL works: a lease ends by itself, with its connection
	return t
}

// AcquireShared waits in the server until no writer has the row.
func (s Shared) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return s.acquire(ctx, name, "SELECT 1 FROM %s WHERE name = ? LOCK IN SHARE MODE")
}
