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
	// closelyEvery is the least time between two releases of one lock that are looked at
	// closely: so many clients that all come too late do not keep the servers busy with our
	// questions.
	closelyEvery = 20 * time.Millisecond
)

// A probed lock is one that is looked at. There is one look at a time, so that the order of
// the records is that in which the servers were asked.
type probed struct {
	mu    sync.Mutex
	last  map[string]locks.Sight // by node, as last recorded
	close time.Time              // when a release was looked at closely
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
	asked := r.cfg.Now()
	sights, _ := r.cfg.Prober.Probe(limit, lock) // a server that is down is not seen, that is all
	for _, s := range sights {
		if !all && p.unchanged(s) {
			continue
		}
		p.last[s.Node] = s
		r.recordSight(lock, s, asked)
	}
}

// unchanged reports whether a look shows what was recorded last. Of holds that several have
// side by side each look is recorded: between which two of them one has ended is known the
// better.
func (p *probed) unchanged(s locks.Sight) bool {
	last, seen := p.last[s.Node]
	return seen && last.Owner == s.Owner && len(last.Holds)+len(s.Holds) == 0
}

func (r *Run) probed(lock string) *probed {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.probes[lock]
	if p == nil {
		p = &probed{last: map[string]locks.Sight{}}
		r.probes[lock] = p
	}
	return p
}

// closely reports whether to look at the servers directly before a release and directly after
// it: where a lease is released too late, its release may end another's, which is then seen to
// have been there, and to be gone. A yes counts against the bound of such looks.
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

// overran reports whether a lease is over by its validity as last told or by its TTL, or that
// its lock was granted to another since.
func (c *client) overran(h *held) bool {
	r := c.run
	r.mu.Lock()
	newest := r.newest[h.lock]
	r.mu.Unlock()
	now := r.cfg.Now()
	return newest != c.number || h.untilMin > 0 && now >= h.untilMin ||
		r.cfg.Traits.LeastTTL > 0 && now-h.granted >= int64(r.cfg.TTL)
}

// recordSight records what was seen when the servers were asked at a moment.
func (r *Run) recordSight(lock string, s locks.Sight, asked int64) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: s.Node, Value: s.Owner}
	op.SetBegan(asked) // who is kept from running records late
	now := r.cfg.Now()
	switch {
	case s.Holds != nil:
		op.Holds = holdsOf(s, now)
	case s.Owner != "":
		op.SetExpiry(expiry(now, s.Left))
	}
	r.record(op)
}

// holdsOf are the holds of a sight as the history has them.
func holdsOf(s locks.Sight, now int64) []history.Hold {
	holds := []history.Hold{}
	for _, h := range s.Holds {
		seen := history.Hold{Owner: h.Owner, Permits: h.Permits, Until: expiry(now, h.Left)}
		switch {
		case h.Permits > 0:
			seen.Mode = history.Permits
		case h.Shared:
			seen.Mode = history.Shared
		}
		holds = append(holds, seen)
	}
	return holds
}

// expiry is the end of a lease that a server ends so long from now.
func expiry(now int64, left time.Duration) int64 {
	if left < 0 {
		return history.Never
	}
	return history.Later(now, left)
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
