package checker

import (
	"fmt"

	"locktorture/history"
)

// What a lease was granted: the whole lock, the lock beside other readers, permits of a
// semaphore, or the leadership.

// excludes reports whether two leases cannot be held at the same time. Of permits that is the
// sum's to say.
func (l *lease) excludes(m *lease) bool {
	return !(l.shared && m.shared) && !(l.permits > 0 && m.permits > 0)
}

// sharing reports whether the lock is granted to several at a time and declares no order: that
// readers are let in beside readers while a writer waits is measured, and nobody's fault.
func (o Options) sharing() bool { return o.Kind != "" && !o.isElection() && !o.Fair }

// what names what was granted: "stock", "stock as a reader", "2 of 3 permits of pool".
func (l *lease) what() string {
	switch {
	case l.permits > 0:
		return fmt.Sprintf("%d of %d permits of %s", l.permits, l.capacity, l.lock.name)
	case l.upgraded != nil:
		return l.lock.name + " as a writer, by an upgrade"
	case l.shared:
		return l.lock.name + " as a reader"
	case l.campaign:
		return "the leadership of " + l.lock.name
	}
	return l.lock.name
}

// claimed names the lease with what it is of, where that is not the whole lock: "lease 7 as a
// reader".
func (l *lease) claimed() string {
	switch {
	case l.permits > 0:
		return fmt.Sprintf("%s of %d permits", l.name(), l.permits)
	case l.shared:
		return l.name() + " as a reader"
	}
	return l.name()
}

// together reports whether a grant takes nothing from what a wait asks for: both can be held
// at a time, and be granted at one moment. Which answer comes first then says nothing of an
// order.
func (w *wait) together(g *lease) bool {
	if n := w.inv.Permits; n > 0 && g.permits > 0 {
		return n+g.permits <= w.inv.Capacity
	}
	return w.inv.Mode == history.Shared && g.shared
}

// writes reports whether a wait asks for the whole lock.
func (w *wait) writes() bool { return w.inv.Mode == "" }
