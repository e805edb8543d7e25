package harness

import "locktorture/history"

// Note records what was seen of a client of Theirs.
func (r *Run) Note(op history.Op) {
	if op.F == history.Job && op.Mode == history.JobBegin {
		r.grants.Add(1)
	}
	if op.F == history.Job {
		r.ops.Add(1)
	}
	r.record(op)
}

// Fail ends the run because of an error that is not the lock's, nor the program's promise.
func (r *Run) Fail(err error) { r.fail(err) }
