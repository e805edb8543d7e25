package rule

import (
	"container/heap"
	"fmt"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// promises is a heap of the leases of permits that are still promised. The one that ends first
// is on top.
type promises []*timeline.Lease

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (p promises) Len() int           { return len(p) }
func (p promises) Less(i, j int) bool { return p[i].End < p[j].End }
func (p promises) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *promises) Push(g any)        { *p = append(*p, g.(*timeline.Lease)) }
func (p *promises) Pop() any {
	last := len(*p) - 1
	g := (*p)[last]
	*p = (*p)[:last]
	return g
}

// overCapacity finds grants of permits that returned while so many others were still promised that
// the sum is more than the semaphore has.
//
// Guarantee: the permits that are promised at a time are never more than the capacity. Unlike
// doubleGrant it must keep every promise that may not be over, because any few of them can
// make up the sum.
type overCapacity struct {
	base
	out promises // of the grants so far, those that may not be over
}

func (r *overCapacity) check(p *timeline.Piece) {
	if r.run.Options.OnlyWatched() {
		return // such a lease promises a notice, and a grant of permits takes nothing from one holder alone
	}
	out := &r.out
	for _, g := range p.Fresh() {
		if g.Permits == 0 || r.run.Options.Bounded && g.Empty() {
			continue
		}
		// Grants come in the order of their returns, so no later grant can break a promise that is over now.
		for out.Len() > 0 && (*out)[0].End <= g.Granted() {
			heap.Pop(out)
		}
		sum := g.Permits
		for _, h := range *out {
			sum += h.Permits
		}
		if sum > g.Capacity {
			r.report(slices.Clone(*out), g, sum)
		}
		heap.Push(out, g)
	}
}

// report adds the anomaly of a grant after which sum permits were out. It sorts held.
func (r *overCapacity) report(held []*timeline.Lease, g *timeline.Lease, sum int) {
	slices.SortFunc(held, func(a, b *timeline.Lease) int { return int(a.Number - b.Number) })
	kind := "over-capacity"
	if r.lasting(held, g) {
		kind = "extra-permit"
	}
	r.found.Add(kind, held[0].Inv.Time, func() incident.Anomaly {
		entries := []*history.Op{g.Inv, g.Ret, g.FirstTold()}
		for _, h := range held {
			entries = append(entries, h.Inv, h.Ret, h.LastTold())
		}
		first := held[0]
		return incident.Anomaly{
			Lock: g.Lock.Name, Time: g.Granted(), Ops: incident.Ops(entries...),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s) although %d permits were still promised, so %d were promised at one moment. The oldest promise, %s's %s, granted at %s, %s",
				timeline.Who(g.Client), g.What(), timeline.At(g.Granted()), g.Name(), sum-g.Permits, sum, timeline.Who(first.Client), first.Claimed(), timeline.At(first.Granted()), first.Holds(r.run.Options)),
		}
	})
}

// lasting reports whether the semaphore has too many permits for good, and did not only take
// some from a holder. That is so if one lease had all permits at once and was not told that it
// had ended, and no fault was in place since that lease was asked for.
func (r *overCapacity) lasting(held []*timeline.Lease, g *timeline.Lease) bool {
	return slices.ContainsFunc(held, func(h *timeline.Lease) bool {
		kept := h.Over == nil && h.Lost == nil && (h.RelRet == nil || h.RelRet.Type != history.Fail)
		return h.Permits == h.Capacity && kept && len(r.run.Disturbances(h.Inv.Time, g.Granted())) == 0
	})
}
