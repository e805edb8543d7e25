//go:build linux

package mysql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/mysql"
)

// With a unique key each lock is its own row; without an index they all wait
// for each other.
func TestUnrelatedLocks(t *testing.T) {
	c := start(t, "mariadb")
	a, b := pair(t, c, mysql.NewForUpdate)
	first, second := acquire(t, a, "apples"), acquire(t, b, "pears")
	release(t, first)
	release(t, second)

	x, y := pair(t, c, mysql.NewForUpdateNoIndex)
	release(t, acquire(t, y, "pears")) // its row is there
	held := acquire(t, x, "apples")
	refused(t, y, "pears")
	release(t, held)
	release(t, acquire(t, y, "pears"))
}

// Without a row both get the lock at once.
func TestNoRowGrantsTwice(t *testing.T) {
	a, b := pair(t, start(t, "mariadb"), mysql.NewForUpdateNoRow)
	first, second := acquire(t, a, "x"), acquire(t, b, "x")
	release(t, first)
	release(t, second)
}

// A lock without expiry outlives its holder.
func TestUniqueDeadlock(t *testing.T) {
	a, b := pair(t, start(t, "mariadb"), mysql.NewUnique)
	acquire(t, a, "x")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*ttl)
	defer cancel()
	if _, err := b.Acquire(ctx, "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("the lock of a dead holder: %v, want ErrNotAcquired", err)
	}
}

// The owner may take the lock again; it is free after as many releases, and the token equals
// the first grant's.
func TestReentrant(t *testing.T) {
	c := start(t, "mariadb")
	t.Run("unique-ttl", func(t *testing.T) { a, b := pair(t, c, mysql.NewUniqueTTL); reentrant(t, a, b) })
	t.Run("get-lock", func(t *testing.T) { a, b := pair(t, c, mysql.NewGetLock); reentrant(t, a, b) })
}

func reentrant(t *testing.T, a, b locker) {
	const depth = 3
	var leases []locks.Lease
	for range depth {
		leases = append(leases, acquire(t, a, "x"))
	}
	for i, l := range leases {
		if f, ok := l.(locks.Fenced); ok && f.Token() != leases[0].(locks.Fenced).Token() {
			t.Errorf("token of re-entry %d is %d, want that of the first, %d", i, f.Token(), leases[0].(locks.Fenced).Token())
		}
		if got, want := l.(locks.Owned).Owner(), leases[0].(locks.Owned).Owner(); got != want {
			t.Errorf("owner of re-entry %d is %q, want %q", i, got, want)
		}
		refused(t, b, "x")
		release(t, l)
		if err := l.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
			t.Errorf("second release of re-entry %d: %v", i, err)
		}
	}
	next, err := b.TryAcquire(t.Context(), "x")
	if err != nil {
		t.Fatalf("after the last release: %v", err)
	}
	if f, ok := next.(locks.Fenced); ok && f.Token() <= leases[0].(locks.Fenced).Token() {
		t.Errorf("token %d of the next owner is not above %d", f.Token(), leases[0].(locks.Fenced).Token())
	}
	release(t, next)
}

// Waiters that were cancelled leave no connection behind, and no wait in the server.
func TestCancelledWaitersLeave(t *testing.T) {
	c := start(t, "mariadb")
	for name, open := range map[string]func(mysql.Config) locker{
		"for-update": func(c mysql.Config) locker { return mysql.NewForUpdate(c) },
		"get-lock":   func(c mysql.Config) locker { return mysql.NewGetLock(c) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, c, open)
			held := acquire(t, a, name)
			ctx, cancel := context.WithCancel(t.Context())
			var waiters sync.WaitGroup
			for range 10 {
				waiters.Go(func() {
					if _, err := b.Acquire(ctx, name); !errors.Is(err, locks.ErrNotAcquired) {
						t.Errorf("a cancelled waiter: %v, want ErrNotAcquired", err)
					}
				})
			}
			waiting := "SELECT COUNT(*) FROM information_schema.processlist WHERE command = 'Query' AND id <> CONNECTION_ID()"
			eventually(t, 5*time.Second, "ten wait", func() bool { return count(t, c, waiting) == 10 })
			cancel()
			waiters.Wait()
			took := eventually(t, 5*time.Second, "none waits", func() bool { return count(t, c, waiting) == 0 })
			t.Logf("gone %v after the last had returned", took)
			release(t, held)
		})
	}
}

