package checker_test

import (
	"slices"

	"locktorture/checker/invariant"
	"locktorture/workloads"
)

// refGatherings are the workloads of latches and barriers. The workshop has none: whoever
// comes passes at once, and looks at what others have not done yet.
var refGatherings = map[string]refWorkload{
	"start-gate": {remembers(workloads.NewStartGate), invariant.StartGate{}, nothingThere("started-early"), []string{"started-early"}, true},
	"fan-in":     {remembers(workloads.NewFanIn), invariant.FanIn{}, nothingThere("missing-part"), []string{"missing-part"}, true},
	"phases":     {remembers(workloads.NewPhases), invariant.Phases{}, refApplies.phaseAhead, []string{"phase-ahead", "torn-write"}, true},
}

// remembers makes a workload anew for each history: it remembers where its clients are.
func remembers[W workloads.Workload](fresh func(workloads.Config) W) func() workloads.Workload {
	return func() workloads.Workload { return fresh(workloads.Config{Locks: []string{"A"}, Clients: 4}) }
}

// phaseAhead compares a look with the same client's last look but one at the same key.
func (a refApplies) phaseAhead(i int) string {
	now, ok := refNumber(a[i].value)
	switch {
	case a[i].part != "come":
		return ""
	case !ok:
		return "torn-write"
	case !a[i].read:
		return ""
	}
	looks := slices.DeleteFunc(slices.Clone(a[:i]), func(x refApply) bool {
		return !x.read || x.key != a[i].key || x.client != a[i].client || !numeric(x)
	})
	if len(looks) < 2 {
		return ""
	}
	if was, _ := refNumber(looks[len(looks)-2].value); now <= was {
		return "phase-ahead"
	}
	return ""
}

// nothingThere says that a look at a part found nothing.
func nothingThere(kind string) func(a refApplies, i int) string {
	return func(a refApplies, i int) string {
		if a[i].read && a[i].part == "part" && a[i].value == "" {
			return kind
		}
		return ""
	}
}
