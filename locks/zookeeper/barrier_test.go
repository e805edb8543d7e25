//go:build linux

package zookeeper_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/zookeeper"
)

// An entering is a call to enter a barrier of two, in the background.
type entering struct {
	lease locks.Lease
	err   error
	done  chan struct{}
}

func enter(ctx context.Context, b *zookeeper.Barrier, name string) *entering {
	e := &entering{done: make(chan struct{})}
	go func() {
		e.lease, e.err = b.Enter(ctx, name, 2)
		close(e.done)
	}()
	return e
}

// inside waits until it is let in.
func (e *entering) inside(t *testing.T) locks.Lease {
	t.Helper()
	select {
	case <-e.done:
	case <-time.After(20 * time.Second):
		t.Fatal("not let in")
	}
	if e.err != nil {
		t.Fatal(e.err)
	}
	return e.lease
}

// outside makes sure that it waits.
func (e *entering) outside(t *testing.T, when string) {
	t.Helper()
	select {
	case <-e.done:
		t.Fatalf("let in %s (%v)", when, e.err)
	case <-time.After(200 * time.Millisecond):
	}
}

// barriers are clients whose sessions outlast a server that stands still for a while because
// the machine is busy.
func barriers(t *testing.T, c *cluster.Cluster, clients ...int) (all []*zookeeper.Barrier) {
	for _, n := range clients {
		all = append(all, closing(t, zookeeper.NewBarrier(config(c, n, 2*ttl))))
	}
	return all
}

func TestBarrier(t *testing.T) {
	t.Parallel()
	c := start(t, 5)
	for name, test := range map[string]func(*testing.T, *cluster.Cluster){
		"successor": barrierSuccessor, "withdrawn": barrierWithdrawn, "withdrawn too late": barrierWithdrawnTooLate, "session over": barrierSessionOver,
	} {
		t.Run(name, func(t *testing.T) { test(t, c) })
	}
}

// The successor of a party that died inside is not let in beside those who are, but with them
// the next time. The recipe as it is written would count the dead party's node and let it in.
func barrierSuccessor(t *testing.T, c *cluster.Cluster) {
	b := barriers(t, c, 1, 2, 3)
	first, second := enter(t.Context(), b[0], "successor"), enter(t.Context(), b[1], "successor")
	inside := first.inside(t)
	second.inside(t)
	if err := b[1].Close(); err != nil {
		t.Fatal(err)
	}
	next := enter(t.Context(), b[2], "successor")
	next.outside(t, "beside who was inside")
	if err := inside.Release(t.Context()); err != nil {
		t.Fatalf("leave when the other party was gone: %v", err)
	}
	next.outside(t, "alone")
	again := enter(t.Context(), b[0], "successor")
	leases := []locks.Lease{next.inside(t), again.inside(t)}
	left := make(chan error, 1)
	go func() { left <- leases[0].Release(t.Context()) }()
	if err := errors.Join(leases[1].Release(t.Context()), <-left); err != nil {
		t.Fatal(err)
	}
}

// Who withdraws before the others have come is refused for certain, and is not counted.
func barrierWithdrawn(t *testing.T, c *cluster.Cluster) {
	b := barriers(t, c, 1, 2, 3)
	ctx, withdraw := context.WithCancel(t.Context())
	gone := enter(ctx, b[0], "withdrawn")
	queued(t, c, "withdrawn", 1)
	gone.outside(t, "alone")
	withdraw()
	if <-gone.done; !errors.Is(gone.err, locks.ErrNotAcquired) {
		t.Errorf("withdrawn: %v, want ErrNotAcquired", gone.err)
	}
	second := enter(t.Context(), b[1], "withdrawn")
	second.outside(t, "with who had withdrawn")
	third := enter(t.Context(), b[2], "withdrawn")
	second.inside(t)
	third.inside(t)
}

// Who withdraws when the others have gone in with it is not refused: its answer was on the
// way.
func barrierWithdrawnTooLate(t *testing.T, c *cluster.Cluster) {
	b := barriers(t, c, 4, 1)
	ctx, withdraw := context.WithCancel(t.Context())
	late := enter(ctx, b[0], "late")
	queued(t, c, "late", 1)
	for n := range c.Nodes { // what it is told of the others comes late
		if err := c.Link(4, n).Slow(60*time.Millisecond, 0); err != nil {
			t.Fatal(err)
		}
	}
	enter(t.Context(), b[1], "late").inside(t)
	withdraw()
	if <-late.done; late.err != nil && errors.Is(late.err, locks.ErrNotAcquired) {
		t.Errorf("withdrawn when the other was inside: %v, which is no refusal", late.err)
	}
}

// Of a party whose session ended while it was inside the release says so.
func barrierSessionOver(t *testing.T, c *cluster.Cluster) {
	b := barriers(t, c, 5, 1)
	first, second := enter(t.Context(), b[0], "over"), enter(t.Context(), b[1], "over")
	lost := first.inside(t)
	stays := second.inside(t)
	for n := range c.Nodes {
		if err := c.Link(5, n).Cut(); err != nil {
			t.Fatal(err)
		}
	}
	if err := stays.Release(t.Context()); err != nil {
		t.Errorf("leave when the other party was cut off: %v", err)
	}
	select {
	case <-lost.(locks.Watched).Lost():
	default:
		t.Error("the others have left, and who was cut off was not told")
	}
	if err := lost.Release(t.Context()); !errors.Is(err, locks.ErrNotHeld) {
		t.Errorf("leave after the session: %v, want ErrNotHeld", err)
	}
}
