package harness

import (
	"cmp"
	"context"
	"slices"
	"time"

	"locktorture/locks"
	"locktorture/workloads"
)

// An ask is a client's request for a lock, without its time.
type ask struct {
	client            int
	lock              string
	shared            bool
	permits, capacity int
}

// askOf returns the request that a client makes with a claim.
func askOf(client int, lock string, c locks.Claim) ask {
	return ask{client, lock, c.Shared, c.Permits, c.Capacity}
}

// claim returns the claim that repeats the request.
func (a ask) claim(c *client) locks.Claim {
	return c.claim(workloads.Section{Shared: a.shared, Permits: a.permits, Capacity: a.capacity}, a.lock)
}

// asks notes that a client requests a lock, with the time of the first request.
func (r *Run) asks(a ask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.unserved[a]; !ok {
		r.unserved[a] = time.Now()
	}
}

// gets notes that a request was granted.
func (r *Run) gets(a ask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.unserved, a)
	r.served[a.client] = true
}

// allServed reports whether every client with an unserved request was granted something since the
// last fault healed. Runs with a fixed number of sections are not checked.
func (r *Run) allServed() bool {
	if r.cfg.Sections > 0 {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for a := range r.unserved {
		if !r.served[a.client] {
			return false
		}
	}
	return true
}

// rollCall repeats every unserved request, one after the other, the oldest first. All faults are
// healed then, and no other client requests or holds a lock, so even an unfair lock must grant
// these requests. It shows locks that are dead only for readers, for requests of two permits, or
// for one client. Once a request has failed, further requests for the same lock are skipped.
func (r *Run) rollCall(ctx context.Context) {
	if r.cfg.FreeWithin <= 0 || r.cfg.Traits.Kind == locks.DoubleBarrier {
		return
	}
	r.mu.Lock()
	list := r.calls()
	r.tail = true
	r.mu.Unlock()
	dead := map[string]bool{}
	for end := time.Now().Add(r.cfg.LongestTail); len(list) > 0 && time.Now().Before(end) && ctx.Err() == nil; list = list[1:] {
		a := list[0]
		if dead[a.lock] {
			continue
		}
		granted, err := r.letAsk(ctx, a)
		if err != nil && ctx.Err() == nil {
			r.fail(err)
			return
		}
		dead[a.lock] = !granted
	}
}

// calls returns the unserved requests, the oldest first. The caller holds r.mu.
func (r *Run) calls() []ask {
	var list []ask
	for a := range r.unserved {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b ask) int {
		return cmp.Or(r.unserved[a].Compare(r.unserved[b]), cmp.Compare(a.client, b.client), cmp.Compare(a.lock, b.lock), cmp.Compare(a.permits, b.permits), readersFirst(a, b))
	})
	return list
}

func readersFirst(a, b ask) int {
	switch {
	case a.shared == b.shared:
		return 0
	case a.shared:
		return -1
	}
	return 1
}

// letAsk repeats a request until it is granted or LongestTail has passed.
func (r *Run) letAsk(ctx context.Context, a ask) (granted bool, err error) {
	c := r.clients[a.client-1]
	r.mu.Lock()
	r.longest = time.Now().Add(r.cfg.LongestTail)
	r.mu.Unlock()
	longest, cancel := context.WithTimeout(ctx, r.cfg.LongestTail)
	defer cancel()
	for longest.Err() == nil {
		if err := c.revive(ctx); err != nil {
			return false, err
		}
		wait, cancel := context.WithTimeout(longest, r.cfg.Tail)
		h, err := c.acquire(wait, a.lock, false, a.claim(c))
		waited := wait.Err() != nil
		cancel()
		if err == nil {
			return true, c.counted(c.release(ctx, h))
		}
		if err := c.counted(err); err != nil || waited {
			return false, err
		}
		sleep(longest, unknownPause) // the lock refused or failed before the time was over
	}
	return false, nil
}
