package mutants

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/redisconn"
)

//go:embed acquire.lua
var acquireSource string

var (
	acquireScript = goredis.NewScript(acquireSource)
	releaseScript = redisconn.ReleaseScript()
	renewScript   = redisconn.RenewScript()
)

// A Key is a key of one Redis: SET NX PX with a fencing token in one script, and a release that
// compares and deletes in another. Its twin is correct as long as the server keeps its data and its
// clock.
//
// A lock named N is the key "lock:N" with the owner as its value; "token:N" counts its tokens.
type Key struct {
	cfg Config
	kind
	rdb *goredis.Client

	// alive is the context of the watchdogs.
	alive context.Context
	stop  context.CancelFunc

	mu sync.Mutex
	// cached maps a name to its latest grant (switch cached-grant).
	cached map[string]*keyLease
	// inside maps a name to the client's hold, if the client may enter a lock again.
	inside map[string]*keyEntry
}

// A kind selects the features that a family adds to Key. They are correct: twins have them too.
type kind struct {
	// renews reports that a watchdog renews the lease every third of the TTL.
	renews bool
	// reenter reports that the holding client may acquire the lock again.
	reenter bool
	// vague reports that a waiter whose ctx ends returns an unknown outcome.
	vague bool
}

var (
	_ locks.Locker = (*Key)(nil)
	_ locks.Trier  = (*Key)(nil)
)

// NewKey returns a client of the plain lock; it connects when it is first used.
func NewKey(c Config) *Key { return newKey(c, kind{}) }

// NewWatched returns a client of the lock with a watchdog.
func NewWatched(c Config) *Key { return newKey(c, kind{renews: true}) }

// NewReentrant returns a client of the lock that its holder may enter again.
func NewReentrant(c Config) *Key { return newKey(c, kind{reenter: true}) }

// NewVague returns a client whose waiters report an unknown outcome when their ctx ends.
func NewVague(c Config) *Key { return newKey(c, kind{vague: true}) }

// newKey makes a client of one kind. It opens no connection: the first request does.
func newKey(c Config, k kind) *Key {
	c = c.withDefaults()
	alive, stop := context.WithCancel(context.Background())
	return &Key{
		cfg: c, kind: k, rdb: dial(c.Addrs[0], c.Access), alive: alive, stop: stop,
		cached: map[string]*keyLease{}, inside: map[string]*keyEntry{},
	}
}

// KeyTraits returns the traits of the plain lock.
func KeyTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Token: true, Bounded: true, Validity: "TTL", LeastTTL: 50 * time.Millisecond, Model: "fenced",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + 2*retryLeast },
		Clock:      "the Redis server's wall clock",
	}
}

// WatchedTraits returns the traits of the lock with a watchdog.
func WatchedTraits() locks.Traits {
	t := KeyTraits()
	t.Renews, t.Watched, t.Validity, t.Model, t.LeastTTL = true, true, "renewal+TTL", "lease", 300*time.Millisecond
	return t
}

// ReentrantTraits returns the traits of the lock that may be entered again.
func ReentrantTraits() locks.Traits {
	t := KeyTraits()
	t.Reentrant, t.Model = true, "lease"
	return t
}

// Close drops the connections and ends the watchdogs, as a crash would.
func (k *Key) Close() error {
	k.stop()
	return k.rdb.Close()
}

// Acquire tries until the client holds the lock or ctx is done.
func (k *Key) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	if l, err := k.anew(ctx, name); l != nil || err != nil {
		return l, err
	}
	l := k.lease(name)
	if err := k.early(ctx, l); err != nil {
		return nil, err
	}
	_, err := spin(ctx, k.cfg.Clock, func() (*keyLease, error) { return l, k.try(ctx, l) })
	if err != nil && k.vague && ctx.Err() != nil {
		return nil, fmt.Errorf("timed out waiting: %w", ctx.Err())
	}
	if err != nil {
		return nil, err
	}
	return k.granted(l)
}

// TryAcquire tries once.
func (k *Key) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	if l, err := k.anew(ctx, name); l != nil || err != nil {
		return l, err
	}
	l := k.lease(name)
	err := k.early(ctx, l)
	if err == nil {
		err = k.try(ctx, l)
	}
	if errors.Is(err, errTaken) && k.cfg.does(TrySaysYes) {
		l.until, err = k.cfg.Clock.Now().Add(k.cfg.TTL), k.draw(ctx, l)
	}
	if err != nil {
		return nil, err
	}
	return k.granted(l)
}

// try sends one request. errTaken is a refusal; any other error leaves the outcome unknown.
func (k *Key) try(ctx context.Context, l *keyLease) error {
	if k.cfg.Switch == ShutsOneOut && ownedByFirst(l.owner) && k.cfg.does(ShutsOneOut) {
		return errTaken
	}
	rctx, cancel := request(ctx)
	defer cancel()
	sent := k.cfg.Clock.Now()
	token, err := acquireScript.Run(rctx, k.rdb, []string{k.lockKey(l.name), k.tokenKey(l.name)}, l.owner, k.expiry(l.name)).Uint64()
	if err != nil {
		if k.cfg.does(SilenceIsYes) {
			l.until, l.token = sent.Add(k.cfg.TTL), uint64(time.Now().UnixNano())
			return nil
		}
		return fmt.Errorf("acquire was not answered: %w", err)
	}
	if token == 0 && k.grantsWrongly() {
		l.until = sent.Add(k.cfg.TTL)
		return k.draw(ctx, l)
	}
	if token == 0 {
		return errTaken
	}
	l.until = k.validity(sent, k.cfg.Clock.Now())
	k.number(l, token)
	return nil
}

// draw draws a token without acquiring the lock.
func (k *Key) draw(ctx context.Context, l *keyLease) error {
	rctx, cancel := request(ctx)
	defer cancel()
	token, err := k.rdb.Incr(rctx, k.tokenKey(l.name)).Uint64()
	l.token = token
	return err
}

// granted returns the lease, or the error, that the caller receives for a grant.
func (k *Key) granted(l *keyLease) (locks.Lease, error) {
	if k.cfg.doesIn(RefusesWhatLanded, 30) {
		return nil, errTaken
	}
	if k.cfg.Switch == CachedGrant {
		k.mu.Lock()
		k.cached[l.name] = l
		k.mu.Unlock()
	}
	switch {
	case k.renews:
		return k.watch(l), nil
	case k.reenter:
		return k.enter(l), nil
	}
	return l, nil
}
