package suite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"locktorture/bench"
)

// peers compares our locks with libraries, where both were measured.
func (c Config) peers(ctx context.Context, served []string, p bench.Plan, say func(string)) (out []bench.Peer) {
	some := bench.Plan{Clients: p.Clients}
	if n := len(p.Waiters); n > 0 {
		some.Waiters = p.Waiters[n/2 : n/2+1]
	}
	for _, ours := range slices.Sorted(maps.Keys(c.Locks)) {
		theirs := c.Locks[ours].Peer
		if ctx.Err() != nil || !slices.Contains(served, ours) || !slices.Contains(served, theirs) {
			continue
		}
		out = append(out, c.peer(ctx, ours, theirs, some, say))
	}
	return out
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
	out := bench.MeasurePeer(ctx, c.config(), p, on.side(theirs, theirs), on.side(ours, ours), nil, say)
	if err := on.cluster.Close(); err != nil {
		out.Errors = append(out.Errors, err.Error())
	}
	return out
}
