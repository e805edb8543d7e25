package session

import (
	"context"
	"errors"
	"slices"

	"locktorture/explore"
	"locktorture/explore/kept"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// guests builds the programs of a run in virtual time.
func (s Virtual) guests(ctx context.Context) (g explore.Guests, err error) {
	switch {
	case s.own == nil && s.order().Cluster() != "":
		return clusterGuests(ctx, s.order().Cluster(), s.release())
	case s.own == nil:
		g.Harness, err = Guest(ctx, s.guest)
		return g, err
	}
	g.Clients, g.Harness, err = s.own.Load(ctx, wasmEngine(), s.guest)
	if failed := (*machine.CompileError)(nil); err != nil && (errors.Is(err, kept.ErrGone) || errors.As(err, &failed)) {
		return g, exit.Usage("%v", err)
	}
	if kind := s.own.Order.Cluster(); err == nil && kind != "" {
		if g.Cluster, err = explore.LoadCluster(ctx, kind, s.own.Folder, ""); err != nil {
			return g, errors.Join(loaded(ctx, err), g.Close())
		}
	}
	if err != nil {
		return g, runs.BrokenAfter(ctx, err)
	}
	return g, nil
}

// clusterGuests builds the programs of a run on a cluster, whose servers are guests, too. release is
// a release of the server; "" selects the release that torture requires.
func clusterGuests(ctx context.Context, kind, release string) (g explore.Guests, err error) {
	g.Cluster, err = explore.LoadCluster(ctx, kind, "", release)
	switch {
	case err == nil && kind == inside.Etcd:
		g.Harness, err = machine.LoadClients(ctx)
	case err == nil:
		if g.Clients, err = machine.LoadDriver(ctx, kind); err == nil {
			g.Harness, err = machine.LoadHarness(ctx, nil, "", machine.Native)
		}
	}
	if err != nil {
		return g, errors.Join(loaded(ctx, err), g.Close())
	}
	return g, nil
}

// simSpecOfOwn returns the settings of a run that was played with the lock of a user's test.
func simSpecOfOwn(r report.Run, own *kept.Lock) Virtual {
	o := own.Order
	return Virtual{
		Backend: o.Backend, Options: o.Options, Workload: o.Workload, TTL: o.TTL, Duration: o.Duration, Fencing: o.Fencing,
		Careful: o.Careful, Seed: o.Seed, Clients: o.Clients, Locks: 1, Keys: 1, Hold: o.Hold, Think: o.Think, FreeWithin: o.FreeWithin,
		MinGrants: 1, guest: guestOf(r), own: own,
	}
}

// ownBackend returns the backend for the lock of a user's test on real servers.
func ownBackend(own *kept.Lock) registry.Backend {
	topology := "redis"
	switch kind := own.Order.Cluster(); {
	case kind != "":
		topology = kind + "-3"
	case own.Order.Own.Nodes > 1:
		topology = "redis-5"
	}
	var key string
	hash := false
	if look := own.Order.Own.Look; look != nil {
		key, hash = look.Key, look.Hash
	}
	return registry.OwnOnRedis(own.Order.Backend, topology, own.Order.Own.Traits, key, hash)
}

// onCluster describes a lock on a cluster, which the clients of a run in virtual time bring in a
// program of their own. It returns nil if the lock cannot be simulated, or is not on a cluster.
func onCluster(backend string) *inside.Own {
	o := &inside.Own{Nodes: 3, Traits: registry.Locks()[backend].Traits}
	_, on := inside.OnEtcd()[backend]
	switch {
	case on:
		o.Server = inside.Etcd
	case slices.Contains(inside.OnNATS(), backend):
		o.Server = inside.NATS
	default:
		return nil
	}
	return o
}

// ownOf reads the lock of the user's test with which a run was played, from the run directory.
// It returns nil if the run was played with a lock of torture.
func ownOf(path string) (*kept.Lock, error) {
	own, err := kept.Read(path)
	if err != nil {
		return nil, exit.Usage("%s: %v", path, err)
	}
	return own, nil
}

// Guest loads the program of all processes of a run in virtual time, as a guest of kind k. For
// machine.Any, the user selects the kind with an environment variable (machine.Asked).
func Guest(ctx context.Context, k machine.Kind) (p *machine.Program, err error) {
	if k == machine.Any {
		k, err = machine.Asked()
	}
	if err == nil {
		p, err = machine.LoadKind(ctx, wasmEngine(), "cmd/guest", k)
	}
	return p, loaded(ctx, err)
}

// loaded adds the exit code to an error of loading a program: a usage error if the program
// cannot be built here. It returns nil for nil.
func loaded(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && (errors.Is(err, machine.ErrNoSource) || errors.Is(err, machine.ErrNoRelease) || errors.Is(err, machine.ErrKind)):
		return exit.Usage("%v", err)
	}
	return runs.BrokenAfter(ctx, err)
}
