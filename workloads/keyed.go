package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Keyed gives every lock several objects of a workload: its keys are "<lock>/k<n>/…", n from 1.
// Each section uses one of them, drawn uniformly or, with Hot, by Zipf's law (see Config).
type Keyed struct {
	Workload
	Keys int // number of objects of each lock
	Hot  float64
}

var _ Workload = Keyed{}

// Init writes the initial state of every object.
func (w Keyed) Init(ctx context.Context, s Store) error {
	for n := 1; n <= w.Keys; n++ {
		if err := w.Workload.Init(ctx, keyedStore{s, n}); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the object, then the section.
func (w Keyed) Next(r *rand.Rand, process int) Section {
	n := 1 + pick(r, w.Keys, w.Hot)
	section := w.Workload.Next(r, process)
	run := section.Run
	section.Run = func(ctx context.Context, s Store) error { return run(ctx, keyedStore{s, n}) }
	return section
}

// A keyedStore is a section's view of one object.
type keyedStore struct {
	store Store
	n     int
}

func (s keyedStore) key(key string) string {
	lock, rest := wire.CutKey(key)
	return wire.Key(lock, fmt.Sprintf("k%d/%s", s.n, rest))
}

// Read reads a key of the object.
func (s keyedStore) Read(ctx context.Context, key string) (string, error) {
	return s.store.Read(ctx, s.key(key))
}

// Write writes a key of the object.
func (s keyedStore) Write(ctx context.Context, key, value string) error {
	return s.store.Write(ctx, s.key(key), value)
}

// Reenter takes the lock of the object once more.
func (s keyedStore) Reenter(ctx context.Context, lock string, body func() error) error {
	return reenter(ctx, s.store, lock, body)
}

// Upgrades reports whether the lock supports upgrades.
func (s keyedStore) Upgrades() bool { return upgrader(s.store) != nil }

// Upgrade makes the reader of the lock its writer.
func (s keyedStore) Upgrade(ctx context.Context) (bool, error) { return upgrader(s.store).Upgrade(ctx) }

// Downgrade makes the writer of the lock a reader again.
func (s keyedStore) Downgrade(ctx context.Context) error { return upgrader(s.store).Downgrade(ctx) }
