package checker

import "slices"

// The names of the properties, in the order of a result.
const (
	exclusion       = "exclusion"
	fencing         = "fencing"
	ownership       = "ownership"
	liveness        = "liveness"
	linearizability = "linearizability"
	workload        = "workload"
)

// An anomalyKind is a kind of anomaly and the property that it violates.
type anomalyKind struct{ kind, property string }

// anomalyKinds is the table of what can be found, see docs/verdicts.md.
func anomalyKinds() []anomalyKind {
	return []anomalyKind{
		{"double-grant", exclusion},
		{"late-notice", exclusion},
		{"void-grant", exclusion},
		{"false-validity", exclusion},
		{overrunKind, exclusion},
		{"token-regression", fencing},
		{"token-duplicate", fencing},
		{"token-changed", fencing},
		{"stale-accepted", fencing},
		{"fence-lockout", fencing},
		{"foreign-release", ownership},
		{"deadlock", liveness},
		{"self-deadlock", liveness},
		{"starved", liveness},
		{"unfair", liveness},
		{"orphan", liveness},
		{"immortal", liveness},
		{"nonlinearizable", linearizability},
		{"lost-update", workload},
		{"oversold", workload},
		{"double-order", workload},
		{"illegal-transition", workload},
		{"duplicate-step", workload},
		{"torn-write", workload},
		{"duplicate-execution", workload},
		{"duplicate-run", workload},
		{"duplicate-id", workload},
		{"shared-worker", workload},
		{"duplicate-rebuild", workload},
		{"out-of-order", workload},
		{"lost-record", workload},
		{"two-leaders", workload},
		{"lost-field", workload},
		{"duplicate-delivery", workload},
		{"foreign-value", workload},
		{"wrong-total", workload},
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

func propertyOf(kind string) string {
	all := anomalyKinds()
	i := slices.IndexFunc(all, func(k anomalyKind) bool { return k.kind == kind })
	if i < 0 {
		return workload // of an invariant that the table does not know
	}
	return all[i].property
}
