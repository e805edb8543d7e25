package site

import "locktorture/ledger"

// A plan says which releases are tried: Sample of them, evenly spread with the newest and the oldest
// among them, and then those between two that were tried and differ, half by half. All of them are
// tried if All is set.
type plan struct {
	Sample int
	All    bool
}

// next returns the release to try next, as its index; false: the plan is done. outcomes are those of
// all releases, oldest first, and empty where one was not tried.
func (p plan) next(outcomes []string) (int, bool) {
	n := len(outcomes)
	if p.All {
		for i := n - 1; i >= 0; i-- {
			if outcomes[i] == "" {
				return i, true
			}
		}
		return 0, false
	}
	for _, i := range spread(n, p.Sample) {
		if outcomes[i] == "" {
			return i, true
		}
	}
	last := -1
	for i := n - 1; i >= 0; i-- {
		if outcomes[i] == "" {
			continue
		}
		if last >= 0 && last-i > 1 && class(outcomes[i]) != class(outcomes[last]) {
			return i + (last-i)/2, true
		}
		last = i
	}
	return 0, false
}

// spread returns indices below n: the last, the first, and those evenly between them.
func spread(n, sample int) (list []int) {
	if n == 0 {
		return nil
	}
	list = []int{n - 1}
	if n > 1 {
		list = append(list, 0)
	}
	for k := sample - 2; k > 0; k-- {
		list = append(list, k*(n-1)/(sample-1))
	}
	return list
}

// class is what outcomes between which nothing is searched have in common.
func class(outcome string) string {
	if outcome == ledger.NotBuilt || outcome == ledger.Failing {
		return ""
	}
	return outcome
}
