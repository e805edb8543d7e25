package locktest_test

import (
	"cmp"
	"context"
	"errors"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/locktest"
	"locktorture/locks/redis"
	"locktorture/locks/redislib"
	"locktorture/locks/redislock"
	"locktorture/locks/redlock"
	"locktorture/locks/redsync"
)

// plainDEL is what a release that does not look whose the key is fails.
var plainDEL = map[string]string{
	"release-twice":         "its DEL does not look whose the key is",
	"release-by-non-holder": "its DEL does not look whose the key is",
	"until":                 "its DEL of a key that has expired, and is another's now, succeeds",
}

func TestRedisFamily(t *testing.T) {
	t.Parallel()
	open := func(newLock func(redis.Config) locks.Locker) func(redis.ReentrantConfig) locks.Locker {
		return func(c redis.ReentrantConfig) locks.Locker { return newLock(c.Config) }
	}
	inside := redis.NewReentrantProbe
	withLease := redis.ReentrantTraits()
	withLease.Renews, withLease.Watched, withLease.Validity = false, false, "lease time"
	for _, tt := range []struct {
		name     string
		open     func(redis.ReentrantConfig) locks.Locker
		traits   locks.Traits
		topology string // default: redis
		probe    func([]redis.Node, time.Duration) locks.Prober
		unseen   bool
		broken   map[string]string
	}{
		{name: "redis-setnx-expire", traits: redis.SetNXExpireTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewSetNXExpire(c) })},
		{name: "redis-lua", traits: redis.LuaTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewLua(c) })},
		{name: "redis-set-del", traits: redis.SetDelTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewSetDel(c) }), broken: plainDEL},
		{name: "redis-set-getdel", traits: redis.SetGetDelTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewSetGetDel(c) })},
		{name: "redis-getset", traits: redis.GetSetTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewGetSet(c) }), probe: redis.NewGetSetProbe, broken: plainDEL},
		{name: "redis-watch", traits: redis.WatchTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewWatch(c) }), broken: map[string]string{
			"until": "its waiters give a lease that ends another TTL",
			"crash": "its waiters give the lease of a dead holder another TTL",
		}},
		{name: "redis-watch-repaired", traits: redis.WatchRepairedTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewWatchRepaired(c) })},
		{name: "redis-reentrant", traits: redis.ReentrantTraits(), probe: inside, open: func(c redis.ReentrantConfig) locks.Locker { return redis.NewReentrant(c) }},
		{name: "redis-reentrant with a lease time", traits: withLease, probe: inside, open: func(c redis.ReentrantConfig) locks.Locker {
			c.Lease = ttl
			return redis.NewReentrant(c)
		}},
		{name: "redis-fair", traits: redis.FairTraits(), probe: inside, open: func(c redis.ReentrantConfig) locks.Locker {
			return redis.NewFair(redis.FairConfig{ReentrantConfig: c})
		}},
		{name: "redis-rw", traits: redis.RWTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewRW(c) }), probe: redis.NewRWProbe},
		{name: "redis-semaphore", traits: redis.SemaphoreTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewSemaphore(c) }), unseen: true},
		{name: "redis-permits", traits: redis.PermitsTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewPermits(c) }), probe: redis.NewPermitsProbe},
		{name: "redis-latch", traits: redis.LatchTraits(), open: open(func(c redis.Config) locks.Locker { return redis.NewLatch(c) }), unseen: true,
			broken: map[string]string{"count-down-twice": "it counts calls, not parties"}},
		{name: "redis-wait", traits: redis.WaitTraits(), topology: "redis-replicas", open: open(func(c redis.Config) locks.Locker { return redis.NewWait(c) })},
		{name: "redis-wait-pooled", traits: redis.WaitTraits(), topology: "redis-replicas", open: open(func(c redis.Config) locks.Locker { return redis.NewWaitPooled(c) })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, cmp.Or(tt.topology, "redis"))
			s := w.withRedis(w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(redis.ReentrantConfig{Config: redis.Config{Addr: endpoints[0], TTL: ttl, Owner: owner, Timeout: 600 * time.Millisecond}}), nil
			}))
			if tt.probe != nil {
				probe := tt.probe([]redis.Node{{Name: "redis-1", Addr: w.cluster.Endpoints(0)[0]}}, time.Second)
				t.Cleanup(func() { probe.Close() })
				s.Prober = probe
			}
			if tt.unseen {
				s.Prober = nil
			}
			if tt.traits.Kind == locks.Semaphore {
				s.Revoke = nil // a number of permits is nobody's
			}
			s.KnownBroken = tt.broken
			locktest.Run(t, s)
		})
	}
}

