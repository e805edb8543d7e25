package linear

import "slices"

// strictHolds decides refused tries of a history that is valid without them:
// something must have been in their way. A try is decided if holds that were surely there
// cover it, or if not even holds that may have been there do. Otherwise it depends on the
// order.
func strictHolds(r *holdReader, name string, readers bool) Verdict {
	open := false
	sure, possible := map[int64][]span{}, map[int64][]span{}
	for _, f := range r.tries {
		o := &r.t.ops[f]
		key := r.wish(o, readers)
		if _, ok := sure[key]; !ok {
			sure[key] = r.covered(o, readers, true)
			possible[key] = r.covered(o, readers, false)
		}
		if meets(sure[key], o.Call, o.Return, true) {
			continue
		}
		if !meets(possible[key], o.Call, o.Return, false) {
			return invalid(name, "refused although nothing can have blocked this try: "+o.String(), int(f))
		}
		open = true
	}
	if open {
		return unknown(name, "the order of the operations is not known, so it is not known whether anything blocked a strict try")
	}
	return valid(name)
}

// wish returns a key that is the same for all tries that the same holds are in the way of.
func (r *holdReader) wish(o *Operation, readers bool) int64 {
	switch {
	case !readers:
		return o.permits()
	case o.Shared:
		return 1
	}
	return 0
}

// covered returns when a try is refused because of holds that were surely there, or (if surely
// is false) because of holds that may have been there.
func (r *holdReader) covered(o *Operation, readers, surely bool) []span {
	var loads []load
	for k := range r.held {
		h := &r.held[k]
		if readers && o.Shared && h.shared {
			continue
		}
		if !surely {
			loads = append(loads, load{h.ac, after(h.until, 1), h.permits, int32(k)}) // also at the moment of its end
		} else if h.ar < h.free(h.ac) {
			loads = append(loads, load{h.ar, h.free(h.ac), h.permits, int32(k)})
		}
	}
	left := int64(0)
	if !readers {
		left = int64(r.t.opt.Capacity) - o.permits()
	}
	out := spansOf(loads, left)
	for k := range out {
		if !surely && out[k].hi != Never {
			out[k].hi--
		}
	}
	return out
}

// spansOf returns the times in which the sum of loads is more than left.
func spansOf(loads []load, left int64) (out []span) {
	if left < 0 {
		return []span{{-1 << 63, Never}}
	}
	since := int64(Never)
	sweepLoads(loads, func(at, sum int64, _ int32) bool {
		switch {
		case sum > left && since == Never:
			since = at
		case sum <= left && since != Never:
			out = append(out, span{since, at})
			since = Never
		}
		return true
	})
	return slices.DeleteFunc(out, func(s span) bool { return s.lo >= s.hi })
}
