package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// judgeTimedSemaphore decides a semaphore each of whose holds lasts for its
// TTL, in O(n log n). More permits surely held at one time than there are make
// a history invalid. A hold whose end does not depend on when it was granted is best granted
// as late as possible, so such holds are fixed. The other holds move with their grants, and
// finding places for them is a scheduling problem. Places that fit prove a history valid;
// otherwise it is left to the search.
func judgeTimedSemaphore(t *trace) Verdict {
	r := newHoldReader(t, bySweep)
	if wrong := r.read(); wrong != nil {
		return *wrong
	}
	for k := range r.held {
		if v := r.held[k].cutShort(t, bySweep, r.held[k].ac); v != nil {
			return *v
		}
	}
	if v := r.surelyTaken(); v != nil {
		return *v
	}
	if !r.placed() {
		return unknown(bySweep, "some holds ended by themselves, and it is not known when they were granted, or whether there were enough permits")
	}
	return strictHolds(r, bySweep, false)
}

// surelyTaken finds a grant at a time when too many permits were surely taken.
func (r *holdReader) surelyTaken() (out *Verdict) {
	capacity := int64(r.t.opt.Capacity)
	sure := r.loads(func(h *hold) (lo, hi int64) { return h.ar, h.free(h.ac) })
	sweepLoads(sure, func(at, sum int64, latest int32) bool {
		if sum <= capacity || latest < 0 {
			return true
		}
		v := r.overloaded(sure, at, sum, latest)
		out = &v
		return false
	})
	return out
}

// loads returns when holds that were granted take permits. Those whose time is
// not known are left out.
func (r *holdReader) loads(when func(*hold) (lo, hi int64)) []load {
	out := make([]load, 0, len(r.held))
	for k := range r.held {
		if h := &r.held[k]; h.ar != Never && !h.vague() {
			lo, hi := when(h)
			out = append(out, load{lo, hi, h.permits, int32(k)})
		}
	}
	return out
}

// overloaded returns the verdict on a hold that began when too many permits were taken.
func (r *holdReader) overloaded(sure []load, at, sum int64, latest int32) Verdict {
	var witness []int
	for i := range sure {
		if l := &sure[i]; l.of != latest && l.lo <= at && at < l.hi {
			witness = append(witness, r.held[l.of].witness()...)
		}
	}
	h := &r.held[latest]
	return invalid(bySweep, fmt.Sprintf("process %d is granted %d of %d permits at %d or earlier, while others surely hold %d",
		r.t.ops[h.acquire].Process, h.permits, r.t.opt.Capacity, at, sum-h.permits), append(witness, int(h.acquire))...)
}

// placed finds a point for each grant so that the permits suffice. The fixed holds come first.
// Then the others are placed in the order of their latest possible points, each as early as
// there is room.
func (r *holdReader) placed() bool {
	var all []load
	var moving []int32
	for k := range r.held {
		switch h := &r.held[k]; {
		case h.ar == Never:
		case h.free(h.ac) < h.free(h.ar):
			moving = append(moving, int32(k))
		default:
			all = append(all, load{h.ar, h.free(h.ar), h.permits, int32(k)})
		}
	}
	if len(moving) > 0 {
		moved, ok := r.moved(newProfile(all), moving)
		if !ok {
			return false
		}
		all = append(all, moved...)
	}
	fits := true
	sweepLoads(all, func(_, sum int64, _ int32) bool {
		fits = sum <= int64(r.t.opt.Capacity)
		return fits
	})
	return fits
}

// moved puts holds where there is room for them.
func (r *holdReader) moved(p *profile, moving []int32) (out []load, ok bool) {
	slices.SortStableFunc(moving, func(a, b int32) int { return cmp.Compare(r.held[a].latest(), r.held[b].latest()) })
	first := make([]int64, len(moving)+1) // the first call of the holds from k on
	first[len(moving)] = Never
	for k := len(moving) - 1; k >= 0; k-- {
		first[k] = min(first[k+1], r.held[moving[k]].ac)
	}
	for k, i := range moving {
		h := &r.held[i]
		at, ok := p.fit(h.ac, h.latest(), int64(r.t.opt.Capacity)-h.permits, h.free)
		if !ok {
			return nil, false
		}
		l := load{at, h.free(at), h.permits, i}
		p.moved = append(p.moved, l)
		p.forget(first[k+1])
		out = append(out, l)
	}
	return out, true
}

// latest returns the latest point that the grant can have.
func (h *hold) latest() int64 {
	if h.refused {
		return min(h.ar, h.until-h.ttl)
	}
	return h.ar
}
