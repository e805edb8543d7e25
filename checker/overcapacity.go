package checker

import (
	"container/heap"
	"fmt"
	"slices"

	"locktorture/history"
)

// promises are leases of permits that are still promised, the first to end first.
type promises []*lease

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (p promises) Len() int           { return len(p) }
func (p promises) Less(i, j int) bool { return p[i].end < p[j].end }
func (p promises) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *promises) Push(g any)        { *p = append(*p, g.(*lease)) }
func (p *promises) Pop() any {
	last := len(*p) - 1
	g := (*p)[last]
	*p = (*p)[:last]
	return g
}

// overCapacity finds grants of permits that returned while so many others were still promised
// that the sum is more than the semaphore has.
type overCapacity struct {
	base
	out promises // of the grants so far, those that may not be over
}

func (r *overCapacity) check(p *piece) {
	if r.run.o.onlyWatched() {
		return // such a lease promises a notice, and a grant of permits takes nothing from one holder alone
	}
	out := &r.out
	for _, g := range p.fresh() {
		if g.permits == 0 || r.run.o.Bounded && g.empty() {
			continue
		}
		for out.Len() > 0 && (*out)[0].end <= g.granted() {
			heap.Pop(out)
		}
		sum := g.permits
		for _, h := range *out {
			sum += h.permits
		}
		if sum > g.capacity {
			r.report(slices.Clone(*out), g, sum)
		}
		heap.Push(out, g)
	}
}

// report adds the anomaly of a grant after which sum permits were out. It sorts held.
func (r *overCapacity) report(held []*lease, g *lease, sum int) {
	slices.SortFunc(held, func(a, b *lease) int { return int(a.n - b.n) })
	kind := "over-capacity"
	if r.lasting(held, g) {
		kind = "extra-permit"
	}
	r.found.add(kind, held[0].inv.Time, func() Anomaly {
		entries := []*history.Op{g.inv, g.ret, g.firstTold()}
		for _, h := range held {
			entries = append(entries, h.inv, h.ret, h.lastTold())
		}
		first := held[0]
		return Anomaly{
			Lock: g.lock.name, Time: g.granted(), Ops: ops(entries...),
			Sentence: fmt.Sprintf("%s was granted %s at %s (%s) although %d were still promised, so %d are out: the first of them, %s's %s, granted at %s, %s",
				who(g.client), g.what(), at(g.granted()), g.name(), sum-g.permits, sum, who(first.client), first.claimed(), at(first.granted()), first.holds(r.run.o)),
		}
	})
}

// lasting reports whether there are more permits than there should be, and that none were
// taken from a holder: somebody had all of them at once and was not told that they had ended,
// and no fault was in place since they were asked for.
func (r *overCapacity) lasting(held []*lease, g *lease) bool {
	return slices.ContainsFunc(held, func(h *lease) bool {
		kept := h.over == nil && h.lost == nil && (h.relRet == nil || h.relRet.Type != history.Fail)
		return h.permits == h.capacity && kept && len(r.run.disturbances(h.inv.Time, g.granted())) == 0
	})
}
