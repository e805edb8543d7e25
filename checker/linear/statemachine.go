package linear

import (
	"fmt"
	"slices"
)

// judgeStateMachine decides a state machine that never comes back to a state that it has left,
// such as the life of an order: the transitions are a path, and its reads lie along it. A
// refused transition needs a moment outside its state.
func judgeStateMachine(t *trace) Verdict {
	path, place, v := walkStates(t)
	if v != nil {
		return *v
	}
	var links []link
	var refused []int32
	for k, enter := range path[1:] {
		links = append(links, t.linkOf(enter, int64(2*k+2)))
	}
	for _, i := range t.order {
		o := &t.ops[i]
		switch {
		case o.F == CAS && o.Status == Refused:
			if _, ok := place[o.Expect]; ok {
				refused = append(refused, i)
			}
		case o.F == Read && o.Status == OK:
			k, ok := place[o.Value]
			if !ok && leadsTo(t, o.Value) {
				return unknown(byChain, "a transition of unknown outcome may have left the path: "+o.String())
			}
			if !ok {
				return invalid(byChain, fmt.Sprintf("%v, a state that no transition leads to", *o), int(i))
			}
			links = append(links, t.linkOf(i, int64(2*k+1)))
		}
	}
	point := make([]int64, len(path)) // least point of entering each state
	point[0] = -1 << 63
	v = linked(t, byChain, links, func(l *link, at int64) {
		if l.place%2 == 0 {
			point[l.place/2] = at
		}
	})
	if v != nil {
		return *v
	}
	for _, i := range refused {
		o, k := &t.ops[i], place[t.ops[i].Expect]
		if k > 0 && o.Call <= point[k] || k+1 < len(path) && o.Return >= point[k+1] {
			continue
		}
		return unknown(byChain, fmt.Sprintf("it is not known in which state %v was refused, because the fast procedure knows only the earliest possible moments", *o))
	}
	return valid(byChain)
}

// leadsTo reports whether a transition of unknown outcome leads to a state.
func leadsTo(t *trace, state string) bool {
	return slices.ContainsFunc(t.ops, func(o Operation) bool { return o.F == CAS && o.Status == Pending && o.Value == state })
}

// walkStates finds the only path through the transitions, or says why there may be others.
// path has the transitions that enter the states, first to last, and place has the place of
// each state on the path.
func walkStates(t *trace) (path []int32, place map[string]int, v *Verdict) {
	out := map[string]int32{} // the transition out of a state
	maybe := map[string]int32{}
	done := 0
	stop := func(why string) ([]int32, map[string]int, *Verdict) {
		u := unknown(byChain, why)
		return nil, nil, &u
	}
	for _, i := range t.order {
		o := &t.ops[i]
		switch {
		case o.F == Read && o.Status != Refused, o.F == CAS && o.Status == Refused:
		case o.F != CAS:
			return stop("only transitions and reads are supported, not " + o.F.String())
		case o.Status == OK:
			if _, ok := out[o.Expect]; ok || o.Expect == o.Value {
				return stop("a state is left twice: " + o.String())
			}
			out[o.Expect] = i
			done++
		default:
			if j, ok := maybe[o.Expect]; ok && t.ops[j].Value != o.Value {
				return stop("it is not known where a transition led: " + o.String())
			} else if !ok || o.Call < t.ops[j].Call {
				maybe[o.Expect] = i
			}
		}
	}
	place = map[string]int{t.opt.Initial: 0}
	path = []int32{-1}
	for state := t.opt.Initial; ; {
		i, ok := out[state]
		if ok {
			done--
		} else if i, ok = maybe[state]; !ok {
			break
		}
		state = t.ops[i].Value
		if _, ok := place[state]; ok {
			return stop("a state is entered twice: " + quote(state))
		}
		place[state] = len(path)
		path = append(path, i)
	}
	if done > 0 {
		return stop("transitions that succeeded are not on one path")
	}
	return path, place, nil
}