func count(t *testing.T, c *cluster.Cluster, query string) int {
	t.Helper()
	var n int
	if err := direct(t, c.Nodes[0].Addr()).QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The connection of a holder dies, another gets the lock, and the holder does
// not know: it has nothing that would tell it.
func TestConnectionDies(t *testing.T) {
	c := start(t, "mariadb")
	for name, open := range map[string]func(mysql.Config) locker{
		"for-update": func(c mysql.Config) locker { return mysql.NewForUpdate(c) },
		"get-lock":   func(c mysql.Config) locker { return mysql.NewGetLock(c) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, c, open)
			l := acquire(t, a, name)
			if _, ok := l.(locks.Watched); ok {
				t.Error("the holder is told")
			}
			link := c.Link(1, 0)
			if err := link.Cut(); err != nil {
				t.Fatal(err)
			}
			refused(t, b, name) // the server does not hear of a dead network
			if err := link.Heal(); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			next := acquire(t, b, name)
			t.Logf("free %v after the reset", time.Since(start))
			if err := l.Release(t.Context()); err == nil {
				t.Error("the first holder released without an error")
			}
			refused(t, a, name)
			release(t, next)
		})
	}
}

// The clock of the server ends leases early.
func TestClockJump(t *testing.T) {
	c := start(t, "mariadb")
	node := c.Nodes[0].(*process.ClockedNode)
	a, b := pair(t, c, long(mysql.NewOptimistic))
	l := acquire(t, a, "x")
	refused(t, b, "x")
	if err := node.SkewClock(t.Context(), time.Minute, 1); err != nil {
		t.Fatal(err)
	}
	next := acquire(t, b, "x")
	wantLeft(t, l)
	if old, got := l.(locks.Fenced).Token(), next.(locks.Fenced).Token(); got <= old {
		t.Errorf("token %d after %d", got, old)
	}
}

// long opens a lock with a lease that is not over while a test looks at it.
func long[L locker](open func(mysql.Config) L) func(mysql.Config) L {
	return func(c mysql.Config) L {
		c.TTL = 20 * time.Second
		return open(c)
	}
}

// wantLeft fails unless a lease is valid, as its holder believes.
func wantLeft(t *testing.T, l locks.Lease) {
	t.Helper()
	left := time.Until(l.(locks.Bounded).Until())
	if left <= 0 {
		t.Errorf("the first lease was over %v before", -left)
	}
	t.Logf("double grant with %v left of the first lease", left)
}

