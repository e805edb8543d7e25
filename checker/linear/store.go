package linear

import "fmt"

// judgeFencedStore decides a fenced store in O(n log n). Accepted operations must come in the
// order of their tokens, a refused one after an operation with a greater token, and a replay in
// that order must return the recorded values.
func judgeFencedStore(t *trace) Verdict {
	r, v := newReplay(t)
	if v != nil {
		return *v
	}
	var links []link
	place, token := int64(-1), uint64(0)
	needed := map[int32]bool{}
	replayed := r.run()
	if replayed != nil && replayed.Outcome == Unknown {
		return *replayed
	}
	for _, i := range r.needed {
		needed[i] = true
	}
	var tokens []uint64 // of the odd places 1, 3, …
	for _, i := range r.order {
		o := &t.ops[i]
		if o.Status == Pending && !needed[i] {
			continue
		}
		if place < 0 || o.Token != token {
			place, token = place+2, o.Token
			tokens = append(tokens, token)
		}
		links = append(links, t.linkOf(i, place))
	}
	reached := make([]int64, len(tokens)) // least point at which the mark is at a token
	for k := range reached {
		reached[k] = Never
	}
	v = linked(t, byTokens, links, func(l *link, at int64) {
		reached[l.place/2] = min(reached[l.place/2], at)
	})
	if v != nil {
		return *v
	}
	if replayed != nil {
		return *replayed
	}
	return refusals(t, tokens, reached)
}

// refusals checks that the mark can have been greater when an operation was
// refused.
func refusals(t *trace, tokens []uint64, reached []int64) Verdict {
	k := 0
	byToken := byKey(len(t.ops), func(i int32) int64 { return int64(t.ops[i].Token ^ 1<<63) })
	for _, i := range byToken {
		o := &t.ops[i]
		if o.Status != Refused {
			continue
		}
		for k < len(tokens) && tokens[k] <= o.Token {
			k++
		}
		if k < len(tokens) && reached[k] <= o.Return {
			continue
		}
		for j := range t.ops {
			if u := &t.ops[j]; u.Status == Pending && u.Token > o.Token && u.Call <= o.Return {
				return unknown(byTokens, "a refusal may depend on an operation of unknown outcome: "+o.String())
			}
		}
		return invalid(byTokens, fmt.Sprintf("%v, before any greater token was used", *o), int(i))
	}
	return valid(byTokens)
}
