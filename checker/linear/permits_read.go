package linear

import "slices"

// A permitHolder is what a process holds while its operations are read.
type permitHolder struct {
	sections []int32 // oldest first
	over     bool    // an operation of unknown outcome came last
}

// A permitReader pairs acquires and releases. Acquires of unknown outcome are
// sections with ar = Never.
type permitReader struct {
	t       *trace
	readers bool
	holders []permitHolder
	held    []section
	tries   []int32 // strict
}

func (r *permitReader) read() *Verdict {
	for _, i := range r.t.order {
		o, w := &r.t.ops[i], &r.holders[r.t.proc[i]]
		var wrong *Verdict
		switch {
		case w.over && o.F != End:
			v := unknown(bySweep, "a process continues after an operation of unknown outcome")
			return &v
		case o.F == Acquire:
			r.acquire(i, o, w)
		case o.F == End:
			for _, k := range w.sections {
				r.held[k].rc, r.held[k].rr, r.held[k].release = o.Call, o.end(), i
			}
			w.sections, w.over = nil, w.over || o.Status == Pending
		case o.F == Release || o.F == Renew:
			wrong = r.told(i, o, w)
		default:
			v := unknown(bySweep, "a lock has no "+o.F.String())
			return &v
		}
		if wrong != nil {
			return wrong
		}
	}
	return nil
}

func (r *permitReader) acquire(i int32, o *Operation, w *permitHolder) {
	if o.Status == Refused {
		if r.t.opt.StrictTries {
			r.tries = append(r.tries, i)
		}
		return
	}
	r.held = append(r.held, section{o.Call, o.end(), Never, Never, i, -1})
	if w.over = o.Status == Pending; !w.over {
		w.sections = append(w.sections, int32(len(r.held)-1))
	}
}

// told takes a release or a renewal.
func (r *permitReader) told(i int32, o *Operation, w *permitHolder) *Verdict {
	k := slices.IndexFunc(w.sections, func(k int32) bool {
		took := &r.t.ops[r.held[k].acquire]
		return took.Shared == o.Shared && (r.readers || o.names(took.Token))
	})
	switch {
	case o.Status == Refused && k >= 0:
		v := invalid(bySweep, "a holder is answered \"not held\": "+o.String(), int(r.held[w.sections[k]].acquire), int(i))
		return &v
	case o.Status == OK && k < 0:
		v := invalid(bySweep, "a process releases or renews a hold that it does not have: "+o.String(), int(i))
		return &v
	}
	w.over = o.Status == Pending && o.F == Release
	if k >= 0 && o.F == Release {
		s := &r.held[w.sections[k]]
		s.rc, s.rr, s.release = o.Call, o.end(), i
		w.sections = slices.Delete(w.sections, k, k+1)
	}
	return nil
}
