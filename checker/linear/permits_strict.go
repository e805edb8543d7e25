package linear

import "sort"

// A span is a time in which something is so.
type span struct{ lo, hi int64 }

// strict decides refused tries: something must have been in their way.
func (s *sweep) strict(tries []int32) Verdict {
	sure, possible := [2][]span{}, [2][]span{}
	s.spans(&sure, sureBegin, sureEnd, true)
	s.spans(&possible, firstBegin, lastEnd, false)
	open := false
	for _, f := range tries {
		o := &s.t.ops[f]
		kind := 0
		if s.readers && o.Shared {
			kind = 1
		}
		if meets(sure[kind], o.Call, o.Return, true) {
			continue
		}
		if !meets(possible[kind], o.Call, o.Return, false) {
			return invalid(bySweep, "refused, while nothing can have been in the way: "+o.String(), int(f))
		}
		open = true
	}
	if open {
		return unknown(bySweep, "whether something was in the way of a strict try depends on the order")
	}
	return valid(bySweep)
}

// spans collects when a try would be refused: out[0] one that wants the lock
// for itself, or a permit; out[1] one that wants to read.
func (s *sweep) spans(out *[2][]span, begin, end func(*section) int64, endsFirst bool) {
	since := [2]int64{Never, Never}
	s.run(begin, end, endsFirst, func(time int64, shared, exclusive int, _ int32) {
		full := [2]bool{shared >= s.capacity, false}
		if s.readers {
			full = [2]bool{shared+exclusive > 0, exclusive > 0}
		}
		for k := range full {
			if full[k] && since[k] == Never {
				since[k] = time
			} else if !full[k] && since[k] != Never {
				out[k] = append(out[k], span{since[k], time})
				since[k] = Never
			}
		}
	})
	for k := range since {
		if since[k] != Never {
			out[k] = append(out[k], span{since[k], Never})
		}
	}
}

// meets reports whether [lo, hi] meets one of the spans, inside it if strict.
func meets(spans []span, lo, hi int64, strict bool) bool {
	if strict {
		k := sort.Search(len(spans), func(k int) bool { return spans[k].hi > lo })
		return k < len(spans) && spans[k].lo < hi && spans[k].lo < spans[k].hi
	}
	k := sort.Search(len(spans), func(k int) bool { return spans[k].hi >= lo })
	return k < len(spans) && spans[k].lo <= hi
}
