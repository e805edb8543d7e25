package harness

import (
	"context"
	"time"
)

// longestTail bounds every tail, because some locks may stay taken for days.
const longestTail = 10 * time.Minute

// setTail fills in the defaults of Tail and LongestTail.
func (cfg *Config) setTail() {
	if cfg.Tail <= 0 {
		free := min(cfg.FreeWithin, longestTail)
		cfg.Tail = free + free/4 + time.Second
	}
	cfg.Tail = min(cfg.Tail, longestTail)
	cfg.LongestTail = min(max(cfg.LongestTail, cfg.Tail), longestTail)
}

// quiet carries out the phase after the last fault. Every lock in use must be granted once
// more, and every client that had asked in vain must get something. Clients do not rest, give
// up, or ask without waiting, so that a dead lock shows. The phase ends when everything was
// granted, or should have been.
func (r *Run) quiet(ctx context.Context) {
	r.healed()
	r.mu.Lock()
	for name := range r.lockSeen {
		r.lockSeen[name] = false
	}
	clear(r.served)
	r.mu.Unlock()
	close(r.resting)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !r.tailOver() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// healed begins the tail: the last fault is healed.
func (r *Run) healed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail = true
	r.tailEnd, r.longest = time.Now().Add(r.cfg.Tail), time.Now().Add(r.cfg.LongestTail)
}

// tailOver reports whether every lock was granted again, to every waiting client, or the time
// for that is over.
func (r *Run) tailOver() bool {
	if r.allGranted() && r.allServed() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !time.Now().Before(r.tailEnd)
}

// doubt handles an acquire that ended with an unknown outcome. In the tail, that may have been
// the awaited grant, so the lock gets its time again, within bounds.
func (r *Run) doubt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tail {
		return
	}
	if end := time.Now().Add(r.cfg.Tail); end.After(r.tailEnd) {
		r.tailEnd = end
	}
	if r.longest.Before(r.tailEnd) {
		r.tailEnd = r.longest
	}
}

// prolong adds the length of a stall to the tail, within bounds, because checkers do not count
// stalls.
func (r *Run) prolong(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end := r.tailEnd.Add(d); r.tail && end.After(r.longest) {
		r.tailEnd = r.longest
	} else if r.tail {
		r.tailEnd = end
	}
}

// patience returns how long a client that asks now waits for a lock, and whether the tail has
// begun.
func (r *Run) patience() (wait time.Duration, tail bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tail {
		return r.cfg.AcquireTimeout, false
	}
	return max(r.cfg.AcquireTimeout, time.Until(r.longest)), true
}

// rest makes a client pause, and only briefly in the tail.
func (c *client) rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-c.run.resting:
		sleep(ctx, min(d, unknownPause))
	}
}
