package checker

import (
	"fmt"

	"locktorture/history"
)

// Check judges a valid history. inv is the invariant of the workload, nil if
// it has none. It takes O(n log n) time, the search for linearizability apart,
// which Options bound.
func Check(h history.History, o Options, inv Invariant) Result {
	v := index(h, o)
	f := newFindings(v)
	v.doubleGrants(f)
	v.lateNotices(f)
	v.overruns(f)
	if o.Tokens {
		v.tokenAnomalies(f)
		v.staleAccepted(f)
	}
	refusedStale := v.fenceLockouts(f)
	v.foreignReleases(f)
	if o.FreeWithin > 0 {
		v.deadlocks(f)
	}
	v.orphans(f)
	v.immortals(f)
	linear := v.linearize(f)
	r := Result{Stores: v.storeResults(f, inv), Faults: v.coverage(), Measures: v.measures(), Warnings: v.warnings()}
	r.Properties = v.properties(f, linear, inv)
	r.Counts = v.counts(f, r.Faults)
	v.grade(&r, f, refusedStale)
	return r
}

// properties lists all six, in the order of the design.
func (v *view) properties(f *findings, linear Property, inv Invariant) []Property {
	fence := f.property(fencing)
	if !v.o.Tokens && fence.Total == 0 {
		fence.Status, fence.Reason = NotApplicable, "the lock yields no tokens"
	}
	live := f.property(liveness)
	if live.Total == 0 && v.o.FreeWithin <= 0 {
		live.Status, live.Reason = NotApplicable, "the lock promises no time after which it is free again"
	}
	work := f.property(workload)
	if inv == nil && work.Total == 0 {
		work.Status, work.Reason = NotApplicable, "the workload has no invariant"
	}
	props := []Property{f.property(exclusion), fence, f.property(ownership), live, linear, work}
	if v.grants() == 0 {
		for i := range props {
			if props[i].Status == Kept {
				props[i].Status, props[i].Reason = NotChecked, "nothing was ever granted"
			}
		}
	}
	return props
}

func (v *view) grants() int {
	n := 0
	for _, l := range v.locks {
		n += len(l.leases)
	}
	return n
}

func (v *view) counts(f *findings, faults []FaultCoverage) Counts {
	c := Counts{Grants: v.grants(), Crashes: len(v.crashes), Processes: len(v.clientOf), Duration: v.end, Anomalies: f.counts}
	if len(v.h) > 0 {
		c.Duration -= v.h[0].Time
	}
	for i := range v.h {
		op := &v.h[i]
		switch {
		case op.Type == history.Invoke:
			c.Ops++
		case op.Type == history.Info && !op.F.Event():
			c.Unknown++
		case op.Type == history.Fail && (op.F == history.Acquire || op.F == history.Try):
			c.Refused++
		}
	}
	for _, n := range faults {
		c.Faults += n.Injected
		c.Bites += n.Bit
	}
	return c
}

// warnings say where the evidence is weaker than it could be.
func (v *view) warnings() []string {
	var out []string
	probes, untold, tokenless := 0, 0, 0
	for _, l := range v.locks {
		probes += len(l.probes)
		for _, g := range l.leases {
			if len(g.answers) == 0 && g.over == nil {
				untold++
			}
			if g.token == 0 {
				tokenless++
			}
		}
	}
	if probes == 0 && v.grants() > 0 {
		out = append(out, "the servers were not looked at: foreign-release is inferred, orphan and immortal cannot be seen")
	}
	if v.o.Bounded && untold > 0 {
		out = append(out, fmt.Sprintf("%d leases never told their validity: they promise nothing", untold))
	}
	if v.o.Tokens && tokenless > 0 {
		out = append(out, fmt.Sprintf("%d grants came without a token: they are left out of the token checks", tokenless))
	}
	for _, s := range v.faults {
		if s.heal == nil && s.kind() != killClient {
			out = append(out, fmt.Sprintf("fault %d (%s) was not healed before the history ended", s.fault.Fault, s.kind()))
		}
	}
	return out
}
