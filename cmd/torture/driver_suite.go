package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/locktest"
)

// lockRules say what each check of a lock expects.
var lockRules = map[string]string{
	"exclusion":             "of eight clients never two are inside, and all get their turns",
	"try":                   "a held lock is refused, a free one granted, without waiting",
	"deadline":              "a waiter gives up at its deadline with not-acquired, not before and not long after",
	"hand-over":             "a waiter gets the lock once it is released, and not before",
	"cancel":                "whenever an acquire is cancelled it is not-acquired and nothing is left behind, or unknown",
	"release-twice":         "a second release is not-held, and does not end the next holder's lease",
	"release-by-non-holder": "who lost the lock cannot release it under the next holder, and is told not-held",
	"owner":                 "the servers keep the owner that the grant told, another for each grant, and nothing after the release",
	"until":                 "the lock is not free before the end of the validity that its holder was told",
	"renewal":               "a lease that renews itself outlives its TTL",
	"lost":                  "the holder is told within a TTL that its lease is over",
	"tokens":                "tokens grow from grant to grant",
	"crash":                 "the lock of a client that is gone is free after free_within",
	"reconnect":             "an acquire over a cut link is no grant and no certain refusal of what may yet land; afterwards the client works again",
}

// suite is the lock of the driver in the world in which it is tested.
func (c *driverChecks) suite(ctx context.Context) (locktest.Suite, func(), error) {
	b := c.bench
	declared := b.backend.Driver.Declared
	s := locktest.Suite{
		Traits: b.backend.Traits, TTL: b.spec.TTL, Quorum: b.cluster.Quorum, BlindRelease: declared.BlindRelease,
		Open: func(ctx context.Context, n int) (locks.Locker, error) {
			k, err := b.open(ctx, n)
			if err != nil {
				return nil, err
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.opened = append(c.opened, k)
			return k, nil
		},
	}
	if declared.Keys == "zookeeper" {
		s.Quorum = 1 // one sight stands for all
	}
	if len(b.cluster.Nodes) > 0 && b.cluster.Link(1, 0) != nil {
		s.Cut = func(n int) error { return b.each(n, (*cluster.Link).Cut) }
		s.Heal = func(n int) error { return b.each(n, (*cluster.Link).Heal) }
		s.Slow = func(n int, d time.Duration) error {
			return b.each(n, func(l *cluster.Link) error { return l.Slow(d, 0) })
		}
	}
	done := func() {}
	if b.backend.Prober != nil {
		prober, err := b.backend.Prober(b.cluster)
		if err != nil {
			return s, done, err
		}
		s.Prober = prober
		done = func() { prober.Close() }
	}
	switch t := s.Traits; {
	case declared.Keys == "redis":
		s.Revoke = b.revokeRedis
	case t.LeastTTL > 0 && t.FreeWithin != nil && !t.Bounded && !t.Renews && !t.Watched:
		// Its leases end by themselves although it tells nobody when.
		s.Revoke = func(ctx context.Context, _ string) error { return wait(ctx, t.FreeWithin(s.TTL)) }
	}
	return s, done, nil
}

// wait waits for d.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// each does something to all links of a client.
func (b *driverBench) each(client int, do func(*cluster.Link) error) error {
	for n := range b.cluster.Nodes {
		if l := b.cluster.Link(client, n); l != nil {
			if err := do(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// revokeRedis removes the key of a lock from every server.
func (b *driverBench) revokeRedis(ctx context.Context, name string) error {
	for _, n := range b.cluster.Nodes {
		rdb := goredis.NewClient(&goredis.Options{Addr: n.Addr()})
		err := rdb.Del(ctx, "lock:"+name).Err()
		rdb.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// A talk remembers the last lines that were exchanged with each driver.
type talk struct {
	live io.Writer // shows every line as it comes; may be nil

	mu    sync.Mutex
	lines []string
}

// talkLines is how much of a conversation a failure shows.
const talkLines = 12

// of is the tap of one client.
func (t *talk) of(client int) func(driver.Line) {
	return func(l driver.Line) {
		arrow := "←"
		if l.Sent {
			arrow = "→"
		}
		line := fmt.Sprintf("      client %d %s %.300s", client, arrow, strings.ToValidUTF8(l.Text, "?"))
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.live != nil {
			fmt.Fprintln(t.live, line)
			return
		}
		if t.lines = append(t.lines, line); len(t.lines) > talkLines {
			t.lines = t.lines[1:]
		}
	}
}

func (t *talk) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = nil
}

// text is what was remembered.
func (t *talk) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return strings.Join(t.lines, "\n") + "\n"
}
