package linear

import "fmt"

const bySweep = "sweep"

// judgePermits decides a read-write lock or a semaphore in O(n log n). As with a mutex, the
// return of an acquire and the call of its release can serve as points, so it is enough that
// all sections that are surely held at one time are compatible. A strict try is decided if
// even the shortest sections cover it, or if not even the longest do.
func judgePermits(readers bool) judge {
	return func(t *trace) Verdict {
		r := permitReader{t: t, readers: readers, holders: make([]permitHolder, t.procs)}
		if wrong := r.read(); wrong != nil {
			return *wrong
		}
		s := sweep{t: t, held: r.held, readers: readers, capacity: t.opt.Capacity}
		if v := s.compatible(); v != nil {
			return *v
		}
		if len(r.tries) > 0 {
			return s.strict(r.tries)
		}
		return valid(bySweep)
	}
}

// A sweep goes over sections in the order of time.
type sweep struct {
	t        *trace
	held     []section
	readers  bool
	capacity int
}

func (s *sweep) shared(k int) bool { return s.t.ops[s.held[k].acquire].Shared }

// run counts readers (or permits) and writers through time. Where begin and
// end meet, endsFirst says which counts first.
func (s *sweep) run(begin, end func(*section) int64, endsFirst bool, at func(time int64, shared, exclusive int, latest int32)) {
	begins := byKey(len(s.held), func(k int32) int64 { return begin(&s.held[k]) })
	ends := byKey(len(s.held), func(k int32) int64 { return end(&s.held[k]) })
	count := [2]int{}
	weight := func(k int32) int {
		if s.readers {
			return 1
		}
		return int(s.t.ops[s.held[k].acquire].permits())
	}
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
			count[kind(ends[e])] -= weight(ends[e])
			at(te, count[0], count[1], -1)
			e++
		default:
			count[kind(begins[b])] += weight(begins[b])
			at(tb, count[0], count[1], begins[b])
			b++
		}
	}
}

func sureBegin(s *section) int64  { return s.ar }
func sureEnd(s *section) int64    { return s.rc }
func firstBegin(s *section) int64 { return s.ac }
func lastEnd(s *section) int64    { return s.rr }

// compatible finds sections that cannot be held at once, but surely were.
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

// conflict returns the verdict on a section that began at a time when it could not.
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
	what := fmt.Sprintf("a permit at %d or earlier, while others surely hold all %d permits", time, s.capacity)
	switch n := int(o.permits()); {
	case s.readers:
		what = fmt.Sprintf("a permit at %d or earlier, while others surely hold the lock", time)
	case n > s.capacity:
		what = fmt.Sprintf("%d of %d permits at %d or earlier", n, s.capacity, time)
	case n > 1:
		what = fmt.Sprintf("%d permits at %d or earlier, while others surely hold more than %d of %d", n, time, s.capacity-n, s.capacity)
	}
	return invalid(bySweep, fmt.Sprintf("process %d is granted %s", o.Process, what),
		append(witness, int(s.held[latest].acquire))...)
}