// A fail-over to a replica that has not got the grant gives the lock to a second
// holder, with a token that was given before.
func TestFailoverGrantsTwice(t *testing.T) {
	c := start(t, "mariadb-replica")
	a, b := pair(t, c, long(mysql.NewUniqueTTL))
	release(t, acquire(t, a, "x"))
	if err := c.Replicas.Rejoin(t.Context()); err != nil { // in sync
		t.Fatal(err)
	}
	if err := c.Replicas.CutReplicas(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := acquire(t, a, "x").(locks.Fenced)
	if err := c.Replicas.WaitWrite(t.Context()); err != nil {
		t.Fatal(err)
	}
	promoted, err := c.Replicas.Failover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var next locks.Lease
	eventually(t, 10*time.Second, "a grant by "+promoted, func() bool {
		next, err = b.TryAcquire(t.Context(), "x")
		return err == nil
	})
	wantLeft(t, l.(locks.Lease))
	t.Logf("granted by %s, token %d after %d", promoted, next.(locks.Fenced).Token(), l.Token())
	if got := next.(locks.Fenced).Token(); got > l.Token() {
		t.Errorf("token %d is above %d although the promoted server did not know it", got, l.Token())
	}
	if err := c.Replicas.Rejoin(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A quorum lives with one server down and refuses, certainly, with two. A lease from before, which two
// servers may still have, is not over.
func TestQuorumServersDown(t *testing.T) {
	c := start(t, "mariadb-3")
	q := mysql.NewQuorum(c.Endpoints(0), mysql.Config{TTL: ttl, Owner: "p1"})
	t.Cleanup(func() { q.Close() })
	release(t, acquire(t, q, "x"))
	before := acquire(t, q, "y")
	for down := range 2 {
		if err := c.Nodes[down].(*process.ClockedNode).Kill(t.Context()); err != nil {
			t.Fatal(err)
		}
		if down == 0 {
			// The first round may find connections that have died and be in doubt.
			var l locks.Lease
			eventually(t, 10*time.Second, "a grant by two of three", func() bool {
				var err error
				l, err = q.TryAcquire(t.Context(), "x")
				return err == nil
			})
			release(t, l)
		}
	}
	eventually(t, 10*time.Second, "a certain refusal by one of three", func() bool {
		_, err := q.TryAcquire(t.Context(), "x")
		return errors.Is(err, locks.ErrNotAcquired)
	})
	if err := before.Release(t.Context()); err == nil || errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("release with two servers down: %v, want an unknown outcome", err)
	}
}

// Neither half of a double write alone gives the lock to a second holder, nor does the
// loss of one; half a lock that was left keeps everybody out until its TTL is over.
func TestRedisMySQLHalves(t *testing.T) {
	c := start(t, "redis-mariadb")
	open := func(client int) *mysql.RedisMySQL {
		e := c.Endpoints(client)
		d := mysql.NewRedisMySQL(e[0], mysql.Config{Addr: e[1], TTL: 3 * ttl, Owner: "p"})
		t.Cleanup(func() { d.Close() })
		return d
	}
	a, b := open(1), open(2)
	acquire(t, a, "x")
	redis, database := c.Nodes[0].(*process.ClockedNode), c.Nodes[1].(*process.ClockedNode)
	if err := redis.SkewClock(t.Context(), time.Minute, 1); err != nil { // the key is gone, the row is not
		t.Fatal(err)
	}
	refused(t, b, "x")
	if err := redis.SkewClock(t.Context(), 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := database.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), ttl)
	defer cancel()
	if _, err := b.Acquire(ctx, "y"); err == nil {
		t.Error("granted without the database")
	} else if strings.Contains(err.Error(), "half of the lock") {
		t.Errorf("the key could be taken back: %v", err)
	}
	if err := database.Start(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	release(t, acquire(t, a, "y"))
}

// A KILL QUERY that comes too late, when the statement has been answered, does
// not end the lease.
func TestLateKill(t *testing.T) {
	c := start(t, "mariadb")
	for name, open := range map[string]func(mysql.Config) locker{
		"for-update": func(c mysql.Config) locker { return mysql.NewForUpdate(c) },
		"get-lock":   func(c mysql.Config) locker { return mysql.NewGetLock(c) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(t, c, open)
			l := acquire(t, a, name)
			holder := "SELECT COALESCE(IS_USED_LOCK('" + name + "'), (SELECT trx_mysql_thread_id FROM information_schema.innodb_trx))"
			db := direct(t, c.Nodes[0].Addr())
			if _, err := db.ExecContext(t.Context(), fmt.Sprintf("KILL QUERY %d", count(t, c, holder))); err != nil {
				t.Fatal(err)
			}
			refused(t, b, name)
			release(t, l)
			release(t, acquire(t, b, name))
		})
	}
}

// Many that want a lock whose row nobody has made yet all get it, one after the other.
func TestManyMakeTheRow(t *testing.T) {
	c := start(t, "mariadb")
	var all sync.WaitGroup
	var inside atomic.Int32
	for range 60 {
		all.Go(func() {
			l := mysql.NewForUpdate(config(c, 1))
			defer l.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			lease, err := l.Acquire(ctx, "new")
			if err != nil {
				t.Error(err)
				return
			}
			if n := inside.Add(1); n != 1 {
				t.Errorf("%d are inside", n)
			}
			inside.Add(-1)
			release(t, lease)
		})
	}
	all.Wait()
}
