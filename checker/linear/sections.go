package linear

import (
	"cmp"
	"slices"
)

// A section is a critical section of an exclusive lock: an acquire in
// [ac, ar] and what ended it in [rc, rr]. The lock is surely held in (ar, rc).
type section struct {
	ac, ar, rc, rr int64
	acquire        int32
	release        int32 // -1: none
}

// sections holds what the operations of an exclusive lock amount to.
type sections struct {
	held    []section // granted; by ar, then rc
	proved  []section // the acquire's outcome was unknown, but its release succeeded
	tries   []int32   // strict: refused acquires of processes that held nothing, by call
	unknown int32     // the acquire of unknown outcome called first; -1
}

// An owner is what a process is known to hold while its operations are read.
type owner struct {
	section int32 // 1 + index in held; 0: none
	depth   int32
	open    int32 // 1 + an acquire of unknown outcome that came last; 0: none
	over    bool  // an operation of unknown outcome may have ended its section
}

// A reader pairs acquires and releases process by process.
type reader struct {
	t         *trace
	reentrant bool
	out       sections
	owners    []owner
	wrong     *Verdict
}

const bySections = "sections"

// readSections returns the sections of an exclusive lock, or a verdict if
// some process contradicts itself or does what sections cannot express.
func readSections(t *trace, reentrant bool) (*sections, *Verdict) {
	r := reader{t: t, reentrant: reentrant, owners: make([]owner, t.procs), out: sections{unknown: -1, held: make([]section, 0, t.grants)}}
	for _, i := range t.order {
		o, w := &t.ops[i], &r.owners[t.proc[i]]
		switch {
		case w.over && o.F != End, w.open != 0 && o.F != End && !(o.F == Release && o.Status != Refused):
			v := unknown(bySections, "a process continues after an operation of unknown outcome")
			return nil, &v
		case o.F == Acquire:
			r.acquire(i, o, w)
		case o.F == Renew:
			r.renew(i, o, w)
		case o.F == Release:
			r.release(i, o, w)
		case o.F == End:
			r.end(i, o, w)
		default:
			v := unknown(bySections, "a lock has no "+o.F.String())
			return nil, &v
		}
		if r.wrong != nil {
			return nil, r.wrong
		}
	}
	t.sortByCall(r.out.tries)
	if !slices.IsSortedFunc(r.out.held, byGrant) {
		slices.SortFunc(r.out.held, byGrant)
	}
	return &r.out, nil
}

func byGrant(a, b section) int {
	if a.ar != b.ar {
		return cmp.Compare(a.ar, b.ar)
	}
	return cmp.Compare(a.rc, b.rc)
}

func (r *reader) fail(explanation string, witness ...int) {
	v := invalid(bySections, explanation, witness...)
	r.wrong = &v
}

func (r *reader) acquire(i int32, o *Operation, w *owner) {
	switch {
	case o.Status == Pending && r.t.last(i):
		if u := r.out.unknown; w.section == 0 && (u < 0 || o.Call < r.t.ops[u].Call) {
			r.out.unknown = i
		}
	case o.Status == Pending:
		w.open = i + 1
	case o.Status == Refused && w.section == 0:
		if r.t.opt.StrictTries {
			r.out.tries = append(r.out.tries, i)
		}
	case o.Status == Refused:
		if r.reentrant && r.t.opt.StrictTries {
			r.fail("a holder is refused re-entry", int(r.out.held[w.section-1].acquire), int(i))
		}
	case w.section == 0:
		r.out.held = append(r.out.held, section{o.Call, o.Return, Never, Never, i, -1})
		w.section, w.depth = int32(len(r.out.held)), 1
	case r.reentrant:
		w.depth++
	default:
		r.fail("a process is granted the lock that it already holds", int(r.out.held[w.section-1].acquire), int(i))
	}
}

func (r *reader) renew(i int32, o *Operation, w *owner) {
	switch {
	case o.Status == OK && w.section == 0:
		r.fail("a process renews a lock that it does not hold", int(i))
	case o.Status == Refused && w.section != 0:
		r.fail("a holder is answered \"not held\"", int(r.out.held[w.section-1].acquire), int(i))
	}
}

func (r *reader) release(i int32, o *Operation, w *owner) {
	switch {
	case w.section == 0 && w.open != 0:
		r.settle(i, o, w)
	case w.open != 0:
		w.over = true // re-entry of unknown outcome: how many releases are owed is unknown too
		v := unknown(bySections, "a release follows a re-entry of unknown outcome")
		r.wrong = &v
	case o.Status == Refused && w.section != 0:
		r.fail("a holder is answered \"not held\"", int(r.out.held[w.section-1].acquire), int(i))
	case o.Status == OK && w.section == 0:
		r.fail("a process releases a lock that it does not hold", int(i))
	case o.Status == Refused:
	case w.section == 0: // unknown, and nothing to release
		w.over = true
	case w.depth > 1:
		w.depth--
		w.over = o.Status == Pending
	default:
		r.close(i, o, w)
	}
}

// settle handles a release after an acquire of unknown outcome.
func (r *reader) settle(i int32, o *Operation, w *owner) {
	if r.t.opt.StrictTries {
		v := unknown(bySections, "a strict try may depend on an acquire of unknown outcome that was released")
		r.wrong = &v
		return
	}
	if o.Status == Pending {
		w.over = true
		return
	}
	a := &r.t.ops[w.open-1]
	r.out.proved = append(r.out.proved, section{a.Call, o.Return, o.Call, o.Return, w.open - 1, i})
	w.open = 0
}

// end handles the end of everything that a process holds.
func (r *reader) end(i int32, o *Operation, w *owner) {
	switch {
	case w.open != 0 && r.t.opt.StrictTries: // it may also land after what the process held has ended
		v := unknown(bySections, "a strict try may depend on an acquire of unknown outcome that ended")
		r.wrong = &v
	case o.Status == Refused:
		v := unknown(bySections, "an end cannot be refused")
		r.wrong = &v
	case w.section != 0 && r.out.held[w.section-1].release < 0:
		r.close(i, o, w)
	}
	w.over = w.over || o.Status == Pending || w.open != 0
}

func (r *reader) close(i int32, o *Operation, w *owner) {
	s := &r.out.held[w.section-1]
	s.rc, s.rr, s.release = o.Call, o.end(), i
	if o.Status == Pending {
		w.over = true
		return
	}
	w.section, w.depth = 0, 0
}
