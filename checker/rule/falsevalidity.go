package rule

import (
	"fmt"
	"maps"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// A shortfall is a promise of a lease, and the servers that were seen to end the lease before
// that promise ends.
type shortfall struct {
	told  *history.Op            // the promise
	nodes map[string]*history.Op // by node: the look that showed the earlier end
	found bool
}

// falseValidity finds leases that most servers were seen to end earlier than the lock had told
// their holder.
//
// Guarantee: the validity that a holder is told is one that the servers keep. Whether another was
// granted the lock meanwhile does not matter. Servers that report whole seconds may keep a
// lease for a second longer than they say.
type falseValidity struct {
	base
	short map[*timeline.Lease]*shortfall // leases whose promise still lasts
}

func newFalseValidity(b base) *falseValidity {
	return &falseValidity{b, map[*timeline.Lease]*shortfall{}}
}

func (r *falseValidity) check(p *timeline.Piece) {
	for _, k := range p.Looks {
		r.look(k.Lease, k.Probe)
	}
	// No later look comes before the end of these promises.
	maps.DeleteFunc(r.short, func(g *timeline.Lease, _ *shortfall) bool { return g.Told <= p.Before })
}

// look judges one look at a lease.
func (r *falseValidity) look(g *timeline.Lease, p *history.Op) {
	if !r.run.Options.Bounded || p.Time >= g.Told {
		return
	}
	told, ok := r.promisedAt(g, p)
	if !ok || told.Min == history.Never || r.run.DisturbedServers(told.At, p.Time) {
		return
	}
	short := r.short[g]
	if short == nil {
		short = &shortfall{}
		r.short[g] = short
	}
	if short.told != told.Op {
		short.told, short.nodes = told.Op, map[string]*history.Op{}
	}
	if told.Min-p.Expiry() > timeline.SeenSlack+r.run.Coarseness() {
		short.nodes[p.Node] = p
	} else {
		delete(short.nodes, p.Node)
	}
	// A minority of the nodes may be down, or behind. A lease is flagged once.
	if !short.found && 2*len(short.nodes) > len(r.run.Probed[g.Lock.Name].Nodes) {
		short.found = true
		r.report(g, told, p)
	}
}

// promisedAt returns the validity that a holder had been told when the server was looked at; an
// older answer may have been superseded by a renewal. The first answer always counts if it came
// before any renewal can have been made.
func (r *falseValidity) promisedAt(g *timeline.Lease, p *history.Op) (timeline.Answer, bool) {
	if told, ok := g.LastAnswer(timeline.AskedAt(p)); ok {
		return told, true
	}
	if len(g.Answers) == 0 || len(g.Renewals) > 0 || g.Answers[0].At-g.Inv.Time >= int64(r.run.Options.TTL)/spare {
		return timeline.Answer{}, false
	}
	return g.Answers[0], true
}

func (r *falseValidity) report(g *timeline.Lease, told timeline.Answer, p *history.Op) {
	r.found.Add("false-validity", g.Inv.Time, func() incident.Anomaly {
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: p.Time, Ops: incident.Ops(g.Inv, g.Ret, told.Op, p),
			Sentence: fmt.Sprintf("%s learned at %s that %s of %s is valid until at least %s, but the servers end it earlier: a probe at %s showed that %s ends it at %s, %s too early",
				timeline.Who(g.Client), timeline.At(told.At), g.Name(), g.Lock.Name, timeline.At(told.Min), timeline.At(p.Time), p.Node, timeline.At(p.Expiry()), timeline.Dur(told.Min-p.Expiry())),
		}
	})
}
