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

//go:embed set_latch.lua
var setLatchSource string

//go:embed count_latch.lua
var countLatchSource string

// A Latch is a number that is counted down and deleted when it reaches zero. Waiters are woken only
// by the message that the last count-down publishes.
//
// Algorithm and source: Redisson's RedissonCountDownLatch (trySetCount, countDown, await).
// Clock: none.
//
// A count-down has no name. A count-down that is repeated because its answer was lost counts again,
// and one that is not repeated may never have counted. A missing latch is open: so a latch that the
// server has lost is open, and one that is set again after it has opened is closed again. A waiter
// that misses the message waits until its ctx is done.
type Latch struct {
	locks.NotExclusive
	server     *server
	set, count *goredis.Script
}

var (
	_ locks.Locker = (*Latch)(nil)
	_ locks.Latch  = (*Latch)(nil)
)

// NewLatch returns a client; it connects when it is first used.
func NewLatch(cfg Config) *Latch {
	return &Latch{server: newServer(cfg), set: goredis.NewScript(setLatchSource), count: goredis.NewScript(countLatchSource)}
}

// LatchTraits returns the latch's traits: waiters are notified within a second.
func LatchTraits() locks.Traits {
	return locks.Traits{
		Kind: locks.CountDownLatch, Wait: "pub/sub", Model: "latch", Clock: "none",
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}

// SetCount sets the number if there is none.
func (l *Latch) SetCount(ctx context.Context, name string, count int) error {
	return l.run(ctx, l.set, name, count)
}

// CountDown decrements the number, whoever the party is.
func (l *Latch) CountDown(ctx context.Context, name, _ string) error {
	return l.run(ctx, l.count, name)
}

// run sends a script once: repeating an unanswered one might count twice.
func (l *Latch) run(ctx context.Context, script *goredis.Script, name string, args ...any) error {
	return l.server.terms.Once(ctx, func(ctx context.Context) (bool, error) {
		err := script.Run(ctx, l.server.rdb, []string{latchKey(name), releasedChannel(name)}, args...).Err()
		return err == nil, err
	})
}

// Await waits until the number is zero or missing.
func (l *Latch) Await(ctx context.Context, name string) error {
	forever := locks.Forever
	var open attempt.Try = func(ctx context.Context) (bool, error) {
		n, err := l.server.rdb.Get(ctx, latchKey(name)).Int64()
		if errors.Is(err, goredis.Nil) {
			return true, nil
		}
		return err == nil && n <= 0, err
	}
	return l.server.orWaitWoken(ctx, releasedChannel(name), open, &forever)
}

// Close drops the connections.
func (l *Latch) Close() error { return l.server.Close() }

func latchKey(name string) string { return locks.Key("latch:", name) }
