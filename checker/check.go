package checker

import (
	"fmt"

	"locktorture/history"
)

// Check judges a valid history, as Judge does.
func Check(h history.History, o Options, inv Invariant) Result {
	r, _ := Judge(h, o, inv) // nothing is read, so nothing can fail
	return r
}

// Judge judges a valid history. inv is the invariant of the workload, nil if
// it has none. It takes O(n log n) time, the searches for linearizability apart,
// which Options bound, and reads the history two or three times; it does not
// hold it. An error is one of reading.
func Judge(src history.Source, o Options, inv Invariant) (Result, error) {
	return judge(src, o, inv, settled)
}

// judge reads the history twice. The first reading is needed because the checks of a moment
// depend on what comes later: which calls are never answered, when a process died, until when a
// fault was in place. The second puts each lock together again and checks it piece by piece.
func judge(src history.Source, o Options, inv Invariant, every int) (Result, error) {
	src, o = boundedSource{src}, o.bounded() // bounds.go
	s, err := surveyOf(src, o)               // survey.go
	if err != nil {
		return Result{}, err
	}
	v, err := viewOf(src, s, every, inv) // view.go, which calls settle.go, which calls checks
	if err != nil {
		return Result{}, err
	}
	return v.result(inv), nil
}

// checks are what is checked of a piece of a lock's history, in this order: before is the moment up to
// which every call is known, waits are those of the piece, last tells the last piece. Each check stands in
// the file that is named after it.
func (v *view) checks(l *lockView, waits []*wait, before int64, last bool) {
	// Exclusion: what a lease promised, and what was granted or written against it.
	v.doubleGrants(l)
	v.voidGrants(l)
	v.lateNotices(l)
	v.overruns(l)
	// Fencing: tokens, and what the store made of them.
	if v.o.Tokens {
		v.tokenAnomalies(l)
		v.staleAccepted(l)
	}
	v.fenceLockouts(l)
	// Ownership and liveness. The tenures come before the looks: whose name it was decides what a look shows.
	tenures := l.sights.settled(before, last)
	v.foreignReleases(l, tenures)
	if v.o.FreeWithin > 0 {
		v.deadlocks(l, last)
	}
	v.orphans(l, tenures)
	v.looks(l, before)
	v.reentries(l, waits)
	// Linearizability, and then what is measured and not judged.
	v.linearizeLock(l, waits)
	v.measure(l)
	v.bite(l, waits)
}

// result sums up what was found of locks, keys and stores.
func (v *view) result(inv Invariant) Result {
	f := newFindings(v.survey)
	for _, l := range v.byName() {
		f.join(l.found)
	}
	f.join(v.objects.keyFindings())
	r := Result{Stores: v.objects.results(f), Faults: v.coverage(), Measures: v.measures(), Warnings: v.warnings()}
	r.Properties = v.properties(f, v.linearized(f), inv)
	r.Counts = v.counts
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
		fence.Status, fence.Reason = NotApplicable, "the lock yields no tokens"
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
	if len(v.sights) == 0 && v.counts.Grants > 0 {
		out = append(out, "the servers were not looked at: foreign-release is inferred, orphan and immortal cannot be seen")
	}
	if len(v.sights) > 0 && v.counts.Grants > 0 && !v.named() {
		out = append(out, v.ownershipUnseen()+": what was seen of the servers says nothing of foreign-release, orphan and immortal")
	}
	if v.o.Bounded && t.untold > 0 {
		out = append(out, fmt.Sprintf("%d leases never told their validity: they promise nothing", t.untold))
	}
	if v.o.Tokens && t.tokenless > 0 {
		out = append(out, fmt.Sprintf("%d grants came without a token: they are left out of the token checks", t.tokenless))
	}
	if v.ended != nil && v.ended.Why() != history.Complete && v.unended() == "" {
		out = append(out, "the run was ended early: "+v.ended.Why())
	}
	for _, s := range v.faults {
		if s.heal == nil && !s.moment() {
			out = append(out, fmt.Sprintf("fault %d (%s) was not healed before the history ended", s.fault.Fault, s.kind()))
		}
	}
	return out
}
