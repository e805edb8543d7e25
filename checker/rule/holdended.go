package rule

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// holdEnded finds foreign releases of holds that servers list: one look still showed the hold and
// the next no longer, or less of it, while the call of another client succeeded. Its holder had it,
// believed in it and released it only later, and the server had not ended it by itself.
//
// The call that is named need not be the one to blame. What is certain is that the holder, the expiry
// and the faults of the run did not end the hold.
type holdEnded struct{ base }

func (r *holdEnded) look(s *heldLooks, h *holding, before, k *holdLook, owner string) {
	g, seen := h.lease, before.by[owner]
	if now, there := k.by[owner]; g == nil || there && now.Permits >= seen.Permits {
		return
	}
	had := g.Granted() < before.asked && g.Told > k.probe.Time && g.RelCall != nil
	slack := timeline.SeenSlack + r.run.Coarseness()
	// Where leases end by themselves, a hold that shows no expiry may have ended.
	expired := before.least(seen)-slack <= k.probe.Time || r.run.Options.Expires && seen.Until == history.Never
	if !had || expired || g.ChangesItself(before.asked, k.probe.Time) || r.run.Disturbed(g.Granted(), k.probe.Time) {
		return
	}
	if c, others := s.ender(g); c != nil {
		r.report(c, others, g, before, k)
	}
}

// ender returns the successful call of another client, of the calls under way, that is named
// as the one that ended a lease: a release, a renewal or a change, else an acquire. Of several
// calls it returns the last. others is the number of further successful calls.
func (s *heldLooks) ender(g *timeline.Lease) (found *holdCall, others int) {
	for _, c := range s.under {
		if c.client == g.Client || c.ret == nil || c.ret.Type != history.OK {
			continue
		}
		if others++; found == nil || found.asks() || !c.asks() {
			found = c
		}
	}
	return found, others - 1
}

// asks reports whether c is a call for the lock: an acquire or a try.
func (c *holdCall) asks() bool { return c.inv.F == history.Acquire || c.inv.F == history.Try }

func (r *holdEnded) report(c *holdCall, others int, g *timeline.Lease, before, k *holdLook) {
	r.found.Add("foreign-release", g.Inv.Time, func() incident.Anomaly {
		beside := ""
		if others > 0 {
			beside = fmt.Sprintf(", as did %d more calls", others)
		}
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: k.probe.Time, Ops: incident.Ops(c.lease.Ret, g.Inv, g.Ret, before.probe, c.inv, c.ret, k.probe, g.RelCall, g.RelRet),
			Sentence: fmt.Sprintf("another client ended %[3]s's hold of %[2]s (%[1]s): a probe of %[4]s at %[5]s still found the whole lease, but a probe at %[6]s no longer did. The lease had not expired, and its holder released it only at %[7]s. Around the time of these probes, a call of %[8]s by %[9]s (%[10]s) succeeded (called at %[11]s, answered at %[12]s)%[13]s",
				g.Claimed(), g.Lock.Name, timeline.Who(g.Client), k.probe.Node, timeline.At(before.probe.Time), timeline.At(k.probe.Time), timeline.At(g.RelCall.Time),
				c.inv.F, timeline.Who(c.client), c.lease.Claimed(), timeline.At(c.inv.Time), timeline.At(c.ret.Time), beside),
		}
	})
}
