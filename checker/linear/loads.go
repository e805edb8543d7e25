package linear

import (
	"cmp"
	"slices"
	"sort"
)

// A load is a time [lo, hi) for which permits are taken. If hi is no later than lo, they are
// taken at lo alone.
type load struct {
	lo, hi  int64
	permits int64
	of      int32 // the hold
}

// A change is what happens to the sum of loads at one time.
type change struct {
	at    int64
	rank  int8 // order at one time: first what ends, then what takes no time
	delta int64
	of    int32 // what begins; -1: something ends
}

// sweepLoads calls tell with the sum of loads after each change, in the order of time, until
// tell returns false.
func sweepLoads(loads []load, tell func(at, sum int64, latest int32) bool) {
	changes := make([]change, 0, 2*len(loads))
	for i := range loads {
		l := &loads[i]
		if l.hi <= l.lo {
			changes = append(changes, change{l.lo, 1, l.permits, l.of}, change{l.lo, 1, -l.permits, -1})
			continue
		}
		changes = append(changes, change{l.lo, 2, l.permits, l.of}, change{l.hi, 0, -l.permits, -1})
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	sum := int64(0)
	for i := range changes {
		sum += changes[i].delta
		if !tell(changes[i].at, sum, changes[i].of) {
			return
		}
	}
}

// A profile says how many permits are taken over time, by loads that are fixed and by loads
// that were moved beside them.
type profile struct {
	times, sums []int64 // from times[i] on, sums[i]
	moved       []load
}

func newProfile(fixed []load) *profile {
	p := &profile{}
	sweepLoads(fixed, func(at, sum int64, _ int32) bool {
		if n := len(p.times); n > 0 && p.times[n-1] == at {
			p.sums[n-1] = sum
			return true
		}
		p.times, p.sums = append(p.times, at), append(p.sums, sum)
		return true
	})
	return p
}

// at returns how many permits are taken at a time, and until when at least.
func (p *profile) at(time int64) (sum, until int64) {
	until = Never
	k := sort.Search(len(p.times), func(k int) bool { return p.times[k] > time })
	if k < len(p.times) {
		until = p.times[k]
	}
	if k > 0 {
		sum = p.sums[k-1]
	}
	for _, l := range p.moved {
		switch {
		case time < l.lo:
			until = min(until, l.lo)
		case time < l.hi:
			sum += l.permits
			until = min(until, l.hi)
		}
	}
	return sum, until
}

// fit returns the first moment at from lo to hi such that at most left permits are taken from
// then until end(at). It returns false if there is none.
func (p *profile) fit(lo, hi int64, left int64, end func(int64) int64) (int64, bool) {
	for at := lo; lo <= hi && at != Never; {
		sum, until := p.at(at)
		if sum > left {
			lo = until
		} else if until >= end(lo) {
			return lo, true
		}
		at = until
	}
	return lo, false
}

// forget drops the moved loads that end before any time that is still looked at.
func (p *profile) forget(before int64) {
	p.moved = slices.DeleteFunc(p.moved, func(l load) bool { return l.hi <= before })
}
