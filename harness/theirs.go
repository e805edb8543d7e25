package harness

import "locktorture/history"

// Note records an entry about a client of Config.Theirs.
func (r *Run) Note(op history.Op) {
	if op.F == history.Job && op.Mode == history.JobBegin {
		r.tally.grants.Add(1)
	}
	if op.F == history.Job {
		r.tally.ops.Add(1)
	}
	r.record(op)
}
