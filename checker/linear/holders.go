package linear

import "locktorture/history"

// holders says, for each lease that was not given back, who was granted it. After an operation of
// unknown outcome, a client goes on as another process, and gives back what the earlier one holds.
type holders map[int64]holder

// A holder is a process and its client.
type holder struct{ process, client int }

// granted notes the lease of a grant.
func (h holders) granted(op *history.Op) {
	if op.Lease != 0 {
		h[op.Lease] = holder{op.Process, op.Client}
	}
}

// process returns the process that was granted the lease of an operation, else that of the operation.
func (h holders) process(op *history.Op) int {
	if of, ok := h[op.Lease]; ok && op.F != history.Acquire && op.F != history.Try {
		return of.process
	}
	return op.Process
}

// completed forgets a lease that was released, or may have been.
func (h holders) completed(op *history.Op) {
	if op.F == history.Release {
		delete(h, op.Lease)
	}
}

// died forgets what the client of a crash holds. It returns all processes of the client that end with it.
func (h holders) died(crash *history.Op) []int {
	ended := []int{crash.Process}
	for lease, of := range h {
		if of.process == crash.Process || crash.Client > 0 && of.client == crash.Client {
			ended = append(ended, of.process)
			delete(h, lease)
		}
	}
	return ended
}
