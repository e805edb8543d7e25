package checker

import (
	"slices"

	"locktorture/checker/incident"
)

// anomalyKinds is the table of what can be found, see docs/verdicts.md.
func anomalyKinds() []incident.Kind {
	return []incident.Kind{
		{Name: "double-grant", Property: Exclusion},
		{Name: "reader-beside-writer", Property: Exclusion},
		{Name: "upgrade-gap", Property: Exclusion},
		{Name: "over-capacity", Property: Exclusion},
		{Name: "two-leaders", Property: Exclusion},
		{Name: "zombie-candidate", Property: Exclusion},
		{Name: "extra-permit", Property: Exclusion},
		{Name: "early-open", Property: Exclusion},
		{Name: "double-count", Property: Exclusion},
		{Name: "late-notice", Property: Exclusion},
		{Name: "void-grant", Property: Exclusion},
		{Name: "false-validity", Property: Exclusion},
		{Name: "partial-grant", Property: Exclusion},
		{Name: incident.Overrun, Property: Exclusion},
		{Name: "token-regression", Property: Fencing},
		{Name: "token-duplicate", Property: Fencing},
		{Name: "token-changed", Property: Fencing},
		{Name: "stale-accepted", Property: Fencing},
		{Name: "fence-lockout", Property: Fencing},
		{Name: "foreign-release", Property: Ownership},
		{Name: "extended-by-other", Property: Ownership},
		{Name: "deadlock", Property: Liveness},
		{Name: "lost-permit", Property: Liveness},
		{Name: "never-open", Property: Liveness},
		{Name: "self-deadlock", Property: Liveness},
		{Name: "starved", Property: Liveness},
		{Name: "unfair", Property: Liveness},
		{Name: "starved-writer", Property: Liveness},
		{Name: "orphan", Property: Liveness},
		{Name: "immortal", Property: Liveness},
		{Name: "nonlinearizable", Property: Linearizability},
		{Name: "observer-disagrees", Property: Linearizability},
		{Name: "lost-update", Property: Workload},
		{Name: "oversold", Property: Workload},
		{Name: "double-order", Property: Workload},
		{Name: "illegal-transition", Property: Workload},
		{Name: "duplicate-step", Property: Workload},
		{Name: "torn-write", Property: Workload},
		{Name: "duplicate-execution", Property: Workload},
		{Name: "duplicate-run", Property: Workload},
		{Name: "duplicate-id", Property: Workload},
		{Name: "shared-worker", Property: Workload},
		{Name: "duplicate-rebuild", Property: Workload},
		{Name: "out-of-order", Property: Workload},
		{Name: "lost-record", Property: Workload},
		{Name: "stale-leader", Property: Workload},
		{Name: "stale-change", Property: Workload},
		{Name: "lost-field", Property: Workload},
		{Name: "duplicate-delivery", Property: Workload},
		{Name: "foreign-value", Property: Workload},
		{Name: "torn-read", Property: Workload},
		{Name: "too-many-at-work", Property: Workload},
		{Name: "shared-connection", Property: Workload},
		{Name: "wrong-total", Property: Workload},
		{Name: "started-early", Property: Workload},
		{Name: "missing-part", Property: Workload},
		{Name: "phase-ahead", Property: Workload},
	}
}

// Kinds returns the names of all anomalies.
func Kinds() []string {
	var names []string
	for _, k := range anomalyKinds() {
		names = append(names, k.Name)
	}
	return names
}

// PropertyOf is the property that a kind of anomaly violates.
func PropertyOf(kind string) string {
	all := anomalyKinds()
	i := slices.IndexFunc(all, func(k incident.Kind) bool { return k.Name == kind })
	if i < 0 {
		return Workload // of an invariant that the table does not know
	}
	return all[i].Property
}
