package gotest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// A queue is a lock whose waiters wait in the server, by BLPOP.
type queue struct {
	rdb *redis.Client
	ttl time.Duration
	who string
	// take tries once, and waits for the next try; free ends what it took.
	take func(ctx context.Context, q *queue, name, id string) (bool, error)
	free func(ctx context.Context, q *queue, name, id string) error
}

func newQueue(o driver.Open) *queue {
	return &queue{
		rdb: redis.NewClient(&redis.Options{Addr: o.Endpoints[0], Dialer: o.Dial, MaxRetries: -1, ContextTimeoutEnabled: true}),
		ttl: o.TTL, who: o.Owner(),
	}
}

// newSignals is the algorithm of python-redis-lock: a key with an end, and a list by which a
// release wakes one waiter. A waiter asks again after a while by itself: a holder that was
// killed wakes nobody.
func newSignals(o driver.Open) locks.Locker {
	q := newQueue(o)
	q.take = func(ctx context.Context, q *queue, name, id string) (bool, error) {
		if granted, err := q.rdb.SetNX(context.WithoutCancel(ctx), name, id, q.ttl).Result(); err != nil || granted {
			return granted, err
		}
		err := q.rdb.BLPop(ctx, 100*time.Millisecond, name+":signal").Err()
		if errors.Is(err, redis.Nil) || err != nil && ctx.Err() != nil {
			err = nil
		}
		return false, err
	}
	release := redis.NewScript(`if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2]) redis.call('LPUSH', KEYS[2], 1) redis.call('PEXPIRE', KEYS[2], 1000) return redis.call('DEL', KEYS[1])`)
	q.free = func(ctx context.Context, q *queue, name, id string) error {
		n, err := release.Run(ctx, q.rdb, []string{name, name + ":signal"}, id).Int()
		if err == nil && n == 0 {
			return locks.ErrNotHeld
		}
		return err
	}
	return q
}

// newTokens is the list with one token, which whoever has popped it holds. It dies with its
// holder.
func newTokens(o driver.Open) locks.Locker {
	q := newQueue(o)
	made := redis.NewScript(`if redis.call('SETNX', KEYS[2], 1) == 1 then redis.call('RPUSH', KEYS[1], 'token') end`)
	q.take = func(ctx context.Context, q *queue, name, _ string) (bool, error) {
		if err := made.Run(ctx, q.rdb, []string{name, name + ":made"}).Err(); err != nil && !errors.Is(err, redis.Nil) {
			return false, err
		}
		err := q.rdb.BLPop(ctx, time.Second, name).Err()
		if errors.Is(err, redis.Nil) {
			return false, nil
		}
		return err == nil, err
	}
	q.free = func(ctx context.Context, q *queue, name, _ string) error {
		return q.rdb.RPush(ctx, name, "token").Err()
	}
	return q
}

// newMonitor sends a command that is not simulated.
func newMonitor(o driver.Open) locks.Locker {
	q := newQueue(o)
	q.take = func(ctx context.Context, q *queue, _, _ string) (bool, error) {
		return false, q.rdb.Do(ctx, "MONITOR").Err()
	}
	return q
}

func (q *queue) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	l := &queueLease{q: q, name: name, id: q.who + ":" + rand.Text()}
	for {
		l.end = time.Now().Add(q.ttl)
		granted, err := q.take(ctx, q, name, l.id)
		switch {
		case err != nil:
			return nil, err
		case granted:
			return l, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, ctx.Err())
		}
	}
}

func (q *queue) Close() error { return q.rdb.Close() }

// A queueLease is the key, or the token.
type queueLease struct {
	q        *queue
	name, id string
	end      time.Time
}

// Until is the end of the key.
func (l *queueLease) Until() time.Time { return l.end }

func (l *queueLease) Release(ctx context.Context) error { return l.q.free(ctx, l.q, l.name, l.id) }

// Clients that wait in the server are played: a queue that is right is flagged for nothing.
func TestExploreSignals(t *testing.T) {
	cfg := simulated("signals", locks.Traits{Model: "lease", Wait: "queue", Bounded: true, Validity: "TTL", LeastTTL: 1})
	cfg.Clients, cfg.Trials = 3, 15
	if e := gotest.Explore(t, cfg); e.Found != nil || e.Trials != 15 {
		t.Errorf("%d trials, %+v", e.Trials, e.Found)
	}
}

// The token of one whose process was killed, or whose answer was lost, is lost.
func TestSearchTokens(t *testing.T) {
	cfg := simulated("tokens", locks.Traits{Model: "mutex", Wait: "queue"})
	cfg.Find, cfg.Dir = []string{"deadlock"}, t.TempDir()
	e, err := gotest.Search(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if e.Found == nil || e.Found.Seen == 0 || e.Found.Report == "" {
		t.Fatalf("%d trials, %+v", e.Trials, e.Found)
	}
	r := e.Found.Replay
	t.Logf("trial %d, %d runs, %v", e.Found.Trial, e.Found.Runs, r)
	cfg = r.On(cfg)
	cfg.Dir = t.TempDir()
	again, err := gotest.Search(t.Context(), cfg)
	if err != nil || again.Found == nil {
		t.Fatalf("played again: %+v, %v", again, err)
	}
	if a, b := eventsOf(t, e), eventsOf(t, again); a != b {
		t.Errorf("the same run has other events: %s, %s", a, b)
	}
}

// eventsOf is the sum of all events of what was found.
func eventsOf(t *testing.T, e gotest.Exploration) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(e.Found.Report), "events.sum"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
