package linear

// A grant is one lease and what its holder was told about it.
type grant struct {
	ac, ar   int64 // the acquire's interval
	claim    int64 // call of the last operation that the service carried out: the lease lived then or later
	until    int64 // it ended by then: the return of its release, or of the first refusal; Never: nobody was told
	freed    int64 // call of the operation that may have ended it early, a release or an End; Never: none
	ttl      int64 // guaranteed from its point on
	renewed  int64 // until when the renewals guarantee it; the least int64 for none
	released bool  // the operation of freed is a release that succeeded
	token    uint64
	op       int32 // the acquire
	last     int32 // the operation of claim; op itself, if there was none
	end      int32 // the operation of until, -1
}

// leases holds what the operations of a lock with unobserved expiry amount to.
type leases struct {
	granted []grant
	tries   []int32 // strict: refused acquires, by call
	unknown []int32 // acquires of unknown outcome, by call
}

// A tenant is what a process believes while its operations are read.
type tenant struct {
	lease int32 // 1 + index in granted; 0: none
	depth int32
	open  bool // an acquire of unknown outcome came last
}

// A leaseReader collects the leases process by process. A lease can end at
// any moment, so operations of unknown outcome that might end it say nothing.
type leaseReader struct {
	t         *trace
	name      string // of the algorithm
	reentrant bool
	tokens    bool
	timed     bool // an end of unknown outcome matters
	out       leases
	wrong     *Verdict
}

func (r *leaseReader) read() (*leases, *Verdict) {
	tenants := make([]tenant, r.t.procs)
	r.out.granted = make([]grant, 0, r.t.grants)
	for _, i := range r.t.order {
		o, w := &r.t.ops[i], &tenants[r.t.proc[i]]
		switch {
		case o.F == Renew && o.Status == Pending:
		case (o.F == End || o.F == Release) && o.Status == Pending:
			r.mayEnd(o, w)
		case w.open:
			r.unsupported("a process continues after an acquire of unknown outcome")
		case o.F == Acquire:
			r.acquire(i, o, w)
		case o.F == Renew, o.F == Release, o.F == End:
			r.told(i, o, w)
		default:
			r.unsupported("a lock has no " + o.F.String())
		}
		if r.wrong != nil {
			return nil, r.wrong
		}
	}
	r.t.sortByCall(r.out.tries)
	r.t.sortByCall(r.out.unknown)
	return &r.out, nil
}

func (r *leaseReader) unsupported(why string) {
	v := unknown(r.name, why)
	r.wrong = &v
}

func (r *leaseReader) fail(explanation string, witness ...int) {
	v := invalid(r.name, explanation, witness...)
	r.wrong = &v
}

func (r *leaseReader) acquire(i int32, o *Operation, w *tenant) {
	switch {
	case o.Status == Pending:
		w.open = true
		r.out.unknown = append(r.out.unknown, i)
	case o.Status == Refused && !r.t.opt.StrictTries:
	case o.Status == Refused && r.reentrant && w.lease != 0:
		r.unsupported("a refused re-entry says that the lease was over")
	case o.Status == Refused:
		r.out.tries = append(r.out.tries, i)
	case r.reentrant && w.lease != 0 && r.out.granted[w.lease-1].token == o.Token:
		w.depth++
		g := &r.out.granted[w.lease-1]
		g.claim, g.last = o.Call, i
	default:
		r.out.granted = append(r.out.granted, grant{
			ac: o.Call, ar: o.Return, claim: o.Call, until: Never, freed: Never, ttl: o.guaranteed(&r.t.opt), renewed: -1 << 63,
			token: o.Token, op: i, last: i, end: -1,
		})
		w.lease, w.depth = int32(len(r.out.granted)), 1
	}
}

// mayEnd takes a release or an End of unknown outcome. It says nothing, except
// that a guaranteed lease may have ended before its time.
func (r *leaseReader) mayEnd(o *Operation, w *tenant) {
	if !r.timed {
		return
	}
	if w.lease != 0 {
		g := &r.out.granted[w.lease-1]
		g.freed = min(g.freed, o.Call)
	}
	w.open = true // whatever follows would say whether the lease ended
}

// told takes an answer about the lease of a process.
func (r *leaseReader) told(i int32, o *Operation, w *tenant) {
	if w.lease == 0 {
		if o.Status == OK && o.F != End {
			r.fail("a process completes a "+o.F.String()+" under a lease that it does not hold, or that was over: "+o.String(), int(i))
		}
		return
	}
	g := &r.out.granted[w.lease-1]
	if o.Status == Refused || o.F == End {
		if o.F == End {
			g.freed = o.Call
		}
		g.until, g.end, w.lease = o.Return, i, 0
		return
	}
	if r.tokens && o.Token != 0 && o.Token != g.token {
		r.fail("a "+o.F.String()+" succeeds with a token that does not belong to its lease: "+o.String(), int(g.op), int(i))
		return
	}
	g.claim, g.last = o.Call, i
	if o.F == Renew {
		g.renewed = max(g.renewed, after(o.Call, o.guaranteed(&r.t.opt)))
		return
	}
	if w.depth--; w.depth == 0 {
		g.freed, g.released = o.Call, true
		g.until, g.end, w.lease = o.Return, i, 0
	}
}
