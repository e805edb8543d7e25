package linear

import "fmt"

const byLeastPoints = "least points"

// judgeTimed decides a lease that the service guarantees to last for a while – its own, or
// Options.TTL – from each grant and renewal, in O(n log n). Once the order of the leases is
// known – from their tokens, or because each was surely held for a while – every constraint is
// a lower bound: a grant is not before the end of the lease before it. So the least points
// decide.
func judgeTimed(t *trace) Verdict {
	if t.opt.TTL <= 0 {
		return unknown(byLeastPoints, "a timed lease needs a TTL")
	}
	r := leaseReader{t: t, name: byLeastPoints, tokens: true, timed: true}
	l, wrong := r.read()
	if wrong != nil {
		return *wrong
	}
	order, v := timedOrder(t, l.granted)
	if v != nil {
		return *v
	}
	points, v := leastPoints(t, l.granted, order)
	if v != nil {
		return *v
	}
	return coveredInTime(t, l, order, points)
}

// free returns the earliest moment at which the lock can be free again after g, if its grant
// took effect at point.
func (g *grant) free(point int64) int64 {
	if g.released {
		return g.freed
	}
	return min(g.freed, g.guaranteed(point))
}

// guaranteed returns until when g lasts at least, unless it is given back.
func (g *grant) guaranteed(point int64) int64 { return max(g.renewed, after(point, g.ttl)) }

// after returns at plus ttl, or Never if that is beyond all times.
func after(at, ttl int64) int64 {
	if ttl > 0 && at > Never-ttl {
		return Never
	}
	return at + ttl
}

// timedOrder returns the leases in the only order that they can have.
func timedOrder(t *trace, granted []grant) ([]int32, *Verdict) {
	tokens := 0
	for i := range granted {
		if granted[i].token != 0 {
			tokens++
		}
	}
	if tokens == len(granted) {
		order := byKey(len(granted), func(i int32) int64 { return int64(granted[i].token ^ 1<<63) })
		return order, chained(t, granted, order)
	}
	if tokens > 0 {
		v := unknown(byLeastPoints, "some grants have tokens and some have none")
		return nil, &v
	}
	held := make([]zone, len(granted))
	for i := range granted {
		g := &granted[i]
		held[i] = zone{g.ar, g.free(g.ac), g.op, g.last, int32(i)}
		if held[i].hi <= held[i].lo {
			v := unknown(byLeastPoints, "an acquire took as long as its lease lasted, so the order of the leases is not known: "+t.ops[g.op].String())
			return nil, &v
		}
	}
	if a, b := conflict(held, nil); a != nil {
		v := invalid(byLeastPoints, fmt.Sprintf("process %d is granted the lock at %d or earlier, while it is guaranteed to process %d from %d to %d",
			t.ops[b.from].Process, b.lo, t.ops[a.from].Process, a.lo, a.hi), int(a.from), int(a.to), int(b.from))
		return nil, &v
	}
	order := make([]int32, len(held))
	for k := range held {
		order[k] = held[k].of
	}
	return order, nil
}

// leastPoints returns the least point of each grant, in their order.
func leastPoints(t *trace, granted []grant, order []int32) ([]int64, *Verdict) {
	points := make([]int64, len(order))
	free, from := int64(-1<<63), int32(-1)
	for k, i := range order {
		g := &granted[i]
		points[k] = max(free, g.ac)
		if points[k] > g.ar {
			v := invalid(byLeastPoints, fmt.Sprintf("process %d is granted the lock at %d or earlier, but the lease of process %d cannot have ended before %d",
				t.ops[g.op].Process, g.ar, t.ops[granted[from].op].Process, free), int(granted[from].op), int(granted[from].last), int(g.op))
			return nil, &v
		}
		if refused := g.guaranteed(points[k]); g.end >= 0 && t.ops[g.end].Status == Refused && g.freed == Never && refused > t.ops[g.end].Return {
			v := invalid(byLeastPoints, fmt.Sprintf("an answer at %d says that a lease is over, but this lease cannot be over before %d: %v",
				t.ops[g.end].Return, refused, t.ops[g.end]), int(g.op), int(g.last), int(g.end))
			return nil, &v
		}
		free, from = g.free(points[k]), i
	}
	return points, nil
}

// coveredInTime finds a try that was refused while the lock was surely free.
func coveredInTime(t *trace, l *leases, order []int32, points []int64) Verdict {
	latest := make([]int64, len(order))
	limit := int64(Never)
	for k := len(order) - 1; k >= 0; k-- {
		g := &l.granted[order[k]]
		latest[k] = min(g.until, limit)
		limit = min(latest[k], g.ar)
	}
	at := -1
	for _, f := range l.tries {
		try := &t.ops[f]
		for at+1 < len(order) && latest[at+1] < try.Call {
			at++
		}
		next, witness := int64(Never), []int{int(f)}
		if at >= 0 {
			witness = append(witness, int(l.granted[order[at]].op))
		}
		if at+1 < len(order) {
			next = points[at+1]
			witness = append(witness, int(l.granted[order[at+1]].op))
		}
		switch {
		case try.Return >= next:
		case len(l.unknown) > 0:
			return unknown(byLeastPoints, "a strict try may depend on an acquire of unknown outcome")
		default:
			return invalid(byLeastPoints, fmt.Sprintf("process %d is refused between %d and %d, while the lock is surely free until %s",
				try.Process, try.Call, try.Return, moment(next)), witness...)
		}
	}
	return valid(byLeastPoints)
}
