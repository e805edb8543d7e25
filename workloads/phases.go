package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// A Phases lets all clients work in phases: the workload of a double barrier. A client notes its
// arrival, enters when all have arrived, checks the arrivals of the others, notes the end of its
// work, and leaves when all have ended. The keys:
//
//	<lock>/come/<n>   how often client n came, counted before it calls for the barrier
//	<lock>/done/<n>   the number of phases in which client n has worked
//
// All meet at one barrier: of several locks only the first is used.
type Phases struct {
	Config
	came []int // by client
}

var _ Workload = Phases{}

// NewPhases returns the workload for Config.Clients clients.
func NewPhases(c Config) Phases { return Phases{c, make([]int, max(c.Clients, 1))} }

// ComeKey returns the key with the number of a client's arrivals. Clients count from 1.
func ComeKey(lock string, client int) string { return fmt.Sprintf("%s/come/%d", lock, client) }

// PhaseDoneKey returns the key with the number of phases in which a client worked.
func PhaseDoneKey(lock string, client int) string { return fmt.Sprintf("%s/done/%d", lock, client) }

// Init writes zero arrivals for every client.
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
