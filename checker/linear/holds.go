package linear

import "slices"

// A hold is what an acquire took of a lock that several can hold, and what its process was
// told about it.
type hold struct {
	ac, ar   int64 // the acquire's interval; ar is Never if its outcome is unknown
	ttl      int64 // guaranteed from the grant on
	renewed  int64 // until when the renewals guarantee it; the least int64 for none
	freed    int64 // call of the operation that ends it early, a release or an End; Never: none
	until    int64 // it has ended by then; Never: nobody was told
	permits  int64
	acquire  int32
	end      int32 // the operation that says that it ended; -1: none
	shared   bool
	released bool // by the operation end, certainly
	refused  bool // the operation end says that it had ended by itself
}

// free returns the earliest moment at which the hold can have ended, if its grant took effect
// at point.
func (h *hold) free(point int64) int64 {
	if h.released {
		return h.freed
	}
	return min(h.freed, max(h.renewed, after(point, h.ttl)))
}

// vague reports whether the hold was not surely held at any time, because its acquire took as
// long as the hold lasts. Such a hold may lie on either side of a hold that is in its way.
func (h *hold) vague() bool { return h.free(h.ac) <= h.ar && h.free(h.ac) < h.free(h.ar) }

// A holdReader collects holds process by process.
type holdReader struct {
	t     *trace
	name  string // of the algorithm
	held  []hold
	tries []int32   // strict: refused acquires
	lives [][]int32 // by process: holds whose end it was not told, oldest first
	over  []bool    // by process: an operation of unknown outcome came last
}

func newHoldReader(t *trace, name string) *holdReader {
	return &holdReader{t: t, name: name, held: make([]hold, 0, t.grants), lives: make([][]int32, t.procs), over: make([]bool, t.procs)}
}

func (r *holdReader) read() *Verdict {
	for _, i := range r.t.order {
		o, p := &r.t.ops[i], r.t.proc[i]
		var wrong *Verdict
		switch {
		case o.F == Renew && o.Status == Pending: // it can only have lengthened what may last anyway
		case r.over[p] && o.F != End, o.F == End && o.Status == Refused:
			v := unknown(r.name, "a process continues after an operation of unknown outcome")
			wrong = &v
		case o.F == Acquire:
			r.acquire(i, o, p)
		case o.F == End:
			r.ended(i, o, p)
		default:
			wrong = r.told(i, o, p)
		}
		if wrong != nil {
			return wrong
		}
	}
	return nil
}

func (r *holdReader) acquire(i int32, o *Operation, p int32) {
	if o.Status == Refused {
		if r.t.opt.StrictTries {
			r.tries = append(r.tries, i)
		}
		return
	}
	r.held = append(r.held, hold{
		ac: o.Call, ar: o.end(), ttl: o.guaranteed(&r.t.opt), renewed: -1 << 63, freed: Never, until: Never,
		permits: o.permits(), acquire: i, end: -1, shared: o.Shared,
	})
	if r.over[p] = o.Status == Pending; !r.over[p] {
		r.lives[p] = append(r.lives[p], int32(len(r.held)-1))
	}
}

// ended takes an End, which ends everything that a process holds.
func (r *holdReader) ended(i int32, o *Operation, p int32) {
	for _, k := range r.lives[p] {
		h := &r.held[k]
		h.freed, h.until, h.end = o.Call, o.end(), i
	}
	r.lives[p], r.over[p] = r.lives[p][:0], r.over[p] || o.Status == Pending
}

// told takes a release or a renewal.
func (r *holdReader) told(i int32, o *Operation, p int32) *Verdict {
	fits := func(k int32) bool {
		return r.held[k].shared == o.Shared && o.names(r.t.ops[r.held[k].acquire].Token)
	}
	lives := r.lives[p]
	k := slices.IndexFunc(lives, fits)
	switch {
	case o.Status == Refused:
		r.lives[p] = slices.DeleteFunc(lives, func(k int32) bool { return fits(k) && r.refuse(i, o, k) })
		return nil
	case k < 0 && o.Status == OK:
		v := invalid(r.name, "a process releases or renews a hold that it does not have, or that was already over: "+o.String(), int(i))
		return &v
	case k >= 0 && slices.ContainsFunc(lives[k+1:], fits):
		v := unknown(r.name, "a process has several holds, and it is not known which of them are over and which one this call means: "+o.String())
		return &v
	}
	if r.over[p] = o.Status == Pending; k < 0 {
		return nil
	}
	h := &r.held[lives[k]]
	if o.F == Renew {
		h.renewed = max(h.renewed, after(o.Call, o.guaranteed(&r.t.opt)))
		return nil
	}
	h.freed, h.until, h.end, h.released = o.Call, o.end(), i, o.Status == OK
	r.lives[p] = slices.Delete(lives, k, k+1)
	return nil
}

// refuse notes that a hold had ended by itself.
func (r *holdReader) refuse(i int32, o *Operation, k int32) bool {
	h := &r.held[k]
	h.until, h.end, h.refused = o.Return, i, true
	return true
}
