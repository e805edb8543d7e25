package redis

import (
	"context"
	_ "embed"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

//go:embed acquire_reader.lua
var acquireReaderSource string

//go:embed acquire_writer.lua
var acquireWriterSource string

//go:embed release_reader.lua
var releaseReaderSource string

//go:embed release_writer.lua
var releaseWriterSource string

//go:embed renew_reader.lua
var renewReaderSource string

// An RW is a read–write lock: a hash with the mode and a field for each holder, and for each reader
// a key of its own that ends with its lease. The hash lasts as long as the longest lease. Waiters
// are woken by a message that the last release publishes, or when the lock that they saw should be
// over. A watchdog renews leases every third of the TTL.
//
// Algorithm and source: Redisson's RedissonReadLock and RedissonWriteLock. Clock: the server's wall
// clock ends a lease; the client's timer triggers renewals.
//
// It is not re-entrant, and a writer cannot become a reader: each grant has a name of its own. Its
// promises are no stronger than those of Watchdog. A writer waits as long as readers keep coming,
// because a reader enters whenever there is no writer. A dead reader is removed only when no other
// reader is left or the longest lease has ended. It has no token.
type RW struct {
	*server
	read, write rwScripts
	// stop ends all watchdogs when the client is closed.
	stop  context.CancelFunc
	alive context.Context
}

// A rwScripts holds the scripts of one mode.
type rwScripts struct{ acquire, release, renew *goredis.Script }

var (
	_ locks.Locker = (*RW)(nil)
	_ locks.Sharer = (*RW)(nil)
)

// NewRW returns a client; it connects when it is first used.
func NewRW(cfg Config) *RW {
	r := &RW{server: newServer(cfg), read: readerScripts(), write: writerScripts()}
	r.alive, r.stop = context.WithCancel(context.Background())
	return r
}

// readerScripts returns the scripts of a reader.
func readerScripts() rwScripts {
	return rwScripts{goredis.NewScript(acquireReaderSource), goredis.NewScript(releaseReaderSource), goredis.NewScript(renewReaderSource)}
}

// writerScripts returns the scripts of a writer. The renewal is the renewal of the reentrant lock.
func writerScripts() rwScripts {
	return rwScripts{goredis.NewScript(acquireWriterSource), goredis.NewScript(releaseWriterSource), goredis.NewScript(renewReentrantSource)}
}

// RWTraits returns the lock's traits.
func RWTraits() locks.Traits {
	t := WatchdogTraits()
	t.Kind, t.Wait, t.Model = locks.ReadWrite, "pub/sub", "timed-rwlock"
	return t
}

// Acquire waits until there is neither a reader nor a writer.
func (r *RW) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.take(ctx, name, r.write)
}

// AcquireShared waits until there is no writer.
func (r *RW) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return r.take(ctx, name, r.read)
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (r *RW) Close() error {
	r.stop()
	return r.server.Close()
}

// take acquires the lock in a mode, and starts the watchdog.
func (r *RW) take(ctx context.Context, name string, mode rwScripts) (locks.Lease, error) {
	l := &rwLease{rw: r, mode: mode, name: name, owner: r.owner()}
	left := new(time.Duration)
	try := func(ctx context.Context) (bool, error) {
		*left = 0
		start := r.cfg.Clock.Now()
		ms, err := mode.acquire.Run(ctx, r.rdb, l.keys(), l.owner, r.cfg.TTL.Milliseconds()).Int64()
		if errors.Is(err, goredis.Nil) {
			l.Kept = attempt.NewKept(start.Add(r.cfg.TTL))
			return true, nil
		}
		*left = time.Duration(ms) * time.Millisecond
		return false, err
	}
	if err := r.orWaitWoken(ctx, releasedChannel(name), try, left); err != nil {
		return nil, err
	}
	r.watchdog(r.cfg.TTL/3).Keep(r.alive, l)
	return l, nil
}

// An rwLease is the lease of one reader or writer. Its validity ends one TTL after the start
// of the latest request that extended it.
type rwLease struct {
	attempt.Kept
	rw          *RW
	mode        rwScripts
	name, owner string
}

var (
	_ locks.Bounded = (*rwLease)(nil)
	_ locks.Watched = (*rwLease)(nil)
	_ locks.Renewer = (*rwLease)(nil)
	_ locks.Owned   = (*rwLease)(nil)
)

// heldKey returns the prefix of the keys of readers' holds.
func heldKey(name string) string { return locks.Key("held:", name) + ":" }

// keys returns the keys of the lock in the order that the scripts expect.
func (l *rwLease) keys() []string {
	return []string{lockKey(l.name), heldKey(l.name) + l.owner, releasedChannel(l.name)}
}

// Owner returns the field of the hash.
func (l *rwLease) Owner() string { return l.owner }

// Renew extends the lease to one TTL from now.
func (l *rwLease) Renew(ctx context.Context) error {
	start := l.rw.cfg.Clock.Now()
	if err := l.run(ctx, "renew", l.mode.renew, l.rw.cfg.TTL.Milliseconds()); err != nil {
		return err
	}
	l.Extend(start.Add(l.rw.cfg.TTL))
	return nil
}

// Release stops the watchdog and ends the lease.
func (l *rwLease) Release(ctx context.Context) error {
	l.Finish()
	return l.run(ctx, "release", l.mode.release, heldKey(l.name))
}

// run runs a script that answers 1 if the lease was present and 0 if not.
func (l *rwLease) run(ctx context.Context, what string, script *goredis.Script, arg any) error {
	rctx, cancel := l.rw.terms.Request(ctx)
	defer cancel()
	n, err := script.Run(rctx, l.rw.rdb, l.keys(), l.owner, arg).Int64()
	return ended(what, n, err)
}
