package harness

import (
	"context"
	"time"
)

// longestTail limits every tail, because some locks may stay taken for days.
const longestTail = 10 * time.Minute

// setTail sets the defaults of Tail and LongestTail.
func (cfg *Config) setTail() {
	if cfg.Tail <= 0 {
		free := min(cfg.FreeWithin, longestTail)
		cfg.Tail = free + free/4 + time.Second
	}
	cfg.Tail = min(cfg.Tail, longestTail)
	cfg.LongestTail = min(max(cfg.LongestTail, cfg.Tail), longestTail)
}

// quiet carries out the phase after the last fault. Every lock in use must be granted once more,
// and every client with an unserved request must be granted something. Clients do not rest, time
// out, or ask without waiting, so that a dead lock shows. The phase ends when everything was
// granted or the time for it has passed.
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

// healed begins the tail, after the last fault has healed.
func (r *Run) healed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tail = true
	r.tailEnd, r.longest = time.Now().Add(r.cfg.Tail), time.Now().Add(r.cfg.LongestTail)
}

// tailOver reports whether every lock was granted again and every waiting client was served, or the
// time for that has passed.
func (r *Run) tailOver() bool {
	if r.allGranted() && r.allServed() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !time.Now().Before(r.tailEnd)
}

// doubt handles an acquire of unknown outcome. In the tail it may have been the awaited grant, so
// the tail is prolonged to a full Tail from now, up to LongestTail.
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

// prolong adds the length of a stall to the tail, up to LongestTail, because checkers do not count
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

// patience returns the time for which a request made now waits, and whether the tail has begun.
func (r *Run) patience() (wait time.Duration, tail bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tail {
		return r.cfg.AcquireTimeout, false
	}
	return max(r.cfg.AcquireTimeout, time.Until(r.longest)), true
}

// rest makes a client pause for d. The pause is cut short in the tail.
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
