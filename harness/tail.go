package harness

import (
	"context"
	"time"
)

// longestTail bounds every tail: nobody waits for a lock that may be kept for days.
const longestTail = 10 * time.Minute

// setTail fills in how long the tail lasts.
func (cfg *Config) setTail() {
	if cfg.Tail <= 0 {
		free := min(cfg.FreeWithin, longestTail)
		cfg.Tail = free + free/4 + time.Second
	}
	cfg.Tail = min(cfg.Tail, longestTail)
	cfg.LongestTail = min(max(cfg.LongestTail, cfg.Tail), longestTail)
}

// quiet is the phase after the last fault, in which every lock in use must be granted once
// more, and something to every client that had asked in vain. Nobody rests, nobody gives up
// waiting, and nobody asks without waiting, so that a lock which is dead shows it. It ends when
// all were granted, or when all should have been.
func (r *Run) quiet(ctx context.Context) {
	r.mu.Lock()
	r.tail = true
	r.tailEnd, r.longest = time.Now().Add(r.cfg.Tail), time.Now().Add(r.cfg.LongestTail)
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

// tailOver reports whether every lock was granted again, and to everybody, or should have been.
func (r *Run) tailOver() bool {
	if r.allGranted() && r.allServed() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !time.Now().Before(r.tailEnd)
}

// doubt notes that an acquire has ended with an unknown outcome. In the tail that may have
// been the grant that was waited for: the lock gets its time again, within bounds.
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

// prolong gives the tail a time back that the machine took, within bounds: no checker counts
// it.
func (r *Run) prolong(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if end := r.tailEnd.Add(d); r.tail && end.After(r.longest) {
		r.tailEnd = r.longest
	} else if r.tail {
		r.tailEnd = end
	}
}

// patience is how long a client that asks now waits for a lock, and whether it is the tail.
func (r *Run) patience() (wait time.Duration, tail bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.tail {
		return r.cfg.AcquireTimeout, false
	}
	return max(r.cfg.AcquireTimeout, time.Until(r.longest)), true
}

// rest lets a client do nothing for a while, and hardly at all in the tail.
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
