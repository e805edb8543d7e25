package checker

import (
	"fmt"

	"locktorture/history"
)

// holdLeft finds orphans among the holds that servers list: the server still shows one after its
// release was answered, for longer than a retry interval.
type holdLeft struct {
	base
	reported leaseSet
}

func (r *holdLeft) look(h *holding, seen history.Hold, k *holdLook) {
	g := h.lease
	if g.relRet == nil || g.relRet.Type == history.Info || g.gaveUp() || g.relRet.Time >= k.asked || r.reported[g] {
		return
	}
	if h.after == nil {
		h.after = k
	}
	if k.asked-h.after.probe.Time <= r.run.o.patience() || r.run.copies(h.after.asked, k.probe.Time) {
		return
	}
	r.reported[g] = true
	r.found.add("orphan", g.relRet.Time, func() Anomaly {
		return Anomaly{
			Lock: g.lock.name, Time: k.probe.Time, Ops: ops(g.ret, g.relCall, g.relRet, h.after.probe, k.probe),
			Sentence: fmt.Sprintf("%s of %s was kept on %s in the name of %s (%s) from %s to %s at least, until %s if nobody ends it, although that client had released it at %s",
				g.claimed(), g.lock.name, k.probe.Node, who(g.client), seen.Owner, at(h.after.probe.Time), at(k.probe.Time), at(seen.Until), at(g.relRet.Time)),
		}
	})
}
