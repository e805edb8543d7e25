package linear

import (
	"fmt"
	"sort"
)

const byZones = "zones"

// judgeLease decides a lock whose leases may end unseen and carry no tokens,
// in O(n log n). A lease that did something for its holder was surely held
// from the return of the acquire to the call of the last such operation: a
// forward zone. One that did nothing only needs a moment in its acquire at
// which no other was surely held: a backward zone.
func judgeLease(t *trace) Verdict {
	r := leaseReader{t: t, name: byZones}
	l, wrong := r.read()
	if wrong != nil {
		return *wrong
	}
	var forward, backward []zone
	for i := range l.granted {
		g := &l.granted[i]
		if g.last != g.op {
			forward = append(forward, zone{g.ar, g.claim, g.op, g.last, int32(i)})
		} else {
			backward = append(backward, zone{g.ac, g.ar, g.op, g.op, int32(i)})
		}
	}
	if a, b := conflict(forward, backward); a != nil {
		return invalid(byZones, fmt.Sprintf("%v got the lock while process %d surely held it from %d to %d",
			t.ops[b.from], t.ops[a.from].Process, a.lo, a.hi), int(a.from), int(a.to), int(b.from))
	}
	if v := leasedTries(t, l, forward, backward); v != nil {
		return *v
	}
	return valid(byZones)
}

// leasedTries looks for tries that were refused while the lock was surely
// free. Leases in forward zones come in a known order and can be stretched on
// both sides, to cover whatever lies in between. It does not decide if a try could only have
// met a lease whose place is not known. Nor does it decide if the cause may be the order of
// leases that had their whole sure life at one stamp.
func leasedTries(t *trace, l *leases, forward, backward []zone) *Verdict {
	if len(l.tries) == 0 {
		return nil
	}
	latest := latestEnds(l.granted, forward)
	loose := newLoose(backward)
	c := cover{t: t, unknown: l.unknown}
	vague := false // a gap is next to leases whose order is not known
	at := -1       // the last forward lease that is over before the try
	for _, f := range l.tries {
		try := &t.ops[f]
		for at+1 < len(forward) && latest[at+1] < try.Call {
			at++
		}
		over, next, witness := int64(-1<<63), int64(Never), []int{int(f)}
		if at >= 0 {
			over = forward[at].hi
			witness = append(witness, int(forward[at].to))
		}
		if at+1 < len(forward) {
			z := &forward[at+1]
			if try.Return >= z.lo && try.Call <= z.hi {
				continue
			}
			next = max(over, l.granted[z.of].ac)
			witness = append(witness, int(z.from))
		}
		if loose.between(over, startOf(forward, at+2)) {
			v := unknown(byZones, "a strict try may depend on a lease, but nothing except the grant of this lease is known")
			return &v
		}
		if try.Return >= next {
			continue
		}
		vague = vague || swappable(forward, at) || swappable(forward, at+1)
		if !c.gap(at, f, true) {
			if vague {
				return anyOrder()
			}
			v := invalid(byZones, fmt.Sprintf("process %d is refused between %d and %d, while the lock is surely free until %s",
				try.Process, try.Call, try.Return, moment(next)), witness...)
			return &v
		}
	}
	v := c.settle(byZones)
	if v != nil && v.Outcome == Invalid && vague {
		return anyOrder()
	}
	return v
}

// swappable reports whether zone k is one of several points at one stamp.
func swappable(forward []zone, k int) bool {
	same := func(a, b int) bool {
		return a >= 0 && b < len(forward) && forward[a].lo == forward[b].hi
	}
	return k >= 0 && k < len(forward) && (same(k-1, k) || same(k, k+1))
}

func anyOrder() *Verdict {
	v := unknown(byZones, "several leases were granted and used at the same time stamp, so their order is not known")
	return &v
}

// latestEnds returns the latest moment at which each lease can have ended.
func latestEnds(granted []grant, forward []zone) []int64 {
	latest := make([]int64, len(forward))
	limit := int64(Never)
	for k := len(forward) - 1; k >= 0; k-- {
		latest[k] = min(granted[forward[k].of].until, limit)
		limit = min(latest[k], forward[k].lo)
	}
	return latest
}

func startOf(forward []zone, k int) int64 {
	if k < len(forward) {
		return forward[k].lo
	}
	return Never
}

// loose holds the leases of which only the grant is known, by call, with the latest return so
// far.
type loose struct{ lo, hi []int64 }

func newLoose(backward []zone) loose {
	var l loose
	for _, i := range byKey(len(backward), func(i int32) int64 { return backward[i].lo }) {
		hi := backward[i].hi
		if n := len(l.hi); n > 0 {
			hi = max(hi, l.hi[n-1])
		}
		l.lo, l.hi = append(l.lo, backward[i].lo), append(l.hi, hi)
	}
	return l
}

// between reports whether one of them may have been granted from lo to hi.
func (l loose) between(lo, hi int64) bool {
	k := sort.Search(len(l.lo), func(k int) bool { return l.lo[k] > hi })
	return k > 0 && l.hi[k-1] >= lo
}
