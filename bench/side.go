package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync/atomic"

	"locktorture/locks"
)

// What clients of a side ask for, and what of a lock is measured. The names are those that a
// user gives.
const (
	Exclusive = "exclusive" // the whole lock, which is also what writers ask for
	Shared    = "shared"    // a read–write lock as its readers, all of them the same
	Mixed     = "mixed"     // a read–write lock that readers hold beside one writer
	Permits   = "permits"   // one permit of a semaphore
	Campaign  = "campaign"  // the lead of an election
	CountDown = "count-down"
	Party     = "party" // of a barrier
)

// Modes returns in which ways a kind of lock is measured, the one that most users want first.
func Modes(kind string) []string {
	switch kind {
	case locks.ReadWrite:
		return []string{Exclusive, Shared, Mixed}
	case locks.Semaphore:
		return []string{Permits}
	case locks.Election:
		return []string{Campaign}
	case locks.CountDownLatch:
		return []string{CountDown}
	case locks.DoubleBarrier:
		return []string{Party}
	}
	return []string{Exclusive}
}

// AllModes returns the modes of all kinds.
func AllModes() []string {
	return []string{Exclusive, Shared, Mixed, Permits, Campaign, CountDown, Party}
}

// A Side is something that is measured against the other sides of the same
// measurement.
type Side struct {
	Name string // "bare", "lock", "driver", or a backend
	// Mode is what its clients ask for. Nothing asked for a latch is held: to "take" one is to
	// make it, for one party, and to "free" it to count down and to pass.
	Mode string
	// Common: all its clients take the same lock, which lets them. Readers do.
	Common bool
	// Capacity is the number of permits of the semaphore for which several clients compete; 0
	// means one.
	Capacity int
	// Open opens one client, numbered from 1.
	Open func(ctx context.Context, client int) (locks.Locker, error)
}

// as is the side with another mode.
func (s Side) as(mode string) Side {
	s.Mode = mode
	return s
}

// room is how many clients may hold one lock of the side at a time.
func (s Side) room() int { return max(1, s.Capacity) }

// take takes what the side's clients ask for.
func (s Side) take(ctx context.Context, l locks.Locker, name string) (locks.Lease, error) {
	var c locks.Claim
	switch s.Mode {
	case Shared:
		c.Shared = true
	case Permits:
		c.Permits, c.Capacity = 1, s.room()
	case Campaign:
		c.Value = "bench"
	case Party:
		c.Parties = 1
	}
	return locks.Take(ctx, l, name, c)
}

// open opens a client. That of a latch looks like a lock's, see Mode.
func (s Side) open(ctx context.Context, client int) (locks.Locker, error) {
	l, err := s.Open(ctx, client)
	if err != nil || s.Mode != CountDown {
		return l, err
	}
	if latch, ok := l.(locks.Latch); ok {
		return &latched{Locker: l, latch: latch, tag: rand.Text()[:4]}, nil
	}
	return l, nil // bare commands look like a lock already
}

// name returns a lock name that only this side uses, and only for this purpose, because sides
// that share a server must not block each other, and neither must semaphores of different
// capacities.
func (s Side) name(purpose string, i int) string {
	name := fmt.Sprintf("bench-%s-%s-%d", s.Name, purpose, i)
	if s.Mode == Permits {
		name += "-of-" + strconv.Itoa(s.room())
	}
	return name
}

// own is the name of the lock that a client takes where nobody keeps it waiting.
func (s Side) own(client int) string {
	if s.Common || s.Mode == Shared {
		return s.name("common", 1)
	}
	return s.name("own", client)
}

// A latched is a latch in the clothes of a lock. No name of a latch is used twice.
type latched struct {
	locks.Locker
	latch locks.Latch
	tag   string // of this client
	made  atomic.Int64
}

// Acquire makes a latch for one party.
func (l *latched) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	name = fmt.Sprint(name, "-", l.tag, l.made.Add(1))
	if err := l.latch.SetCount(ctx, name, 1); err != nil {
		return nil, err
	}
	return closedLatch{l.latch, name}, nil
}

// A closedLatch waits for its only party.
type closedLatch struct {
	latch locks.Latch
	name  string
}

// Release counts down, and passes.
func (l closedLatch) Release(ctx context.Context) error {
	if err := l.latch.CountDown(ctx, l.name, "only"); err != nil {
		return err
	}
	return l.latch.Await(ctx, l.name)
}
