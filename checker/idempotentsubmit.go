package checker

import (
	"fmt"

	"locktorture/history"
)

// IdempotentSubmitInvariant judges the workload "idempotent-submit": every
// request is executed once, however often it is submitted. The loss is in
// executions too many.
type IdempotentSubmitInvariant struct{}

var _ Invariant = IdempotentSubmitInvariant{}

// Check looks for requests that were executed more than once.
func (IdempotentSubmitInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	return once{
		part: "request", kind: "duplicate-execution", unit: "executions",
		story: func(name, times, who string) string {
			return fmt.Sprintf("request %s was executed %s, by %s", name, times, who)
		},
	}.check(applied)
}
