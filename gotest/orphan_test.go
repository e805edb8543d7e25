package gotest_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktorture/gotest"
	"locktorture/locks"
	"locktorture/locks/driver"
)

// A hasty lock says of a request that it gave up that it did not get the lock. It tells nobody
// what it calls itself on the server.
type hasty struct {
	rdb *redis.Client
	ttl time.Duration
}

func newHasty(o driver.Open) hasty {
	return hasty{redis.NewClient(&redis.Options{Addr: o.Endpoints[0], Dialer: o.Dial, MaxRetries: -1, ReadTimeout: 100 * time.Millisecond}), o.TTL}
}

func (h hasty) Close() error { return h.rdb.Close() }

func (h hasty) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	for ctx.Err() == nil {
		id, from := rand.Text(), time.Now()
		got, err := h.rdb.SetNX(context.WithoutCancel(ctx), "lock:"+name, id, h.ttl).Result()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
		}
		if got {
			return &hastyLease{h, "lock:" + name, id, from.Add(h.ttl)}, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, locks.ErrNotAcquired
}

type hastyLease struct {
	hasty
	key, id string
	until   time.Time
}

func (l *hastyLease) Until() time.Time { return l.until }

func (l *hastyLease) Release(ctx context.Context) error {
	const script = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`
	n, err := l.rdb.Eval(ctx, script, []string{l.key}, l.id).Int()
	if err == nil && n == 0 {
		return locks.ErrNotHeld
	}
	return err
}

// An orphan is seen though the lock says nothing of its key and of its owners: they are found
// in its traffic. What torture needs to play it again is kept beside it.
func TestSearchOrphan(t *testing.T) {
	cfg := simulated("hasty", locks.Traits{Model: "timed-lease", LeastTTL: 1, Bounded: true, Validity: "TTL"})
	cfg.Dir = t.TempDir()
	e, err := gotest.Search(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if e.Unseen != "" {
		t.Errorf("the servers were not probed: %s", e.Unseen)
	}
	if e.Found == nil || e.Found.Result.Counts.Anomalies["orphan"] == 0 {
		t.Fatalf("in %d trials no orphan was found: %+v", e.Trials, e.Found)
	}
	if !strings.Contains(e.Found.Cause, "without it the anomaly disappears") {
		t.Errorf("the cause: %s", e.Found.Cause)
	}
	dir := filepath.Dir(e.Found.Report)
	for _, name := range []string{"cause.txt", "lock.json", "lock.test", "wire.bin", "schedule.txt"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
