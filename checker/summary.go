package checker

import (
	"fmt"

	"locktorture/history"
)

// result sums up what was found of locks, keys and stores.
func (v *view) result(inv Invariant) Result {
	f := newFindings(v.survey)
	for _, l := range v.byName() {
		f.join(l.found)
	}
	f.join(v.latches.found)
	f.join(v.objects.keyFindings())
	r := Result{Stores: v.objects.results(f), Faults: v.coverage(), Measures: v.measures(), Warnings: v.warnings()}
	r.Incidents = v.incidents(f)
	r.Properties = v.properties(f, v.linearized(f), inv)
	r.Counts = v.counts
	if v.ended != nil && v.ended.Why() != history.Complete {
		r.Ended = v.ended.Why()
	}
	r.Counts.Anomalies = f.counts
	for _, n := range r.Faults {
		r.Counts.Faults += n.Injected
		r.Counts.Bites += n.Bit
	}
	v.grade(&r, f, v.totals.refusedStale)
	return r
}

// properties lists all six, in the order of the design.
func (v *view) properties(f *findings, linear Property, inv Invariant) []Property {
	fence := f.property(Fencing)
	if !v.o.Tokens && fence.Total == 0 {
		fence.Status, fence.Reason = NotApplicable, "this lock issues no fencing tokens"
	}
	live := f.property(Liveness)
	if live.Total == 0 && v.o.FreeWithin <= 0 {
		live.Status, live.Reason = NotApplicable, "the lock promises no time after which it is free again"
	}
	work := f.property(Workload)
	if inv == nil && work.Total == 0 {
		work.Status, work.Reason = NotApplicable, "the workload has no invariant"
	}
	props := []Property{f.property(Exclusion), fence, f.property(Ownership), live, linear, work}
	for i := range props {
		why := v.unseen(props[i].Name)
		if v.counts.Grants == 0 {
			why = "nothing was ever granted"
		}
		if props[i].Status == Kept && why != "" {
			props[i].Status, props[i].Reason = NotChecked, why
		}
	}
	return props
}

// warnings say where the evidence is weaker than it could be.
func (v *view) warnings() []string {
	var out []string
	t := &v.totals
	if len(v.sights) == 0 && v.counts.Grants > 0 && !v.o.meets() {
		foreign := "foreign-release is inferred, orphan"
		if v.o.Blind {
			foreign = "foreign-release, orphan"
		}
		out = append(out, "the servers were not looked at: "+foreign+" and immortal cannot be seen")
	}
	if len(v.sights) > 0 && v.counts.Grants > 0 && !v.named() {
		out = append(out, v.ownershipUnseen()+": what was seen of the servers says nothing of foreign-release, orphan and immortal")
	}
	if v.listed() {
		out = append(out, "who holds what was listed: of one hold among several immortal is not judged, and orphan only if it was released")
	}
	if v.o.Bounded && t.untold > 0 {
		out = append(out, fmt.Sprintf("%d leases never told their validity: they promise nothing", t.untold))
	}
	if v.o.Tokens && t.tokenless > 0 {
		out = append(out, fmt.Sprintf("%d grants came without a token: they are left out of the token checks", t.tokenless))
	}
	if why := v.o.Throttled.says(); why != "" {
		out = append(out, why)
	}
	if v.ended != nil && v.ended.Why() != history.Complete && v.unended() == "" {
		out = append(out, "the run was ended early: "+v.ended.Why())
	}
	for _, s := range v.faults {
		if s.heal == nil && !s.moment() && !s.traits.Unplanned {
			out = append(out, fmt.Sprintf("fault %d (%s) was not healed before the history ended", s.fault.Fault, s.kind()))
		}
	}
	return out
}

// join adds what was found elsewhere, after what was found here.
func (f *findings) join(g *findings) {
	for kind, n := range g.counts {
		f.counts[kind] += n
		f.kept[kind] = append(f.kept[kind], g.kept[kind]...)
		f.in[kind] = append(f.in[kind], g.in[kind]...)
	}
}

// shown are the anomalies of a kind that a result shows: of each incident the first.
func (f *findings) shown(kind string) []Anomaly {
	var out []Anomaly
	seen := map[*chain]bool{}
	for i, a := range f.kept[kind] {
		c := f.in[kind][i].root()
		if seen[c] || len(out) == witnesses {
			continue
		}
		seen[c] = true
		a.Incident = c.number
		out = append(out, a)
	}
	return out
}

// firsts are the first anomalies of the chains, as far as they were kept. That the operations
// on a lock fit no order counts only where there is nothing else: which of several proofs was
// found says nothing about the time.
func (f *findings) firsts() map[*chain]*Anomaly {
	out := map[*chain]*Anomaly{}
	for _, k := range anomalyKinds() {
		for i := range f.kept[k.kind] {
			a, c := &f.kept[k.kind][i], f.in[k.kind][i].root()
			if b := out[c]; b == nil || b.ofWholeLock() || a.Time < b.Time && !a.ofWholeLock() {
				out[c] = a
			}
		}
	}
	return out
}

// ofWholeLock reports whether it is said of the whole history of a lock.
func (a *Anomaly) ofWholeLock() bool { return a.Kind == "nonlinearizable" && a.Store == "" }

// has reports whether an anomaly of the property was found.
func (f *findings) has(property string) bool { return f.total(property) > 0 }

func (f *findings) total(property string) int {
	n := 0
	for kind, count := range f.counts {
		if propertyOf(kind) == property {
			n += count
		}
	}
	return n
}

// property makes the entry of a result for a property that applies.
func (f *findings) property(name string) Property {
	p := Property{Name: name, Status: Kept, Total: f.total(name)}
	for _, k := range anomalyKinds() {
		if k.property == name {
			p.Anomalies = append(p.Anomalies, f.shown(k.kind)...)
		}
	}
	if p.Total > 0 {
		p.Status = Violated
	}
	return p
}
