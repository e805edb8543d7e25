package linear

import "fmt"

const byReplay = "replay"

// replay runs through the accepted operations of a fenced store in the order
// of their tokens and checks every read. It needs no search and no overlap of
// intervals; for an object that is used under a lock with fencing tokens it is
// stronger than linearizability, because it fixes the order: the holder of the newer lease
// comes later, whatever the clocks say.
type replay struct {
	t      *trace
	order  []int32 // accepted and unknown operations, by token, then call
	values map[string]*replayed
	needed []int32 // writes of unknown outcome that a read proves
}

// A replayed holds what a key may hold.
type replayed struct {
	value string
	from  int32   // the write of value, -1
	maybe []int32 // writes of unknown outcome since
}

// newReplay orders the operations, or says why their tokens give no order.
func newReplay(t *trace) (*replay, *Verdict) {
	var all []int32
	for _, i := range t.order {
		o := &t.ops[i]
		if o.F != Read && o.F != Write {
			v := unknown(byReplay, "only reads and writes are supported, not "+o.F.String())
			return nil, &v
		}
		if o.Status != Refused && (o.F == Write || o.Status == OK) {
			all = append(all, i)
		}
	}
	r := &replay{t: t, values: map[string]*replayed{}}
	for _, k := range byKey(len(all), func(k int32) int64 { return int64(t.ops[all[k]].Token ^ 1<<63) }) {
		r.order = append(r.order, all[k])
	}
	for k := 1; k < len(r.order); k++ {
		a, b := r.order[k-1], r.order[k]
		if t.ops[a].Token == t.ops[b].Token && t.proc[a] != t.proc[b] {
			v := unknown(byReplay, fmt.Sprintf("token %d is used by processes %d and %d", t.ops[a].Token, t.ops[a].Process, t.ops[b].Process))
			return nil, &v
		}
		if t.ops[a].Token == t.ops[b].Token && t.ops[a].Status == Pending {
			v := unknown(byReplay, "a process continues after an operation of unknown outcome")
			return nil, &v
		}
	}
	return r, nil
}

// run checks the reads.
func (r *replay) run() *Verdict {
	for _, i := range r.order {
		o := &r.t.ops[i]
		s := r.values[o.Key]
		if s == nil {
			s = &replayed{value: r.t.opt.Initial, from: -1}
			r.values[o.Key] = s
		}
		switch {
		case o.F == Write && o.Status == Pending:
			s.maybe = append(s.maybe, i)
		case o.F == Write:
			*s = replayed{value: o.Value, from: i}
		case o.Value != s.value:
			if v := r.prove(i, s); v != nil {
				return v
			}
		default:
			s.maybe = nil // these writes had their turn before this read, and made no difference
		}
	}
	return nil
}

// prove looks for the write of unknown outcome that a read must have seen.
func (r *replay) prove(i int32, s *replayed) *Verdict {
	o := &r.t.ops[i]
	found, times := 0, 0
	for k, w := range s.maybe {
		if r.t.ops[w].Value == o.Value {
			found, times = k, times+1
		}
	}
	if times > 1 {
		v := unknown(byReplay, "several writes of unknown outcome can explain "+o.String())
		return &v
	}
	if times == 0 {
		v := invalid(byReplay, fmt.Sprintf("%v, but by the order of tokens the value was %s", *o, quote(s.value)), int(i))
		if s.from >= 0 {
			v.Witness = append([]int{int(s.from)}, v.Witness...)
		}
		return &v
	}
	w := s.maybe[found]
	r.needed = append(r.needed, w)
	*s = replayed{value: o.Value, from: w}
	return nil
}

// judgeReplay judges by the replay alone.
func judgeReplay(t *trace) Verdict {
	r, v := newReplay(t)
	if v != nil {
		return *v
	}
	if v := r.run(); v != nil {
		return *v
	}
	return valid(byReplay)
}
