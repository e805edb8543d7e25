package mutants_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"locktorture/internal/testenv"
	"locktorture/locks"
	"locktorture/locks/mutants"
)

// A behaviour does one thing with a lock and says what came of it.
type behaviour func(*world) string

// A change is how a switch shows: what the twin's behaviour is, and what the mutant's.
type change struct {
	see          behaviour
	twin, mutant string
}

// TestSwitches shows for every mutant that its switch alone changes what its family does, and
// that it counts that.
func TestSwitches(t *testing.T) {
	changes := map[mutants.Switch]change{}
	for _, part := range []map[mutants.Switch]change{acquireChanges(), releaseChanges(), watchChanges(), quorumChanges(), queueChanges(), electionChanges(), holdsChanges()} {
		for s, c := range part {
			changes[s] = c
		}
	}
	for _, m := range mutants.Mutants() {
		t.Run(string(m.Switch), func(t *testing.T) {
			t.Parallel()
			c, ok := changes[m.Switch]
			if !ok {
				t.Fatal("nothing shows what this switch changes")
			}
			sees := func(who string, s mutants.Switch, want string) {
				if err := testenv.Again(t, func(int) error { // many a wait is of less than a second
					w := newWorld(t, m.Family, s)
					if got := c.see(w); got != want {
						return fmt.Errorf("%s; want %s", got, want)
					}
					if s != "" && w.fired.Load() == 0 {
						return errors.New("it did not count that it fired")
					}
					return nil
				}); err != nil {
					t.Errorf("%s: %v", who, err)
				}
			}
			sees("the twin", "", c.twin)
			sees("the mutant", m.Switch, c.mutant)
		})
	}
}

// A world is the servers of one family, and its clients with one switch.
type world struct {
	*testing.T
	family string
	cfg    mutants.Config
	redis  []*miniredis.Miniredis
	queue  *mutants.QueueServer
	fired  atomic.Int64
	clock  *testClock
}

func newWorld(t *testing.T, family string, s mutants.Switch) *world {
	w := &world{T: t, family: family, clock: &testClock{}}
	w.cfg = mutants.Config{
		TTL: 2 * time.Second, Switch: s, Clock: w.clock, Fired: func() { w.fired.Add(1) },
		Draw:     func(int) bool { return true }, // what fires now and then does so now
		NodeTime: time.Minute,                    // a node that is slow on a busy machine is not silent
	}
	nodes := map[string]int{mutants.FamilyQuorum: 5, mutants.FamilyQueue: 0, mutants.FamilySession: 0, mutants.FamilyQueueRW: 0, mutants.FamilyElection: 0}
	n, special := nodes[family]
	if !special {
		n = 1
	}
	for range n {
		m := miniredis.RunT(t)
		w.redis = append(w.redis, m)
		w.cfg.Addrs = append(w.cfg.Addrs, m.Addr())
	}
	if n == 0 {
		q, err := mutants.ListenQueue(w.cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { q.Close() })
		w.queue, w.cfg.Addrs = q, []string{q.Addr()}
	}
	return w
}

// client opens one client of the family.
func (w *world) client(owner string) locks.Locker {
	c := w.cfg
	c.Owner = owner
	var l locks.Locker
	switch w.family {
	case mutants.FamilyKey:
		l = mutants.NewKey(c)
	case mutants.FamilyWatched:
		l = mutants.NewWatched(c)
	case mutants.FamilyVague:
		l = mutants.NewVague(c)
	case mutants.FamilyReentrant:
		l = mutants.NewReentrant(c)
	case mutants.FamilyNested:
		l = mutants.NewNested(c)
	case mutants.FamilyQuorum:
		l = mutants.NewQuorum(c)
	case mutants.FamilyQueue:
		l = mutants.NewQueue(c)
	case mutants.FamilySession:
		l = mutants.NewSession(c)
	case mutants.FamilyQueueRW:
		l = mutants.NewQueueRW(c)
	case mutants.FamilyReaders:
		l = mutants.NewReaders(c)
	case mutants.FamilyPermits:
		l = mutants.NewPermits(c)
	case mutants.FamilyElection:
		l = mutants.NewQueueElection(c)
	}
	w.Cleanup(func() { l.Close() })
	return l
}

// take acquires, and fails the test if that was refused.
func (w *world) take(l locks.Locker) locks.Lease {
	w.Helper()
	lease, err := l.Acquire(w.Context(), "x")
	if err != nil {
		w.Fatal(err)
	}
	return lease
}

// release ends a lease; that it was over is no failure.
func (w *world) release(l locks.Lease) {
	w.Helper()
	if err := l.Release(w.Context()); err != nil && !errors.Is(err, locks.ErrNotHeld) {
		w.Fatal(err)
	}
}

// try says how a try ends.
func (w *world) try(l locks.Locker, name string) string {
	_, err := l.(locks.Trier).TryAcquire(w.Context(), name)
	return outcome(err)
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "granted"
	case errors.Is(err, locks.ErrNotAcquired):
		return "refused"
	}
	return "unknown"
}

// soon says how an acquire ends that gives up after a while.
func (w *world) soon(l locks.Locker, name string) string {
	ctx, cancel := context.WithTimeout(w.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := l.Acquire(ctx, name)
	return outcome(err)
}

// key returns the value of the key of the lock, "none" without one.
func (w *world) key() string {
	v, err := w.redis[0].Get("lock:x")
	if err != nil {
		return "none"
	}
	return v
}

// before calls f once, before the server carries out a command of that name
// that a client has sent: those of a script come after its own.
func (w *world) before(command string, f func()) {
	var done atomic.Bool
	w.redis[0].Server().SetPreHook(func(_ *server.Peer, cmd string, _ ...string) bool {
		switch {
		case done.Load():
		case cmd == command:
			done.Store(true)
			f()
		case cmd == "EVALSHA":
			done.Store(true)
		}
		return false
	})
}

// until waits for what must come, on a busy machine too.
func (w *world) until(what string, so func() bool) {
	w.Helper()
	for end := time.Now().Add(2 * time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("%s: not within two minutes", what)
		}
	}
}

// eventually waits until something is so, and says whether it came to that.
func eventually(so func() bool) bool {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return false
}

// A testClock stands at 1970 and moves one millisecond with each look; its timers are real.
type testClock struct{ ms atomic.Int64 }

func (c *testClock) Now() time.Time { return time.UnixMilli(c.ms.Add(1)) }

func (c *testClock) After(d time.Duration) (<-chan time.Time, func()) {
	return locks.SystemClock{}.After(d)
}

func text(args ...any) string { return fmt.Sprint(args...) }
