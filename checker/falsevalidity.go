package checker

import (
	"fmt"
	"maps"

	"locktorture/history"
)

// A shortfall is a promise of a lease and the servers that were seen to end
// the lease before.
type shortfall struct {
	told  *history.Op            // the promise
	nodes map[string]*history.Op // the sight of each
	found bool
}

// falseValidity finds leases that most servers were seen to end earlier than the lock had told
// their holder. It does not matter whether another was granted the lock meanwhile. Servers that
// tell whole seconds may have a second more than they say.
type falseValidity struct {
	base
	short map[*lease]*shortfall // of leases that are promised still
}

func (r *falseValidity) check(p *piece) {
	for _, k := range p.looks {
		r.look(k.lease, k.probe)
	}
	// No later look comes before the end of their promises.
	maps.DeleteFunc(r.short, func(g *lease, _ *shortfall) bool { return g.told <= p.before })
}

// look judges one look at a lease.
func (r *falseValidity) look(g *lease, p *history.Op) {
	if !r.run.o.Bounded || p.Time >= g.told {
		return
	}
	told, ok := r.promisedAt(g, p)
	if !ok || told.min == history.Never || r.run.disturbedServers(told.at, p.Time) {
		return
	}
	short := r.short[g]
	if short == nil {
		short = &shortfall{}
		r.short[g] = short
	}
	if short.told != told.op {
		short.told, short.nodes = told.op, map[string]*history.Op{}
	}
	if told.min-p.Expiry() > seenSlack+r.run.coarseness() {
		short.nodes[p.Node] = p
	} else {
		delete(short.nodes, p.Node)
	}
	if !short.found && 2*len(short.nodes) > len(r.run.sights[g.lock.name].nodes) {
		short.found = true
		r.report(g, told, p)
	}
}

// promisedAt is the validity that a holder had been told when the server was
// looked at: an answer that is older than a look may be. The first answer counts
// in any case if it came before any renewal can have.
func (r *falseValidity) promisedAt(g *lease, p *history.Op) (answer, bool) {
	if told, ok := g.lastAnswer(askedAt(p)); ok {
		return told, true
	}
	if len(g.answers) == 0 || len(g.renewals) > 0 || g.answers[0].at-g.inv.Time >= int64(r.run.o.TTL)/spare {
		return answer{}, false
	}
	return g.answers[0], true
}

func (r *falseValidity) report(g *lease, told answer, p *history.Op) {
	r.found.add("false-validity", g.inv.Time, func() Anomaly {
		return Anomaly{
			Lock: g.lock.name, Time: p.Time, Ops: ops(g.inv, g.ret, told.op, p),
			Sentence: fmt.Sprintf("%s was told at %s that %s of %s is valid until at least %s, but the servers keep it less long: looked at at %s, %s ends it at %s, %s too early",
				who(g.client), at(told.at), g.name(), g.lock.name, at(told.min), at(p.Time), p.Node, at(p.Expiry()), dur(told.min-p.Expiry())),
		}
	})
}
