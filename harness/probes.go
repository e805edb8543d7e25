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
	// shortestLook limits the time of a probe. Each probe in turn that no server answered in time
	// doubles the limit of the next, up to longestLook: the driver of a database closes the
	// connection of a query that timed out, and a busy machine needs longer for a new one.
	shortestLook, longestLook = 2 * probeEvery, time.Second
)

// A probed is the probe state of a lock. There is one probe at a time, so that the records have the
// order in which the servers were queried.
type probed struct {
	mu    sync.Mutex
	last  map[string]locks.Sight // latest recorded sight of each node
	close time.Time              // time of the latest probe around a release
	limit time.Duration          // time limit of the next probe
}

// The probes of a run query its servers.
type probes struct {
	run *Run

	mu    sync.Mutex
	locks map[string]*probed
}

// repeat queries the servers until ctx ends. It records a sight if the owner has changed, and every
// fifth sight in any case, to show that the owner stays.
func (p *probes) repeat(ctx context.Context) {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		p.lookAtAll(ctx, n%5 == 0)
	}
}

// lookAtAll probes all locks in use. It records the changed sights, or every sight if all is set.
func (p *probes) lookAtAll(ctx context.Context, all bool) {
	if p.run.cfg.Prober == nil {
		return
	}
	for _, lock := range p.run.demand.inUse() {
		p.look(ctx, lock, all)
	}
}

// look probes one lock; all is as in lookAtAll.
func (p *probes) look(ctx context.Context, lock string, all bool) {
	of := p.of(lock)
	of.mu.Lock()
	defer of.mu.Unlock()
	limit, cancel := context.WithTimeout(ctx, of.limit)
	defer cancel()
	asked := p.run.cfg.Now()
	sights, _ := p.run.cfg.Prober.Probe(limit, lock) // a server that is down yields no sight
	if len(sights) == 0 && limit.Err() != nil {
		of.limit = min(2*of.limit, longestLook)
	} else {
		of.limit = shortestLook
	}
	for _, s := range sights {
		if !all && of.unchanged(s) {
			continue
		}
		of.last[s.Node] = s
		p.record(lock, s, asked)
	}
}

// unchanged reports whether a sight equals the latest recorded one. It is always false for a lock
// with several holders, because each further record narrows the time at which a hold ended.
func (p *probed) unchanged(s locks.Sight) bool {
	last, seen := p.last[s.Node]
	return seen && last.Owner == s.Owner && len(last.Holds)+len(s.Holds) == 0
}

// closely reports whether the latest probe around a release is closelyEvery ago. Each true result
// counts as a probe.
func (p *probed) closely() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.close) < closelyEvery {
		return false
	}
	p.close = time.Now()
	return true
}

// of returns the probe state of a lock.
func (p *probes) of(lock string) *probed {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := p.locks[lock]
	if of == nil {
		of = &probed{last: map[string]locks.Sight{}, limit: shortestLook}
		p.locks[lock] = of
	}
	return of
}

// record records a sight; asked is the time of the query, in ns of the history.
func (p *probes) record(lock string, s locks.Sight, asked int64) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: s.Node, Value: s.Owner}
	op.SetBegan(asked) // the record may be late if the harness stalled
	now := p.run.cfg.Now()
	switch {
	case s.Holds != nil:
		op.Holds = holdsOf(s, now)
	case s.Owner != "":
		op.SetExpiry(expiry(now, s.Left))
	}
	p.run.record(op)
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
