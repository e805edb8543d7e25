package session

import (
	"context"
	"errors"

	"locktorture/explore"
	"locktorture/explore/kept"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/simulate/machine"
)

// guests builds those of a run.
func (s Virtual) guests(ctx context.Context) (g explore.Guests, err error) {
	if s.own == nil {
		g.Harness, err = Guest(ctx, s.guest)
		return g, err
	}
	g.Clients, g.Harness, err = s.own.Load(ctx, wasmEngine(), s.guest)
	if failed := (*machine.CompileError)(nil); err != nil && (errors.Is(err, kept.ErrGone) || errors.As(err, &failed)) {
		return g, exit.Usage("%v", err)
	}
	if err != nil {
		return g, runs.BrokenAfter(ctx, err)
	}
	return g, nil
}

// simSpecOfOwn is what was played with the lock of somebody's test.
func simSpecOfOwn(r report.Run, own *kept.Lock) Virtual {
	o := own.Order
	return Virtual{
		Backend: o.Backend, Options: o.Options, Workload: o.Workload, TTL: o.TTL, Duration: o.Duration, Fencing: o.Fencing,
		Careful: o.Careful, Seed: o.Seed, Clients: o.Clients, Locks: 1, Keys: 1, Hold: o.Hold, Think: o.Think, FreeWithin: o.FreeWithin,
		MinGrants: 1, guest: guestOf(r), own: own,
	}
}

// ownBackend is the lock of somebody's test on real servers.
func ownBackend(own *kept.Lock) registry.Backend {
	topology := "redis"
	if own.Order.Own.Nodes > 1 {
		topology = "redis-5"
	}
	var key string
	hash := false
	if look := own.Order.Own.Look; look != nil {
		key, hash = look.Key, look.Hash
	}
	return registry.OwnOnRedis(own.Order.Backend, topology, own.Order.Own.Traits, key, hash)
}

// ownOf reads the lock of somebody's test that a run was played with; nil if it is of torture.
func ownOf(path string) (*kept.Lock, error) {
	own, err := kept.Read(path)
	if err != nil {
		return nil, exit.Usage("%s: %v", path, err)
	}
	return own, nil
}

// Guest loads the program of the processes of a run in virtual time: of a kind, or of the one
// that the user has asked for.
func Guest(ctx context.Context, k machine.Kind) (p *machine.Program, err error) {
	if k == machine.Any {
		k, err = machine.Asked()
	}
	if err == nil {
		p, err = machine.LoadKind(ctx, wasmEngine(), "cmd/guest", k)
	}
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() == nil && (errors.Is(err, machine.ErrNoSource) || errors.Is(err, machine.ErrKind)):
		return nil, exit.Usage("%v", err)
	}
	return nil, runs.BrokenAfter(ctx, err)
}
