package invariant

import (
	"fmt"

	"locktorture/checker"
)

// Scheduler judges the workload "scheduler": the job of a tick runs
// once, on one of the instances. The loss counts superfluous runs.
type Scheduler struct{}

var _ checker.Invariant = Scheduler{}

// Begin implements checker.Invariant.
func (Scheduler) Begin() checker.Replay {
	return once{
		part: "run", kind: "duplicate-run", unit: "runs",
		story: func(name, times, who string) string {
			return fmt.Sprintf("job %s ran %s, on %s", name, times, who)
		},
	}.begin()
}
