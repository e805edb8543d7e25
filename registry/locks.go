package registry

import (
	"context"
	"maps"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/control"
)

// Locks are the locks of this repository by name.
func Locks() map[string]Backend {
	all := map[string]Backend{}
	for _, family := range []map[string]Backend{controls(), redisLocks(), redlocks(), redisLibraries(), consensusLocks(), databaseLocks(), claimLocks()} {
		maps.Copy(all, family)
	}
	for name, b := range all {
		b.Name = name
		all[name] = b.Through(Args{})
	}
	return all
}

// controls are the locks that are right or wrong by construction.
func controls() map[string]Backend {
	return map[string]Backend{
		"none": {
			About: "control: grants everything", Without: "the lock grants everything by itself",
			Serve: noServers, Traits: control.NoneTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) { return control.NewNone(a.Owner), nil },
		},
		"process-local": {
			About: "control: a mutex of the client's own process", Without: "the lock is a mutex of each client's own process",
			Serve: noServers, Traits: control.ProcessLocalTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewProcessLocal(a.Owner), nil
			},
		},
		"local": {
			About: "control: a lock server inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalTraits(), ProbeWith: probeLocal, Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocal(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
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
			About: "control: a read-write lock inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalRWTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.LocalRW{Local: control.NewLocal(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner})}, nil
			},
		},
		"local-semaphore": {
			About: "control: a semaphore inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalSemaphoreTraits(), Control: true,
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
			About: "control: an election inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalElectionTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalElection(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"none-latch": {
			About: "control: a latch that counts whoever asks again twice", Without: "the lock server is part of the harness",
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
			About: "control: a latch inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalLatchTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalLatch(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
		"local-barrier": {
			About: "control: a double barrier inside the harness, never accused", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalBarrierTraits(), Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocalBarrier(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
			},
		},
	}
}

func noServers() (*cluster.Cluster, error) { return cluster.Bare("none", nil, nil), nil }

// serveLocal starts the lock server of the control.
func serveLocal() (*cluster.Cluster, error) {
	s, err := control.ListenLocal()
	if err != nil {
		return nil, err
	}
	return cluster.Bare("local", []string{s.Addr()}, s.Close), nil
}

func probeLocal(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return control.NewLocalProbe(c.Endpoints(0)[0], "local"), nil
}
