package harness

import (
	"context"
	"sync"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

const (
	// probeEvery is the interval at which the harness probes the servers.
	probeEvery = 50 * time.Millisecond
	// closelyEvery is the least time between two probes of a lock around late releases. It keeps
	// many late clients from overloading the servers.
	closelyEvery = 20 * time.Millisecond
)

// A probed is the probe state of a lock. There is one probe at a time, so that the records have the
// order in which the servers were queried.
type probed struct {
	mu    sync.Mutex
	last  map[string]locks.Sight // latest recorded sight of each node
	close time.Time              // time of the latest probe around a release
}

// probe queries the servers until ctx ends. It records a sight if the owner has changed, and every
// fifth sight in any case, to show that the owner stays.
func (r *Run) probe(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		r.lookAtAll(ctx, n%5 == 0)
	}
}

// lookAtAll probes all locks in use. It records the changed sights, or every sight if all is set.
func (r *Run) lookAtAll(ctx context.Context, all bool) {
	if r.cfg.Prober == nil {
		return
	}
	for _, lock := range r.locksInUse() {
		r.look(ctx, lock, all)
	}
}

// look probes one lock; all is as in lookAtAll.
func (r *Run) look(ctx context.Context, lock string, all bool) {
	p := r.probed(lock)
	p.mu.Lock()
	defer p.mu.Unlock()
	limit, cancel := context.WithTimeout(ctx, 2*probeEvery)
	defer cancel()
	asked := r.cfg.Now()
	sights, _ := r.cfg.Prober.Probe(limit, lock) // a server that is down yields no sight
	for _, s := range sights {
		if !all && p.unchanged(s) {
			continue
		}
		p.last[s.Node] = s
		r.recordSight(lock, s, asked)
	}
}

// unchanged reports whether a sight equals the latest recorded one. It is always false for a lock
// with several holders, because each further record narrows the time at which a hold ended.
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

// closely reports whether to probe the servers directly before and directly after a release. A late
// release may end another client's lease; the two probes then show the lease present and gone. Each
// true result counts as a probe for closelyEvery.
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

// overran reports whether a lease is over by its last reported validity or by its TTL, or whether
// the lock has been granted to another client since.
func (c *client) overran(h *held) bool {
	r := c.run
	r.mu.Lock()
	newest := r.newest[h.lock]
	r.mu.Unlock()
	now := r.cfg.Now()
	return newest != c.number || h.untilMin > 0 && now >= h.untilMin ||
		r.cfg.Traits.LeastTTL > 0 && now-h.granted >= int64(r.cfg.TTL)
}

// recordSight records a sight; asked is the time of the query, in ns of the history.
func (r *Run) recordSight(lock string, s locks.Sight, asked int64) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: s.Node, Value: s.Owner}
	op.SetBegan(asked) // the record may be late if the harness stalled
	now := r.cfg.Now()
	switch {
	case s.Holds != nil:
		op.Holds = holdsOf(s, now)
	case s.Owner != "":
		op.SetExpiry(expiry(now, s.Left))
	}
	r.record(op)
}

// holdsOf converts the holds of a sight to entries of the history; now is the time of the sight.
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

// expiry returns the expiry of a lease that the server ends after left; Never if left is negative.
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
