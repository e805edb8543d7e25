package scenarios

import (
	"context"
	"slices"

	"locktorture/locks"
)

// A Probe looks at the servers: it asks them who holds a lock.
type Probe struct{ stage *Stage }

// UntilFree waits until no server stores the lock with an owner.
func (p Probe) UntilFree() {
	p.Until("the lock is free", p.stage.Lock, func(sights []locks.Sight) bool {
		return !slices.ContainsFunc(sights, keeps)
	})
}

// Once probes the servers once more, for the history.
func (p Probe) Once() {
	p.Until("the servers were looked at", p.stage.Lock, func([]locks.Sight) bool { return true })
}

// Until probes the servers until a condition holds, and records that probe.
func (p Probe) Until(what, lock string, wanted func([]locks.Sight) bool) {
	p.stage.Until(what, 4*p.stage.TTL, func(ctx context.Context) (bool, error) {
		sights, err := p.stage.script.Look(ctx, lock)
		if err != nil || !wanted(sights) {
			return false, err
		}
		p.stage.script.Saw(lock, sights)
		return true, nil
	})
}

// keeps reports whether a server stores a lock with an owner. A lock without remaining time is
// free.
func keeps(x locks.Sight) bool { return len(x.Holds) > 0 || x.Owner != "" && x.Left != 0 }
