package checker

import (
	"fmt"

	"locktorture/history"
)

// leftHold finds a hold that the server still lists after its release was answered, for longer
// than a retry interval.
func (v *view) leftHold(l *lockView, h *holding, seen history.Hold, k *holdLook) {
	g := h.lease
	if g.relRet == nil || g.relRet.Type == history.Info || g.gaveUp() || g.relRet.Time >= k.asked || g.left {
		return
	}
	if h.after == nil {
		h.after = k
	}
	if k.asked-h.after.probe.Time <= v.o.patience() || v.copies(h.after.asked, k.probe.Time) {
		return
	}
	g.left = true
	l.found.add("orphan", g.relRet.Time, func() Anomaly {
		return Anomaly{
			Lock: l.name, Time: k.probe.Time, Ops: ops(g.ret, g.relCall, g.relRet, h.after.probe, k.probe),
			Sentence: fmt.Sprintf("%s of %s was kept on %s in the name of %s (%s) from %s to %s at least, until %s if nobody ends it, although that client had released it at %s",
				g.claimed(), l.name, k.probe.Node, who(g.client), seen.Owner, at(h.after.probe.Time), at(k.probe.Time), at(seen.Until), at(g.relRet.Time)),
		}
	})
}
