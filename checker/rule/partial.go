package rule

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// partialGrant finds leases of several permits of which the server keeps only some, although
// all of them are still promised.
//
// Guarantee: permits are granted all or none. Once all of them were seen together, a look that
// shows fewer shows a release, and not a grant in part. All moments are on one clock: the look
// was asked for after the grant had returned, and was recorded before the promise ended.
type partialGrant struct {
	base
	reported leaseSet
}

func (r *partialGrant) look(h *holding, seen history.Hold, k *holdLook) {
	g := h.lease
	part := seen.Permits > 0 && seen.Permits < g.Permits && h.most < g.Permits
	promised := g.Granted() < k.asked && k.probe.Time < g.End
	session := r.run.Options.Expires && seen.Until == history.Never // it may be over and free one permit after another
	if !part || !promised || session || r.reported[g] || r.run.Disturbed(g.Inv.Time, k.probe.Time) {
		return
	}
	r.reported[g] = true
	r.found.Add("partial-grant", g.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: k.probe.Time, Ops: incident.Ops(g.Inv, g.Ret, g.LastTold(), k.probe, g.RelCall),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s), but %s kept only %d of them when probed at %s, although the lease %s",
				timeline.Who(g.Client), g.What(), timeline.At(g.Granted()), g.Name(), k.probe.Node, seen.Permits, timeline.At(k.probe.Time), g.Holds(r.run.Options)),
		}
	})
}
