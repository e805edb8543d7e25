package linear

import "sort"

// A span is a time in which some condition holds.
type span struct{ lo, hi int64 }

// A wish is what a try asks for.
type wish struct {
	shared  bool
	permits int
}

// strict decides refused tries: something must have been in their way.
func (s *sweep) strict(tries []int32) Verdict {
	sure, possible := map[wish][]span{}, map[wish][]span{}
	open := false
	for _, f := range tries {
		o := &s.t.ops[f]
		w := wish{o.Shared, int(o.permits())}
		if _, known := sure[w]; !known {
			sure[w] = s.spans(w, sureBegin, sureEnd, true)
			possible[w] = s.spans(w, firstBegin, lastEnd, false)
		}
		if meets(sure[w], o.Call, o.Return, true) {
			continue
		}
		if !meets(possible[w], o.Call, o.Return, false) {
			return invalid(bySweep, "refused although nothing can have blocked this try: "+o.String(), int(f))
		}
		open = true
	}
	if open {
		return unknown(bySweep, "the order of the operations is not known, so it is not known whether anything blocked a strict try")
	}
	return valid(bySweep)
}

// spans returns the times in which a try would be refused.
func (s *sweep) spans(w wish, begin, end func(*section) int64, endsFirst bool) (out []span) {
	since := int64(Never)
	s.run(begin, end, endsFirst, func(time int64, shared, exclusive int, _ int32) {
		full := shared+w.permits > s.capacity
		if s.readers {
			full = exclusive > 0 || shared > 0 && !w.shared
		}
		if full && since == Never {
			since = time
		} else if !full && since != Never {
			out, since = append(out, span{since, time}), Never
		}
	})
	if since != Never {
		out = append(out, span{since, Never})
	}
	return out
}

// meets reports whether [lo, hi] meets one of the spans. If strict, it is not enough that they
// touch at an end.
func meets(spans []span, lo, hi int64, strict bool) bool {
	if strict {
		k := sort.Search(len(spans), func(k int) bool { return spans[k].hi > lo })
		return k < len(spans) && spans[k].lo < hi && spans[k].lo < spans[k].hi
	}
	k := sort.Search(len(spans), func(k int) bool { return spans[k].hi >= lo })
	return k < len(spans) && spans[k].lo <= hi
}
