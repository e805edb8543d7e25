package rule

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// immortal finds a lock that was still renewed on the server after its release or the death of
// its holder. The evidence is looks at one node, all of them after that moment, between which
// the expiry moved on twice.
//
// Guarantee: nobody renews a lease that is over. A single move can be a renewal that was under way
// at the end and landed later.
type immortal struct {
	base
	moves   map[[2]string]*moves // by node and owner, of leases that were over
	renewed map[string]bool      // owners that were reported
}

func newImmortal(b base) *immortal {
	return &immortal{base: b, moves: map[[2]string]*moves{}, renewed: map[string]bool{}}
}

func (r *immortal) check(p *timeline.Piece) {
	for _, k := range p.Looks {
		r.look(k.Lease, k.Probe)
	}
}

// look judges one look at a lease.
func (r *immortal) look(g *timeline.Lease, p *history.Op) {
	// Nobody renews a key without an expiry. The rule orphan judges whether it is kept too
	// long.
	if p.Expiry() == history.Never || r.renewed[p.Owner()] {
		return
	}
	ended := g.EndedForCertain()
	if ended == nil || p.Time-timeline.LateBy(p) <= ended.Time {
		return
	}
	place := [2]string{p.Node, p.Owner()}
	m := r.moves[place]
	if m == nil || r.run.Disturbed(m.last.Time, p.Time) { // the fault may have moved it, so the count starts anew
		r.moves[place] = &moves{last: p, least: p}
		return
	}
	if m.last = p; r.moved(m.once[1], p) {
		r.renewed[p.Owner()] = true
		r.report(g, ended, append(m.once[:], p))
		return
	}
	if r.moved(m.least, p) && (m.once[1] == nil || p.Expiry() < m.once[1].Expiry()) {
		m.once = [2]*history.Op{m.least, p}
	}
	if p.Expiry() < m.least.Expiry() {
		m.least = p
	}
}

// moves holds what the looks at a lease that was over have shown on one node: the last look,
// the look with the least expiry, and two looks between which the expiry moved on. Of all such
// pairs, it keeps the one whose second expiry is the least.
//
// This is the search for an increasing triplet in one pass: the least value so far, and the least
// that ends an increasing pair, are all that a later look has to be compared with.
type moves struct {
	last, least *history.Op
	once        [2]*history.Op
}

// moved reports whether a lease was renewed between two looks. A lease that is nearly over
// does not count as renewed: the server has only not cleared it yet.
func (r *immortal) moved(before, p *history.Op) bool {
	return before != nil && timeline.LeastExpiry(p)-before.Expiry() > r.run.Options.Patience()+timeline.WholeSecond && p.Expiry()-p.Time > r.run.Options.Patience()
}

func (r *immortal) report(g *timeline.Lease, ended *history.Op, seen []*history.Op) {
	r.found.Add("immortal", ended.Time, func() incident.Anomaly {
		how := "was released"
		if ended == g.Crash {
			how = "lost its holder"
		}
		before, once, again := seen[0], seen[1], seen[2]
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: again.Time, Ops: incident.Ops(g.Ret, ended, before, once, again),
			Sentence: fmt.Sprintf("%[3]s's %[1]s of %[2]s %[4]s at %[5]s, but was still renewed: on %[6]s, its expiry was %[7]s when probed at %[8]s, %[9]s when probed at %[10]s, and %[11]s when probed at %[12]s",
				g.Name(), g.Lock.Name, timeline.Who(g.Client), how, timeline.At(ended.Time), again.Node,
				timeline.At(before.Expiry()), timeline.At(before.Time), timeline.At(once.Expiry()), timeline.At(once.Time), timeline.At(again.Expiry()), timeline.At(again.Time)),
		}
	})
}
