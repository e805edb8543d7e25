package diagram

import (
	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/votes"
)

// maxDiagrams bounds the sequence diagrams of a page: one for each distinct
// kind of anomaly.
const maxDiagrams = 12

// evidence is what the history has on the leases of an anomaly: more than
// its witness, so that a reader sees how each lease began and ended.
type evidence struct {
	ops   []history.Op         // in order; invocations carry the lease of their completion
	heals map[int]history.Op   // by fault
	calls map[int64]history.Op // the call of each lease's acquire
	blows []history.Op         // faults by which a server can forget a key
	votes []votes.Ballot       // what servers answered for each grant, if the traffic was recorded

	struck []votes.Message       // that faults kept back or lost
	sights map[string]history.Op // the newest looks at the locks of the witness, until it is complete
}

// asked says which call an answer belongs to: a process asks one thing at a time.
type asked struct {
	process int
	f       history.F
	lock    string
}

// A gatherer collects the evidence on several anomalies: for each the entries
// of the leases that its witness names.
type gatherer struct {
	of     []checker.Anomaly
	wanted []map[int64]bool // leases
	found  []evidence

	calls map[asked]*history.Op
	lease map[int]int64 // by process, of its newest grant
}

func newGatherer(of []checker.Anomaly) *gatherer {
	g := &gatherer{of: of, calls: map[asked]*history.Op{}, lease: map[int]int64{}}
	for _, a := range of {
		g.wanted = append(g.wanted, leasesOf(a.Ops))
		g.found = append(g.found, evidence{heals: map[int]history.Op{}, calls: map[int64]history.Op{}, sights: map[string]history.Op{}})
	}
	return g
}

func (g *gatherer) entry(op *history.Op) {
	if op.F == history.Heal {
		for i := range g.found {
			g.found[i].heals[op.Fault] = *op
		}
		return
	}
	if votes.Matters(op) {
		for i := range g.found {
			g.found[i].blows = append(g.found[i].blows, *op)
		}
		return
	}
	if op.F == history.Probe {
		g.look(op)
	}
	isAcquire := op.F == history.Acquire || op.F == history.Try
	if isAcquire && op.Type == history.Invoke {
		g.calls[asked{op.Process, op.F, op.Lock}] = op
		return
	}
	if isAcquire && op.Type == history.OK {
		g.lease[op.Process] = op.Lease
	}
	of := op.Lease
	if op.F == history.Crash {
		of = g.lease[op.Process]
	}
	if of == 0 {
		return
	}
	for i, want := range g.wanted {
		if !want[of] {
			continue
		}
		e := &g.found[i]
		if inv, ok := g.calls[asked{op.Process, op.F, op.Lock}]; ok && isAcquire {
			e.calls[of] = *inv
		}
		if len(e.ops) < maxEvidence {
			e.ops = append(e.ops, *op)
		}
	}
}

// look keeps what a server was seen to have of a witness's lock.
func (g *gatherer) look(op *history.Op) {
	for i, a := range g.of {
		if op.Time > a.Time {
			continue
		}
		for _, named := range a.Ops {
			if named.Lock == op.Lock && op.Lock != "" {
				g.found[i].sights[op.Node+" "+op.Lock] = *op
				break
			}
		}
	}
}

// maxEvidence bounds the entries that a diagram is drawn from.
const maxEvidence = 20_000

// leasesOf returns the leases that the witness names.
func leasesOf(ops []history.Op) map[int64]bool {
	out := map[int64]bool{}
	for _, op := range ops {
		if op.Lease > 0 && len(out) < 8 {
			out[op.Lease] = true
		}
	}
	return out
}
