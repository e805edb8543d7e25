package checker

import "fmt"

// SchedulerInvariant judges the workload "scheduler": the job of a tick runs
// once, on one of the instances. The loss is in runs too many.
type SchedulerInvariant struct{}

var _ Invariant = SchedulerInvariant{}

// Begin implements Invariant.
func (SchedulerInvariant) Begin() Replay {
	return once{
		part: "run", kind: "duplicate-run", unit: "runs",
		story: func(name, times, who string) string {
			return fmt.Sprintf("job %s ran %s, on %s", name, times, who)
		},
	}.begin()
}
