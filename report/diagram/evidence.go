package diagram

import (
	"slices"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/votes"
	"locktorture/timeline"
)

// maxDiagrams bounds the sequence diagrams of a page: one for each distinct
// kind of anomaly.
const maxDiagrams = 12

// evidence is what the history has on the leases of an anomaly: more than
// its witness, so that a reader sees how each lease began and ended.
type evidence struct {
	ops       []history.Op              // in order; invocations carry the lease of their completion
	heals     map[int]history.Op        // by fault
	leases    map[int64]*timeline.Lease // that the witness names
	overtaken map[int64]int64           // lease → when another was first granted what it excludes
	blows     []history.Op              // faults by which a server can forget a key
	votes     []votes.Ballot            // what servers answered for each grant, if the traffic was recorded

	struck []votes.Message       // that faults kept back or lost
	before []votes.Message       // the last of a replica before it did what the witness names
	sights map[string]history.Op // the newest looks at the locks of the witness, until it is complete
}

// A gatherer collects the evidence on several anomalies: for each the entries
// of the leases that its witness names.
type gatherer struct {
	of     []checker.Anomaly
	wanted []map[int64]bool // leases
	found  []evidence
}

func newGatherer(of []checker.Anomaly) *gatherer {
	g := &gatherer{of: of}
	for _, a := range of {
		g.wanted = append(g.wanted, leasesOf(a.Ops))
		g.found = append(g.found, evidence{heals: map[int]history.Op{}, leases: map[int64]*timeline.Lease{}, overtaken: map[int64]int64{}, sights: map[string]history.Op{}})
	}
	return g
}

func (g *gatherer) entry(e timeline.Entry) {
	switch {
	case e.F == history.Heal:
		for i := range g.found {
			g.found[i].heals[e.Fault] = *e.Op
		}
		return
	case votes.Matters(e.Op):
		for i := range g.found {
			g.found[i].blows = append(g.found[i].blows, *e.Op)
		}
		return
	case e.F == history.Probe:
		g.look(e.Op)
		return
	}
	about := e.Ended
	if e.Lease != nil {
		about = []*timeline.Lease{e.Lease}
	}
	for i, wanted := range g.wanted {
		g.found[i].take(e, wanted, about)
	}
}

// take keeps an entry about some leases if the witness names one of them.
func (v *evidence) take(e timeline.Entry, wanted map[int64]bool, about []*timeline.Lease) {
	for _, l := range e.Overtakes {
		if wanted[l.Number] && v.overtaken[l.Number] == 0 {
			v.overtaken[l.Number] = e.Time
		}
	}
	job := e.F == history.Job && e.Op.Client > 0 && wanted[e.Op.Lease]
	if !job && !slices.ContainsFunc(about, func(l *timeline.Lease) bool { return wanted[l.Number] }) {
		return
	}
	if e.Granted() {
		v.leases[e.Lease.Number] = e.Lease
	}
	if len(v.ops) < maxEvidence {
		v.ops = append(v.ops, *e.Op)
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
