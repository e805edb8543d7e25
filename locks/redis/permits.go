package redis

import (
	"context"
	_ "embed"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

//go:embed acquire_permits.lua
var acquirePermitsSource string

//go:embed release_permits.lua
var releasePermitsSource string

// A Permits is a semaphore whose permits end by themselves: a number of free permits, and a sorted
// set of the granted ones, by their ends. Each request first returns the expired ones.
//
// Algorithm and source: Redisson's RedissonPermitExpirableSemaphore, in which each client
// sends its own time. Clock: the wall clock of the requesting client ends the permits of all
// clients.
//
// A client whose clock is ahead takes permits that others still rely on. It does not promise that a
// holder learns of the end of its permits.
type Permits struct {
	locks.NotExclusive
	server        *server
	take, release *goredis.Script
}

var (
	_ locks.Locker    = (*Permits)(nil)
	_ locks.Permitter = (*Permits)(nil)
)

// NewPermits returns a client; it connects when it is first used.
func NewPermits(cfg Config) *Permits {
	return &Permits{server: newServer(cfg), take: goredis.NewScript(acquirePermitsSource), release: goredis.NewScript(releasePermitsSource)}
}

// PermitsTraits returns the semaphore's traits.
func PermitsTraits() locks.Traits {
	return locks.Traits{
		Kind: locks.Semaphore, Wait: "pub/sub", Bounded: true, Validity: "TTL", Model: "timed-semaphore",
		LeastTTL: 50 * time.Millisecond, FreeWithin: func(ttl time.Duration) time.Duration { return 2*ttl + retryMax },
		Clock: "wall clock of each client",
	}
}

// AcquirePermits waits until n permits are free. It asks again when a release is published, and
// every half TTL, because nobody publishes that a permit has expired.
func (s *Permits) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	l := &permitsLease{permits: s, name: name, owner: s.server.owner(), n: n}
	cfg := s.server.cfg
	left := cfg.TTL / 2
	try := func(ctx context.Context) (bool, error) {
		now := cfg.Clock.Now()
		// The server stores whole milliseconds, and the client must not rely on a permit for
		// longer.
		now = now.Add(-time.Duration(now.Nanosecond()) % time.Millisecond)
		l.until = now.Add(cfg.TTL)
		taken, err := s.take.Run(ctx, s.server.rdb, l.keys(), l.owner, n, capacity, now.UnixMilli(), l.until.UnixMilli()).Int64()
		return taken == 1, err
	}
	if err := s.server.orWaitWoken(ctx, releasedChannel(name), try, &left); err != nil {
		return nil, err
	}
	return l, nil
}

// Close drops the connections.
func (s *Permits) Close() error { return s.server.Close() }

// A permitsLease holds permits that were granted together and end together.
type permitsLease struct {
	permits     *Permits
	name, owner string
	n           int
	until       time.Time
}

var (
	_ locks.Bounded = (*permitsLease)(nil)
	_ locks.Owned   = (*permitsLease)(nil)
)

// outKey returns the key of the granted permits.
func outKey(name string) string { return locks.Key("out:", name) }

// keys returns the keys of the lock in the order that the scripts expect.
func (l *permitsLease) keys() []string {
	return []string{lockKey(l.name), outKey(l.name), releasedChannel(l.name)}
}

// Until returns the end of the permits by the client's clock.
func (l *permitsLease) Until() time.Time { return l.until }

// Owner returns the prefix of the permits' names in the set.
func (l *permitsLease) Owner() string { return l.owner }

// Release returns the permits that have not expired.
func (l *permitsLease) Release(ctx context.Context) error {
	s := l.permits.server
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	n, err := l.permits.release.Run(rctx, s.rdb, l.keys(), l.owner, l.n).Int64()
	return ended("release", n, err)
}
