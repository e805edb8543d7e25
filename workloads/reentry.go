package workloads

import (
	"context"
	"math/rand/v2"
)

// A Reentry is a Counter whose sections take their lock again, once, twice or three times, one
// inside the other. A method does that if it takes the lock by itself and is called with the
// lock held. Half of the sections read in the innermost entry, give all inner entries back,
// work, and write one more in the outermost: a lock that an inner release frees lets others in
// during the work. The other half work and write in the innermost entry, and read again in the
// outermost: the inner entry lasts as long as the work, which takes about one TTL now and
// then, so the lease is renewed inside it. The workload needs a lock that its holder may take
// again. The key of a lock:
//
//	<lock>/counter  the number of sections that went through
//
// A section has one write, so any prefix of it is harmless.
type Reentry struct{ Config }

var _ Workload = Reentry{}

// maxDepth bounds the number of times that a section takes its lock again.
const maxDepth = 3

// A Reenterer is a Store for a holder that may take its lock again.
type Reenterer interface {
	// Reenter takes a lock of the section once more, runs body, and releases that entry. It returns
	// an error of body unchanged; any other error ends the section.
	Reenter(ctx context.Context, lock string, body func() error) error
}

// reenter runs body inside the lock once more, if the store is a Reenterer.
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

// Next draws the lock, the times, the depth of the section, and the place of its work.
func (w Reentry) Next(r *rand.Rand, _ int) Section {
	lock, section := w.section(r, "reentry")
	depth, inside := 1+r.IntN(maxDepth), r.IntN(2) == 0
	section.Run = func(ctx context.Context, s Store) error {
		n := 0
		read := func() (err error) {
			n, err = readInt(ctx, s, CounterKey(lock))
			return err
		}
		write := func() error { return writeInt(ctx, s, CounterKey(lock), n+1) }
		inner, outer := read, write
		if inside {
			inner, outer = both(read, write), read
		}
		for range depth {
			next := inner
			inner = func() error { return reenter(ctx, s, lock, next) }
		}
		return both(inner, outer)()
	}
	return section
}

// both calls two functions in order, the second only if the first succeeded.
func both(first, next func() error) func() error {
	return func() error {
		if err := first(); err != nil {
			return err
		}
		return next()
	}
}
