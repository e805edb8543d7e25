package linear

import (
	"fmt"
	"sort"
)

// judgeMutex decides an owner-aware mutex in O(n) after sorting. A history
// is linearizable if and only if every process alternates properly and the
// times in which the lock is surely held are disjoint: then the return of each acquire and the
// call of each release can serve as points. Acquires of unknown outcome need not happen; a
// release of unknown outcome may have happened at once or never.
//
// A release that succeeded proves an acquire whose own outcome stayed unknown.
// Such a section needs some moment outside the other sections (Gibbons and Korach 1997: no
// backward zone inside a forward one).
func judgeMutex(reentrant bool) judge {
	return func(t *trace) Verdict {
		s, wrong := readSections(t, reentrant)
		if wrong != nil {
			return *wrong
		}
		if v := s.disjoint(t); v != nil {
			return *v
		}
		if v := s.strict(t); v != nil {
			return *v
		}
		return valid(bySections)
	}
}

// disjoint finds two sections in which the lock was surely held at once.
func (s *sections) disjoint(t *trace) *Verdict {
	for i := 1; i < len(s.held); i++ {
		if a, b := &s.held[i-1], &s.held[i]; a.rc > b.ar {
			v := invalid(bySections, fmt.Sprintf("process %d is granted the lock at %d or earlier, while process %d surely holds it from %d to %s",
				t.ops[b.acquire].Process, b.ar, t.ops[a.acquire].Process, a.ar, moment(a.rc)), a.witness(b.acquire)...)
			return &v
		}
	}
	for i := range s.proved {
		p := &s.proved[i]
		k := sort.Search(len(s.held), func(k int) bool { return s.held[k].ar >= p.rc }) - 1
		if k >= 0 && p.rr < s.held[k].rc {
			h := &s.held[k]
			v := invalid(bySections, fmt.Sprintf("process %d releases the lock between %d and %d, while process %d surely holds it from %d to %s",
				t.ops[p.release].Process, p.rc, p.rr, t.ops[h.acquire].Process, h.ar, moment(h.rc)), h.witness(p.acquire, p.release)...)
			return &v
		}
	}
	return nil
}

// witness lists the operations of a section and some more.
func (a *section) witness(more ...int32) []int {
	out := []int{int(a.acquire)}
	if a.release >= 0 {
		out = append(out, int(a.release))
	}
	for _, i := range more {
		out = append(out, int(i))
	}
	return out
}

func moment(t int64) string {
	if t == Never {
		return "the end"
	}
	return fmt.Sprint(t)
}

// strict finds a refused try at a time when the lock was surely free: between
// the last moment at which a section can have ended and the first at which the
// next can have begun. Each gap stands for itself, since an end and the next
// beginning are constrained by nothing else. An acquire of unknown outcome can
// only have landed after the last section.
func (s *sections) strict(t *trace) *Verdict {
	g := -1 // the last section with rc before the try
	for _, f := range s.tries {
		try := &t.ops[f]
		for g+1 < len(s.held) && s.held[g+1].rc < try.Call {
			g++
		}
		if g >= 0 && s.held[g].rr >= try.Call {
			continue
		}
		next := int64(Never)
		witness := []int{int(f)}
		if g >= 0 {
			witness = append([]int{int(s.held[g].release)}, witness...)
		}
		if g+1 < len(s.held) {
			next = s.held[g+1].ac
			witness = append(witness, int(s.held[g+1].acquire))
		} else if s.unknown >= 0 {
			next = t.ops[s.unknown].Call
			witness = append(witness, int(s.unknown))
		}
		if try.Return < next {
			if s.reorders(g, try) {
				v := unknown(bySections, "several sections begin and end at the same time stamp, so their order is not known")
				return &v
			}
			v := invalid(bySections, fmt.Sprintf("process %d is refused between %d and %d, while the lock is surely free until %s",
				try.Process, try.Call, try.Return, moment(next)), witness...)
			return &v
		}
	}
	return nil
}

// reorders reports whether sections without length, all at one stamp, could
// stand in another order in which one of them explains a try between sections
// g and g+1: the last of those before it may end late, the first of those after
// it may begin early.
func (s *sections) reorders(g int, try *Operation) bool {
	instant := func(k int, at int64) bool { return s.held[k].ar == at && s.held[k].rc == at }
	if g >= 0 {
		for k, at := g, s.held[g].ar; k >= 0 && instant(k, at); k-- {
			if s.held[k].rr >= try.Call {
				return true
			}
		}
	}
	if g+1 < len(s.held) {
		for k, at := g+1, s.held[g+1].ar; k < len(s.held) && instant(k, at); k++ {
			if s.held[k].ac <= try.Return {
				return true
			}
		}
	}
	return false
}
