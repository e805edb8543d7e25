package linear

import "fmt"

const byTokens = "tokens"

// judgeFenced decides a lock with tokens and leases that may end unseen, in
// O(n) after sorting by token. Tokens put all points in one order: grant,
// what its holder had done, end, next grant. A chain x1 ≤ x2 ≤ … with xj in
// [lj, uj] exists if and only if every prefix maximum of the l is at most its
// u; and since a process is sequential, only the grants need to be looked at.
func judgeFenced(reentrant bool) judge {
	return func(t *trace) Verdict {
		r := leaseReader{t: t, name: byTokens, reentrant: reentrant, tokens: true}
		l, wrong := r.read()
		if wrong != nil {
			return *wrong
		}
		order := byKey(len(l.granted), func(i int32) int64 { return int64(l.granted[i].token ^ 1<<63) })
		if v := chained(t, l.granted, order); v != nil {
			return *v
		}
		if v := coveredByTokens(t, l, order); v != nil {
			return *v
		}
		return valid(byTokens)
	}
}

// chained finds a grant without a token, a token that is granted twice, and a token that is
// granted although a greater one had certainly been granted.
func chained(t *trace, granted []grant, order []int32) *Verdict {
	least, from := int64(-1<<63), int32(-1) // the least point of the next grant, and whose it is
	for k, i := range order {
		g := &granted[i]
		switch {
		case g.token == 0:
			v := invalid(byTokens, "a grant without a token: "+t.ops[g.op].String(), int(g.op))
			return &v
		case k > 0 && granted[order[k-1]].token == g.token:
			v := invalid(byTokens, fmt.Sprintf("token %d is granted twice, to processes %d and %d",
				g.token, t.ops[granted[order[k-1]].op].Process, t.ops[g.op].Process), int(granted[order[k-1]].op), int(g.op))
			return &v
		case least > g.ar:
			v := invalid(byTokens, fmt.Sprintf("token %[1]d was granted at %[2]d or earlier, but a smaller token only at %[4]d or later: %[3]v",
				g.token, g.ar, t.ops[from], least), int(from), int(g.op))
			return &v
		}
		if g.ac > least {
			least, from = g.ac, g.op
		}
		if g.claim > least {
			least, from = g.claim, g.last
		}
	}
	return nil
}

// coveredByTokens finds a try that was refused while the lock was surely free.
// With each end as late and each grant as early as the chain allows, all at
// once, what remains free between two leases is surely free – unless a grant
// of unknown outcome landed there, with a token that was left between theirs.
// Each such grant covers one gap, and the gaps come in the order of time.
func coveredByTokens(t *trace, l *leases, order []int32) *Verdict {
	if len(l.tries) == 0 {
		return nil
	}
	n := len(order)
	latest := make([]int64, n) // the latest end of each lease
	limit := int64(Never)
	for k := n - 1; k >= 0; k-- {
		g := &l.granted[order[k]]
		latest[k] = min(g.until, limit)
		limit = min(latest[k], g.ar)
	}
	c := cover{t: t, unknown: l.unknown}
	at, least := -1, int64(-1<<63) // the last lease that is over before the try; the least point after it
	for _, f := range l.tries {
		try := &t.ops[f]
		for at+1 < n && latest[at+1] < try.Call {
			at++
			g := &l.granted[order[at]]
			least = max(least, g.ac, g.claim)
		}
		var before, after uint64 = 0, 1<<64 - 1
		next, witness := int64(Never), []int{int(f)}
		if at >= 0 {
			g := &l.granted[order[at]]
			before = g.token
			witness = append([]int{int(g.op)}, witness...)
		}
		if at+1 < n {
			g := &l.granted[order[at+1]]
			next, after = max(least, g.ac), g.token
			witness = append(witness, int(g.op))
		}
		if try.Return >= next {
			continue
		}
		if !c.gap(at, f, after-before > 1) {
			v := invalid(byTokens, fmt.Sprintf("process %d is refused between %d and %d, while the lock is surely free until %s",
				try.Process, try.Call, try.Return, moment(next)), witness...)
			return &v
		}
	}
	return c.settle(byTokens)
}

// A cover assigns grants of unknown outcome to gaps in which a refused try
// needs one.
type cover struct {
	t       *trace
	unknown []int32
	gaps    []deadline
}

// A deadline is when a gap needs its grant, and the try that says so.
type deadline struct {
	gap int
	at  int64
	try int32
}

// gap notes that a gap needs a grant for a try; false if none may land there.
func (c *cover) gap(gap int, try int32, free bool) bool {
	at := c.t.ops[try].Return
	if !free || len(c.unknown) == 0 {
		return false
	}
	if n := len(c.gaps); n > 0 && c.gaps[n-1].gap == gap {
		if last := &c.gaps[n-1]; at < last.at {
			last.at, last.try = at, try
		}
		return true
	}
	c.gaps = append(c.gaps, deadline{gap, at, try})
	return true
}

// settle gives the first gaps the grants that were called first.
func (c *cover) settle(name string) *Verdict {
	for k, g := range c.gaps {
		if k < len(c.unknown) && c.t.ops[c.unknown[k]].Call <= g.at {
			continue
		}
		v := invalid(name, fmt.Sprintf("by %d, tries are refused in %d gaps between holds; the lock is surely free in a gap unless an acquire of unknown outcome took effect there, but only %d such acquires had been called", g.at, k+1, k))
		for _, g := range c.gaps[:k+1] {
			v.Witness = append(v.Witness, int(g.try))
		}
		return &v
	}
	return nil
}
