package incident

import "locktorture/internal/borders"

// someKinds are the kinds of anomaly in these tests.
func someKinds() []Kind {
	return []Kind{
		{"double-grant", Exclusion}, {"overrun", Exclusion}, {"token-regression", Fencing}, {"stale-accepted", Fencing}, {"foreign-release", Ownership},
		{"deadlock", Liveness}, {"starved", Liveness}, {"nonlinearizable", Linearizability}, {"observer-disagrees", Linearizability},
	}
}

type border = borders.Border

var check = borders.Check
