package rule

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// holdLeft finds orphans among the holds that servers list: the server still shows a hold after its
// release was answered, for longer than a retry interval.
//
// Guarantee: a release that was answered has ended the hold. A server may keep it for Patience after
// that: a retry interval, and 50 ms at least.
//
// Two looks are needed, both asked for after the answer, so that neither can show the state
// before the release. Their distance counts from the record of the first to the question of
// the second: the hold was there for at least that long.
type holdLeft struct {
	base
	// A lease is flagged once, however many looks show its hold.
	reported leaseSet
}

func (r *holdLeft) look(h *holding, seen history.Hold, k *holdLook) {
	g := h.lease
	// A release of unknown outcome may not have reached the server. A holder that had been notified
	// of its loss had nothing left to free, and the server ends the hold by its expiry.
	if g.RelRet == nil || g.RelRet.Type == history.Info || g.GaveUp() || g.RelRet.Time >= k.asked || r.reported[g] {
		return
	}
	if h.after == nil {
		h.after = k
	}
	// After a fail-over or a restart, servers that no longer count may keep copies.
	if k.asked-h.after.probe.Time <= r.run.Options.Patience() || r.run.Copies(h.after.asked, k.probe.Time) {
		return
	}
	r.reported[g] = true
	r.found.Add("orphan", g.RelRet.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: k.probe.Time, Ops: incident.Ops(g.Ret, g.RelCall, g.RelRet, h.after.probe, k.probe),
			Sentence: fmt.Sprintf("%[1]s of %[2]s was released by %[4]s at %[9]s, but %[3]s still listed it under that client's name (%[5]s) from %[6]s to at least %[7]s, with the expiry %[8]s",
				g.Claimed(), g.Lock.Name, k.probe.Node, timeline.Who(g.Client), seen.Owner, timeline.At(h.after.probe.Time), timeline.At(k.probe.Time), timeline.At(seen.Until), timeline.At(g.RelRet.Time)),
		}
	})
}
