package checker

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker/incident"
	"locktorture/checker/rule"
	"locktorture/history"
)

// result sums up what was found about locks, latches, keys and stores.
func (v *verdict) result() Result {
	f := incident.NewFindings(v.on.Book)
	judged, unknown := v.locks.Findings(f)
	latches, why := v.latches.Findings(f)
	f.Join(v.stores.keyFindings())
	judged, unknown = judged+latches+v.stores.judged, slices.Concat(why, unknown, v.stores.unknown)
	r := Result{Stores: v.stores.results(f), Faults: v.coverage(), Measures: v.measures(), Warnings: v.warnings()}
	r.Incidents = v.on.Book.Incidents(f)
	r.Properties = v.properties(f, v.linearized(f, judged, unknown))
	r.Counts = v.run.Counts
	if v.run.Ended != nil && v.run.Ended.Why() != history.Complete {
		r.Ended = v.run.Ended.Why()
	}
	r.Counts.Anomalies = f.Counts
	for _, n := range r.Faults {
		r.Counts.Faults += n.Injected
		r.Counts.Bites += n.Bit
	}
	v.grade(&r, f, v.on.Totals.RefusedStale)
	return r
}

// properties returns all six properties, in the order of a result.
func (v *verdict) properties(f *incident.Findings, linear Property) []Property {
	fence := propertyIn(f, incident.Fencing)
	if !v.run.Options.Tokens && fence.Total == 0 {
		fence.Status, fence.Reason = NotApplicable, "this lock issues no fencing tokens"
	}
	live := propertyIn(f, incident.Liveness)
	if live.Total == 0 && v.run.Options.FreeWithin <= 0 {
		live.Status, live.Reason = NotApplicable, "the lock declares no time within which it must be free"
	}
	work := propertyIn(f, incident.Workload)
	if v.stores.inv == nil && work.Total == 0 {
		work.Status, work.Reason = NotApplicable, "the workload has no invariant"
	}
	props := []Property{propertyIn(f, incident.Exclusion), fence, propertyIn(f, incident.Ownership), live, linear, work}
	for i := range props {
		why := v.unseen(props[i].Name)
		if v.run.Counts.Grants == 0 {
			why = "nothing was ever granted"
		}
		if props[i].Status == Kept && why != "" {
			props[i].Status, props[i].Reason = NotChecked, why
		}
	}
	return props
}

// warnings returns sentences that say where the evidence is weaker than it could be.
func (v *verdict) warnings() []string {
	var out []string
	t := v.on.Totals
	if len(v.run.Probed) == 0 && v.run.Counts.Grants > 0 && !v.run.Options.Meets() {
		foreign := "foreign-release is only inferred from the answers; orphan"
		if v.run.Options.Blind {
			foreign = "foreign-release, orphan"
		}
		out = append(out, "the servers were not probed: "+foreign+" and immortal cannot be detected")
	}
	if len(v.run.Probed) > 0 && v.run.Counts.Grants > 0 && !v.named() {
		out = append(out, v.ownershipUnseen()+": the probes of the servers say nothing about foreign-release, orphan and immortal")
	}
	if v.run.Listed() {
		out = append(out, "some locks can have several holders, and the servers list each hold separately: for these holds, immortal is not judged, and orphan is judged only after a release")
	}
	if v.run.Options.Bounded && t.Untold > 0 {
		out = append(out, fmt.Sprintf("leases that never reported their validity and so promise nothing: %d", t.Untold))
	}
	if v.run.Options.Tokens && t.Tokenless > 0 {
		out = append(out, fmt.Sprintf("grants without a token, which the token checks ignore: %d", t.Tokenless))
	}
	if why := v.run.Options.Throttled.Says(); why != "" {
		out = append(out, why)
	}
	if v.run.Ended != nil && v.run.Ended.Why() != history.Complete && v.unended() == "" {
		out = append(out, "the run was ended early: "+v.run.Ended.Why())
	}
	for _, s := range v.run.Faults {
		if s.Heal == nil && !s.Moment() && !s.Traits.Unplanned {
			out = append(out, fmt.Sprintf("fault %d (%s) was not healed before the history ended", s.Op.Fault, s.Kind()))
		}
	}
	return out
}

// propertyIn makes the entry of a result for a property that applies.
func propertyIn(f *incident.Findings, name string) Property {
	p := Property{Name: name, Status: Kept, Total: f.Total(name)}
	for _, k := range rule.Kinds() {
		if k.Property == name {
			p.Anomalies = append(p.Anomalies, f.Shown(k.Name)...)
		}
	}
	if p.Total > 0 {
		p.Status = Violated
	}
	return p
}

// measures returns the figures that no rule judges.
func (v *verdict) measures() Measures {
	t := v.on.Totals
	m := Measures{
		Acquire: quantiles(&t.Acquire), Hold: quantiles(&t.Hold), Release: quantiles(&t.Release),
		Recovery: quantiles(&v.run.Recoveries), NoticeLag: quantiles(&t.Notice), Jain: v.jain(t.PerClient), LongestStop: v.run.LongestStop(), OutOfOrder: t.Overtaken, Bypasses: t.Bypasses,
	}
	if c := v.run.Called; c != nil && v.run.End > c.Time {
		m.GrantRate = float64(v.run.Counts.Grants) / (float64(v.run.End-c.Time) / 1e9)
	}
	return m
}

// jain returns Jain's index of the grants over the clients: 1 if all n clients got equally
// many, and 1/n if one client got them all.
func (v *verdict) jain(perClient map[int]int) float64 {
	var sum, squares float64
	for _, n := range perClient {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	n := float64(max(len(v.run.Clients), len(perClient)))
	if squares == 0 {
		return 0
	}
	return sum * sum / (n * squares)
}

// linearized sums up what was found about locks, latches and keys, which are independent
// objects. judged is how many a model judged, and unknown says why it could not judge others.
func (v *verdict) linearized(f *incident.Findings, judged int, unknown []string) Property {
	p := propertyIn(f, incident.Linearizability)
	switch {
	case p.Total > 0:
	case len(unknown) > 0:
		p.Status, p.Reason = NotChecked, reasons(unknown)
	case v.run.Options.Model == "":
		p.Reason = "the lock declares no model: only the stores were judged"
	case judged == 0:
		p.Status, p.Reason = NotChecked, "there were no operations"
	}
	return p
}

// reasons joins the first reasons of a list, and says how many more there are.
func reasons(list []string) string {
	if n := len(list) - incident.Witnesses; n > 0 {
		list = append(list[:incident.Witnesses:incident.Witnesses], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(list, "; ")
}
