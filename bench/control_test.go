package bench_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"locktorture/bench"
	"locktorture/locks"
	"locktorture/locks/control"
)

// quick is short enough for a test and long enough for several hand-overs.
func quick() bench.Config {
	return bench.Config{Duration: 240 * time.Millisecond, Turns: 4, Patience: 20 * time.Second}
}

// patient is a bench in which a machine that is busy with other tests, too, comes to some grants.
func patient() bench.Config {
	c := quick()
	c.Duration *= 10
	return c
}

// A hall is the local lock server and what its clients did.
type hall struct {
	addr           string
	opened, closed atomic.Int64
	calls          atomic.Int64 // acquires and releases
	held           atomic.Int64

	mu     sync.Mutex
	grants []int // client of each grant of a shared lock, in order
}

func newHall(t *testing.T) *hall {
	t.Helper()
	s, err := control.ListenLocal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &hall{addr: s.Addr()}
}

// local is a side of the lock server, each of whose acquires takes longer by delay.
func (h *hall) local(name string, delay time.Duration) bench.Side {
	return bench.Side{Name: name, Open: func(_ context.Context, client int) (locks.Locker, error) {
		h.opened.Add(1)
		l := control.NewLocal(control.LocalConfig{Addr: h.addr, Owner: fmt.Sprint(name, client)})
		return &watched{hall: h, Locker: l, client: client, delay: delay}, nil
	}}
}

// A watched lock notes what is done with it.
type watched struct {
	locks.Locker
	hall   *hall
	client int
	delay  time.Duration
}

func (w *watched) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	w.hall.calls.Add(1)
	time.Sleep(w.delay)
	l, err := w.Locker.Acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	w.hall.held.Add(1)
	w.hall.mu.Lock()
	w.hall.grants = append(w.hall.grants, w.client)
	w.hall.mu.Unlock()
	return &watchedLease{l, w.hall}, nil
}

func (w *watched) Close() error {
	w.hall.closed.Add(1)
	return w.Locker.Close()
}

type watchedLease struct {
	locks.Lease
	hall *hall
}

func (l *watchedLease) Release(ctx context.Context) error {
	l.hall.calls.Add(1)
	l.hall.held.Add(-1)
	return l.Lease.Release(ctx)
}

// leftNothing fails if a client is still open, or a lock still held.
func (h *hall) leftNothing(t *testing.T) {
	t.Helper()
	if o, c := h.opened.Load(), h.closed.Load(); o != c || o == 0 {
		t.Errorf("%d clients were opened, %d closed", o, c)
	}
	if n := h.held.Load(); n != 0 {
		t.Errorf("%d locks are still held", n)
	}
}
