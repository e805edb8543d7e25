package harness

import (
	"context"
	"slices"
	"time"
)

// report calls Progress about four times a second.
func (r *Run) report(ctx context.Context) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.cfg.Progress(r.progress())
		case <-ctx.Done():
			return
		}
	}
}

func (r *Run) progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := Progress{
		Elapsed: time.Since(r.opened), Tail: r.tail, Struck: r.struck,
		Ops: r.ops.Load(), Grants: r.grants.Load(), Refused: r.refused.Load(),
	}
	for _, f := range r.inPlace {
		p.InPlace = append(p.InPlace, f)
	}
	slices.Sort(p.InPlace)
	return p
}

// allGranted reports whether every lock in use was granted since the last fault healed.
func (r *Run) allGranted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, granted := range r.lockSeen {
		if !granted {
			return false
		}
	}
	return true
}

// sees adds a lock to the locks in use.
func (r *Run) sees(lock string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.lockSeen[lock]; !ok {
		r.lockSeen[lock] = false
	}
}

// granted records a grant of the lock to the client.
func (r *Run) granted(lock string, client int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.newest[lock] = client
	r.lockSeen[lock] = true
}
