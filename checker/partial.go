package checker

import (
	"fmt"

	"locktorture/history"
)

// partialGrant finds a lease of several permits of which the server keeps some and not all while
// they are promised. Once all of them were seen together, fewer of them show a release and not
// a grant in part.
type partialGrant struct {
	base
	reported leaseSet
}

func (r *partialGrant) look(h *holding, seen history.Hold, k *holdLook) {
	g := h.lease
	part := seen.Permits > 0 && seen.Permits < g.permits && h.most < g.permits
	promised := g.granted() < k.asked && k.probe.Time < g.end
	session := r.run.o.Expires && seen.Until == history.Never // it may be over, and go piece by piece
	if !part || !promised || session || r.reported[g] || r.run.disturbed(g.inv.Time, k.probe.Time) {
		return
	}
	r.reported[g] = true
	r.found.add("partial-grant", g.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: g.lock.name, Time: k.probe.Time, Ops: ops(g.inv, g.ret, g.lastTold(), k.probe, g.relCall),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s), and %s keeps %d of them when it is looked at at %s: the lease %s",
				who(g.client), g.what(), at(g.granted()), g.name(), k.probe.Node, seen.Permits, at(k.probe.Time), g.holds(r.run.o)),
		}
	})
}
