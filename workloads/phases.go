package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// A Phases lets all clients work in phases: the workload of a double barrier. A client notes
// that it comes, enters when all have come, looks how often each of the others had, notes that
// it is done, and leaves when all do. The keys:
//
//	<lock>/come/<n>   how often client n came, counted before it calls for the barrier
//	<lock>/done/<n>   the same, of the phases that it worked in
//
// All meet at one barrier: of several locks only the first is used.
type Phases struct {
	Config
	came []int // by client
}

var _ Workload = Phases{}

// NewPhases returns the workload for Config.Clients clients.
func NewPhases(c Config) Phases { return Phases{c, make([]int, max(c.Clients, 1))} }

// ComeKey holds how often a client came, which counts from 1.
func ComeKey(lock string, client int) string { return fmt.Sprintf("%s/come/%d", lock, client) }

// PhaseDoneKey holds in how many phases it worked.
func PhaseDoneKey(lock string, client int) string { return fmt.Sprintf("%s/done/%d", lock, client) }

// Init writes that nobody has come.
func (w Phases) Init(ctx context.Context, s Store) error {
	for n := range w.came {
		if err := writeInt(ctx, s, ComeKey(w.locks("phases")[0], n+1), 0); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the times.
func (w Phases) Next(r *rand.Rand, process int) Section {
	s := w.times(r)
	lock, client := w.locks("phases")[0], process%len(w.came)
	s.Locks, s.Parties = []string{lock}, len(w.came)
	s.Before = func(ctx context.Context, store Store) error {
		w.came[client]++
		return writeInt(ctx, store, ComeKey(lock, client+1), w.came[client])
	}
	s.Run = func(ctx context.Context, store Store) error {
		for n := range w.came {
			if n == client {
				continue
			}
			if _, err := store.Read(ctx, ComeKey(lock, n+1)); err != nil {
				return err
			}
		}
		return store.Write(ctx, PhaseDoneKey(lock, client+1), strconv.Itoa(w.came[client]))
	}
	return s
}
