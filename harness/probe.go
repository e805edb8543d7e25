package harness

import (
	"context"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// probeEvery is the time between two looks at the servers.
const probeEvery = 50 * time.Millisecond

// probe looks at the servers until ctx ends. A sight is recorded when the
// owner has changed, and otherwise every fifth time, as a sign that it lasts.
func (r *Run) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	last := map[string]string{} // lock and node -> owner
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, lock := range r.locksInUse() {
			limit, cancel := context.WithTimeout(ctx, 2*probeEvery)
			sights, _ := r.cfg.Prober.Probe(limit, lock) // a server that is down is not seen, that is all
			cancel()
			for _, s := range sights {
				place := lock + "\x00" + s.Node
				if owner, seen := last[place]; seen && owner == s.Owner && n%5 != 0 {
					continue
				}
				last[place] = s.Owner
				r.recordSight(lock, s)
			}
		}
	}
}

func (r *Run) recordSight(lock string, s locks.Sight) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: s.Node, Value: s.Owner}
	switch {
	case s.Owner == "":
	case s.Left < 0:
		op.UntilMax = history.Never
	default:
		op.UntilMax = history.Later(r.cfg.Now(), s.Left)
	}
	r.record(op)
}

func (r *Run) locksInUse() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.lockSeen))
	for name := range r.lockSeen {
		names = append(names, name)
	}
	return names
}
