package suite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"locktorture/bench"
	"locktorture/registry"
)

// peers compares our locks with libraries, where both were measured, or those that were with
// one that was named.
func (c Config) peers(ctx context.Context, served []string, p bench.Plan, say func(string)) (out []bench.Peer) {
	some := bench.Plan{Clients: p.Clients, Permits: p.Permits}
	if n := len(p.Waiters); n > 0 {
		some.Waiters = p.Waiters[n/2 : n/2+1]
	}
	for _, ours := range slices.Sorted(maps.Keys(c.Locks)) {
		theirs := c.beside(ours, served)
		if ctx.Err() != nil || !slices.Contains(served, ours) || theirs == "" {
			continue
		}
		out = append(out, c.peer(ctx, ours, theirs, some, say))
	}
	return out
}

// Alike reports whether two locks can be compared: they are of one kind, and run on the same
// servers.
func Alike(a, b registry.Backend) bool {
	return a.Traits.Kind == b.Traits.Kind && a.Topology == b.Topology && a.Without == b.Without
}

// beside is what a lock is compared with; "": with nothing.
func (c Config) beside(ours string, served []string) string {
	a, b := c.Locks[ours], c.Locks[c.Against]
	switch peer := a.Peer; {
	case c.Against == ours:
		return ""
	case c.Against != "" && Alike(a, b):
		return c.Against
	case c.Against == "" && slices.Contains(served, peer):
		return peer
	}
	return ""
}

func (c Config) peer(ctx context.Context, ours, theirs string, p bench.Plan, say func(string)) bench.Peer {
	failed := func(err error) bench.Peer {
		return bench.Peer{Ours: ours, Theirs: theirs, Errors: []string{err.Error()}}
	}
	if a, b := c.Locks[ours].Topology, c.Locks[theirs].Topology; a != b {
		return failed(fmt.Errorf("one runs on %s, the other on %s", a, b))
	}
	on, err := c.start(ctx, ours)
	if err != nil {
		return failed(err)
	}
	out := bench.MeasurePeer(ctx, c.config(), p, ours, theirs, on.pairs(theirs), say)
	if err := on.cluster.Close(); err != nil {
		out.Errors = append(out.Errors, err.Error())
	}
	return out
}

// pairs are the lock and a library in every mode that both have. Beside a library in processes
// of its own the lock is in such processes too.
func (on *benched) pairs(theirs string) (pairs []bench.Pair) {
	ours := on.side
	if on.config.Locks[theirs].Driver != nil && on.backend.Driver == nil {
		ours = on.inDrivers
	}
	both := on.config.ModesOf(on.config.Locks[theirs])
	for _, mode := range on.config.ModesOf(on.backend) {
		if !slices.Contains(both, mode) {
			continue
		}
		pairs = append(pairs, bench.Pair{Mode: mode, Theirs: on.side(theirs, theirs, mode), Ours: ours(on.name, on.name, mode)})
	}
	return pairs
}
