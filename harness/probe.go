package harness

import (
	"context"
	"sync"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

const (
	// probeEvery is the time between two looks at the servers.
	probeEvery = 50 * time.Millisecond
	// closelyEvery is the least time between two releases of one lock that are looked at closely: so many
	// clients that all come too late do not keep the servers busy with our questions.
	closelyEvery = 20 * time.Millisecond
)

// A probed lock is one that is looked at. There is one look at a time, so that the order of the records is that
// in which the servers were asked.
type probed struct {
	mu    sync.Mutex
	owner map[string]string // by node, as last recorded
	close time.Time         // when a release was looked at closely
}

// probe looks at the servers until ctx ends. A sight is recorded when the
// owner has changed, and otherwise every fifth time, as a sign that it lasts.
func (r *Run) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		for _, lock := range r.locksInUse() {
			r.look(ctx, lock, n%5 == 0)
		}
	}
}

// look looks at one lock. It records what has changed, or all that it sees.
func (r *Run) look(ctx context.Context, lock string, all bool) {
	p := r.probed(lock)
	p.mu.Lock()
	defer p.mu.Unlock()
	limit, cancel := context.WithTimeout(ctx, 2*probeEvery)
	defer cancel()
	sights, _ := r.cfg.Prober.Probe(limit, lock) // a server that is down is not seen, that is all
	for _, s := range sights {
		if owner, seen := p.owner[s.Node]; seen && owner == s.Owner && !all {
			continue
		}
		p.owner[s.Node] = s.Owner
		r.recordSight(lock, s)
	}
}

func (r *Run) probed(lock string) *probed {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.probes[lock]
	if p == nil {
		p = &probed{owner: map[string]string{}}
		r.probes[lock] = p
	}
	return p
}

// closely tells whether to look at the servers directly before a release and directly after it: where a
// lease is released too late, its release may end another's, which is then seen to have been there, and
// to be gone. A yes counts against the bound of such looks.
func (c *client) closely(h *held) bool {
	if c.run.cfg.Prober == nil || !c.overran(h) {
		return false
	}
	p := c.run.probed(h.lock)
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.close) < closelyEvery {
		return false
	}
	p.close = time.Now()
	return true
}

// overran tells that a lease is over by its validity as last told or by its TTL, or that its
// lock was granted to another since.
func (c *client) overran(h *held) bool {
	r := c.run
	r.mu.Lock()
	newest := r.newest[h.lock]
	r.mu.Unlock()
	now := r.cfg.Now()
	return newest != c.number || h.untilMin > 0 && now >= h.untilMin ||
		r.cfg.Traits.LeastTTL > 0 && now-h.granted >= int64(r.cfg.TTL)
}

func (r *Run) recordSight(lock string, s locks.Sight) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: s.Node, Value: s.Owner}
	switch {
	case s.Owner == "":
	case s.Left < 0:
		op.SetExpiry(history.Never)
	default:
		op.SetExpiry(history.Later(r.cfg.Now(), s.Left))
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
