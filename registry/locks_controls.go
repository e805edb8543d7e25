package registry

import (
	"context"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/control"
)

// sharedControls returns the controls that are not exclusive locks: read-write locks, semaphores,
// elections, latches and barriers.
func sharedControls() map[string]Backend {
	return map[string]Backend{
		"none-rw": {
			About: "control: a read-write lock that grants everything", Without: "the lock grants everything by itself",
			Serve: noServers, Traits: control.NoneRWTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NoneRW{None: control.NewNone(a.Owner)}, nil
			},
		},
		"none-semaphore": {
			About: "control: a semaphore that does not count", Without: "the lock grants everything by itself",
			Serve: noServers, Traits: control.NoneSemaphoreTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) { return control.NewNoneSemaphore(a.Owner), nil },
		},
		"local-rw": {
			About: "control: a read-write lock inside the harness, never flagged", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalRWTraits(), ProbeWith: probeLocalHolds, Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.LocalRW{Local: control.NewLocal(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner})}, nil
			},
		},
		"local-semaphore": {
			About: "control: a semaphore inside the harness, never flagged", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalSemaphoreTraits(), ProbeWith: probeLocalHolds, Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalSemaphore(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"none-election": {
			About: "control: an election without a term, which everybody wins", Without: "the lock grants everything by itself",
			Serve: noServers, Traits: control.NoneElectionTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) { return control.NewNoneElection(a.Owner), nil },
		},
		"local-election": {
			About: "control: an election inside the harness, never flagged", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalElectionTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalElection(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"none-latch": {
			About: "control: a latch that counts a repeated count-down again", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalLatchTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewNoneLatch(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"none-barrier": {
			About: "control: a barrier that lets everybody in and out", Without: "the lock grants everything by itself",
			Serve: noServers, Traits: control.NoneBarrierTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) { return control.NewNoneBarrier(a.Owner), nil },
		},
		"local-latch": {
			About: "control: a latch inside the harness, never flagged", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalLatchTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalLatch(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"local-barrier": {
			About: "control: a double barrier inside the harness, never flagged", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalBarrierTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalBarrier(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
	}
}

func probeLocalHolds(c *cluster.Cluster, _ Args) (locks.Prober, error) {
	return control.NewLocalHoldsProbe(c.Endpoints(0)[0], "local"), nil
}
