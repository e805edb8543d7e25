package invariant

import (
	"fmt"

	"locktorture/checker"
)

// IdempotentSubmit judges the workload "idempotent-submit": every
// request is executed once, however often it is submitted. The loss counts superfluous
// executions.
type IdempotentSubmit struct{}

var _ checker.Invariant = IdempotentSubmit{}

// Begin implements checker.Invariant.
func (IdempotentSubmit) Begin() checker.Replay {
	return once{
		part: "request", kind: "duplicate-execution", unit: "executions",
		story: func(name, times, who string) string {
			return fmt.Sprintf("request %s was executed %s, by %s", name, times, who)
		},
	}.begin()
}
