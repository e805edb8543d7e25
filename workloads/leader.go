package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Leader is a leader election: the holder of the lock proclaims itself and acts for the rest of
// its term. At most one leader acts. The keys of a lock:
//
//	<lock>/leader  name of the leader of the present term
//	<lock>/action  "<name> <k>": the last action, the k-th of that leader
//
// A term may end after any action, so any prefix of a section is harmless.
type Leader struct{ Config }

var _ Workload = Leader{}

// LeaderKey returns the key with the name of the leader.
func LeaderKey(lock string) string { return wire.Key(lock, "leader") }

// ActionKey returns the key with the last action.
func ActionKey(lock string) string { return wire.Key(lock, "action") }

// Init starts without a leader.
func (w Leader) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "leader", LeaderKey, "nobody")
}

// Next draws the lock, the times, the name of the leader and the length of its term, 2 to 5
// actions.
func (w Leader) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "leader")
	name, actions := tag(r, process), 2+r.IntN(4)
	section.Run = func(ctx context.Context, s Store) error {
		if err := s.Write(ctx, LeaderKey(lock), name); err != nil {
			return err
		}
		for k := 1; k <= actions; k++ {
			if err := s.Write(ctx, ActionKey(lock), fmt.Sprintf("%s %d", name, k)); err != nil {
				return err
			}
		}
		return nil
	}
	return section
}
