package checker

import "fmt"

// IdempotentSubmitInvariant judges the workload "idempotent-submit": every
// request is executed once, however often it is submitted. The loss is in
// executions too many.
type IdempotentSubmitInvariant struct{}

var _ Invariant = IdempotentSubmitInvariant{}

// Begin implements Invariant.
func (IdempotentSubmitInvariant) Begin() Replay {
	return once{
		part: "request", kind: "duplicate-execution", unit: "executions",
		story: func(name, times, who string) string {
			return fmt.Sprintf("request %s was executed %s, by %s", name, times, who)
		},
	}.begin()
}
