package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"locktorture/internal/wire"
)

// An IDAllocation allocates Snowflake-like ids: a section becomes one of a few workers, reserves a
// range of numbers for its term, and makes ids. The keys of a lock:
//
//	<lock>/worker/<w>  "<n> <name>": numbers below n are spent, and who holds the worker id
//	<lock>/id/<w>-<n>  who made the id
//
// The range is reserved before any id in it is made, so a cut section wastes numbers and never
// makes an id twice.
type IDAllocation struct {
	Config
	Workers int // default 4
}

var _ Workload = IDAllocation{}

// WorkerKey returns the key with the spent numbers and the holder of a worker id.
func WorkerKey(lock string, worker int) string {
	return wire.Key(lock, fmt.Sprintf("worker/%d", worker))
}

// IDKey returns the key that holds the maker of an id.
func IDKey(lock string, worker, n int) string {
	return wire.Key(lock, fmt.Sprintf("id/%d-%d", worker, n))
}

// workers returns the number of worker ids.
func (w IDAllocation) workers() int {
	if w.Workers <= 0 {
		return 4
	}
	return w.Workers
}

// Init frees all workers of every lock.
func (w IDAllocation) Init(ctx context.Context, s Store) error {
	for worker := range w.workers() {
		key := func(lock string) string { return WorkerKey(lock, worker) }
		if err := w.initAll(ctx, s, "ids", key, "0 nobody"); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the lock, the times, the worker, its name and the number of ids that it makes.
func (w IDAllocation) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "ids")
	worker, name, count := r.IntN(w.workers()), tag(r, process), 1+r.IntN(3)
	section.Run = func(ctx context.Context, s Store) error {
		key := WorkerKey(lock, worker)
		v, err := s.Read(ctx, key)
		if err != nil {
			return err
		}
		spent, _, _ := strings.Cut(v, " ")
		first, err := strconv.Atoi(spent)
		if err != nil {
			return fmt.Errorf("key %s holds %q, which begins with no number", key, v)
		}
		if err := s.Write(ctx, key, fmt.Sprintf("%d %s", first+count, name)); err != nil {
			return err
		}
		for n := first; n < first+count; n++ {
			if err := s.Write(ctx, IDKey(lock, worker, n), name); err != nil {
				return err
			}
		}
		return nil
	}
	return section
}
