package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Controller does the work of a leader in a cluster: it takes over by incrementing the
// generation, and applies changes under its generation until its term ends. The keys of an
// election:
//
//	<lock>/generation  how often somebody took over
//	<lock>/applied     "<generation> <k>": the last change, the k-th of that generation
//
// The fenced store rejects the changes of an old term; the plain store accepts them. A term may end
// after any change, so any prefix of a section is harmless.
type Controller struct{ Config }

var _ Workload = Controller{}

// GenerationKey returns the key with the number of takeovers.
func GenerationKey(lock string) string { return wire.Key(lock, "generation") }

// AppliedKey returns the key with the last change.
func AppliedKey(lock string) string { return wire.Key(lock, "applied") }

// Init starts with generation 0, in which there are no changes.
func (w Controller) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "controller", GenerationKey, "0")
}

// Next draws the election, the times and the number of the leader's changes, 2 to 5.
func (w Controller) Next(r *rand.Rand, _ int) Section {
	lock, section := w.section(r, "controller")
	changes := 2 + r.IntN(4)
	section.Run = func(ctx context.Context, s Store) error {
		was, err := readInt(ctx, s, GenerationKey(lock))
		if err != nil {
			return err
		}
		if err := writeInt(ctx, s, GenerationKey(lock), was+1); err != nil {
			return err
		}
		for k := 1; k <= changes; k++ {
			if err := s.Write(ctx, AppliedKey(lock), fmt.Sprintf("%d %d", was+1, k)); err != nil {
				return err
			}
		}
		return nil
	}
	return section
}