func TestRedlockFamily(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		open   func(redlock.Config) locks.Locker
		traits locks.Traits
		quorum int
	}{
		{"multilock", func(c redlock.Config) locks.Locker { return redlock.NewMulti(c) }, redlock.MultiTraits(), 5},
		{"redlock-watchdog", func(c redlock.Config) locks.Locker { return redlock.NewWatchdog(c) }, redlock.WatchdogTraits(), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := start(t, "redis-5")
			s := w.withRedis(w.suite(tt.traits, func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(redlock.Config{Addrs: endpoints, TTL: ttl, Owner: owner, NodeTimeout: 200 * time.Millisecond}), nil
			}))
			s.Quorum = tt.quorum
			locktest.Run(t, s)
		})
	}
}

func TestRedisLibraries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, topology string
		open           func(redislib.Config) (locks.Locker, error) // nil: a program of its own
		traits         locks.Traits
		noOwner        bool
		key            string        // what begins its keys, where it tells no owner; default "lock:0:"
		ttl            time.Duration // default ttl
	}{
		{name: "redislock", topology: "redis", traits: redislib.RedislockTraits(), open: func(c redislib.Config) (locks.Locker, error) {
			return redislock.New(c), nil
		}},
		{name: "redsync", topology: "redis-5", traits: redislib.RedsyncTraits(), open: func(c redislib.Config) (locks.Locker, error) {
			c.Timeout = 500 * time.Millisecond // a busy machine
			return redsync.New(c), nil
		}},
		{name: "rueidislock", topology: "redis", traits: redislib.RueidislockTraits(), noOwner: true},
		{name: "valkeylock", topology: "redis", traits: redislib.RueidislockTraits(), noOwner: true},
		{name: "gocron", topology: "redis", traits: redislib.GocronTraits(), noOwner: true, key: "lock:", ttl: 3 * ttl}, // redsync waits for a twentieth of it for an answer
		{name: "gocron-extend", topology: "redis", traits: redislib.GocronExtendTraits(), noOwner: true, key: "lock:", ttl: 3 * ttl},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w, ttl := start(t, tt.topology), cmp.Or(tt.ttl, ttl)
			open := func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
				return tt.open(redislib.Config{Addrs: endpoints, TTL: ttl, Owner: owner})
			}
			if tt.open == nil {
				open = program(t, tt.name, ttl, nil)
			}
			if tt.name == "rueidislock" || tt.name == "valkeylock" {
				open = impatiently(open)
			}
			s := w.withRedis(w.suite(tt.traits, open))
			s.TTL = ttl
			if tt.noOwner {
				s.Prober = nil
				s.Revoke = w.deletes(cmp.Or(tt.key, "lock:0:"))
			}
			locktest.Run(t, s)
		})
	}
}

// TestGocronUnreachable: the library has the same error for a key that is gone and for a server that
// cannot be asked. Only the first ends the lease.
func TestGocronUnreachable(t *testing.T) {
	t.Parallel()
	w := start(t, "redis")
	l, err := program(t, "gocron", time.Minute, nil)(t.Context(), w.cluster.Endpoints(0), "p1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	gone, kept := taken(t, l, "gone"), taken(t, l, "kept")
	db := goredis.NewClient(&goredis.Options{Addr: w.cluster.Endpoints(0)[0]})
	defer db.Close()
	if err := db.Del(t.Context(), "lock:gone").Err(); err != nil {
		t.Fatal(err)
	}
	if err := gone.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("the key is gone: %v, want ErrNotHeld", err)
	}
	if err := w.cluster.Nodes[0].(interface{ Kill(context.Context) error }).Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := kept.Release(t.Context()); err == nil || errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("the server is down: %v, want an unknown outcome", err)
	}
}

// taken acquires a lock that is free.
func taken(t *testing.T, l locks.Locker, name string) locks.Lease {
	t.Helper()
	lease, err := l.Acquire(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// An impatient client of rueidislock asks anew twice in a TTL. In version 1.0.79 a waiter may
// never be woken: the goroutine that watches a refused request can run before the
// refusal is counted, takes the request for a lock that was released, and
// forgets whom to wake.
type impatient struct{ trier }

type trier interface {
	locks.Locker
	locks.Trier
}

// impatiently opens such clients of the library, or of its fork.
func impatiently(open func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error)) func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error) {
	return func(ctx context.Context, endpoints []string, owner string) (locks.Locker, error) {
		l, err := open(ctx, endpoints, owner)
		if err != nil {
			return nil, err
		}
		return impatient{l.(*driver.Client)}, nil
	}
}

// Acquire asks until ctx is done.
func (i impatient) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	for {
		try, cancel := context.WithTimeout(ctx, ttl/2)
		l, err := i.trier.Acquire(try, name)
		cancel()
		if err == nil || ctx.Err() != nil {
			return l, err
		}
	}
}

// deletes returns a Revoke that deletes a key on every server.
func (w *world) deletes(prefix string) func(context.Context, string) error {
	s := w.withRedis(locktest.Suite{})
	return func(ctx context.Context, name string) error { return s.Revoke(ctx, prefix[len("lock:"):]+name) }
}
