package checker

import (
	"fmt"

	"locktorture/history"
)

// SchedulerInvariant judges the workload "scheduler": the job of a tick runs
// once, on one of the instances. The loss is in runs too many.
type SchedulerInvariant struct{}

var _ Invariant = SchedulerInvariant{}

// Check looks for ticks whose job ran more than once.
func (SchedulerInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	return once{
		part: "run", kind: "duplicate-run", unit: "runs",
		story: func(name, times, who string) string {
			return fmt.Sprintf("job %s ran %s, on %s", name, times, who)
		},
	}.check(applied)
}
