package linear

import (
	"fmt"
	"slices"
	"sort"
)

const bySweep = "sweep"

// judgePermits decides a read-write lock or a semaphore in O(n log n). As with
// a mutex the return of an acquire and the call of its release will do as
// points, so it is enough that what is surely held at one time is compatible.
// A strict try is decided where even the shortest sections cover it, or not
// even the longest do.
func judgePermits(readers bool) judge {
	return func(t *trace) Verdict {
		held, tries, wrong := readPermits(t)
		if wrong != nil {
			return *wrong
		}
		s := sweep{t: t, held: held, readers: readers, capacity: t.opt.Capacity}
		if v := s.compatible(); v != nil {
			return *v
		}
		if len(tries) > 0 {
			return s.strict(tries)
		}
		return valid(bySweep)
	}
}

// A permitHolder is what a process holds while its operations are read.
type permitHolder struct {
	sections []int32 // oldest first
	over     bool    // an operation of unknown outcome came last
}

// readPermits pairs acquires and releases. Acquires of unknown outcome are
// sections with ar = Never.
func readPermits(t *trace) (held []section, tries []int32, wrong *Verdict) {
	holders := make([]permitHolder, t.procs)
	stop := func(v Verdict) ([]section, []int32, *Verdict) { return nil, nil, &v }
	for _, i := range t.order {
		o, w := &t.ops[i], &holders[t.proc[i]]
		if w.over && o.F != End {
			return stop(unknown(bySweep, "a process goes on after an outcome that it did not learn"))
		}
		switch {
		case o.F == Acquire && o.Status == Refused:
			if t.opt.StrictTries {
				tries = append(tries, i)
			}
			continue
		case o.F == Acquire:
			held = append(held, section{o.Call, o.end(), Never, Never, i, -1})
			w.over = o.Status == Pending
			if !w.over {
				w.sections = append(w.sections, int32(len(held)-1))
			}
			continue
		case o.F == End:
			for _, k := range w.sections {
				held[k].rc, held[k].rr, held[k].release = o.Call, o.end(), i
			}
			w.sections, w.over = nil, w.over || o.Status == Pending
			continue
		case o.F != Release && o.F != Renew:
			return stop(unknown(bySweep, "a lock has no "+o.F.String()))
		}
		k := slices.IndexFunc(w.sections, func(k int32) bool { return t.ops[held[k].acquire].Shared == o.Shared })
		switch {
		case o.Status == Pending && o.F == Renew:
		case o.Status == Pending:
			w.over = true
			if k >= 0 {
				s := &held[w.sections[k]]
				s.rc, s.release = o.Call, i
				w.sections = slices.Delete(w.sections, k, k+1)
			}
		case o.Status == Refused && k >= 0:
			return stop(invalid(bySweep, "a holder is told that it does not hold the lock: "+o.String(), int(held[w.sections[k]].acquire), int(i)))
		case o.Status == OK && k < 0:
			return stop(invalid(bySweep, "a process gives back or renews what it does not hold: "+o.String(), int(i)))
		case o.Status == OK && o.F == Release:
			s := &held[w.sections[k]]
			s.rc, s.rr, s.release = o.Call, o.Return, i
			w.sections = slices.Delete(w.sections, k, k+1)
		}
	}
	return held, tries, nil
}

// A sweep goes over sections in the order of time.
type sweep struct {
	t        *trace
	held     []section
	readers  bool
	capacity int
}

func (s *sweep) shared(k int) bool { return s.t.ops[s.held[k].acquire].Shared }

// A span is a time in which something is so.
type span struct{ lo, hi int64 }

// run counts readers (or permits) and writers through time. Where begin and
// end meet, endsFirst says which counts first.
func (s *sweep) run(begin, end func(*section) int64, endsFirst bool, at func(time int64, shared, exclusive int, latest int32)) {
	begins := byKey(len(s.held), func(k int32) int64 { return begin(&s.held[k]) })
	ends := byKey(len(s.held), func(k int32) int64 { return end(&s.held[k]) })
	count := [2]int{}
	kind := func(k int32) int {
		if s.readers && !s.shared(int(k)) {
			return 1
		}
		return 0
	}
	next := func(order []int32, i int, of func(*section) int64) int64 {
		if i == len(order) {
			return Never
		}
		return of(&s.held[order[i]])
	}
	for b, e := 0, 0; ; {
		tb, te := next(begins, b, begin), next(ends, e, end)
		switch {
		case tb == Never && te == Never:
			return
		case te < tb || te == tb && endsFirst:
			count[kind(ends[e])]--
			at(te, count[0], count[1], -1)
			e++
		default:
			count[kind(begins[b])]++
			at(tb, count[0], count[1], begins[b])
			b++
		}
	}
}

func sureBegin(s *section) int64  { return s.ar }
func sureEnd(s *section) int64    { return s.rc }
func firstBegin(s *section) int64 { return s.ac }
func lastEnd(s *section) int64    { return s.rr }

// compatible finds sections that cannot be held at once and surely are.
func (s *sweep) compatible() *Verdict {
	var out *Verdict
	s.run(sureBegin, sureEnd, true, func(time int64, shared, exclusive int, latest int32) {
		bad := shared > s.capacity
		if s.readers {
			bad = exclusive > 1 || exclusive == 1 && shared > 0
		}
		if !bad || out != nil || latest < 0 {
			return
		}
		v := s.conflict(time, latest)
		out = &v
	})
	return out
}

// conflict is the verdict on a section that began at a time when it could not.
func (s *sweep) conflict(time int64, latest int32) Verdict {
	var witness []int
	for k := range s.held {
		if h := &s.held[k]; int32(k) != latest && h.ar <= time && time < h.rc && (!s.readers || !s.shared(k) || !s.shared(int(latest))) {
			witness = append(witness, h.witness()...)
			if s.readers {
				break
			}
		}
	}
	o := &s.t.ops[s.held[latest].acquire]
	what := fmt.Sprintf("all %d permits", s.capacity)
	if s.readers {
		what = "the lock"
	}
	return invalid(bySweep, fmt.Sprintf("process %d is granted a permit by %d, while others surely hold %s", o.Process, time, what),
		append(witness, int(s.held[latest].acquire))...)
}

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
