package workloads

import (
	"context"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Counter is the smallest read-modify-write: a section reads "<lock>/counter", works, and writes
// the number plus one. Two sections at the same time lose an update. A section has one write, so
// any prefix of it is harmless.
type Counter struct{ Config }

var _ Workload = Counter{}

// CounterKey returns the key of a lock's counter.
func CounterKey(lock string) string { return wire.Key(lock, "counter") }

// Init writes 0 for every lock.
func (c Counter) Init(ctx context.Context, s Store) error {
	for _, lock := range c.locks("counter") {
		if err := writeInt(ctx, s, CounterKey(lock), 0); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the lock and the time that the work takes.
func (c Counter) Next(r *rand.Rand, _ int) Section {
	lock, section := c.section(r, "counter")
	section.Run = func(ctx context.Context, s Store) error {
		n, err := readInt(ctx, s, CounterKey(lock))
		if err != nil {
			return err
		}
		return writeInt(ctx, s, CounterKey(lock), n+1)
	}
	return section
}
