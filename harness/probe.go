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
	// closelyEvery is the least time between two close looks at one lock, so that many late
	// clients do not overload the servers with questions.
	closelyEvery = 20 * time.Millisecond
)

// A probed is a lock that the harness looks at. There is one look at a time, so that the
// records keep the order in which the servers were asked.
type probed struct {
	mu    sync.Mutex
	last  map[string]locks.Sight // node → sight, as last recorded
	close time.Time              // when a release was last looked at closely
}

// probe looks at the servers until ctx ends. It records a sight if the owner has changed, and
// otherwise every fifth sight, as a sign that the owner stays.
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

// look looks at one lock. It records the changes, or everything if all is set.
func (r *Run) look(ctx context.Context, lock string, all bool) {
	p := r.probed(lock)
	p.mu.Lock()
	defer p.mu.Unlock()
	limit, cancel := context.WithTimeout(ctx, 2*probeEvery)
	defer cancel()
	asked := r.cfg.Now()
	sights, _ := r.cfg.Prober.Probe(limit, lock) // a server that is down gives no sight
	for _, s := range sights {
		if !all && p.unchanged(s) {
			continue
		}
		p.last[s.Node] = s
		r.recordSight(lock, s, asked)
	}
}

// unchanged reports whether a look shows what was recorded last. It is always false for a lock
// of several holders, because more records bound the end of each hold more closely.
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

// closely reports whether to look at the servers directly before and directly after a release.
// A release that comes too late may end another client's lease; the two looks then show that
// lease present and gone. Each true counts against the bound of closelyEvery.
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

// overran reports whether a lease is over by its last reported validity or its TTL, or whether
// the lock was granted to another client since.
func (c *client) overran(h *held) bool {
	r := c.run
	r.mu.Lock()
	newest := r.newest[h.lock]
	r.mu.Unlock()
	now := r.cfg.Now()
	return newest != c.number || h.untilMin > 0 && now >= h.untilMin ||
		r.cfg.Traits.LeastTTL > 0 && now-h.granted >= int64(r.cfg.TTL)
}

// recordSight records a sight; asked is the time at which the servers were asked.
func (r *Run) recordSight(lock string, s locks.Sight, asked int64) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: s.Node, Value: s.Owner}
	op.SetBegan(asked) // the record may be late if the harness was stalled
	now := r.cfg.Now()
	switch {
	case s.Holds != nil:
		op.Holds = holdsOf(s, now)
	case s.Owner != "":
		op.SetExpiry(expiry(now, s.Left))
	}
	r.record(op)
}

// holdsOf returns the holds of a sight as the history has them.
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

// expiry returns the end of a lease that the server will end after left.
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
