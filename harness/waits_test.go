package harness

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
)

// TestOccupied: a lock is occupied while another client has an entry of it. The release of an
// inner entry leaves the outer one, and the dead have nothing.
func TestOccupied(t *testing.T) {
	r, err := New(Config{Clients: 2, Fencing: FencingOff, World: &nemesis.World{}})
	if err != nil {
		t.Fatal(err)
	}
	c := r.clients[0]
	c.life.alive = true
	sees := func(when string, by1, by2 bool) {
		t.Helper()
		if got1, got2 := r.occupied("L", 1), r.occupied("L", 2); got1 != by1 || got2 != by2 {
			t.Errorf("%s: occupied for c1 %t, for c2 %t; want %t, %t", when, got1, got2, by1, by2)
		}
	}
	outer, inner := &held{client: c, lock: "L"}, &held{client: c, lock: "L"}
	sees("before", false, false)
	outer.count()
	inner.count()
	sees("entered twice", false, true)
	inner.uncount()
	inner.uncount()
	sees("the inner entry given back", false, true)
	outer.uncount()
	sees("both given back", false, false)

	outer.count()
	r.holdings.died(1)
	sees("dead", false, false)
	c.life.alive = false
	inner.count() // an answer that came too late
	sees("dead, and answered", false, false)
	c.life.alive = true
	outer.uncount()
	sees("its next life", false, false)

	r.cfg.Traits.Kind = locks.DoubleBarrier
	sees("a barrier, at which all wait for each other", true, true)
}

// A slowGrant grants when it is told to.
type slowGrant struct {
	locks.Locker
	grant chan struct{}
}

func (l slowGrant) Acquire(context.Context, string) (locks.Lease, error) {
	<-l.grant
	return noLease{}, nil
}

// TestKeptWaiter: a client is met only while it waits for a lock that another has, and what it
// is answered meanwhile it hears when it is let go.
func TestKeptWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done []time.Duration // when an acquire ended
		start := time.Now()
		r, err := New(Config{
			Clients: 2, TTL: time.Minute, Fencing: FencingOff, World: &nemesis.World{}, Now: func() int64 { return 0 },
			Record: func(op history.Op) (history.Op, error) {
				if op.F == history.Acquire && op.Type == history.OK {
					done = append(done, time.Since(start))
				}
				return op, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		c, l := r.clients[0], slowGrant{grant: make(chan struct{})}
		c.life.alive, c.life.locker = true, l
		meets := func(want bool) func() {
			t.Helper()
			where, letGo, err := c.target.MeetWaiting(t.Context(), time.Second)
			if want != (err == nil) || !want && !errors.Is(err, nemesis.ErrNotStruck) || want && where != "c1 waiting for L" {
				t.Fatalf("met %q: %v", where, err)
			}
			return letGo
		}
		meets(false) // it rests
		ended := make(chan error)
		go func() {
			_, err := c.acquire(t.Context(), "L", false, locks.Claim{})
			ended <- err
		}()
		synctest.Wait()
		meets(false) // the lock is free
		r.holdings.count("L", 2, 1)
		letGo := meets(true)
		at := time.Since(start)
		l.grant <- struct{}{}
		time.Sleep(time.Second)
		if len(done) > 0 {
			t.Error("it heard its answer while it was kept")
		}
		letGo()
		letGo()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if len(done) != 1 || done[0] != at+time.Second {
			t.Errorf("it heard its answer at %v, want once at %v", done, at+time.Second)
		}
		meets(false) // it holds the lock
	})
}
