package workloads

import (
	"context"
	"math/rand/v2"
)

// A Reentry is a Counter whose sections take their lock again, as a method does that is called
// with the lock held and takes it by itself: once, twice or three times, one inside the other.
// The innermost reads, all inner entries are given back, the section works, and the outermost
// writes one more. So a lock that an inner release frees lets others in while the section
// works. It needs a lock that its holder may take again. The key of a lock:
//
//	<lock>/counter  the number of sections that went through
//
// One write per section, so any prefix of it is harmless.
type Reentry struct{ Config }

var _ Workload = Reentry{}

// maxDepth is how often a section takes its lock again at the most.
const maxDepth = 3

// A Reenterer is a Store in the hands of a holder that may take its lock again.
type Reenterer interface {
	// Reenter takes a lock of the section once more, runs body, and gives that entry back. An
	// error of body is returned as it is; any other ends the section.
	Reenter(ctx context.Context, lock string, body func() error) error
}

// reenter runs body inside the lock once more, where the store knows of locks.
func reenter(ctx context.Context, s Store, lock string, body func() error) error {
	if r, ok := s.(Reenterer); ok {
		return r.Reenter(ctx, lock, body)
	}
	return body()
}

// Init writes 0 for every lock.
func (w Reentry) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "reentry", CounterKey, "0")
}

// Next draws the lock, the times and how deep the section goes.
func (w Reentry) Next(r *rand.Rand, _ int) Section {
	lock, section := w.section(r, "reentry")
	depth := 1 + r.IntN(maxDepth)
	section.Run = func(ctx context.Context, s Store) error {
		n := 0
		read := func() (err error) {
			n, err = readInt(ctx, s, CounterKey(lock))
			return err
		}
		for range depth {
			inner := read
			read = func() error { return reenter(ctx, s, lock, inner) }
		}
		if err := read(); err != nil {
			return err
		}
		return writeInt(ctx, s, CounterKey(lock), n+1)
	}
	return section
}
