package incident

import "testing"

// someKinds are the kinds of anomaly in these tests.
func someKinds() []Kind {
	return []Kind{
		{"double-grant", Exclusion}, {"overrun", Exclusion}, {"token-regression", Fencing}, {"stale-accepted", Fencing}, {"foreign-release", Ownership},
		{"deadlock", Liveness}, {"starved", Liveness}, {"nonlinearizable", Linearizability}, {"observer-disagrees", Linearizability},
	}
}

// A border is a question to a function and the answer that is right.
type border struct {
	name      string
	got, want any
}

func check(t *testing.T, list []border) {
	t.Helper()
	for _, b := range list {
		if b.got != b.want {
			t.Errorf("%s: %v, want %v", b.name, b.got, b.want)
		}
	}
}
