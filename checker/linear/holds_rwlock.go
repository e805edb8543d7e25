package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// judgeTimedRWLock decides a read-write lock each of whose holds lasts for its
// TTL, in O(n log n). A writer and another hold that were both surely held for
// a while are in a known order, so every constraint is a lower bound: a grant
// is not before the end of what was in its way. The least points decide. A hold that was at no
// time surely held may have another place than the one that is tried here. If there is such a
// hold, points that fit prove a history valid, and points that do not fit prove nothing.
func judgeTimedRWLock(t *trace) Verdict {
	r := newHoldReader(t, byLeastPoints)
	if wrong := r.read(); wrong != nil {
		return *wrong
	}
	order := orderOfHolds(r.held)
	wrong := leastHolds(t, r.held, order)
	if wrong != nil {
		sure := slices.DeleteFunc(order, func(k int32) bool { return r.held[k].vague() })
		if len(sure) < len(order) {
			wrong = leastHolds(t, r.held, sure)
		}
		if wrong == nil {
			return unknown(byLeastPoints, "an acquire took as long as its hold lasted, so the order of the holds is not known")
		}
		return *wrong
	}
	return strictHolds(r, byLeastPoints, true)
}

// orderOfHolds returns the holds that were granted in the order in which they
// were surely held.
func orderOfHolds(held []hold) []int32 {
	order := make([]int32, 0, len(held))
	for k := range held {
		if held[k].ar != Never {
			order = append(order, int32(k))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(held[a].ar, held[b].ar), cmp.Compare(held[a].free(held[a].ac), held[b].free(held[b].ac)))
	})
	return order
}

// A barred says until when holds of one kind are in the way of others, and which hold is the
// last of them.
type barred struct {
	until int64
	by    int32
}

func (b *barred) add(until int64, by int32) {
	if until > b.until {
		b.until, b.by = until, by
	}
}

// leastHolds gives each hold the least point that those before it allow. It returns the
// verdict on what does not fit; nil if all holds fit.
func leastHolds(t *trace, held []hold, order []int32) *Verdict {
	readers, writers := barred{-1 << 63, -1}, barred{-1 << 63, -1}
	for _, k := range order {
		h := &held[k]
		way := writers
		if !h.shared {
			way.add(readers.until, readers.by)
		}
		point := max(h.ac, way.until)
		if point > h.ar {
			v := h.early(t, &held[way.by], way.until)
			return &v
		}
		if v := h.cutShort(t, byLeastPoints, point); v != nil {
			return v
		}
		if h.shared {
			readers.add(h.free(point), k)
		} else {
			writers.add(h.free(point), k)
		}
	}
	return nil
}

// early returns the verdict on a hold that was granted before another can have ended.
func (h *hold) early(t *trace, other *hold, until int64) Verdict {
	return invalid(byLeastPoints, fmt.Sprintf("process %d is granted the lock at %d or earlier, but the hold of process %d cannot have ended before %s",
		t.ops[h.acquire].Process, h.ar, t.ops[other.acquire].Process, moment(until)), other.witness(int(h.acquire))...)
}

// cutShort finds a holder that is told too early that its hold is over.
func (h *hold) cutShort(t *trace, name string, point int64) *Verdict {
	if !h.refused || h.free(point) <= h.until {
		return nil
	}
	v := invalid(name, fmt.Sprintf("an answer at %d says that a hold is over, but this hold cannot be over before %s: %v",
		h.until, moment(h.free(point)), t.ops[h.end]), h.witness()...)
	return &v
}

// witness lists the operations of a hold and some more.
func (h *hold) witness(more ...int) []int {
	out := []int{int(h.acquire)}
	if h.end >= 0 {
		out = append(out, int(h.end))
	}
	return append(out, more...)
}
