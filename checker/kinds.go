package checker

import "slices"

// The names of the properties (Property.Name), in the order of a result.
const (
	Exclusion       = "exclusion"
	Fencing         = "fencing"
	Ownership       = "ownership"
	Liveness        = "liveness"
	Linearizability = "linearizability"
	Workload        = "workload"
)

// An anomalyKind is a kind of anomaly and the property that it violates.
type anomalyKind struct{ kind, property string }

// anomalyKinds is the table of what can be found, see docs/verdicts.md.
func anomalyKinds() []anomalyKind {
	return []anomalyKind{
		{"double-grant", Exclusion},
		{"reader-beside-writer", Exclusion},
		{"upgrade-gap", Exclusion},
		{"over-capacity", Exclusion},
		{"two-leaders", Exclusion},
		{"zombie-candidate", Exclusion},
		{"extra-permit", Exclusion},
		{"early-open", Exclusion},
		{"double-count", Exclusion},
		{"late-notice", Exclusion},
		{"void-grant", Exclusion},
		{"false-validity", Exclusion},
		{"partial-grant", Exclusion},
		{overrunKind, Exclusion},
		{"token-regression", Fencing},
		{"token-duplicate", Fencing},
		{"token-changed", Fencing},
		{"stale-accepted", Fencing},
		{"fence-lockout", Fencing},
		{"foreign-release", Ownership},
		{"extended-by-other", Ownership},
		{"deadlock", Liveness},
		{"lost-permit", Liveness},
		{"never-open", Liveness},
		{"self-deadlock", Liveness},
		{"starved", Liveness},
		{"unfair", Liveness},
		{"starved-writer", Liveness},
		{"orphan", Liveness},
		{"immortal", Liveness},
		{"nonlinearizable", Linearizability},
		{"observer-disagrees", Linearizability},
		{"lost-update", Workload},
		{"oversold", Workload},
		{"double-order", Workload},
		{"illegal-transition", Workload},
		{"duplicate-step", Workload},
		{"torn-write", Workload},
		{"duplicate-execution", Workload},
		{"duplicate-run", Workload},
		{"duplicate-id", Workload},
		{"shared-worker", Workload},
		{"duplicate-rebuild", Workload},
		{"out-of-order", Workload},
		{"lost-record", Workload},
		{"stale-leader", Workload},
		{"stale-change", Workload},
		{"lost-field", Workload},
		{"duplicate-delivery", Workload},
		{"foreign-value", Workload},
		{"torn-read", Workload},
		{"too-many-at-work", Workload},
		{"shared-connection", Workload},
		{"wrong-total", Workload},
		{"started-early", Workload},
		{"missing-part", Workload},
		{"phase-ahead", Workload},
	}
}

// Kinds returns the names of all anomalies.
func Kinds() []string {
	var names []string
	for _, k := range anomalyKinds() {
		names = append(names, k.kind)
	}
	return names
}

// PropertyOf is the property that a kind of anomaly violates.
func PropertyOf(kind string) string { return propertyOf(kind) }

func propertyOf(kind string) string {
	all := anomalyKinds()
	i := slices.IndexFunc(all, func(k anomalyKind) bool { return k.kind == kind })
	if i < 0 {
		return Workload // of an invariant that the table does not know
	}
	return all[i].property
}
