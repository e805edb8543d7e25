package harness

import (
	"context"
	"sync"
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

// A tail is the phase after the last fault.
type tail struct {
	cfg     *Config
	resting chan struct{} // closed when clients no longer rest

	mu      sync.Mutex
	begun   bool
	end     time.Time // planned end; may be prolonged
	longest time.Time // latest possible end
}

// quiet carries out the phase after the last fault. Every lock in use must be granted once more,
// and every client with an unserved request must be granted something. Clients do not rest, time
// out, or ask without waiting, so that a dead lock shows. The phase ends when everything was
// granted or the time for it has passed.
func (r *Run) quiet(ctx context.Context) {
	r.tail.begin()
	r.demand.healed()
	close(r.tail.resting)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !r.satisfied() && !r.tail.over() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// satisfied reports whether every lock was granted again and every waiting client was served. Runs
// with a fixed number of sections need not serve every client.
func (r *Run) satisfied() bool {
	return r.demand.allGranted() && (r.cfg.Sections > 0 || r.demand.allServed())
}

// begin begins the tail, after the last fault has healed.
func (t *tail) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
	t.end, t.longest = time.Now().Add(t.cfg.Tail), time.Now().Add(t.cfg.LongestTail)
}

// start begins the tail without a planned end, for the roll call.
func (t *tail) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.begun = true
}

// renew moves the latest possible end to LongestTail from now.
func (t *tail) renew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.longest = time.Now().Add(t.cfg.LongestTail)
}

func (t *tail) hasBegun() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.begun
}

// over reports whether the planned end has passed.
func (t *tail) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !time.Now().Before(t.end)
}

// doubt handles an acquire of unknown outcome. In the tail it may have been the awaited grant, so
// the tail is prolonged to a full Tail from now, up to LongestTail.
func (t *tail) doubt() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		return
	}
	if end := time.Now().Add(t.cfg.Tail); end.After(t.end) {
		t.end = end
	}
	if t.longest.Before(t.end) {
		t.end = t.longest
	}
}

// prolong adds the length of a stall to the tail, up to LongestTail, because checkers do not count
// stalls.
func (t *tail) prolong(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if end := t.end.Add(d); t.begun && end.After(t.longest) {
		t.end = t.longest
	} else if t.begun {
		t.end = end
	}
}

// patience returns the time for which a request made now waits, and whether the tail has begun.
func (t *tail) patience() (wait time.Duration, tail bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun {
		return t.cfg.AcquireTimeout, false
	}
	return max(t.cfg.AcquireTimeout, time.Until(t.longest)), true
}

// rest makes a client pause for d. The pause is cut short in the tail.
func (c *client) rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-c.run.tail.resting:
		sleep(ctx, min(d, unknownPause))
	}
}
