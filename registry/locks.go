package registry

import (
	"context"
	"maps"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/control"
)

// Locks returns the locks of this repository by name.
func Locks() map[string]Backend {
	all := map[string]Backend{}
	for _, family := range []map[string]Backend{controls(), sharedControls(), redisLocks(), redisLibraries(), consensusLocks(), databaseLocks(), objectLocks(), fileLocks(), natsLocks(), claimLocks()} {
		maps.Copy(all, family)
	}
	for name, b := range all {
		b.Name = name
		if b.Program != "" {
			b.Open = b.openProgram
		}
		all[name] = b.Through(Args{})
	}
	return all
}

// controls returns the exclusive locks that are right or wrong by construction.
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
			About: "control: a lock server inside the harness, never flagged", Without: "the lock server is part of the harness",
			Serve: serveLocal, Traits: control.LocalTraits(), ProbeWith: probeLocal, Control: true,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return control.NewLocal(control.LocalConfig{Addr: a.Endpoints[0], Owner: a.Owner}), nil
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
