package report

import "locktorture/history"

// maxDiagrams bounds the sequence diagrams of a page: one for each distinct
// kind of anomaly.
const maxDiagrams = 12

// evidence is what the history has on the leases of an anomaly: more than
// its witness, so that a reader sees how each lease began and ended.
type evidence struct {
	ops   []history.Op         // in order; invocations carry the lease of their completion
	heals map[int]history.Op   // by fault
	calls map[int64]history.Op // the call of each lease's acquire
}

// gather collects the evidence on several anomalies in one pass: for each
// the entries of the leases that its witness names.
func gather(h history.History, wanted []map[int64]bool) []evidence {
	out := make([]evidence, len(wanted))
	for i := range out {
		out[i] = evidence{heals: map[int]history.Op{}, calls: map[int64]history.Op{}}
	}
	calls := map[call]history.Op{}
	lease := map[int]int64{} // by process, of its newest grant
	for _, op := range h {
		if op.F == history.Heal {
			for i := range out {
				out[i].heals[op.Fault] = op
			}
			continue
		}
		isAcquire := op.F == history.Acquire || op.F == history.Try
		if isAcquire && op.Type == history.Invoke {
			calls[call{op.Process, op.F, op.Lock}] = op
			continue
		}
		if isGrant(op) {
			lease[op.Process] = op.Lease
		}
		of := op.Lease
		if op.F == history.Crash {
			of = lease[op.Process]
		}
		if of == 0 {
			continue
		}
		for i, want := range wanted {
			if !want[of] {
				continue
			}
			if inv, ok := calls[call{op.Process, op.F, op.Lock}]; ok && isAcquire {
				out[i].calls[of] = inv
			}
			out[i].ops = append(out[i].ops, op)
		}
	}
	return out
}

// leasesOf are the leases that the witness names.
func leasesOf(ops []history.Op) map[int64]bool {
	out := map[int64]bool{}
	for _, op := range ops {
		if op.Lease > 0 && len(out) < 8 {
			out[op.Lease] = true
		}
	}
	return out
}
